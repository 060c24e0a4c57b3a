//! Whether it matters: what a choice costs when a request also does work of its own.
//!
//! A model, no measurement: a request's CPU time is the server's, as measured, plus the application's, and nothing else
//! changes (no cache is shared, nothing waits). Cores are CPU seconds per second at a rate.

use super::grid::{Column, Entry, Grid, Row};
use super::{Links, parts};
use crate::model::{Cell, Run};
use crate::ranking::Metric;
use crate::view::format;

/// The application's own CPU work for each request, in microseconds, and its name.
pub const OWN_WORK_US: [(f64, &str); 3] =
    [(100.0, "100 µs"), (1_000.0, "1 ms"), (10_000.0, "10 ms")];

/// Requests per second for which cores are counted.
pub const RATE: f64 = 10_000.0;

/// The table of these cells; `None` when CPU per request of none is known.
#[must_use]
pub fn own_work(run: &Run, name: &str, cells: &[&Cell], links: &Links) -> Option<Grid> {
    let mut known: Vec<(&Cell, f64)> = cells
        .iter()
        .filter(|cell| Metric::CpuPerRequest.ranks(cell))
        .filter_map(|cell| Some((*cell, cell.summary.as_ref()?.cpu_us_per_request?.median)))
        .collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let cheapest = known
        .iter()
        .find(|(cell, _)| !super::picture::is_control(run, cell))?
        .1;
    let mut columns = vec![Column::figure(
        "CPU µs/request",
        "summary.cpu_us_per_request.median",
    )];
    for (_, work) in OWN_WORK_US {
        columns.push(Column {
            numeric: true,
            ..Column::text(&format!("more CPU at {work}"))
        });
        columns.push(Column {
            numeric: true,
            ..Column::text(&format!("cores at {work}"))
        });
    }
    let rows = known
        .iter()
        .map(|(cell, cpu)| row(run, cell, *cpu, cheapest, links));
    Some(Grid {
        title: name.to_owned(),
        of: "cell",
        group: super::group::id(&cells[0].key),
        columns,
        parts: parts(run, rows.collect()),
        notes: vec![format!(
            "A model, not a measurement: a request costs the server's CPU time as measured plus 100 µs, 1 ms or 10 ms of your own. \
             More CPU: than with the cheapest server of this table. Cores: busy at {} requests per second.",
            format::count(RATE)
        )],
    })
}

fn row(run: &Run, cell: &Cell, cpu: f64, cheapest: f64, links: &Links) -> Row {
    let mut cells = vec![Entry::figure(Some(cpu), format::micros)];
    for (work, _) in OWN_WORK_US {
        cells.push(Entry::figure(
            Some(more_cpu(cpu, cheapest, work)),
            format::percent,
        ));
        cells.push(Entry::figure(Some(cores(cpu, work)), |cores| {
            format!("{cores:.2}")
        }));
    }
    Row {
        target: cell.key.target.clone(),
        link: links.of(run, &cell.key.target),
        cells,
    }
}

/// Share of CPU time that a request needs more than with the cheapest server.
#[must_use]
pub fn more_cpu(cpu_us: f64, cheapest_us: f64, work_us: f64) -> f64 {
    (cpu_us + work_us) / (cheapest_us + work_us) - 1.0
}

/// Cores that are busy at [`RATE`].
#[must_use]
pub fn cores(cpu_us: f64, work_us: f64) -> f64 {
    (cpu_us + work_us) * RATE / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_work_dilutes_what_a_server_costs() {
        assert!((more_cpu(30.0, 10.0, 0.0) - 2.0).abs() < 1e-12);
        assert!((more_cpu(30.0, 10.0, 100.0) - 20.0 / 110.0).abs() < 1e-12);
        assert!((cores(30.0, 970.0) - 10.0).abs() < 1e-12);
    }
}
