//! The tables of a run: one for each mode, number of connections, threads, generator and rate.

use super::format;
use super::table::Table;
use crate::model::{Cell, CellKey, Class, Estimate, LatencyKind, Run, Summary, Target, Verdict};
use crate::ranking::{Metric, noise_floor, tables as groups};
use crate::stats;

/// All tables of a run.
#[must_use]
pub fn tables(run: &Run) -> Vec<Table> {
    groups(run)
        .into_iter()
        .map(|group| table(run, group))
        .collect()
}

fn table(run: &Run, mut group: Vec<usize>) -> Table {
    group.sort_by(|a, b| {
        order(run, *a)
            .partial_cmp(&order(run, *b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let cells: Vec<&Cell> = group.iter().map(|index| &run.cells[*index]).collect();
    let key = &cells[0].key;
    let latency = if key.rate_percent.is_some() {
        "p99 latency at rate"
    } else {
        "p99 latency at saturation"
    };
    let header = [
        "rank",
        "target",
        "class",
        "requests/s",
        "CPU µs/request",
        latency,
        "memory",
        "contract",
        "limit",
    ];
    let mut table = Table::new(title(run, key), &header);
    table.rows = cells.iter().map(|cell| row(run, cell)).collect();
    table.notes = notes(run, key, &cells);
    table
}

/// Competitors by CPU rank and figure, then the others, then controls.
pub(crate) fn order(run: &Run, index: usize) -> (u8, f64, f64) {
    let cell = &run.cells[index];
    let Some(summary) = &cell.summary else {
        return (3, 0.0, index as f64);
    };
    let figure = summary
        .cpu_us_per_request
        .map_or(f64::MAX, |cpu| cpu.median);
    match (is_control(run, cell), summary.requests_per_second_rank) {
        (true, _) => (2, 0.0, figure),
        (false, Some(_)) => (0, -summary.requests_per_second.median, figure),
        (false, None) => (1, if cell.verdict.ranks_cpu() { 0.0 } else { 1.0 }, figure),
    }
}

fn is_control(run: &Run, cell: &Cell) -> bool {
    run.target(&cell.key.target)
        .is_some_and(|target| target.class == Class::Control || target.twin_of.is_some())
}

/// Heading of a table.
pub(crate) fn title(run: &Run, key: &CellKey) -> String {
    let rate = key
        .rate_percent
        .map(|percent| format!(", at {percent} % of each server's capacity"))
        .unwrap_or_default();
    let cpus = match run.cpus.shared {
        true => "server and generator on the same CPUs".to_owned(),
        false => format!(
            "{} for the server, {} for the generator",
            cpus(&run.cpus.server),
            cpus(&run.cpus.generator)
        ),
    };
    let crowded = if (key.threads as usize) > run.cpus.server.len() {
        ", more than it has CPUs"
    } else {
        ""
    };
    let plural = |n: u32| if n == 1 { "" } else { "s" };
    format!(
        "{}, {} connection{}, {} server thread{}{crowded}, generator {}{rate} ({cpus}, {})",
        key.mode,
        key.connections,
        plural(key.connections),
        key.threads,
        plural(key.threads),
        key.generator,
        way(run)
    )
}

/// What is between generator and server.
pub(crate) fn way(run: &Run) -> String {
    match (&run.plan.on, run.plan.generator_on.len()) {
        (None, _) => "loopback".into(),
        (Some(host), 0 | 1) => format!("on {host}, loaded from another machine"),
        (Some(host), hosts) => format!("on {host}, loaded from {hosts} other machines"),
    }
}

fn cpus(cpus: &[u32]) -> String {
    if cpus.len() == 1 {
        "1 CPU".into()
    } else {
        format!("{} CPUs", cpus.len())
    }
}

fn row(run: &Run, cell: &Cell) -> Vec<String> {
    let target = run.target(&cell.key.target);
    let class = target.map_or_else(String::new, |target| target.class.to_string());
    let name = if is_control(run, cell) {
        format!("({})", cell.key.target)
    } else {
        cell.key.target.clone()
    };
    let figures = cell.summary.as_ref().map_or_else(
        || std::array::from_fn(|_| "–".to_owned()),
        |s| figures(cell, s),
    );
    let [rank, requests, cpu, latency, memory] = figures;
    vec![
        rank,
        name,
        class,
        requests,
        cpu,
        latency,
        memory,
        contract(target),
        limit(cell),
    ]
}

fn figures(cell: &Cell, summary: &Summary) -> [String; 5] {
    let rank = match (
        summary.requests_per_second_rank,
        summary.cpu_per_request_rank,
    ) {
        (Some(requests), Some(cpu)) => format!("{requests} / {cpu}"),
        (None, Some(cpu)) => format!("– / {cpu}"),
        (Some(requests), None) => format!("{requests} / –"),
        (None, None) => "–".into(),
    };
    let latency = summary.latency.p99_us.map_or("–".into(), format::time);
    let measured = cell.samples.iter().any(|sample| sample.responses > 0);
    let shown = |figure: String| if measured { figure } else { "–".into() };
    [
        rank,
        shown(format::count_with_interval(&summary.requests_per_second)),
        summary
            .cpu_us_per_request
            .map_or("–".into(), |cpu: Estimate| {
                format::micros_with_interval(&cpu)
            }),
        latency,
        summary.pss_load_bytes.map_or("–".into(), format::bytes),
    ]
}

/// Cases passed, of those tried.
pub(crate) fn contract(target: Option<&Target>) -> String {
    use crate::model::Outcome::{Pass, Skipped, StaleDeviation};
    let tried: Vec<_> = target
        .iter()
        .flat_map(|target| &target.contract)
        .filter(|case| case.outcome != Skipped)
        .collect();
    let passed = tried
        .iter()
        .filter(|case| matches!(case.outcome, Pass | StaleDeviation))
        .count();
    if tried.is_empty() {
        "–".into()
    } else {
        format!("{passed} of {}", tried.len())
    }
}

fn limit(cell: &Cell) -> String {
    let noisy = if cell.summary.as_ref().is_some_and(|summary| summary.noisy) {
        ", noisy"
    } else {
        ""
    };
    match cell.verdict {
        Verdict::Ok => format!("server (ok){noisy}"),
        Verdict::GeneratorBound => format!("generator (generator-bound){noisy}"),
        Verdict::LatencyBound => format!("latency-bound{noisy}"),
        verdict => format!("{verdict}: {}", cell.reason),
    }
}

/// What to mind about a table.
pub(crate) fn notes(run: &Run, key: &CellKey, cells: &[&Cell]) -> Vec<String> {
    let mut notes = Vec::new();
    let floors = [Metric::RequestsPerSecond, Metric::CpuPerRequest]
        .map(|metric| noise_floor(&run.controls, key, metric));
    if let [Some(requests), Some(cpu)] = floors {
        notes.push(format!(
            "Rank: group by requests/s / by CPU. Noise floor (the same target twice): {} of requests/s, {} of CPU; what differs by less is a tie.",
            format::percent(requests),
            format::percent(cpu)
        ));
    }
    let rounds = cells
        .iter()
        .map(|cell| cell.samples.len())
        .max()
        .unwrap_or(0);
    if rounds >= stats::MIN_ROUNDS {
        let confidence = stats::coverage(rounds, stats::rank_of(rounds));
        notes.push(format!(
            "± is half the interval of the median over {rounds} rounds ({:.0} % confidence).",
            100.0 * confidence
        ));
    } else {
        notes.push(format!(
            "{rounds} round(s): too few for an interval, so nothing is told apart; {} give one.",
            stats::MIN_ROUNDS
        ));
    }
    if cells
        .iter()
        .flat_map(|cell| &cell.samples)
        .any(|sample| sample.latency.kind == LatencyKind::AtSaturation)
    {
        notes.push(format!("Latency as {} measures it, with as much sent as possible: of use to compare, not to plan.", key.generator));
    }
    notes
}
