//! System calls per request.

use super::Explanation;
use super::client::{DEPTH, Use};
use crate::view::Table;
use std::collections::BTreeMap;

/// Calls per request that are too few to belong to each request.
pub(super) const FEW: f64 = 0.05;

/// One row a call, one column a use of connections, each in calls per answered request.
#[must_use]
pub fn table(explanation: &Explanation) -> Table {
    let heads: Vec<String> = explanation
        .phases
        .iter()
        .map(|phase| head(phase.usage))
        .collect();
    let mut header = vec!["system call"];
    header.extend(heads.iter().map(String::as_str));
    let title = format!("{}: system calls per request", explanation.name);
    let mut table = Table::new(title, &header);
    let (rows, rare): (Vec<_>, Vec<_>) = rates(explanation)
        .into_iter()
        .partition(|(_, rates)| rates.iter().any(|rate| *rate >= FEW));
    let sum = |rows: &[(&str, Vec<f64>)], phase: usize| -> f64 {
        rows.iter().fold(0.0, |sum, (_, rates)| sum + rates[phase])
    };
    for (name, rates) in &rows {
        table
            .rows
            .push(row(explanation, name, |phase| rates[phase]));
    }
    let others = |phase| sum(&rare, phase);
    table.rows.push(row(explanation, "others", others));
    let all = |phase| sum(&rows, phase) + others(phase);
    table.rows.push(row(explanation, "all", all));
    table
}

/// Of each call how often it returned in each phase, per answered request; most frequent first.
fn rates(explanation: &Explanation) -> Vec<(&str, Vec<f64>)> {
    let phases = explanation.phases.len();
    let mut rates: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (index, phase) in explanation.phases.iter().enumerate() {
        let each = 1.0 / f64::from(phase.responses().max(1));
        for call in explanation.calls_of(phase) {
            rates.entry(&call.name).or_insert_with(|| vec![0.0; phases])[index] += each;
        }
    }
    let mut rates: Vec<_> = rates.into_iter().collect();
    rates.sort_by(|(_, a), (_, b)| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
    rates
}

fn row(explanation: &Explanation, name: &str, rate: impl Fn(usize) -> f64) -> Vec<String> {
    let cell = |(index, phase): (usize, &super::Phase)| match phase.responses() {
        0 => "–".to_owned(),
        _ => format!("{:.2}", rate(index)),
    };
    std::iter::once(name.to_owned())
        .chain(explanation.phases.iter().enumerate().map(cell))
        .collect()
}

fn head(usage: Use) -> String {
    match usage {
        Use::KeepAlive => "keep-alive".into(),
        Use::Close => "a connection each".into(),
        Use::Pipeline => format!("{DEPTH} pipelined"),
    }
}
