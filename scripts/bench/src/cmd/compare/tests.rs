use super::*;
use crate::session::tests::play;

fn args(base: Option<&str>, head: Option<&str>) -> CompareArgs {
    CompareArgs {
        a: String::new(),
        b: None,
        base: base.map(str::to_owned),
        head: head.map(str::to_owned),
        fail_above: None,
        force: false,
    }
}

fn gate(dearer: f64, threshold: f64) -> anyhow::Result<u8> {
    let run = play(dearer, &[]);
    gate::judge(&pairs(&args(Some("a"), Some("b")), &run, None)?, threshold)
}

#[test]
fn a_gate_says_not_slower_slower_or_cannot_tell() {
    assert_eq!(gate(1.0, 0.03).unwrap(), exit::OK);
    assert_eq!(gate(0.9, 0.03).unwrap(), exit::OK);
    assert_eq!(gate(1.05, 0.03).unwrap(), exit::CHECK_FAILED);
    assert_eq!(gate(1.03, 0.03).unwrap(), exit::CANNOT_TELL);
}

#[test]
fn a_threshold_below_the_noise_floor_is_refused_with_the_rounds_that_would_do() {
    let error = gate(1.0, 0.003).unwrap_err().to_string();
    assert!(error.contains("below the noise floor"), "{error}");
    assert!(error.contains("rounds instead of 7 would do"), "{error}");
}

#[test]
fn two_targets_of_one_run_are_compared_round_by_round() {
    let run = play(1.05, &[]);
    let pairs = pairs(&args(Some("a"), Some("b")), &run, None).unwrap();
    let ratio = pairs[0].ratio(Metric::CpuPerRequest).unwrap();
    assert!((ratio.median - 1.05).abs() < 0.01, "{ratio:?}");
    assert!(
        ratio.relative_width().unwrap() < 0.02,
        "drift between rounds cancels: {ratio:?}"
    );
    assert_eq!(
        describe(&pairs[0], Metric::CpuPerRequest),
        "1.05 ± 0.01 times"
    );
}

#[test]
fn two_runs_have_no_pairs_so_drift_stays_in_the_interval() {
    let (a, b) = (play(1.05, &[]), play(1.05, &[]));
    let pairs = pairs(&args(Some("a"), Some("b")), &a, Some(&b)).unwrap();
    assert!(
        pairs[0]
            .ratio(Metric::CpuPerRequest)
            .unwrap()
            .relative_width()
            .unwrap()
            > 0.2
    );
    assert_eq!(
        describe(&pairs[0], Metric::CpuPerRequest),
        "indistinguishable"
    );
}

#[test]
fn runs_of_other_machines_or_settings_are_refused_unless_told() {
    let (a, mut b) = (play(1.0, &[]), play(1.0, &[]));
    b.machine.kernel = "another".into();
    assert!(
        comparable(&a, &b, false)
            .unwrap_err()
            .to_string()
            .contains("different machines")
    );
    let mut c = play(1.0, &[]);
    c.plan.path = "/other".into();
    assert!(
        comparable(&a, &c, false)
            .unwrap_err()
            .to_string()
            .contains("different settings")
    );
    assert!(comparable(&a, &b, true).is_ok());
}

#[test]
fn a_target_that_is_not_there_is_named() {
    let run = play(1.0, &[]);
    assert!(
        pairs(&args(Some("a"), Some("z")), &run, None)
            .is_err_and(|error| error.to_string().contains("`z`"))
    );
    assert!(pairs(&args(None, None), &run, None).is_err());
}
