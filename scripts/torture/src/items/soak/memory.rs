//! What a server held over time, and whether it grew.

use std::time::Duration;

use contract::sample::Usage;

use super::Schedule;
use crate::items::growth::{Tolerance, none_lost};
use crate::outcome::{Figures, Trouble};

/// In less time warming up and growing cannot be told apart; what was measured is told.
const JUDGED: Duration = Duration::from_secs(5 * 60);

/// Descriptors that a connection which is being replaced has for a moment, and the like.
const OWN: u64 = 4;

/// Samples with their times.
#[derive(Debug, Default)]
pub(super) struct Series(Vec<(Duration, Usage)>);

impl Series {
    pub(super) fn add(&mut self, at: Duration, usage: Usage) {
        self.0.push((at, usage));
    }

    /// Compares the end with the time behind the warm-up.
    pub(super) fn judge(
        &self,
        schedule: Schedule,
        tolerance: Tolerance,
        figures: &mut Figures,
    ) -> Result<(), Trouble> {
        let settled = self.median(|at| schedule.has_settled(at));
        let end = self.median(|at| schedule.is_ending(at));
        let (Some(settled), Some(end)) = (settled, end) else {
            return Err(Trouble::Skip(
                "too few samples: give it more --minutes, or a machine that is less busy".into(),
            ));
        };
        figures.set("rss_settled_bytes", settled.rss as f64);
        figures.set("rss_end_bytes", end.rss as f64);
        let peak = self.0.iter().map(|(_, usage)| usage.rss).max();
        figures.set("rss_peak_bytes", peak.unwrap_or_default() as f64);
        figures.set("descriptors_settled", settled.descriptors as f64);
        figures.set("descriptors_end", end.descriptors as f64);
        figures.set("cpu_s", end.cpu.as_secs_f64());
        if schedule.length < JUDGED {
            return Ok(());
        }
        none_lost(settled.descriptors + OWN, end.descriptors)?;
        tolerance.judge(settled.rss, end.rss)
    }

    /// The median of each figure in a part of the time; of descriptors the least, since a case of the contract holds
    /// dozens for seconds.
    fn median(&self, part: impl Fn(Duration) -> bool) -> Option<Usage> {
        let of = |figure: fn(&Usage) -> u64| {
            let part = self.0.iter().filter(|(at, _)| part(*at));
            let mut values: Vec<u64> = part.map(|(_, usage)| figure(usage)).collect();
            values.sort_unstable();
            values
        };
        let median = |figure| {
            let values = of(figure);
            values.get(values.len() / 2).copied()
        };
        Some(Usage {
            pss: median(|usage| usage.pss)?,
            rss: median(|usage| usage.rss)?,
            descriptors: *of(|usage| usage.descriptors).first()?,
            cpu: self.0.last()?.1.cpu,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server of ours whose memory is `rss(percent)` when so much of `minutes` is over.
    fn judge_in(minutes: u64, rss: impl Fn(u64) -> u64) -> Result<(), Trouble> {
        judge_usage(minutes, |percent| Usage {
            rss: rss(percent),
            ..Usage::default()
        })
    }

    fn judge_usage(minutes: u64, usage: impl Fn(u64) -> Usage) -> Result<(), Trouble> {
        let length = Duration::from_secs(60 * minutes);
        let mut series = Series::default();
        for percent in 0..100 {
            series.add(length / 100 * percent as u32, usage(percent));
        }
        let schedule = Schedule::new(length);
        series.judge(schedule, Tolerance::OURS, &mut Figures::default())
    }

    fn judge(rss: impl Fn(u64) -> u64) -> Result<(), Trouble> {
        judge_in(20, rss)
    }

    #[test]
    fn growth_behind_the_warm_up_is_a_failure() {
        assert_eq!(judge(|_| 5 << 20), Ok(()));
        assert_eq!(judge(|at| at.min(10) << 20), Ok(()), "warm-up");
        assert_eq!(judge(|at| (5 << 20) + at * 10_000), Ok(()), "under 1 MiB");
        let leak = judge(|at| (5 << 20) + at * 15_000);
        assert!(matches!(leak, Err(Trouble::Fail { .. })), "{leak:?}");
    }

    #[test]
    fn descriptors_that_are_lost_are_a_failure() {
        let open = |each: u64| {
            judge_usage(20, |percent| Usage {
                descriptors: 20 + percent / each,
                ..Usage::default()
            })
        };
        assert_eq!(open(50), Ok(()));
        let lost = open(10);
        assert!(matches!(lost, Err(Trouble::Fail { .. })), "{lost:?}");
    }

    #[test]
    fn descriptors_that_are_held_for_a_while_are_none() {
        let held = judge_usage(20, |percent| Usage {
            descriptors: if percent > 50 && percent != 97 {
                50
            } else {
                20
            },
            ..Usage::default()
        });
        assert_eq!(held, Ok(()));
    }

    #[test]
    fn a_short_soak_does_not_judge_memory() {
        assert_eq!(judge_in(1, |percent| percent << 20), Ok(()));
    }

    #[test]
    fn without_samples_nothing_is_said() {
        let schedule = Schedule::new(Duration::from_secs(100));
        let nothing = Series::default().judge(schedule, Tolerance::OURS, &mut Figures::default());
        assert!(matches!(nothing, Err(Trouble::Skip(_))), "{nothing:?}");
    }
}
