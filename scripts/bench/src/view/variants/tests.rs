use super::*;
use crate::model::{CaseResult, Level};
use crate::session::tests::play;

fn case(outcome: Outcome) -> CaseResult {
    CaseResult {
        case: "garbage-behind-good".into(),
        level: Level::Should,
        outcome,
        detail: None,
    }
}

/// Issue: the ratio and the contract's difference stand in one row.
#[test]
fn what_a_variant_brings_and_what_it_costs() {
    let mut run = play(1.05, &[]);
    run.targets[1].variant_of = Some("a".into());
    run.targets[0].contract = vec![case(Outcome::Pass)];
    run.targets[1].contract = vec![case(Outcome::Deviation)];
    let table = variants(&run).unwrap();
    assert_eq!(table.rows.len(), 1);
    let row = &table.rows[0];
    assert_eq!(
        (row[0].as_str(), row[5].as_str()),
        ("b : a", "1.05 ± 0.01 times")
    );
    assert_eq!(row[6], "fails garbage-behind-good");
}

#[test]
fn without_variants_there_is_no_table() {
    assert_eq!(variants(&play(1.0, &[])), None);
}
