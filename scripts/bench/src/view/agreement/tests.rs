use super::*;
use crate::session::tests::play;

/// The same targets under a second generator, with every CPU figure of `b` scaled.
fn under_two(b_scale: f64) -> Run {
    let mut run = play(1.05, &[]);
    run.plan.generators = vec![GeneratorKind::Embedded, GeneratorKind::Wrk];
    let mut more: Vec<Cell> = run.cells.clone();
    for cell in &mut more {
        cell.key.generator = GeneratorKind::Wrk;
        let scale = if cell.key.target == "b" { b_scale } else { 1.0 };
        for sample in &mut cell.samples {
            sample.server.cpu_us_per_request =
                sample.server.cpu_us_per_request.map(|cpu| cpu * scale);
        }
    }
    run.cells.extend(more);
    crate::ranking::rank(&mut run);
    run
}

#[test]
fn two_generators_that_agree() {
    let lines = agreement(&under_two(1.0));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("embedded and wrk do not contradict each other about the order of 3 targets, and server CPU per request is the same within 5 %."), "{}", lines[0]);
}

#[test]
fn two_generators_that_contradict_each_other() {
    let lines = agreement(&under_two(0.8));
    assert!(
        lines[0].contains("contradict each other about a and b"),
        "{}",
        lines[0]
    );
    assert!(
        lines[0].contains("; server CPU per request under wrk is"),
        "{}",
        lines[0]
    );
}
