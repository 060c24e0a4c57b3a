use super::*;
use crate::executor::Measured;
use crate::executor::mock::measured;
use crate::model::Verdict;
use crate::session::tests::{play, run_of};

/// A load in which the generator was the limit, or neither side was.
fn bound(requests_per_second: f64, generator: f64) -> Measured {
    let mut measured = measured(requests_per_second, 10.0);
    measured.server.utilisation = Some(0.7);
    measured.loaded.cpu_s = 2.0 * generator;
    measured
}

fn requests_rank(run: &Run, target: &str) -> Option<u32> {
    let cell = run.cells.iter().find(|cell| cell.key.target == target)?;
    cell.summary.as_ref()?.requests_per_second_rank
}

fn ranks_of(run: &Run, names: &[&str]) -> Vec<Option<u32>> {
    names.iter().map(|name| requests_rank(run, name)).collect()
}

#[test]
fn who_is_faster_without_a_rank_counts_before_those_that_rank() {
    let run = run_of(&[
        ("a", measured(1000.0, 10.0)),
        ("b", bound(2000.0, 0.99)),
        ("c", bound(3000.0, 0.5)),
        ("d", measured(500.0, 20.0)),
        ("e", bound(400.0, 0.99)),
    ]);
    let verdicts: Vec<Verdict> = run.cells.iter().map(|cell| cell.verdict).collect();
    assert_eq!(
        verdicts[1..3],
        [Verdict::GeneratorBound, Verdict::LatencyBound]
    );
    let ranks = ranks_of(&run, &["a", "b", "c", "d", "e"]);
    assert_eq!(ranks, [Some(3), None, None, Some(4), None]);
}

/// Everyone is compared with the group's first, and a group's number counts all before it.
#[test]
fn a_group_is_who_cannot_be_told_from_its_first() {
    let mut run = run_of(&[
        ("a", measured(1000.0, 10.0)),
        ("b", measured(960.0, 10.4)),
        ("c", measured(920.0, 10.9)),
        ("d", measured(910.0, 11.0)),
    ]);
    // The twin differs by 3 % one way and 5 % the other.
    let twin = run
        .cells
        .iter_mut()
        .find(|cell| cell.key.target == "a (A/A)");
    let samples = twin.unwrap().samples.iter_mut();
    for (sample, scale) in samples.zip([0.97, 1.0, 1.05]) {
        sample.requests_per_second *= scale;
    }
    rank(&mut run);
    let floor = run.controls.noise_floors[0].requests_per_second.unwrap();
    assert!(
        (floor - 0.05).abs() < 1e-9,
        "the larger one counts: {floor}"
    );
    let ranks = ranks_of(&run, &["a", "b", "c", "d"]);
    assert_eq!(ranks, [Some(1), Some(1), Some(3), Some(3)]);
}

#[test]
fn without_a_twin_all_are_a_tie() {
    let mut run = play(1.05, &[]);
    assert_eq!(ranks_of(&run, &["a", "b"]), [Some(1), Some(2)]);
    run.cells.retain(|cell| cell.key.target != "a (A/A)");
    rank(&mut run);
    assert_eq!(ranks_of(&run, &["a", "b"]), [Some(1), Some(1)]);
}

#[test]
fn at_a_fixed_rate_requests_per_second_rank_nobody() {
    let mut run = play(1.05, &[]);
    for cell in &mut run.cells {
        cell.key.rate_percent = Some(50.0);
    }
    rank(&mut run);
    assert_eq!(ranks_of(&run, &["a", "b"]), [None, None]);
    let cpu = |cell: &Cell| cell.summary.as_ref().unwrap().cpu_per_request_rank;
    assert_eq!(cpu(&run.cells[1]), Some(2));
}

#[test]
fn cpu_alone_makes_a_cell_noisy() {
    let mut run = run_of(&[("a", measured(1000.0, 10.0))]);
    let cell = &mut run.cells[0];
    let noisy = |cell: &Cell| cell.summary.as_ref().unwrap().noisy;
    assert!(!noisy(cell));
    cell.samples[1].server.cpu_us_per_request = Some(11.0);
    crate::summary::summarise(cell);
    assert!(noisy(cell));
}
