//! A run in sentences: what won, how sure that is, and what to mind.

mod leaders;
mod trouble;

pub use leaders::place;

use super::agreement::agreement;
use super::format;
use crate::model::{Cell, Class, Run, Severity};
use crate::ranking::tables;
use crate::verdict::CROWDED;
use leaders::leaders;
use trouble::trouble;

/// The sentences, each a paragraph of its own.
#[must_use]
pub fn summary(run: &Run) -> Vec<String> {
    let mut words: Vec<String> = tables(run)
        .iter()
        .filter_map(|group| leaders(run, group))
        .collect();
    words.extend(agreement(run));
    words.extend(noise(run));
    words.extend(crowd(run));
    words.extend(trouble(run));
    words.extend(machine(run));
    words
}

fn noise(run: &Run) -> Option<String> {
    let noisy: Vec<&Cell> = run
        .cells
        .iter()
        .filter(|cell| cell.summary.as_ref().is_some_and(|summary| summary.noisy))
        .collect();
    let measured = run
        .cells
        .iter()
        .filter(|cell| cell.summary.is_some())
        .count();
    (!noisy.is_empty()).then(|| {
        format!(
            "noisy: the intervals of {} of {measured} cells are wider than 5 %. More rounds, and a quieter machine (`bench env`), narrow them.",
            noisy.len()
        )
    })
}

/// Other processes on the server's CPUs: figures of a busy machine are not to be trusted.
fn crowd(run: &Run) -> Option<String> {
    let taken = |cell: &Cell| {
        let shares = cell
            .samples
            .iter()
            .filter_map(|sample| sample.server.others_utilisation);
        shares.fold(0.0, f64::max)
    };
    let shares: Vec<f64> = run
        .cells
        .iter()
        .map(taken)
        .filter(|share| *share > CROWDED)
        .collect();
    let most = shares.iter().copied().fold(0.0, f64::max);
    (!shares.is_empty() && !run.cpus.shared).then(|| {
        format!(
            "crowded: other processes took up to {} of the server's CPUs, in {} of {} cells. Stop them, or measure again later.",
            format::percent(most),
            shares.len(),
            run.cells.len()
        )
    })
}

fn machine(run: &Run) -> Option<String> {
    let bad: Vec<&str> = run
        .machine
        .facts
        .iter()
        .filter(|fact| fact.severity >= Severity::Warning)
        .map(|fact| fact.name.as_str())
        .collect();
    let controls = run
        .targets
        .iter()
        .any(|target| target.class == Class::Control && target.skipped.is_none());
    let missing = if controls {
        ""
    } else {
        " srv-floor was not measured, so it is not known what this machine can do at most."
    };
    match (bad.is_empty(), missing) {
        (true, "") => None,
        (true, missing) => Some(missing.trim().to_owned()),
        (false, missing) => Some(format!(
            "This machine is not ideal ({}): `bench env` tells the remedies.{missing}",
            bad.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests;
