//! What was seen of one server, and whether that is as it should be.

use std::time::Duration;

use contract::sample::Usage;
use contract::targets::Class;

use super::LIMIT;
use super::crowd::{Fate, Seen, Size};
use super::measure::Sample;
use crate::outcome::{Figures, Trouble};

/// Good clients keep so much of their throughput.
const KEPT: f64 = 0.8;

/// Words of the failure to keep it.
pub(super) const TOO_LITTLE: &str = "of their throughput";

/// What an engine may hold for a client that drips: a buffer of 16 KiB for its head, and a stack or a task; and for one
/// that never reads: 64 KiB of responses, as much of requests, and the like.
const ENGINE: (u64, u64) = (32 << 10, 192 << 10);

/// The same for other stacks, whose buffers are their own matter as long as they have an end.
const OTHER: (u64, u64) = (128 << 10, 1 << 20);

/// What any may hold beside that.
const MEMORY: u64 = 8 << 20;

/// All rounds of one server.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// What it held before its first crowd.
    pub(super) idle: Usage,
    /// The good clients alone and beside a crowd, round by round.
    pub(super) pairs: Vec<(Sample, Sample)>,
    pub(super) seen: Vec<Seen>,
    /// Connections that the server still had when a crowd was dismissed, at most.
    pub(super) left: u64,
    /// The most memory that it held, bytes.
    pub(super) peak: u64,
}

impl Record {
    /// Whether good clients keep what they should.
    pub(super) fn keeps_up(&self) -> bool {
        self.kept() >= KEPT
    }

    /// The median over the rounds.
    fn kept(&self) -> f64 {
        self.median(|(alone, beside)| beside.kept_of(alone))
    }

    fn median(&self, figure: fn(&(Sample, Sample)) -> f64) -> f64 {
        let mut values: Vec<f64> = self.pairs.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    }

    fn errors(&self) -> u64 {
        let errors = |(alone, beside): &(Sample, Sample)| alone.errors + beside.errors;
        self.pairs.iter().map(errors).sum()
    }

    pub(super) fn tell(&self, figures: &mut Figures) {
        figures.set("rounds", self.pairs.len() as f64);
        figures.set("kept_percent", tenths(self.kept() * 100.0));
        let of = |figure: fn(&(Sample, Sample)) -> f64| tenths(self.median(figure));
        let rate_alone = of(|(alone, _)| alone.requests_per_second);
        let rate_beside = of(|(_, beside)| beside.requests_per_second);
        figures.set("requests_per_second_alone", rate_alone);
        figures.set("requests_per_second_beside", rate_beside);
        let cpu_alone = of(|(alone, _)| alone.cpu_us_per_request);
        let cpu_beside = of(|(_, beside)| beside.cpu_us_per_request);
        figures.set("cpu_us_per_request_alone", cpu_alone);
        figures.set("cpu_us_per_request_beside", cpu_beside);
        figures.set("errors", self.errors() as f64);
        for seen in &self.seen {
            tell_fate("dripping", &seen.dripping, figures);
            tell_fate("never_reading", &seen.never_reading, figures);
            figures.raise("kernel_peak_bytes", seen.kernel as f64);
        }
        figures.set("connections_left", self.left as f64);
        figures.set("rss_idle_bytes", self.idle.rss as f64);
        figures.set("rss_peak_bytes", self.peak as f64);
    }

    /// The good clients got right answers, and enough of them.
    pub(super) fn judge_service(&self, strict: bool) -> Result<(), Trouble> {
        if strict && self.errors() > 0 {
            let errors = self.errors();
            return Err(Trouble::fail(format!(
                "{errors} requests of good clients failed"
            )));
        }
        if !self.keeps_up() {
            let percent = self.kept() * 100.0;
            return Err(Trouble::fail(format!(
                "good clients keep {percent:.0} % {TOO_LITTLE}"
            )));
        }
        Ok(())
    }

    pub(super) fn judge_memory(&self, class: Class, size: Size) -> Result<(), Trouble> {
        let (drips, never_reads) = match class {
            Class::Engine | Class::Control => ENGINE,
            _ => OTHER,
        };
        let bound = self.idle.rss
            + MEMORY
            + size.dripping as u64 * drips
            + size.never_reading as u64 * never_reads;
        if self.peak > bound {
            let (peak, bound) = (self.peak >> 20, bound >> 20);
            return Err(Trouble::fail(format!(
                "it grew to {peak} MiB; {bound} are enough"
            )));
        }
        Ok(())
    }

    /// The slow ones could connect, and were closed.
    pub(super) fn judge_closing(&self, size: Size) -> Result<(), Trouble> {
        for seen in &self.seen {
            judge_fate("drip", &seen.dripping, size.dripping, self.left)?;
            judge_fate(
                "never read",
                &seen.never_reading,
                size.never_reading,
                self.left,
            )?;
        }
        Ok(())
    }
}

fn tell_fate(name: &str, fate: &Fate, figures: &mut Figures) {
    let last = fate.closed.iter().max().map_or(0.0, Duration::as_secs_f64);
    figures.raise(&format!("{name}_connected"), fate.connected as f64);
    figures.raise(&format!("{name}_open"), fate.open.len() as f64);
    figures.raise(&format!("{name}_closed_after_s"), tenths(last));
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// All have connected, and the server has closed them in time. `left`: connections that it still had at the end; what
/// it has closed a client may not see, behind bytes that it never reads.
fn judge_fate(what: &str, fate: &Fate, all: usize, left: u64) -> Result<(), Trouble> {
    let (connected, open, limit) = (fate.connected, fate.open.len(), LIMIT.as_secs());
    if connected < all {
        return Err(Trouble::fail(format!(
            "{connected} of {all} clients that {what} could connect in time"
        )));
    }
    if left > 0 && open > 0 {
        return Err(Trouble::fail(format!(
            "{open} clients that {what} are still open after {limit} s"
        )));
    }
    match fate.closed.iter().max() {
        Some(after) if *after > LIMIT => {
            let after = after.as_secs_f64();
            Err(Trouble::fail(format!(
                "one of the clients that {what} was closed after {after:.1} s"
            )))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_closed_in_time_is_a_failure() {
        let seconds = |times: &[u64]| times.iter().copied().map(Duration::from_secs).collect();
        let fate = |closed: &[u64], open: &[u64]| Fate {
            connected: closed.len() + open.len(),
            closed: seconds(closed),
            open: seconds(open),
        };
        let fails = |fate: Fate, all, left| judge_fate("drip", &fate, all, left).is_err();
        assert!(!fails(fate(&[10, 11], &[]), 2, 0));
        assert!(fails(fate(&[10, 16], &[]), 2, 0), "late");
        assert!(fails(fate(&[10], &[18]), 2, 1), "never");
        assert!(!fails(fate(&[10], &[18]), 2, 0), "the client cannot see it");
        assert!(fails(fate(&[10, 10], &[]), 3, 0), "one could not connect");
    }

    #[test]
    fn more_memory_than_clients_explain_is_a_failure() {
        let size = Size {
            dripping: 1000,
            never_reading: 0,
        };
        let record = |peak| Record {
            peak,
            ..Record::default()
        };
        let fails = |peak, class| record(peak).judge_memory(class, size).is_err();
        assert!(!fails(30 << 20, Class::Engine));
        assert!(fails(50 << 20, Class::Engine));
        assert!(!fails(50 << 20, Class::Library));
    }

    #[test]
    fn nothing_measured_is_nothing_kept() {
        assert!(!Record::default().keeps_up());
    }
}
