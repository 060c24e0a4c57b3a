//! Latency figures: out of one histogram, or out of those of several generators.

use hdrhistogram::Histogram;

use crate::tally::histogram;
use crate::{Bucket, Latency, LatencyKind};

/// The figures of a histogram; `None` where it is empty.
pub(crate) fn of(kind: LatencyKind, histogram: &Histogram<u64>) -> Option<Latency> {
    if histogram.is_empty() {
        return None;
    }
    let at = |quantile| histogram.value_at_quantile(quantile);
    Some(Latency {
        kind,
        count: histogram.len(),
        mean_us: histogram.mean(),
        p50_us: at(0.5),
        p75_us: at(0.75),
        p90_us: at(0.9),
        p99_us: at(0.99),
        p99_9_us: at(0.999),
        p99_99_us: at(0.9999),
        max_us: histogram.max(),
        histogram: buckets(histogram),
    })
}

fn buckets(histogram: &Histogram<u64>) -> Vec<Bucket> {
    let recorded = histogram.iter_recorded();
    recorded
        .map(|value| Bucket {
            us: value.value_iterated_to(),
            count: value.count_at_value(),
        })
        .collect()
}

/// The figures over all responses in `buckets`, which may come from several generators that worked at the same
/// time; `None` where there are none.
pub fn merged(kind: LatencyKind, buckets: &[Bucket]) -> Option<Latency> {
    let mut all = histogram();
    for bucket in buckets {
        all.saturating_record_n(bucket.us, bucket.count);
    }
    of(kind, &all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_histograms_give_the_percentiles_of_all_their_responses() {
        let (mut fast, mut slow, mut both) = (histogram(), histogram(), histogram());
        for us in 1..=9_000 {
            fast.record(us).unwrap();
            both.record(us).unwrap();
        }
        for us in (1_000_000..2_000_000).step_by(1_000) {
            slow.record(us).unwrap();
            both.record(us).unwrap();
        }
        let kind = LatencyKind::LatencyAtSaturation;
        let buckets = [buckets(&fast), buckets(&slow)].concat();
        let (merged, whole) = (merged(kind, &buckets).unwrap(), of(kind, &both).unwrap());
        assert_eq!(merged.count, 10_000);
        let figures = |of: &Latency| {
            [
                of.p50_us,
                of.p75_us,
                of.p90_us,
                of.p99_us,
                of.p99_9_us,
                of.max_us,
            ]
        };
        assert_eq!(figures(&merged), figures(&whole));
        assert!((merged.mean_us / whole.mean_us - 1.0).abs() < 0.001);
    }

    #[test]
    fn nothing_has_no_percentiles() {
        assert!(merged(LatencyKind::LatencyAtRate, &[]).is_none());
    }
}
