//! Whether two generators tell the same story.

use super::format;
use crate::model::{Cell, GeneratorKind, Run};
use crate::ranking::{Metric, differs, noise_floor, ratio};
use crate::stats::median;

/// One line for each two generators and each mode, number of connections and threads that both measured.
#[must_use]
pub fn agreement(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    let generators = &run.plan.generators;
    for (index, first) in generators.iter().enumerate() {
        for second in &generators[index + 1..] {
            lines.extend(of_two(run, *first, *second));
        }
    }
    lines
}

fn of_two(run: &Run, first: GeneratorKind, second: GeneratorKind) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut seen: Vec<(crate::model::Mode, u32, u32)> = Vec::new();
    for cell in run
        .cells
        .iter()
        .filter(|cell| cell.key.generator == first && cell.key.rate_percent.is_none())
    {
        let group = (cell.key.mode, cell.key.connections, cell.key.threads);
        if seen.contains(&group) {
            continue;
        }
        seen.push(group);
        let pairs = pairs(run, cell, second);
        if pairs.len() > 1 {
            lines.push(format!(
                "{}, {}: {}",
                group.0,
                format::counted(group.1 as usize, "connection"),
                line(run, first, second, &pairs)
            ));
        }
    }
    lines
}

/// The cells of each target under both generators, where both tell its CPU per request.
fn pairs<'a>(run: &'a Run, group: &Cell, second: GeneratorKind) -> Vec<(&'a Cell, &'a Cell)> {
    let usable = |cell: &&Cell| {
        Metric::CpuPerRequest.ranks(cell) && !Metric::CpuPerRequest.rounds(cell).is_empty()
    };
    run.cells
        .iter()
        .filter(|cell| cell.key.same_table(&group.key))
        .filter(usable)
        .filter_map(|cell| {
            let key = crate::model::CellKey {
                generator: second,
                ..cell.key.clone()
            };
            Some((
                cell,
                run.cells
                    .iter()
                    .find(|other| other.key == key)
                    .filter(usable)?,
            ))
        })
        .collect()
}

fn line(
    run: &Run,
    first: GeneratorKind,
    second: GeneratorKind,
    pairs: &[(&Cell, &Cell)],
) -> String {
    let ratios: Vec<f64> = pairs
        .iter()
        .filter_map(|(a, b)| ratio(Metric::CpuPerRequest, a, b).map(|ratio| ratio.median))
        .collect();
    let middle = median(&ratios).unwrap_or(1.0);
    let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ratios.iter().copied().fold(0.0, f64::max);
    let targets = format::counted(pairs.len(), "target");
    let order = match contradictions(run, pairs) {
        contradictions if contradictions.is_empty() => {
            format!("do not contradict each other about the order of {targets}")
        }
        contradictions => format!(
            "contradict each other about {} ({targets})",
            contradictions.join("; ")
        ),
    };
    let cpu = if (low - 1.0).abs() < 0.05 && (high - 1.0).abs() < 0.05 {
        ", and server CPU per request is the same within 5 %".to_owned()
    } else {
        format!(
            "; server CPU per request under {second} is {middle:.2} times that under {first} ({low:.2} to {high:.2})"
        )
    };
    format!("{first} and {second} {order}{cpu}.")
}

/// Pairs of targets that both generators tell apart, one this way and the other that way.
fn contradictions(run: &Run, pairs: &[(&Cell, &Cell)]) -> Vec<String> {
    let ahead = |a: &Cell, b: &Cell| {
        let ratio = ratio(Metric::CpuPerRequest, a, b)?;
        let floor = noise_floor(&run.controls, &a.key, Metric::CpuPerRequest);
        differs(&ratio, floor).then_some(ratio.median > 1.0)
    };
    let mut found = Vec::new();
    for (index, (a1, a2)) in pairs.iter().enumerate() {
        for (b1, b2) in &pairs[index + 1..] {
            if let (Some(first), Some(second)) = (ahead(a1, b1), ahead(a2, b2))
                && first != second
            {
                found.push(format::list(&[&a1.key.target, &b1.key.target]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
