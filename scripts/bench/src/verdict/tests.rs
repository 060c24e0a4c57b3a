use super::*;
use crate::executor::mock::measured;
use crate::model::LatencyKind;

/// Judges a sample of 64 connections at 1,000 requests per second with these shares of CPUs used.
fn judge(server: f64, generator: f64, change: impl FnOnce(&mut Errors, &mut Latency)) -> Verdict {
    let mut errors = Errors::default();
    let mut latency = Latency {
        mean_us: Some(64_000.0),
        ..Latency::unknown(LatencyKind::AtSaturation)
    };
    change(&mut errors, &mut latency);
    let cost = GeneratorCost {
        cpu_s: 0.0,
        cpus: 1,
        stolen_s: None,
        utilisation: generator,
    };
    judge_sample(&Evidence {
        errors: &errors,
        responses: 2000,
        rate: 1000.0,
        latency: &latency,
        always_busy: true,
        offered: 64.0,
        generator: &cost,
        server: &ServerCost {
            utilisation: Some(server),
            ..ServerCost::default()
        },
        shared_cpus: false,
        heat: &Heat::default(),
    })
    .0
}

#[test]
fn what_was_the_limit() {
    assert_eq!(judge(0.99, 0.80, |_, _| {}), Verdict::Ok);
    assert_eq!(judge(0.99, 0.99, |_, _| {}), Verdict::Ok);
    assert_eq!(judge(0.70, 0.95, |_, _| {}), Verdict::GeneratorBound);
    assert_eq!(judge(0.50, 0.50, |_, _| {}), Verdict::LatencyBound);
}

#[test]
fn what_is_wrong_comes_first() {
    assert_eq!(
        judge(0.99, 0.5, |errors, _| errors.reset = 1),
        Verdict::Errors
    );
    assert_eq!(
        judge(0.99, 0.5, |errors, _| errors.wrong_bytes = 1),
        Verdict::WrongBytes
    );
    assert_eq!(
        judge(0.99, 0.5, |errors, _| errors.extra = 1),
        Verdict::WrongBytes
    );
    assert_eq!(
        judge(0.99, 0.5, |errors, _| errors.timeout = 1),
        Verdict::Errors
    );
}

/// rust-web-benchmarks' own data: 354 of 500 in service is still above the bound, 32 of 64 is not.
#[test]
fn littles_law_shows_starvation_even_behind_timeouts() {
    let half = |errors: &mut Errors, latency: &mut Latency| {
        latency.mean_us = Some(32_000.0);
        errors.timeout = 32;
    };
    assert_eq!(judge(0.99, 0.5, half), Verdict::Starved);
    let most =
        |_: &mut Errors, latency: &mut Latency| latency.mean_us = Some(64_000.0 * 354.0 / 500.0);
    assert_eq!(judge(0.99, 0.5, most), Verdict::Ok);
}

fn cell(verdicts: &[Verdict]) -> Option<(Verdict, String)> {
    let samples: Vec<Sample> = verdicts
        .iter()
        .map(|verdict| {
            let measured = measured(1000.0, 10.0);
            Sample {
                round: 1,
                at_s: 0.0,
                elapsed_s: 2.0,
                responses: 2000,
                requests_per_second: 1000.0,
                read_bytes: None,
                errors: Errors::default(),
                latency: measured.loaded.latency,
                in_flight: None,
                rate_wanted: None,
                rate_sent: None,
                generator: GeneratorCost {
                    cpu_s: 1.0,
                    cpus: 1,
                    stolen_s: None,
                    utilisation: 0.5,
                },
                server: measured.server,
                heat: measured.heat.clone(),
                verdict: *verdict,
                reason: format!("because of {verdict}"),
            }
        })
        .collect();
    judge_cell(&samples)
}

#[test]
fn one_spoilt_round_spoils_the_cell_and_says_in_how_many() {
    let (verdict, reason) = cell(&[Verdict::Ok, Verdict::Throttled, Verdict::Ok]).unwrap();
    assert_eq!(verdict, Verdict::Throttled);
    assert_eq!(reason, "because of throttled (in 1 of 3 rounds)");
    assert_eq!(
        cell(&[Verdict::Ok, Verdict::WrongBytes, Verdict::Errors])
            .unwrap()
            .0,
        Verdict::WrongBytes
    );
}

#[test]
fn the_limit_is_that_of_most_rounds() {
    use Verdict::{GeneratorBound, LatencyBound, Ok, Starved};
    assert_eq!(cell(&[Ok, GeneratorBound, Ok]).unwrap().0, Ok);
    assert_eq!(cell(&[Starved, Starved, Ok]).unwrap().0, Starved);
    assert_eq!(cell(&[Ok, LatencyBound]).unwrap().0, LatencyBound);
    assert_eq!(cell(&[]), None);
}

#[test]
fn a_throttled_machine_says_in_which_way() {
    let heat = Heat {
        celsius_after: Some(81.2),
        get_throttled_before: Some(0x50000),
        get_throttled_after: Some(0x50005),
        throttled: Some(true),
        ..Heat::default()
    };
    assert_eq!(
        throttled(&heat),
        "the machine lowered its clock during the load at 81 °C (under-voltage, throttled)"
    );
    assert_eq!(
        throttled(&Heat::default()),
        "the machine lowered its clock during the load"
    );
}
