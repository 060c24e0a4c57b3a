//! Throughput against connections: a row for each target, a column for each number of connections.

use super::grid::{Column, Entry, Grid, Row};
use super::parts;
use super::scale::Scale;
use crate::model::{Cell, Run};
use crate::view::format;
use serde::Serialize;

/// Size of a small picture.
const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 22.0;
const EDGE: f64 = 3.0;

/// A line through the figures of a row.
#[derive(Clone, Debug, Serialize)]
pub struct Spark {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// The line's points, as `x,y x,y`.
    pub points: String,
}

/// A table for each mode, generator, number of threads and rate that was measured at more than one number of connections.
#[must_use]
pub fn sweeps(run: &Run, links: &super::Links) -> Vec<Grid> {
    let mut groups: Vec<Vec<&Cell>> = Vec::new();
    for cell in &run.cells {
        match groups.iter_mut().find(|group| same_sweep(group[0], cell)) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }
    groups
        .iter()
        .filter_map(|group| sweep(run, group, links))
        .collect()
}

fn same_sweep(a: &Cell, b: &Cell) -> bool {
    let mut key = a.key.clone();
    key.connections = b.key.connections;
    key.same_table(&b.key)
}

fn sweep(run: &Run, cells: &[&Cell], links: &super::Links) -> Option<Grid> {
    let mut connections: Vec<u32> = cells.iter().map(|cell| cell.key.connections).collect();
    connections.sort_unstable();
    connections.dedup();
    if connections.len() < 2 {
        return None;
    }
    let figures: Vec<f64> = cells.iter().filter_map(|cell| requests(cell)).collect();
    let scale = Scale::linear(&figures);
    let mut targets: Vec<&str> = Vec::new();
    for cell in cells {
        if !targets.contains(&cell.key.target.as_str()) {
            targets.push(&cell.key.target);
        }
    }
    let rows = targets.iter().map(|target| {
        let of = |n: u32| {
            cells
                .iter()
                .copied()
                .find(|cell| cell.key.target == *target && cell.key.connections == n)
        };
        row(target, &connections, of, scale, links.of(run, target))
    });
    let key = &cells[0].key;
    let mut columns = vec![Column::text("course")];
    columns.extend(connections.iter().map(|n| Column {
        connections: Some(*n),
        ..Column::figure(&n.to_string(), "summary.requests_per_second.median")
    }));
    let rate = key
        .rate_percent
        .map(|rate| format!(", at {rate} %"))
        .unwrap_or_default();
    Some(Grid {
        title: format!("{}, server threads: {}, generator {}{rate}: requests per second at each number of connections", key.mode, key.threads, key.generator),
        of: "cell",
        group: super::group::id(key),
        columns,
        parts: parts(run, rows.collect()),
        notes: vec!["Figures in italics are not what the server can do: something else was the limit, or some requests failed.".into()],
    })
}

fn row<'a>(
    target: &str,
    connections: &[u32],
    of: impl Fn(u32) -> Option<&'a Cell>,
    scale: Scale,
    link: Option<String>,
) -> Row {
    let cells: Vec<Option<&Cell>> = connections.iter().map(|n| of(*n)).collect();
    let mut entries = vec![Entry {
        spark: Some(spark(&cells, scale)),
        ..Entry::default()
    }];
    entries.extend(cells.iter().map(|cell| entry(*cell)));
    Row {
        target: target.to_owned(),
        link,
        cells: entries,
    }
}

fn entry(cell: Option<&Cell>) -> Entry {
    let entry = Entry::figure(cell.and_then(requests), format::count);
    match cell.filter(|cell| !cell.verdict.ranks_requests()) {
        Some(cell) => Entry {
            tone: "unranked",
            hint: format!("{}: {}", cell.verdict, cell.reason),
            ..entry
        },
        None => entry,
    }
}

fn requests(cell: &Cell) -> Option<f64> {
    Some(cell.summary.as_ref()?.requests_per_second.median)
}

fn spark(cells: &[Option<&Cell>], scale: Scale) -> Spark {
    let step = (WIDTH - 2.0 * EDGE) / (cells.len() - 1) as f64;
    let points = cells.iter().enumerate().filter_map(|(index, cell)| {
        let y = HEIGHT - EDGE - (HEIGHT - 2.0 * EDGE) * scale.place(requests((*cell)?)?);
        Some(format!("{:.1},{y:.1}", EDGE + step * index as f64))
    });
    Spark {
        width: WIDTH,
        height: HEIGHT,
        points: points.collect::<Vec<_>>().join(" "),
    }
}
