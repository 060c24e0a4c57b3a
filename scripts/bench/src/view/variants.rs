//! Variants beside their plain targets: what a setting brings, and what it costs in conformance.

use super::format;
use super::table::Table;
use crate::model::{Cell, Outcome, Run, Target};
use crate::ranking::{Metric, differs, noise_floor, ratio};

/// A row for each variant and table in which its plain target was measured as well; `None` without any.
#[must_use]
pub fn variants(run: &Run) -> Option<Table> {
    let header = [
        "variant",
        "mode",
        "connections",
        "generator",
        "requests/s",
        "CPU per request",
        "contract",
    ];
    let mut table = Table::new("Variants against their plain targets", &header);
    for cell in &run.cells {
        let Some(variant) = run.target(&cell.key.target) else {
            continue;
        };
        let Some(plain) = variant
            .variant_of
            .as_ref()
            .filter(|_| variant.twin_of.is_none())
        else {
            continue;
        };
        let beside = |other: &&Cell| other.key.target == *plain && other.key.same_table(&cell.key);
        if let (Some(base), Some(target)) = (run.cells.iter().find(beside), run.target(plain)) {
            table.rows.push(row(run, base, cell, target, variant));
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

fn row(run: &Run, base: &Cell, cell: &Cell, plain: &Target, variant: &Target) -> Vec<String> {
    vec![
        format!("{} : {}", variant.name, plain.name),
        cell.key.mode.to_string(),
        cell.key.connections.to_string(),
        cell.key.generator.to_string(),
        compared(run, Metric::RequestsPerSecond, base, cell),
        compared(run, Metric::CpuPerRequest, base, cell),
        differences(plain, variant),
    ]
}

fn compared(run: &Run, metric: Metric, base: &Cell, cell: &Cell) -> String {
    if !metric.ranks(base) || !metric.ranks(cell) {
        return format!("not comparable ({} : {})", cell.verdict, base.verdict);
    }
    match ratio(metric, base, cell) {
        None => "–".into(),
        Some(ratio) if differs(&ratio, noise_floor(&run.controls, &cell.key, metric)) => {
            format!("{} times", format::ratio(&ratio))
        }
        Some(_) => "indistinguishable".into(),
    }
}

/// Cases that the two do not pass alike.
fn differences(plain: &Target, variant: &Target) -> String {
    let passes = |target: &Target, case: &str| {
        let found = target.contract.iter().find(|result| result.case == case)?;
        (found.outcome != Outcome::Skipped).then_some(matches!(
            found.outcome,
            Outcome::Pass | Outcome::StaleDeviation
        ))
    };
    let changed = variant.contract.iter().filter_map(|result| {
        match (passes(plain, &result.case)?, passes(variant, &result.case)?) {
            (true, false) => Some(format!("fails {}", result.case)),
            (false, true) => Some(format!("passes {}", result.case)),
            _ => None,
        }
    });
    let changed: Vec<String> = changed.collect();
    if changed.is_empty() {
        "the same".into()
    } else {
        changed.join(", ")
    }
}

#[cfg(test)]
mod tests;
