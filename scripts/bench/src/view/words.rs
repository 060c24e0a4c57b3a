//! A run in sentences: what won, how sure that is, and what to mind.

use super::agreement::agreement;
use super::format;
use crate::model::{Cell, Class, Run, Severity, Verdict};
use crate::ranking::{Metric, differs, noise_floor, ratio, tables};
use crate::stats::MIN_ROUNDS;
use crate::verdict::CROWDED;
use std::collections::BTreeMap;

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

fn leaders(run: &Run, group: &[usize]) -> Option<String> {
    let cells: Vec<&Cell> = group.iter().map(|index| &run.cells[*index]).collect();
    let key = &cells[0].key;
    let rate = key
        .rate_percent
        .map(|percent| format!(" at {percent} %"))
        .unwrap_or_default();
    let place = format!(
        "{}, {} connections, {}{rate}",
        key.mode, key.connections, key.generator
    );
    let cpu = leader(
        &cells,
        |cell| cell.summary.as_ref()?.cpu_per_request_rank,
        cpu_figure,
    )?;
    if cells.iter().all(|cell| cell.samples.len() < MIN_ROUNDS) {
        return Some(format!(
            "{place}: too few rounds to tell anybody apart; {MIN_ROUNDS} are the least.{}",
            bound(&cells)
        ));
    }
    let least = format!("{} µs", format::micros(cpu_figure(cpu[0])));
    let mut text = format!(
        "{place}: {}",
        lead(&cpu, ["needs", "need"], "the least CPU per request", &least)
    );
    if let Some(farthest) = farthest(run, &cells, cpu[0]) {
        text.push_str(&farthest);
    }
    let most = leader(
        &cells,
        |cell| cell.summary.as_ref()?.requests_per_second_rank,
        |cell| -requests(cell),
    );
    text.push_str("; ");
    text.push_str(&most.map_or_else(
        || "no server was the limit, so requests per second rank nobody".to_owned(),
        |first| {
            let figure = format::count(requests(first[0]));
            lead(
                &first,
                ["serves", "serve"],
                "the most requests per second",
                &figure,
            )
        },
    ));
    Some(format!("{text}.{}", bound(&cells)))
}

/// The cells of the first group, best figure first.
fn leader<'a>(
    cells: &[&'a Cell],
    rank: fn(&Cell) -> Option<u32>,
    figure: fn(&Cell) -> f64,
) -> Option<Vec<&'a Cell>> {
    let mut first: Vec<&Cell> = cells
        .iter()
        .copied()
        .filter(|cell| rank(cell) == Some(1))
        .collect();
    first.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
    (!first.is_empty()).then_some(first)
}

fn cpu_figure(cell: &Cell) -> f64 {
    cell.summary
        .as_ref()
        .and_then(|summary| summary.cpu_us_per_request)
        .map_or(f64::MAX, |cpu| cpu.median)
}

fn requests(cell: &Cell) -> f64 {
    cell.summary
        .as_ref()
        .map_or(0.0, |summary| summary.requests_per_second.median)
}

/// `a needs the least (7.5 µs)`, `a and b need the least and cannot be told apart (from 7.5 µs)`.
fn lead(cells: &[&Cell], [one, many]: [&str; 2], what: &str, figure: &str) -> String {
    match cells {
        [cell] => format!("{} {one} {what} ({figure})", cell.key.target),
        cells => format!(
            "{} {many} {what} and cannot be told apart (best: {figure})",
            names(cells)
        ),
    }
}

fn names(cells: &[&Cell]) -> String {
    format::list(
        &cells
            .iter()
            .map(|cell| cell.key.target.as_str())
            .collect::<Vec<_>>(),
    )
}

/// How far the last one is behind.
fn farthest(run: &Run, cells: &[&Cell], best: &Cell) -> Option<String> {
    let ranked = cells.iter().filter(|cell| {
        cell.summary
            .as_ref()
            .is_some_and(|s| s.cpu_per_request_rank.is_some())
    });
    let last = ranked.max_by(|a, b| cpu_figure(a).total_cmp(&cpu_figure(b)))?;
    let ratio = ratio(Metric::CpuPerRequest, best, last)?;
    differs(
        &ratio,
        noise_floor(&run.controls, &best.key, Metric::CpuPerRequest),
    )
    .then(|| {
        format!(
            "; {} needs {} times as much",
            last.key.target,
            format::ratio(&ratio)
        )
    })
}

fn bound(cells: &[&Cell]) -> String {
    let of = |verdict| cells.iter().filter(|cell| cell.verdict == verdict).count();
    let mut text = String::new();
    if of(Verdict::GeneratorBound) > 0 {
        text.push_str(&format!(
            " The generator was the limit for {} of {}: their requests per second are not ranked, their CPU per request is.",
            of(Verdict::GeneratorBound),
            cells.len()
        ));
    }
    if of(Verdict::LatencyBound) > 0 {
        text.push_str(&format!(
            " Neither side was busy for {}: latency was their limit.",
            of(Verdict::LatencyBound)
        ));
    }
    text
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

/// What went wrong or was not measured, each reason once.
fn trouble(run: &Run) -> Vec<String> {
    let mut reasons: BTreeMap<(Verdict, &str), Vec<&str>> = BTreeMap::new();
    for target in run.targets.iter().filter(|target| target.twin_of.is_none()) {
        if let Some(reason) = &target.skipped {
            reasons
                .entry((Verdict::Skipped, reason))
                .or_default()
                .push(&target.name);
        }
    }
    for cell in run.cells.iter().filter(|cell| !cell.verdict.ranks_cpu()) {
        let target = run.target(&cell.key.target);
        if target.is_some_and(|target| target.skipped.is_none() && target.twin_of.is_none()) {
            let names = reasons.entry((cell.verdict, &cell.reason)).or_default();
            if !names.contains(&cell.key.target.as_str()) {
                names.push(&cell.key.target);
            }
        }
    }
    reasons
        .into_iter()
        .map(|((verdict, reason), names)| format!("{verdict}: {}: {reason}", format::list(&names)))
        .collect()
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
