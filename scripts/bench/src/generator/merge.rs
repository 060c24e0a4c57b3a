//! One load out of the shares that several hosts had of it, at the same time.

use super::Loaded;
use super::embedded::latency;
use crate::model::{Errors, Latency, LatencyKind};

/// All shares together; `None` of none. Percentiles come from the merged histograms; those of a generator that gives
/// none (wrk, ab) are not known, because percentiles of shares cannot be merged.
#[must_use]
pub fn merge(shares: &[Loaded]) -> Option<Loaded> {
    let (first, others) = shares.split_first()?;
    if others.is_empty() {
        return Some(first.clone());
    }
    let sum = |of: fn(&Loaded) -> u64| shares.iter().map(of).sum::<u64>();
    Some(Loaded {
        elapsed_s: shares
            .iter()
            .map(|share| share.elapsed_s)
            .fold(0.0, f64::max),
        responses: sum(|share| share.responses),
        all_responses: sum(|share| share.all_responses),
        errors: shares
            .iter()
            .fold(Errors::default(), |all, share| all.plus(share.errors)),
        latency: merged_latency(shares, first.latency.kind),
        histogram: shares
            .iter()
            .flat_map(|share| share.histogram.iter().copied())
            .collect(),
        read_bytes: all(shares, |share| share.read_bytes).map(|bytes| bytes.iter().sum()),
        first_bodies: shares
            .iter()
            .flat_map(|share| share.first_bodies.iter().copied())
            .collect(),
        in_flight: all(shares, |share| share.in_flight).map(|counts| counts.iter().sum()),
        rate_sent: all(shares, |share| share.rate_sent).map(|rates| rates.iter().sum()),
        cpu_s: shares.iter().map(|share| share.cpu_s).sum(),
        cpus: shares.iter().map(|share| share.cpus).sum(),
        stolen_s: all(shares, |share| share.stolen_s).map(|times| times.iter().sum()),
    })
}

/// A figure of every share, where all have it.
fn all<T>(shares: &[Loaded], of: fn(&Loaded) -> Option<T>) -> Option<Vec<T>> {
    shares.iter().map(of).collect()
}

fn merged_latency(shares: &[Loaded], kind: LatencyKind) -> Latency {
    let told = shares
        .iter()
        .all(|share| share.responses == 0 || !share.histogram.is_empty());
    if told {
        let buckets: Vec<load::Bucket> = shares
            .iter()
            .flat_map(|share| share.histogram.iter().copied())
            .collect();
        let kind_there = load::LatencyKind::LatencyAtSaturation;
        return load::merged(kind_there, &buckets)
            .map_or(Latency::unknown(kind), |merged| latency(kind, &merged));
    }
    Latency {
        mean_us: mean(shares),
        max_us: all(shares, |share| share.latency.max_us)
            .map(|longest| longest.into_iter().fold(0.0, f64::max)),
        ..Latency::unknown(kind)
    }
}

/// Each share's mean, weighed by its responses.
fn mean(shares: &[Loaded]) -> Option<f64> {
    let means = all(shares, |share| share.latency.mean_us)?;
    let weights = shares.iter().map(|share| share.responses as f64);
    let total: f64 = weights.clone().sum();
    let sum: f64 = means
        .iter()
        .zip(weights)
        .map(|(mean, weight)| mean * weight)
        .sum();
    (total > 0.0).then(|| sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::mock::measured;

    fn share(responses: u64, us: u64) -> Loaded {
        Loaded {
            responses,
            histogram: vec![load::Bucket {
                us,
                count: responses,
            }],
            ..measured(1000.0, 10.0).loaded
        }
    }

    #[test]
    fn counts_add_up_and_percentiles_are_those_of_all_responses() {
        let merged = merge(&[share(900, 100), share(100, 5000)]).unwrap();
        assert_eq!((merged.responses, merged.cpus), (1000, 2));
        assert_eq!(merged.in_flight, Some(128.0));
        let us = |figure: Option<f64>| figure.unwrap().round() as u64;
        assert_eq!(us(merged.latency.p50_us), 100);
        assert_eq!(us(merged.latency.p99_us) / 10, 500);
    }

    #[test]
    fn percentiles_without_histograms_are_not_known() {
        let mut shares = [share(900, 100), share(100, 5000)];
        for share in &mut shares {
            share.histogram.clear();
        }
        shares[0].latency.mean_us = Some(10.0);
        shares[1].latency.mean_us = Some(110.0);
        let merged = merge(&shares).unwrap();
        assert_eq!(merged.latency.mean_us, Some(20.0));
        assert_eq!(merged.latency.p99_us, None);
    }

    #[test]
    fn one_share_is_the_whole() {
        let only = share(5, 7);
        assert_eq!(merge(std::slice::from_ref(&only)), Some(only));
        assert_eq!(merge(&[]), None);
    }
}
