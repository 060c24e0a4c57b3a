//! The gate: not slower, slower, or cannot tell.

use super::{Comparison, Pair, cell_name};
use crate::exit;
use crate::ranking::Metric;
use crate::stats::rounds_for;
use crate::view::format::{percent, ratio};

/// What the gate found in one pair by one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    NotSlower,
    CannotTell,
    Slower,
}

/// Judges every pair by CPU per request, and by requests per second where the servers were the limit. One line for each
/// finding, and the exit code of the worst. What the head has not is not known to be as fast.
pub(super) fn judge(comparison: &Comparison<'_>, threshold: f64) -> (Vec<String>, u8) {
    let mut lines = Vec::new();
    let mut worst = Finding::NotSlower;
    for pair in &comparison.pairs {
        for metric in [Metric::CpuPerRequest, Metric::RequestsPerSecond] {
            // Requests per second of a cell in which the generator was the limit say nothing: CPU alone decides.
            if metric == Metric::RequestsPerSecond && pair.ratio(metric).is_none() {
                continue;
            }
            let finding = find(pair, metric, threshold);
            lines.push(format!(
                "{} against {}, {}, {}: {}",
                pair.head.key.target,
                pair.base.key.target,
                cell_name(&pair.base.key),
                name(metric),
                words(pair, metric, finding, threshold)
            ));
            worst = worst.max(finding);
        }
    }
    for key in &comparison.missing {
        lines.push(format!(
            "{}, {}: cannot tell: the head was not measured so",
            key.target,
            cell_name(key)
        ));
        worst = worst.max(Finding::CannotTell);
    }
    let code = match worst {
        Finding::NotSlower => exit::OK,
        Finding::Slower => exit::CHECK_FAILED,
        Finding::CannotTell => exit::CANNOT_TELL,
    };
    (lines, code)
}

/// Slowness is how much more CPU, or how many requests fewer, in relation to the base. What noise reaches is none.
fn find(pair: &Pair<'_>, metric: Metric, threshold: f64) -> Finding {
    let Some(ratio) = pair.ratio(metric) else {
        return Finding::CannotTell;
    };
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return Finding::CannotTell;
    };
    let (least, most) = match metric {
        Metric::CpuPerRequest => (low - 1.0, high - 1.0),
        Metric::RequestsPerSecond => (1.0 - high, 1.0 - low),
    };
    let floor = pair.floor(metric).unwrap_or(0.0);
    match (
        least > threshold.max(floor),
        most <= threshold && floor <= threshold,
    ) {
        (true, _) => Finding::Slower,
        (_, true) => Finding::NotSlower,
        _ => Finding::CannotTell,
    }
}

fn words(pair: &Pair<'_>, metric: Metric, finding: Finding, threshold: f64) -> String {
    let found = pair.ratio(metric).map_or("no figure".into(), |found| {
        format!("{} times", ratio(&found))
    });
    let verdict = match finding {
        Finding::NotSlower => "not slower".into(),
        Finding::Slower => "slower".into(),
        Finding::CannotTell => why_not(pair, metric, threshold),
    };
    format!("{found}; by more than {}? {verdict}", percent(threshold))
}

/// A threshold that noise reaches would fail at random.
fn why_not(pair: &Pair<'_>, metric: Metric, threshold: f64) -> String {
    let rounds = pair.base.samples.len();
    match pair.floor(metric).filter(|floor| *floor > threshold) {
        None => "cannot tell: more rounds (--resume --rounds N) narrow it".into(),
        Some(floor) => format!(
            "cannot tell: that is below the noise floor ({}); about {} rounds instead of {rounds} would do",
            percent(floor),
            rounds_for(rounds, floor, threshold)
        ),
    }
}

fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::RequestsPerSecond => "requests per second",
        Metric::CpuPerRequest => "CPU per request",
    }
}
