use super::*;
use crate::session::tests::play;

#[test]
fn who_leads_by_how_much_and_who_cannot_be_told_apart() {
    let told = summary(&play(1.05, &[])).join("\n");
    assert!(
        told.contains(
            "a needs the least CPU per request (7.52 µs); b needs 1.05 ± 0.01 times as much"
        ),
        "{told}"
    );
    assert!(
        told.contains("a serves the most requests per second"),
        "{told}"
    );
    let tie = summary(&play(1.0, &[])).join("\n");
    assert!(
        tie.contains("need the least CPU per request and cannot be told apart"),
        "{tie}"
    );
}

#[test]
fn noise_and_a_missing_control_are_said() {
    let told = summary(&play(1.05, &[])).join("\n");
    assert!(
        told.contains("noisy: the intervals of 3 of 3 cells are wider than 5 %"),
        "{told}"
    );
    assert!(told.contains("srv-floor was not measured"), "{told}");
}

#[test]
fn what_was_not_measured_is_said_with_its_reason() {
    let mut run = play(1.0, &[]);
    run.targets[1].skipped = Some("go is not installed: sudo apt install golang-go".into());
    let told = summary(&run).join("\n");
    assert!(
        told.contains("skipped: b: go is not installed: sudo apt install golang-go"),
        "{told}"
    );
}

#[test]
fn a_crowded_machine_is_said() {
    let mut run = play(1.0, &[]);
    assert!(!summary(&run).join("\n").contains("crowded"));
    run.cells[0].samples[0].server.others_utilisation = Some(0.4);
    assert!(
        summary(&run)
            .join("\n")
            .contains("up to 40 % of the server's CPUs, in 1 of 3 cells")
    );
}
