//! A run's cells as bars: each ends with what limited it.

use super::bars::{Bar, Group};
use super::{by_clients, in_threads};
use crate::model::{Cell, CellKey, Class, Published, Run, Verdict};
use crate::preset::{Preset, row_of};

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
        published: document
            .and_then(|document| row_of(document, &cell.key))
            .map(|row| row.figures.requests_per_second()),
    })
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

#[cfg(test)]
mod tests {
    use super::super::{bars::Style, draw_each};
    use super::*;
    use crate::preset::fixture::run;

    #[test]
    fn every_bar_ends_with_what_limited_it() {
        let cells = [
            ("a", 64, 1, 400.0, Verdict::Ok),
            ("b", 64, 1, 500.0, Verdict::GeneratorBound),
            ("c", 64, 1, 300.0, Verdict::LatencyBound),
            ("d", 64, 1, 200.0, Verdict::Throttled),
            ("e", 64, 1, 0.0, Verdict::Skipped),
        ];
        let text = draw_each(&groups(&run(None, &cells)), Style::Plain);
        let squares = |count| "■".repeat(count);
        let expected = format!(
            "All, keepalive, 64 connections, wrk:\n\n\
             b ( 1 thr): 500.0 {} generator\n\
             a ( 1 thr): 400.0 {} server\n\
             c ( 1 thr): 300.0 {} latency\n\
             d ( 1 thr): 200.0 {} heat\n\
             e ( 1 thr): skipped, it cannot\n\n\
             One square is 10 requests per second.\n",
            squares(50),
            squares(40),
            squares(30),
            squares(20)
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn loads_are_drawn_apart_and_threads_of_one_load_together() {
        let cells = [
            ("a", 2, 1, 10.0, Verdict::Ok),
            ("b", 2, 1, 20.0, Verdict::Ok),
            ("a", 2, 4, 30.0, Verdict::Ok),
            ("b", 2, 4, 40.0, Verdict::Ok),
            ("a", 10, 1, 50.0, Verdict::Ok),
        ];
        let loads = groups(&run(None, &cells));
        let headings = |load: &Vec<Group>| -> Vec<String> {
            load.iter().map(|group| group.heading.clone()).collect()
        };
        let two = [
            "All, keepalive, 2 connections, wrk",
            "Run in 4 threads",
            "Run in 1 thread",
        ];
        assert_eq!(headings(&loads[0]), two);
        assert_eq!(headings(&loads[1]), ["All, keepalive, 10 connections, wrk"]);
    }

    #[test]
    fn a_presets_bars_stand_over_the_published_ones() {
        let cells = [
            ("nginx", 2, 1, 60_000.0, Verdict::Ok),
            ("srv-tpc", 2, 1, 70_000.0, Verdict::Ok),
        ];
        let groups = groups(&run(Some("raspberry-pi"), &cells));
        let published: Vec<Option<f64>> =
            groups[0][0].bars.iter().map(|bar| bar.published).collect();
        assert_eq!(published, [Some(647.27), None]);
    }

    #[test]
    fn one_process_and_all_cores_have_their_own_published_figures() {
        let cells = [
            ("go-nethttp", 10, 1, 1.0, Verdict::Ok),
            ("go-nethttp", 10, 8, 2.0, Verdict::Ok),
        ];
        let groups = groups(&run(Some("crystal-go"), &cells));
        let published: Vec<Option<f64>> =
            groups[0][0].bars.iter().map(|bar| bar.published).collect();
        assert_eq!(published, [Some(21_486.29), Some(40_682.65)]);
    }
}
