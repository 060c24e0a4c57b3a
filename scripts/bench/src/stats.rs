//! Pure statistics over rounds: medians, their intervals, ratios from pairs.
//!
//! Machines drift between speeds for tens of seconds, and their noise has heavy tails. So figures are medians, ratios
//! are taken between neighbours of one round, and intervals assume no distribution at all: they are order statistics.
//! With n independent rounds the median lies between the j-th smallest and the j-th largest value with probability
//! 1 - 2 P(B < j), B binomial(n, 1/2). J.-Y. Le Boudec, "Performance Evaluation of Computer and Communication
//! Systems", EPFL Press 2010, theorem 2.1 and table A.1; W. J. Conover, "Practical Nonparametric Statistics", 3.2.

use crate::model::Estimate;

/// The level that an interval reaches where there are rounds enough (six).
pub const CONFIDENCE: f64 = 0.95;

/// Fewest rounds that give an interval.
pub const MIN_ROUNDS: usize = 3;

/// Middle value, or the mean of the two middle ones; `None` when there is none.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// Median with the narrowest order-statistic interval of at least [`CONFIDENCE`].
///
/// Three to five rounds cannot reach that level: then it is all of them, and `confidence` says what that is worth.
#[must_use]
pub fn interval(values: &[f64]) -> Option<Estimate> {
    let median = median(values)?;
    let sorted = sorted(values);
    if sorted.len() < MIN_ROUNDS {
        return Some(Estimate {
            median,
            low: None,
            high: None,
            confidence: None,
        });
    }
    let rank = rank_of(sorted.len());
    Some(Estimate {
        median,
        low: Some(sorted[rank - 1]),
        high: Some(sorted[sorted.len() - rank]),
        confidence: Some(coverage(sorted.len(), rank)),
    })
}

/// Ratio `head / base` over pairs of the same round.
#[must_use]
pub fn ratio(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let ratios: Vec<f64> = pairs
        .iter()
        .filter(|(base, _)| *base > 0.0)
        .map(|(base, head)| head / base)
        .collect();
    interval(&ratios)
}

/// Probability that the true median lies within the `rank`-th smallest and largest of `n` values.
#[must_use]
pub fn coverage(n: usize, rank: usize) -> f64 {
    let below: f64 = (0..rank).map(|k| binomial_half(n, k)).sum();
    1.0 - 2.0 * below
}

/// Largest rank whose interval still covers with [`CONFIDENCE`]; 1 where none does.
#[must_use]
pub fn rank_of(n: usize) -> usize {
    (1..=n / 2)
        .rev()
        .find(|rank| coverage(n, *rank) >= CONFIDENCE)
        .unwrap_or(1)
}

/// P(B = k) for B binomial(n, 1/2).
fn binomial_half(n: usize, k: usize) -> f64 {
    (0..k).fold(0.5_f64.powi(n as i32), |p, i| {
        p * (n - i) as f64 / (i + 1) as f64
    })
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

impl Estimate {
    /// Width of the interval over the median: 0.05 is 5 %. `None` without an interval.
    #[must_use]
    pub fn relative_width(&self) -> Option<f64> {
        let (low, high) = (self.low?, self.high?);
        (self.median > 0.0).then(|| (high - low) / self.median)
    }

    /// Whether the interval excludes `value`. Without an interval nothing is excluded.
    #[must_use]
    pub fn excludes(&self, value: f64) -> bool {
        self.low.is_some_and(|low| value < low) || self.high.is_some_and(|high| value > high)
    }

    /// For a ratio: how far its interval reaches from 1.
    #[must_use]
    pub fn reach_from_one(&self) -> Option<f64> {
        Some((self.low? - 1.0).abs().max((self.high? - 1.0).abs()))
    }

    /// Half the interval's width, for `median ± half`.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        Some((self.high? - self.low?) / 2.0)
    }
}

/// Rounds after which an interval of width `now`, seen in `rounds` rounds, can be expected to have shrunk to `wanted`.
///
/// The median's error falls with the square root of the number of samples (Le Boudec, section 2.2.2); fewer than six
/// rounds give no 95 % interval, so the answer is never below six.
#[must_use]
pub fn rounds_for(rounds: usize, now: f64, wanted: f64) -> usize {
    let needed = rounds as f64 * (now / wanted).powi(2);
    (needed.ceil() as usize).max(6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_even_and_none() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    /// Le Boudec, table A.1: n, j, k, coverage of the interval between the j-th and the k-th value.
    #[test]
    fn ranks_and_coverage_of_le_boudecs_table() {
        for (n, rank, covered) in [
            (6, 1, 0.969),
            (7, 1, 0.984),
            (8, 1, 0.992),
            (9, 2, 0.961),
            (10, 2, 0.979),
            (12, 3, 0.961),
            (20, 6, 0.959),
        ] {
            assert_eq!(rank_of(n), rank, "n = {n}");
            assert!(
                (coverage(n, rank) - covered).abs() < 0.0006,
                "n = {n}: {}",
                coverage(n, rank)
            );
        }
    }

    #[test]
    fn few_rounds_give_their_range_and_say_what_it_is_worth() {
        let three = interval(&[2.0, 1.0, 4.0]).unwrap();
        assert_eq!(
            (three.low, three.high, three.confidence),
            (Some(1.0), Some(4.0), Some(0.75))
        );
        let two = interval(&[1.0, 2.0]).unwrap();
        assert_eq!((two.median, two.low, two.confidence), (1.5, None, None));
    }

    #[test]
    fn an_outlier_moves_neither_median_nor_interval_from_nine_rounds_on() {
        let calm = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8];
        let mut disturbed = calm;
        disturbed[8] = 100.0;
        assert_eq!(interval(&calm), interval(&disturbed));
    }

    #[test]
    fn a_ratio_pairs_rounds_so_that_drift_cancels() {
        let drifting = [(100.0, 105.0), (135.0, 141.75), (90.0, 94.5)];
        let ratio = ratio(&drifting).unwrap();
        assert!((ratio.median - 1.05).abs() < 1e-12);
        assert!(ratio.relative_width().unwrap() < 1e-12);
        assert!(ratio.excludes(1.0));
    }

    #[test]
    fn a_quarter_of_the_width_takes_sixteen_times_the_rounds() {
        assert_eq!(rounds_for(7, 0.04, 0.01), 112);
        assert_eq!(rounds_for(3, 0.01, 0.05), 6);
    }
}
