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

fn gate(dearer: f64, threshold: f64) -> (Vec<String>, u8) {
    let run = play(dearer, &[]);
    let comparison = pairs(&args(Some("a"), Some("b")), &run, None).unwrap();
    gate::judge(&comparison, threshold)
}

#[test]
fn a_gate_says_not_slower_slower_or_cannot_tell() {
    assert_eq!(gate(1.0, 0.03).1, exit::OK);
    assert_eq!(gate(0.9, 0.03).1, exit::OK);
    assert_eq!(gate(1.05, 0.03).1, exit::CHECK_FAILED);
    assert_eq!(gate(1.03, 0.03).1, exit::CANNOT_TELL);
}

#[test]
fn of_a_threshold_below_the_noise_floor_the_rounds_that_would_do_are_told() {
    let (lines, code) = gate(1.0, 0.003);
    assert_eq!(code, exit::CANNOT_TELL);
    assert_eq!(lines.len(), 2, "both metrics: {lines:?}");
    assert!(lines[0].contains("below the noise floor"), "{lines:?}");
    assert!(lines[0].contains("rounds instead of 7 would do"));
    assert_eq!(gate(1.5, 0.003).1, exit::CHECK_FAILED, "beyond all noise");
}

#[test]
fn the_worst_finding_counts_not_the_last() {
    let (base, head) = (play(1.0, &[]), play(10.0, &[]));
    let comparison = pairs(&args(None, None), &base, Some(&head)).unwrap();
    let (lines, code) = gate::judge(&comparison, 0.5);
    assert_eq!(code, exit::CHECK_FAILED);
    assert!(lines.last().unwrap().ends_with("not slower"), "{lines:?}");
}

#[test]
fn what_the_head_has_not_is_named_and_the_gate_cannot_tell() {
    let (base, mut head) = (play(1.0, &[]), play(1.0, &[]));
    head.cells.retain(|cell| cell.key.target != "b");
    let comparison = pairs(&args(None, None), &base, Some(&head)).unwrap();
    let (lines, code) = gate::judge(&comparison, 0.6);
    assert_eq!(code, exit::CANNOT_TELL);
    let told = lines.last().unwrap();
    assert!(told.starts_with("b, keepalive x64"), "{told}");
    let table = table(&comparison).to_text();
    assert!(table.contains("The head has no b"), "{table}");
}

#[test]
fn two_targets_of_one_run_are_compared_round_by_round() {
    let run = play(1.05, &[]);
    let pairs = pairs(&args(Some("a"), Some("b")), &run, None)
        .unwrap()
        .pairs;
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
    let pairs = pairs(&args(Some("a"), Some("b")), &a, Some(&b))
        .unwrap()
        .pairs;
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
    c.plan.duration_s += 1.0;
    c.plan.warmup_s += 1.0;
    let error = comparable(&a, &c, false).unwrap_err().to_string();
    let told = "different settings (path, duration, warm-up)";
    assert!(error.contains(told), "{error}");
    assert!(comparable(&a, &b, true).is_ok());
}

#[test]
fn a_target_that_is_not_there_is_named() {
    let run = play(1.0, &[]);
    assert!(
        pairs(&args(Some("a"), Some("z")), &run, None)
            .is_err_and(|error| error.to_string().contains("`z`"))
    );
    let error = pairs(&args(None, None), &run, None).err().unwrap();
    assert_eq!(exit::of(&error), exit::USAGE);
}
