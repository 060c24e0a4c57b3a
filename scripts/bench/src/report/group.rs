//! One table of a run with all that belongs to it: pictures, figures, every round.

use super::fields::{COST, Field, LATENCY};
use super::grid::{Column, Entry, Grid, Row};
use super::picture::{Picture, picture};
use super::rounds::{Rounds, rounds};
use super::{Links, parts};
use crate::model::{Cell, CellKey, Run, Summary};
use crate::ranking::Metric;
use crate::view::format;
use crate::view::results::{SENT, contract, notes, order, sent, title};
use crate::view::words::place;
use serde::Serialize;

/// Cells that differ in their target alone.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    /// Its name in addresses and file names.
    pub id: String,
    /// What it is.
    pub title: String,
    /// The short form.
    pub name: String,
    /// Who leads, and how sure that is; empty where nobody ranks.
    pub sentence: String,
    /// What its cells have in common.
    pub key: CellKey,
    /// Requests per second, CPU per request.
    pub pictures: Vec<Picture>,
    /// The first table.
    pub results: Grid,
    /// Latency.
    pub latency: Grid,
    /// Memory, threads, CPU.
    pub cost: Grid,
    /// Every round.
    pub rounds: Vec<Rounds>,
    /// Requests per second as bars of text.
    pub bars: String,
}

/// The table of these cells.
#[must_use]
pub fn group(run: &Run, indices: &[usize], links: &Links) -> Group {
    let mut indices = indices.to_vec();
    indices.sort_by(|a, b| {
        order(run, *a)
            .partial_cmp(&order(run, *b))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let cells: Vec<&Cell> = indices.iter().map(|index| &run.cells[*index]).collect();
    let key = cells[0].key.clone();
    let of_summaries = |title: &str, fields: &[Field<Summary>]| Grid {
        title: title.to_owned(),
        of: "cell",
        group: String::new(),
        columns: fields.iter().map(Field::column).collect(),
        parts: parts(
            run,
            cells.iter().map(|cell| summary_row(cell, fields)).collect(),
        ),
        notes: Vec::new(),
    };
    Group {
        id: id(&key),
        title: title(run, &key),
        name: name(run, &key),
        sentence: String::new(),
        pictures: Metric::ALL
            .map(|metric| picture(run, &cells, metric))
            .into(),
        results: results(run, &cells, links),
        latency: of_summaries(latency_title(&key), &LATENCY),
        cost: of_summaries(
            "Memory (PSS of the whole process tree), threads and where CPU time goes",
            &COST,
        ),
        rounds: cells
            .iter()
            .filter(|cell| !cell.samples.is_empty())
            .map(|cell| rounds(cell))
            .collect(),
        bars: bars(&cells),
        key,
    }
}

/// Name of a table in addresses and file names.
pub(super) fn id(key: &CellKey) -> String {
    let rate = key
        .rate_percent
        .map(|rate| format!("-{rate}pc"))
        .unwrap_or_default();
    format!(
        "{}-{}-{}t-{}{rate}",
        key.mode, key.connections, key.threads, key.generator
    )
}

/// As [`crate::view::words`] names it; with threads where they are not the same everywhere.
fn name(run: &Run, key: &CellKey) -> String {
    let threads = match run.plan.threads.len() {
        0 | 1 => String::new(),
        _ => format!(", {}", format::counted(key.threads as usize, "thread")),
    };
    format!("{}{threads}", place(key))
}

fn latency_title(key: &CellKey) -> &'static str {
    match key.rate_percent {
        Some(_) => "Latency at this rate, from the time when each request was due",
        None => "Latency at saturation: of use to compare, not to plan",
    }
}

fn results(run: &Run, cells: &[&Cell], links: &Links) -> Grid {
    let at_rate = cells[0].key.rate_percent.is_some();
    let mut columns = vec![
        Column::text("class"),
        Column::text("language"),
        Column::figure("rank", "summary.requests_per_second_rank"),
        Column::figure("requests/s", "summary.requests_per_second.median"),
        Column::figure("CPU rank", "summary.cpu_per_request_rank"),
        Column::figure("CPU µs/request", "summary.cpu_us_per_request.median"),
        Column::figure("p99", "summary.latency.p99_us"),
        Column::figure("memory", "summary.pss_load_bytes"),
        Column::text("contract"),
        Column::text("limit"),
    ];
    let mut rows: Vec<Row> = cells
        .iter()
        .map(|cell| Row {
            target: cell.key.target.clone(),
            link: links.of(run, &cell.key.target),
            cells: result_cells(run, cell),
        })
        .collect();
    if at_rate {
        columns.push(Column::text(SENT));
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.cells.push(Entry::text(sent(cell)));
        }
    }
    Grid {
        title: String::new(),
        of: "cell",
        group: String::new(),
        columns,
        parts: parts(run, rows),
        notes: notes(run, &cells[0].key, cells),
    }
}

fn result_cells(run: &Run, cell: &Cell) -> Vec<Entry> {
    let target = run.target(&cell.key.target);
    let summary = cell.summary.as_ref();
    let requests = summary.map(|summary| summary.requests_per_second);
    let cpu = summary.and_then(|summary| summary.cpu_us_per_request);
    let rank = |rank: Option<u32>| Entry::figure(rank.map(f64::from), format::count);
    let shown = |entry: Entry, ranks: bool| Entry {
        tone: if ranks { "" } else { "unranked" },
        ..entry
    };
    vec![
        Entry::text(
            target
                .map(|target| target.class.to_string())
                .unwrap_or_default(),
        ),
        Entry::text(
            target
                .map(|target| target.language.clone())
                .unwrap_or_default(),
        ),
        rank(summary.and_then(|summary| summary.requests_per_second_rank)),
        shown(
            Entry::figure(requests.map(|e| e.median), format::count)
                .saying(requests.map(|e| format::count_with_interval(&e))),
            Metric::RequestsPerSecond.ranks(cell),
        ),
        rank(summary.and_then(|summary| summary.cpu_per_request_rank)),
        shown(
            Entry::figure(cpu.map(|e| e.median), format::micros)
                .saying(cpu.map(|e| format::micros_with_interval(&e))),
            cell.verdict.ranks_cpu(),
        ),
        Entry::figure(
            summary.and_then(|summary| summary.latency.p99_us),
            format::time,
        ),
        Entry::figure(
            summary
                .and_then(|summary| summary.pss_load_bytes)
                .map(|bytes| bytes as f64),
            |bytes| format::bytes(bytes as u64),
        ),
        Entry::text(contract(target)),
        verdict(cell),
    ]
}

fn verdict(cell: &Cell) -> Entry {
    let noisy = if cell.summary.as_ref().is_some_and(|summary| summary.noisy) {
        ", noisy"
    } else {
        ""
    };
    Entry {
        text: format!("{}{noisy}", cell.verdict),
        hint: cell.reason.clone(),
        tone: match (cell.verdict.ranks_cpu(), noisy.is_empty()) {
            (false, _) => "bad",
            (true, false) => "doubt",
            (true, true) => "",
        },
        ..Entry::default()
    }
}

/// Links to sources are in the first table; to repeat them would cost a large page a tenth of its size.
fn summary_row(cell: &Cell, fields: &[Field<Summary>]) -> Row {
    Row {
        target: cell.key.target.clone(),
        link: None,
        cells: fields
            .iter()
            .map(|field| field.entry(cell.summary.as_ref()))
            .collect(),
    }
}

/// A line for each cell, in the order of the table; those whose requests per second do not rank are drawn hollow.
fn bars(cells: &[&Cell]) -> String {
    const LONGEST: f64 = 40.0;
    let figure = |cell: &Cell| {
        cell.summary
            .as_ref()
            .map(|summary| summary.requests_per_second.median)
    };
    let largest = cells
        .iter()
        .filter_map(|cell| figure(cell))
        .fold(0.0, f64::max);
    let width = cells
        .iter()
        .map(|cell| cell.key.target.chars().count())
        .max()
        .unwrap_or(0);
    cells
        .iter()
        .map(|cell| {
            let name = &cell.key.target;
            let Some(rate) = figure(cell) else {
                return format!("{name:<width$}  {}\n", cell.verdict);
            };
            let length = if largest > 0.0 {
                (LONGEST * rate / largest).round() as usize
            } else {
                0
            };
            let (square, limit) = if cell.verdict.ranks_requests() {
                ("█", String::new())
            } else {
                ("░", format!(" ({})", cell.verdict))
            };
            format!(
                "{name:<width$}  {} {}{limit}\n",
                square.repeat(length),
                format::count(rate)
            )
        })
        .collect()
}
