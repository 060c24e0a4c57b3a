//! Who leads in a table, how sure that is, and who might be faster still.

use crate::model::{Cell, CellKey, Run, Verdict};
use crate::ranking::{Metric, differs, noise_floor, ratio, unranked};
use crate::stats::MIN_ROUNDS;
use crate::view::format;

/// Names that a sentence has before it says from which one to which.
const NAMES: usize = 4;

/// How a sentence on a table begins.
#[must_use]
pub fn place(key: &CellKey) -> String {
    let rate = key
        .rate_percent
        .map(|percent| format!(" at {percent} %"))
        .unwrap_or_default();
    let connections = format::counted(key.connections as usize, "connection");
    format!("{}, {connections}, {}{rate}", key.mode, key.generator)
}

/// The sentence on a table; `None` where nobody ranks.
pub(super) fn leaders(run: &Run, group: &[usize]) -> Option<String> {
    let cells: Vec<&Cell> = group.iter().map(|index| &run.cells[*index]).collect();
    let key = &cells[0].key;
    let place = place(key);
    let cpu = first(
        &cells,
        |cell| cell.summary.as_ref()?.cpu_per_request_rank,
        cpu_figure,
    )?;
    let bound = bound(&cells);
    if cells.iter().all(|cell| cell.samples.len() < MIN_ROUNDS) {
        return Some(format!(
            "{place}: too few rounds to tell anybody apart; {MIN_ROUNDS} are the least.{bound}"
        ));
    }
    let floor = |metric| noise_floor(&run.controls, key, metric);
    if Metric::ALL.iter().all(|metric| floor(*metric).is_none()) {
        return Some(format!(
            "{place}: nobody can be told apart, because no target was measured twice here (A/A control): what noise \
             makes is not known.{bound}"
        ));
    }
    let mut text = lead(
        &cpu,
        ["needs", "need"],
        "the least CPU per request",
        |cell| format!("{} µs", format::micros(cpu_figure(cell))),
    );
    if let Some(farthest) = farthest(run, &cells, cpu[0]) {
        text.push_str(&farthest);
    }
    let most = most(&cells, &unranked(run, group, Metric::RequestsPerSecond));
    Some(format!("{place}: {text}; {most}.{bound}"))
}

/// Who serves most, among those that can be compared, and how fast the others are.
fn most(cells: &[&Cell], unranked: &[&Cell]) -> String {
    let key = &cells[0].key;
    let first = first(
        cells,
        |cell| cell.summary.as_ref()?.requests_per_second_rank,
        |cell| -requests(cell),
    );
    let Some(first) = first else {
        return match key.rate_percent {
            Some(_) => "requests per second are those asked for, so they rank nobody".into(),
            None => "no server was the limit, so requests per second rank nobody".into(),
        };
    };
    let lead = lead(
        &first,
        ["serves", "serve"],
        "the most requests per second",
        |cell| format::count(requests(cell)),
    );
    let fastest = unranked
        .iter()
        .max_by(|a, b| requests(a).total_cmp(&requests(b)));
    let Some(fastest) = fastest else { return lead };
    let ranked = cells.iter().filter(|cell| {
        let summary = cell.summary.as_ref();
        summary.is_some_and(|summary| summary.requests_per_second_rank.is_some())
    });
    let others = match unranked.len() {
        1 => "1 other was not ranked, and had".to_owned(),
        n => format!("{n} others were not ranked, the fastest had"),
    };
    format!(
        "among the {} whose server was the limit, {lead}; {others} {} ({})",
        ranked.count(),
        format::count(requests(fastest)),
        fastest.key.target
    )
}

/// The cells of the first group, best figure first. Its number is above 1 where others without a rank were faster.
fn first<'a>(
    cells: &[&'a Cell],
    rank: fn(&Cell) -> Option<u32>,
    figure: fn(&Cell) -> f64,
) -> Option<Vec<&'a Cell>> {
    let best = cells.iter().filter_map(|cell| rank(cell)).min()?;
    let mut first: Vec<&Cell> = cells
        .iter()
        .copied()
        .filter(|cell| rank(cell) == Some(best))
        .collect();
    first.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
    Some(first)
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

/// `a needs the least (7.5 µs)`, `a and b need the least and cannot be told apart (7.5 µs to 7.6 µs)`,
/// `10 targets, from a to j, need the least and cannot be told apart (7.5 µs to 9.1 µs)`.
fn lead(
    cells: &[&Cell],
    [one, many]: [&str; 2],
    what: &str,
    figure: impl Fn(&Cell) -> String,
) -> String {
    let (best, last) = (cells[0], cells[cells.len() - 1]);
    let names: Vec<&str> = cells.iter().map(|cell| cell.key.target.as_str()).collect();
    let who = match names.len() {
        1 => return format!("{} {one} {what} ({})", names[0], figure(best)),
        2..=NAMES => format::list(&names),
        n => format!(
            "{n} targets, from {} to {},",
            best.key.target, last.key.target
        ),
    };
    let figures = match (figure(best), figure(last)) {
        (best, last) if best == last => best,
        (best, last) => format!("{best} to {last}"),
    };
    format!("{who} {many} {what} and cannot be told apart ({figures})")
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
