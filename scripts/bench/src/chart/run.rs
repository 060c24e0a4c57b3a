//! A run's cells as bars: each ends with what limited it.

use super::bars::{Bar, Group};
use super::{by_clients, in_threads};
use crate::model::{Cell, CellKey, Class, Published, PublishedRow, Run, Verdict};
use crate::preset::Preset;

/// The groups of each load: cells that differ in their target, or in threads, alone.
pub(super) fn groups(run: &Run) -> Vec<Vec<Group>> {
    let document = Preset::of(run.plan.preset.as_deref()).map(Preset::document);
    let mut loads: Vec<Vec<&Cell>> = Vec::new();
    for cell in run
        .cells
        .iter()
        .filter(|cell| is_compared(run, &cell.key.target))
    {
        match loads
            .iter_mut()
            .find(|load| same_load(&load[0].key, &cell.key))
        {
            Some(load) => load.push(cell),
            None => loads.push(vec![cell]),
        }
    }
    loads
        .iter()
        .map(|load| group(load, document.as_ref()))
        .filter(|groups| groups.iter().any(|group| !group.bars.is_empty()))
        .collect()
}

/// Neither a control nor the second measurement of a target.
fn is_compared(run: &Run, name: &str) -> bool {
    let target = run.targets.iter().find(|target| target.name == name);
    target.is_none_or(|target| target.class != Class::Control && target.twin_of.is_none())
}

fn same_load(a: &CellKey, b: &CellKey) -> bool {
    CellKey {
        threads: b.threads,
        ..a.clone()
    }
    .same_table(b)
}

fn group(load: &[&Cell], document: Option<&Published>) -> Vec<Group> {
    let bars = load
        .iter()
        .filter_map(|cell| Some((cell.key.threads, bar(cell, document)?)))
        .collect();
    let notes = load
        .iter()
        .filter(|cell| cell.summary.is_none())
        .map(|cell| note(cell))
        .collect();
    by_clients(&heading(&load[0].key), in_threads, bars, notes)
}

fn heading(key: &CellKey) -> String {
    let rate = key
        .rate_percent
        .map(|percent| format!(", at {percent} % of its capacity"))
        .unwrap_or_default();
    format!(
        "All, {}, {} connections, {}{rate}",
        key.mode, key.connections, key.generator
    )
}

fn bar(cell: &Cell, document: Option<&Published>) -> Option<Bar> {
    let CellKey {
        target, threads, ..
    } = &cell.key;
    Some(Bar {
        label: format!("{target} ({threads:2} thr)"),
        rate: cell.summary.as_ref()?.requests_per_second.median,
        limit: limit(cell.verdict).to_owned(),
        published: document.and_then(|document| published_rate(document, &cell.key)),
    })
}

/// The document's figure for this target under as many connections. Where it has several, the first is for one
/// process and the last for all cores.
fn published_rate(document: &Published, key: &CellKey) -> Option<f64> {
    let is_same = |row: &&PublishedRow| {
        row.target.as_deref() == Some(&key.target) && row.figures.connections() == key.connections
    };
    let mut rows = document.rows.iter().filter(is_same);
    let row = if key.threads == 1 {
        rows.next()
    } else {
        rows.next_back()
    };
    row.map(|row| row.figures.requests_per_second())
}

/// What limited a cell, in a word.
fn limit(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "server",
        Verdict::GeneratorBound => "generator",
        Verdict::LatencyBound => "latency",
        Verdict::Throttled => "heat",
        Verdict::Starved => "starved",
        Verdict::Errors => "errors",
        Verdict::WrongBytes => "wrong bytes",
        Verdict::Skipped => "skipped",
    }
}

fn note(cell: &Cell) -> String {
    format!(
        "{} ({:2} thr): {}, {}",
        cell.key.target, cell.key.threads, cell.verdict, cell.reason
    )
}
