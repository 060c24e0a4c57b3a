//! The picture of one figure of one table: every round as a dot, the median as a bar, its interval as a line.

use super::grid::exact;
use super::scale::Scale;
use crate::model::{Cell, Estimate, Run, Summary};
use crate::ranking::{Metric, competes};
use crate::view::format;
use serde::Serialize;

/// Width of a picture and of what is drawn between its edges.
const WIDTH: f64 = 440.0;
const LEFT: f64 = 6.0;
const INNER: f64 = WIDTH - 2.0 * LEFT;
/// Height of a row and of what is above and beneath all rows.
const ROW: f64 = 32.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 6.0;

/// A picture, in units of its view box.
#[derive(Clone, Debug, Serialize)]
pub struct Picture {
    /// What it shows.
    pub title: String,
    /// Its name in file names.
    pub file: &'static str,
    /// The figure's name in a summary.
    pub field: &'static str,
    /// Width.
    pub width: f64,
    /// Height, all rows shown.
    pub height: f64,
    /// Where rows begin.
    pub top: f64,
    /// Height of a row.
    pub row: f64,
    /// The axis.
    pub ticks: Vec<Tick>,
    /// The rows, best first.
    pub rows: Vec<Strip>,
}

/// A mark on the axis.
#[derive(Clone, Debug, Serialize)]
pub struct Tick {
    /// Its place.
    pub x: String,
    /// Its text.
    pub text: String,
    /// On which side of its place the text ends.
    pub anchor: &'static str,
}

/// A row of a picture.
#[derive(Clone, Debug, Serialize)]
pub struct Strip {
    /// The target.
    pub target: String,
    /// Its class, which gives it its colour.
    pub class: String,
    /// What limits the figure's meaning; empty when nothing does.
    pub limit: String,
    /// Its upper edge.
    pub y: f64,
    /// The figure as it is read.
    pub text: String,
    /// The figure as the document has it; empty: none.
    pub value: String,
    /// Every round's figure as the document has it.
    pub values: String,
    /// Every round's dot, as a path.
    pub dots: String,
    /// Where the bar ends; `None` on a logarithmic axis, where a length means nothing.
    pub bar: Option<String>,
    /// The median.
    pub median: Option<String>,
    /// Both ends of the interval.
    pub interval: Option<[String; 2]>,
}

/// The picture of `metric` over the cells of a table.
#[must_use]
pub fn picture(run: &Run, cells: &[&Cell], metric: Metric) -> Picture {
    let figures: Vec<f64> = cells
        .iter()
        .flat_map(|cell| metric.rounds(cell))
        .map(|(_, figure)| figure)
        .collect();
    let scale = match metric {
        Metric::RequestsPerSecond => Scale::linear(&figures),
        Metric::CpuPerRequest => Scale::fitting(&figures),
    };
    let mut cells = cells.to_vec();
    cells.sort_by(|a, b| {
        order(run, a, metric)
            .partial_cmp(&order(run, b, metric))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let rows: Vec<Strip> = cells
        .iter()
        .enumerate()
        .map(|(index, cell)| strip(run, cell, metric, scale, index))
        .collect();
    Picture {
        title: title(metric, scale),
        file: match metric {
            Metric::RequestsPerSecond => "requests",
            Metric::CpuPerRequest => "cpu",
        },
        field: match metric {
            Metric::RequestsPerSecond => "requests_per_second",
            Metric::CpuPerRequest => "cpu_us_per_request",
        },
        width: WIDTH,
        height: TOP + ROW * rows.len() as f64 + BOTTOM,
        top: TOP,
        row: ROW,
        ticks: scale
            .ticks()
            .into_iter()
            .map(|tick| mark(tick, scale, metric))
            .collect(),
        rows,
    }
}

fn title(metric: Metric, scale: Scale) -> String {
    let what = match metric {
        Metric::RequestsPerSecond => "requests per second: more is better",
        Metric::CpuPerRequest => "server CPU µs per request: less is better",
    };
    format!(
        "{what}{}",
        if scale.logarithmic {
            " (logarithmic axis)"
        } else {
            ""
        }
    )
}

/// Those that compete, best first; then those with errors, controls, and what was not measured.
fn order(run: &Run, cell: &Cell, metric: Metric) -> (u8, f64) {
    let Some(figure) = estimate(cell, metric) else {
        return (3, 0.0);
    };
    let better = match metric {
        Metric::RequestsPerSecond => -figure.median,
        Metric::CpuPerRequest => figure.median,
    };
    let place = match (is_control(run, cell), cell.verdict.ranks_cpu()) {
        (true, _) => 2,
        (false, true) => 0,
        (false, false) => 1,
    };
    (place, better)
}

/// Whether a cell shows the machine or the noise, not a competitor.
pub(super) fn is_control(run: &Run, cell: &Cell) -> bool {
    !competes(run, cell)
}

fn estimate(cell: &Cell, metric: Metric) -> Option<Estimate> {
    let summary: &Summary = cell.summary.as_ref()?;
    match metric {
        Metric::RequestsPerSecond => Some(summary.requests_per_second),
        Metric::CpuPerRequest => summary.cpu_us_per_request,
    }
}

fn strip(run: &Run, cell: &Cell, metric: Metric, scale: Scale, index: usize) -> Strip {
    let estimate = estimate(cell, metric);
    let rounds = metric.rounds(cell);
    let values: Vec<String> = rounds.iter().map(|(_, figure)| exact(*figure)).collect();
    let dots: String = rounds
        .iter()
        .map(|(_, figure)| format!("M{} 22h0", x(scale, *figure)))
        .collect();
    let class = run
        .target(&cell.key.target)
        .map(|target| target.class.to_string());
    Strip {
        target: cell.key.target.clone(),
        class: if is_control(run, cell) {
            "control".into()
        } else {
            class.unwrap_or_default()
        },
        limit: limit(cell, metric),
        y: TOP + ROW * index as f64,
        text: estimate.map_or_else(|| "–".into(), |estimate| text(&estimate, metric)),
        value: estimate
            .map(|estimate| exact(estimate.median))
            .unwrap_or_default(),
        values: values.join(" "),
        dots,
        bar: estimate
            .filter(|_| !scale.logarithmic)
            .map(|estimate| number(INNER * scale.place(estimate.median))),
        median: estimate.map(|estimate| x(scale, estimate.median)),
        interval: estimate
            .and_then(|estimate| Some([x(scale, estimate.low?), x(scale, estimate.high?)])),
    }
}

fn text(estimate: &Estimate, metric: Metric) -> String {
    match metric {
        Metric::RequestsPerSecond => format::count_with_interval(estimate),
        Metric::CpuPerRequest => format::micros_with_interval(estimate),
    }
}

fn limit(cell: &Cell, metric: Metric) -> String {
    let noisy = cell.summary.as_ref().is_some_and(|summary| summary.noisy);
    match (metric.ranks(cell), noisy) {
        (true, false) => String::new(),
        (true, true) => "noisy".into(),
        (false, _) => cell.verdict.to_string(),
    }
}

fn mark(tick: f64, scale: Scale, metric: Metric) -> Tick {
    let text = match metric {
        Metric::RequestsPerSecond => format::count(tick),
        Metric::CpuPerRequest => exact(tick),
    };
    let anchor = match scale.place(tick) {
        place if place < 0.05 => "start",
        place if place > 0.93 => "end",
        _ => "middle",
    };
    Tick {
        x: x(scale, tick),
        text,
        anchor,
    }
}

fn x(scale: Scale, figure: f64) -> String {
    number(LEFT + INNER * scale.place(figure))
}

/// A place, exact enough to be drawn.
fn number(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
