//! The gate: not slower, slower, or cannot tell.

use super::Pair;
use crate::exit;
use crate::ranking::Metric;
use crate::stats::rounds_for;
use crate::view::format::{percent, ratio};
use anyhow::bail;

/// What the gate found in one pair by one metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    NotSlower,
    CannotTell,
    Slower,
}

/// Judges every pair by CPU per request, and by requests per second where the servers were the limit.
///
/// # Errors
/// When the threshold is below what these rounds can tell.
pub(super) fn judge(pairs: &[Pair<'_>], threshold: f64) -> anyhow::Result<u8> {
    let mut worst = Finding::NotSlower;
    for pair in pairs {
        for metric in [Metric::CpuPerRequest, Metric::RequestsPerSecond] {
            // Requests per second of a cell in which the generator was the limit say nothing: CPU alone decides.
            if metric == Metric::RequestsPerSecond && pair.ratio(metric).is_none() {
                continue;
            }
            refuse_below_noise(pair, metric, threshold)?;
            let finding = find(pair, metric, threshold);
            println!(
                "{} against {}, {}: {}",
                pair.head.key.target,
                pair.base.key.target,
                name(metric),
                words(pair, metric, finding, threshold)
            );
            worst = worst.max(finding);
        }
    }
    Ok(match worst {
        Finding::NotSlower => exit::OK,
        Finding::Slower => exit::CHECK_FAILED,
        Finding::CannotTell => exit::CANNOT_TELL,
    })
}

/// A threshold that noise reaches would fail at random.
fn refuse_below_noise(pair: &Pair<'_>, metric: Metric, threshold: f64) -> anyhow::Result<()> {
    let Some(floor) = pair.floor(metric).filter(|floor| *floor > threshold) else {
        return Ok(());
    };
    let rounds = pair.base.samples.len();
    bail!(
        "a threshold of {} is below the noise floor of this run ({} of {}): about {} rounds instead of {rounds} would do",
        percent(threshold),
        percent(floor),
        name(metric),
        rounds_for(rounds, floor, threshold)
    )
}

/// Slowness is how much more CPU, or how many requests fewer, in relation to the base.
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
    match (least > threshold, most <= threshold) {
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
        Finding::NotSlower => "not slower",
        Finding::Slower => "slower",
        Finding::CannotTell => "cannot tell: more rounds (--resume --rounds N) narrow it",
    };
    format!("{found}; by more than {}? {verdict}", percent(threshold))
}

fn name(metric: Metric) -> &'static str {
    match metric {
        Metric::RequestsPerSecond => "requests per second",
        Metric::CpuPerRequest => "CPU per request",
    }
}
