//! What went wrong or was not measured: one sentence for each target, or for several of which the same is true.

use crate::model::{Cell, Errors, Run, Verdict};
use crate::verdict::describe;
use crate::view::format;
use std::collections::BTreeMap;

/// The sentences.
pub(super) fn trouble(run: &Run) -> Vec<String> {
    let mut reasons: BTreeMap<(Verdict, String), Vec<&str>> = BTreeMap::new();
    for target in run.targets.iter().filter(|target| target.twin_of.is_none()) {
        let mut add = |verdict, reason| {
            reasons
                .entry((verdict, reason))
                .or_default()
                .push(&target.name);
        };
        if let Some(reason) = &target.skipped {
            add(Verdict::Skipped, reason.clone());
            continue;
        }
        let cells = run
            .cells
            .iter()
            .filter(|cell| cell.key.target == target.name && !cell.verdict.ranks_cpu());
        let mut of_verdict: BTreeMap<Verdict, Vec<&Cell>> = BTreeMap::new();
        for cell in cells {
            of_verdict.entry(cell.verdict).or_default().push(cell);
        }
        for (verdict, cells) in of_verdict {
            if verdict == Verdict::Skipped {
                for reason in distinct_reasons(&cells) {
                    add(verdict, reason.to_owned());
                }
            } else {
                add(verdict, reason(run, verdict, &cells));
            }
        }
    }
    reasons
        .into_iter()
        .map(|((verdict, reason), names)| format!("{verdict}: {}: {reason}", format::list(&names)))
        .collect()
}

fn distinct_reasons<'a>(cells: &[&'a Cell]) -> Vec<&'a str> {
    let mut reasons: Vec<&str> = cells.iter().map(|cell| cell.reason.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}

/// What is true of all these cells of a target.
fn reason(run: &Run, verdict: Verdict, cells: &[&Cell]) -> String {
    if let [only] = distinct_reasons(cells)[..] {
        return match cells.len() {
            1 => only.to_owned(),
            n => format!("in {n} cells: {only}"),
        };
    }
    let n = cells.len();
    match verdict {
        Verdict::Starved => format!(
            "in {n} cells: rate x mean latency is {} of the requests in flight",
            range(
                &cells
                    .iter()
                    .map(|cell| in_service(run, cell))
                    .collect::<Vec<_>>()
            )
        ),
        _ => failures(cells),
    }
}

/// Share of the offered requests that were in service, by Little's law.
fn in_service(run: &Run, cell: &Cell) -> f64 {
    let summary = cell.summary.as_ref();
    let served = summary.and_then(|summary| {
        Some(summary.requests_per_second.median * summary.latency.mean_us? / 1e6)
    });
    served.unwrap_or(0.0) / cell.key.offered(run.plan.pipeline_depth)
}

/// `1 % to 25 %`.
fn range(shares: &[f64]) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let low = percent(shares.iter().copied().fold(f64::INFINITY, f64::min));
    let high = percent(shares.iter().copied().fold(0.0, f64::max));
    if low == high {
        low
    } else {
        format!("{low} to {high}")
    }
}

/// How many requests failed, and in which ways; the first reason where none was even sent.
fn failures(cells: &[&Cell]) -> String {
    let errors = |cell: &Cell| {
        let samples = cell.samples.iter();
        samples.fold(Errors::default(), |all, sample| all.plus(sample.errors))
    };
    let all: Vec<Errors> = cells.iter().map(|cell| errors(cell)).collect();
    let counts: Vec<u64> = all.iter().map(Errors::total).collect();
    let sum = all
        .iter()
        .fold(Errors::default(), |sum, one| sum.plus(*one));
    let n = cells.len();
    match (counts.iter().min(), counts.iter().max()) {
        (Some(low), Some(high)) if *high > 0 => format!(
            "in {n} cells, {} to {} failed requests in each: {}",
            format::count(*low as f64),
            format::count(*high as f64),
            describe(&sum)
        ),
        _ => format!("in {n} cells: {}", cells[0].reason),
    }
}
