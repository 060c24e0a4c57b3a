//! Who is ahead of whom, and who cannot be told apart.

use crate::model::{Cell, CellKey, Class, Controls, Estimate, FloorControl, NoiseFloor, Run};
use crate::stats;
use std::collections::BTreeMap;

/// A figure that targets are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// More is better.
    RequestsPerSecond,
    /// Less is better.
    CpuPerRequest,
}

impl Metric {
    /// Both.
    pub const ALL: [Self; 2] = [Self::RequestsPerSecond, Self::CpuPerRequest];

    /// The figure of each round that has it, as (round, figure).
    #[must_use]
    pub fn rounds(self, cell: &Cell) -> Vec<(u32, f64)> {
        let figure = |sample: &crate::model::Sample| match self {
            Self::RequestsPerSecond => Some(sample.requests_per_second),
            Self::CpuPerRequest => sample.server.cpu_us_per_request,
        };
        cell.samples
            .iter()
            .filter_map(|sample| Some((sample.round, figure(sample)?)))
            .collect()
    }

    /// Whether the cell may be ranked by it. At a fixed rate requests per second are what was asked for.
    #[must_use]
    pub fn ranks(self, cell: &Cell) -> bool {
        match self {
            Self::RequestsPerSecond => {
                cell.verdict.ranks_requests() && cell.key.rate_percent.is_none()
            }
            Self::CpuPerRequest => cell.verdict.ranks_cpu(),
        }
    }

    fn better(self, ratio: f64) -> f64 {
        match self {
            Self::RequestsPerSecond => ratio,
            Self::CpuPerRequest => 1.0 / ratio,
        }
    }
}

/// Ratio `head / base` from pairs of the same round.
#[must_use]
pub fn ratio(metric: Metric, base: &Cell, head: &Cell) -> Option<Estimate> {
    let heads: BTreeMap<u32, f64> = metric.rounds(head).into_iter().collect();
    let pairs: Vec<(f64, f64)> = metric
        .rounds(base)
        .into_iter()
        .filter_map(|(round, base)| Some((base, *heads.get(&round)?)))
        .collect();
    stats::ratio(&pairs)
}

/// Whether a ratio is a difference: its interval excludes 1, and it is larger than what two measurements of the same
/// target differ by. Where that is not known, nothing is told apart.
#[must_use]
pub fn differs(ratio: &Estimate, noise_floor: Option<f64>) -> bool {
    noise_floor.is_some_and(|floor| ratio.excludes(1.0) && (ratio.median - 1.0).abs() > floor)
}

/// Fills in controls and ranks from the cells' samples.
pub fn rank(run: &mut Run) {
    run.controls = controls(run);
    for metric in Metric::ALL {
        let ranks = ranks(run, metric);
        for (cell, rank) in run.cells.iter_mut().zip(ranks) {
            let Some(summary) = &mut cell.summary else {
                continue;
            };
            match metric {
                Metric::RequestsPerSecond => summary.requests_per_second_rank = rank,
                Metric::CpuPerRequest => summary.cpu_per_request_rank = rank,
            }
        }
    }
}

/// Rank group of each cell within its table, in the order of the cells. A group's number counts all before it, also
/// those that are faster without a rank.
fn ranks(run: &Run, metric: Metric) -> Vec<Option<u32>> {
    let mut ranks = vec![None; run.cells.len()];
    for table in tables(run) {
        let unranked = unranked(run, &table, metric);
        let mut rows: Vec<usize> = table
            .into_iter()
            .filter(|row| is_ranked(run, &run.cells[*row], metric))
            .collect();
        rows.sort_by(|a, b| {
            score(&run.cells[*b], metric).total_cmp(&score(&run.cells[*a], metric))
        });
        let Some(&first) = rows.first() else { continue };
        let floor = noise_floor(&run.controls, &run.cells[first].key, metric);
        let faster = |row: usize| {
            let own = score(&run.cells[row], metric);
            unranked
                .iter()
                .filter(|cell| score(cell, metric) > own)
                .count()
        };
        let (mut leader, mut group) = (first, 1 + faster(first));
        for (position, row) in rows.into_iter().enumerate() {
            let ratio = ratio(metric, &run.cells[leader], &run.cells[row]);
            if row != leader && ratio.is_some_and(|ratio| differs(&ratio, floor)) {
                (leader, group) = (row, 1 + position + faster(row));
            }
            ranks[row] = u32::try_from(group).ok();
        }
    }
    ranks
}

fn is_ranked(run: &Run, cell: &Cell, metric: Metric) -> bool {
    competes(run, cell) && metric.ranks(cell) && !metric.rounds(cell).is_empty()
}

/// Whether a cell is of a competitor, not of a control.
#[must_use]
pub fn competes(run: &Run, cell: &Cell) -> bool {
    run.target(&cell.key.target)
        .is_some_and(|target| target.class != Class::Control && target.twin_of.is_none())
}

/// The competitors of a table that are not ranked because something else than the server was the limit: they may well
/// be faster than those that are.
#[must_use]
pub fn unranked<'a>(run: &'a Run, table: &[usize], metric: Metric) -> Vec<&'a Cell> {
    let cells = table.iter().map(|index| &run.cells[*index]);
    cells
        .filter(|cell| competes(run, cell) && cell.verdict.ranks_cpu() && !metric.ranks(cell))
        .collect()
}

/// Median over the rounds, turned so that more is better.
fn score(cell: &Cell, metric: Metric) -> f64 {
    let figures: Vec<f64> = metric
        .rounds(cell)
        .into_iter()
        .map(|(_, figure)| figure)
        .collect();
    metric.better(stats::median(&figures).unwrap_or(0.0))
}

/// Indices of the cells of each table, tables in the order of their first cell.
#[must_use]
pub fn tables(run: &Run) -> Vec<Vec<usize>> {
    let mut tables: Vec<Vec<usize>> = Vec::new();
    for (index, cell) in run.cells.iter().enumerate() {
        match tables
            .iter_mut()
            .find(|table| run.cells[table[0]].key.same_table(&cell.key))
        {
            Some(table) => table.push(index),
            None => tables.push(vec![index]),
        }
    }
    tables
}

/// Smallest relative difference that the run can tell in the table of `key`.
#[must_use]
pub fn noise_floor(controls: &Controls, key: &CellKey, metric: Metric) -> Option<f64> {
    let floor = controls
        .noise_floors
        .iter()
        .find(|floor| floor.key.same_table(key))?;
    match metric {
        Metric::RequestsPerSecond => floor.requests_per_second,
        Metric::CpuPerRequest => floor.cpu_per_request,
    }
}

fn controls(run: &Run) -> Controls {
    let mut controls = Controls::default();
    for table in tables(run) {
        let cells: Vec<&Cell> = table.iter().map(|index| &run.cells[*index]).collect();
        controls.noise_floors.extend(
            cells
                .iter()
                .filter_map(|cell| twin_control(run, &cells, cell)),
        );
        controls
            .floors
            .extend(cells.iter().filter_map(|cell| floor_control(run, cell)));
    }
    controls
}

fn twin_control(run: &Run, cells: &[&Cell], twin: &Cell) -> Option<NoiseFloor> {
    let of = run.target(&twin.key.target)?.twin_of.as_ref()?;
    let first = cells.iter().find(|cell| cell.key.target == *of)?;
    let requests = ratio(Metric::RequestsPerSecond, first, twin);
    let cpu = ratio(Metric::CpuPerRequest, first, twin);
    Some(NoiseFloor {
        key: first.key.clone(),
        twin: twin.key.target.clone(),
        requests_per_second_ratio: requests,
        cpu_per_request_ratio: cpu,
        requests_per_second: requests.and_then(|ratio| ratio.reach_from_one()),
        cpu_per_request: cpu.and_then(|ratio| ratio.reach_from_one()),
    })
}

fn floor_control(run: &Run, cell: &Cell) -> Option<FloorControl> {
    let summary = cell.summary.as_ref()?;
    (run.target(&cell.key.target)?.class == Class::Control).then(|| FloorControl {
        key: cell.key.clone(),
        requests_per_second: Some(summary.requests_per_second),
        cpu_us_per_request: summary.cpu_us_per_request,
    })
}

impl Run {
    /// The target of this name.
    #[must_use]
    pub fn target(&self, name: &str) -> Option<&crate::model::Target> {
        self.targets.iter().find(|target| target.name == name)
    }
}

#[cfg(test)]
mod tests;
