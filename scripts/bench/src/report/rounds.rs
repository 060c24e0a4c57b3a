//! Every round of a cell.

use super::grid::exact;
use crate::model::{Cell, Sample};
use crate::view::format;
use serde::Serialize;

/// Heads of the columns, and where their figures are in a sample.
pub const COLUMNS: [(&str, &str); 12] = [
    ("round", "round"),
    ("at s", "at_s"),
    ("length s", "elapsed_s"),
    ("responses", "responses"),
    ("requests/s", "requests_per_second"),
    ("CPU µs/request", "server.cpu_us_per_request"),
    ("p50 µs", "latency.p50_us"),
    ("p99 µs", "latency.p99_us"),
    ("server busy", "server.utilisation"),
    ("generator busy", "generator.utilisation"),
    ("verdict", ""),
    ("what is wrong", ""),
];

/// A cell's rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Rounds {
    /// The target.
    pub target: String,
    /// One for each round.
    pub rows: Vec<Round>,
}

/// A round.
#[derive(Clone, Debug, Serialize)]
pub struct Round {
    /// The figures, rounded; empty: not known.
    pub figures: Vec<String>,
    /// Verdict, and what is wrong; empty when nothing is.
    pub words: [String; 2],
}

/// All rounds of a cell.
#[must_use]
pub fn rounds(cell: &Cell) -> Rounds {
    Rounds {
        target: cell.key.target.clone(),
        rows: cell.samples.iter().map(round).collect(),
    }
}

fn round(sample: &Sample) -> Round {
    let known = |figure: Option<f64>, digits: usize| {
        figure
            .map(|figure| format!("{figure:.digits$}"))
            .unwrap_or_default()
    };
    // What merely limited a round is seen from how busy both sides were.
    let wrong = if sample.verdict.ranks_cpu() {
        String::new()
    } else {
        sample.reason.clone()
    };
    Round {
        figures: vec![
            sample.round.to_string(),
            known(Some(sample.at_s), 1),
            known(Some(sample.elapsed_s), 2),
            sample.responses.to_string(),
            known(Some(sample.requests_per_second), 1),
            known(sample.server.cpu_us_per_request, 3),
            sample.latency.p50_us.map(exact).unwrap_or_default(),
            sample.latency.p99_us.map(exact).unwrap_or_default(),
            sample
                .server
                .utilisation
                .map(format::percent)
                .unwrap_or_default(),
            format::percent(sample.generator.utilisation),
        ],
        words: [sample.verdict.to_string(), wrong],
    }
}

/// Heads of the table of rounds.
#[must_use]
pub fn columns() -> Vec<super::grid::Column> {
    use super::grid::Column;
    COLUMNS
        .map(|(title, path)| {
            if path.is_empty() {
                Column::text(title)
            } else {
                Column::figure(title, path)
            }
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_microseconds_are_written_without_a_fraction() {
        assert_eq!(exact(12_615.0), "12615");
    }
}
