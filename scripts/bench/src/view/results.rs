//! The tables of a run: one for each mode, number of connections, threads, generator and rate.

use super::format;
use super::table::Table;
use crate::model::{Cell, CellKey, Estimate, LatencyKind, Run, Sample, Summary, Target, Verdict};
use crate::ranking::{Metric, competes, noise_floor, tables as groups};
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
    if key.rate_percent.is_some() {
        table.header.insert(REQUESTS, SENT.into());
        for (row, cell) in table.rows.iter_mut().zip(&cells) {
            row.insert(REQUESTS, sent(cell));
        }
    }
    table.notes = notes(run, key, &cells);
    table
}

/// Index of the column of requests per second.
const REQUESTS: usize = 3;

/// Head of the column that a fixed rate has more.
pub(crate) const SENT: &str = "sent/s of those wanted";

/// `9,990 of 10,000`: how well an open loop kept its rate, medians over the rounds.
pub(crate) fn sent(cell: &Cell) -> String {
    let middle = |rate: fn(&Sample) -> Option<f64>| {
        let rates: Vec<f64> = cell.samples.iter().filter_map(rate).collect();
        stats::median(&rates).map_or("–".into(), format::count)
    };
    format!(
        "{} of {}",
        middle(|sample| sample.rate_sent),
        middle(|sample| sample.rate_wanted)
    )
}

/// Competitors by requests per second, at a fixed rate by CPU; then those with errors, controls, what was not measured.
pub(crate) fn order(run: &Run, index: usize) -> (u8, f64, f64) {
    let cell = &run.cells[index];
    let Some(summary) = &cell.summary else {
        return (3, 0.0, index as f64);
    };
    let figure = summary
        .cpu_us_per_request
        .map_or(f64::MAX, |cpu| cpu.median);
    let requests = match cell.key.rate_percent {
        None => -summary.requests_per_second.median,
        Some(_) => 0.0,
    };
    match (is_control(run, cell), cell.verdict.ranks_cpu()) {
        (true, _) => (2, 0.0, figure),
        (false, true) => (0, requests, figure),
        (false, false) => (1, 0.0, figure),
    }
}

fn is_control(run: &Run, cell: &Cell) -> bool {
    !competes(run, cell)
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
            format::counted(run.cpus.server.len(), "CPU"),
            format::counted(run.cpus.generator.len(), "CPU")
        ),
    };
    let crowded = if (key.threads as usize) > run.cpus.server.len() {
        ", more than it has CPUs"
    } else {
        ""
    };
    format!(
        "{}, {}, {}{crowded}, generator {}{rate} ({cpus}, {})",
        key.mode,
        format::counted(key.connections as usize, "connection"),
        format::counted(key.threads as usize, "server thread"),
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

/// What ranks mean, and from which difference on.
fn floor_note(run: &Run, key: &CellKey) -> String {
    let [requests, cpu] = Metric::ALL.map(|metric| noise_floor(&run.controls, key, metric));
    let known = [(requests, "requests/s"), (cpu, "CPU")].map(|(floor, what)| match floor {
        Some(floor) => format!("{} of {what}", format::percent(floor)),
        None => format!("that of {what} is not known here, so all are a tie"),
    });
    if requests.or(cpu).is_none() {
        return "Noise floor: not known here, because no target was measured twice (A/A control): all are a tie.".into();
    }
    format!(
        "Rank: group by requests/s / by CPU. Noise floor (the same target twice): {}; what differs by less is a tie.",
        known.join(", ")
    )
}

/// What to mind about a table.
pub(crate) fn notes(run: &Run, key: &CellKey, cells: &[&Cell]) -> Vec<String> {
    let mut notes = Vec::new();
    let rounds = cells
        .iter()
        .map(|cell| cell.samples.len())
        .max()
        .unwrap_or(0);
    if rounds >= stats::MIN_ROUNDS {
        notes.push(floor_note(run, key));
        let confidence = stats::coverage(rounds, stats::rank_of(rounds));
        notes.push(format!(
            "± is half the interval of the median over {rounds} rounds ({:.0} % confidence).",
            100.0 * confidence
        ));
    } else {
        notes.push(format!(
            "{}: too few for an interval, so nothing is told apart; {} give one.",
            format::counted(rounds, "round"),
            stats::MIN_ROUNDS
        ));
    }
    if cells
        .iter()
        .flat_map(|cell| &cell.samples)
        .map(|sample| sample.latency)
        .any(|latency| latency.kind == LatencyKind::AtSaturation && latency.p99_us.is_some())
    {
        notes.push(format!("Latency as {} measures it, with as much sent as possible: of use to compare, not to plan.", key.generator));
    }
    notes
}
