//! One server, its good clients and its crowd.

use std::thread;
use std::time::Duration;

use contract::Target;
use contract::sample::Usage;
use contract::targets::{Class, Contract};

use super::LIMIT;
use super::crowd::{Crowd, Fate, Seen, Size};
use super::measure::{Sample, measure};
use crate::context::Context;
use crate::items::Answer;
use crate::outcome::{Figures, Trouble};
use crate::server::Server;

/// Good clients keep so much of their throughput.
const KEPT: f64 = 0.8;

/// What an engine may hold for a client that drips: a buffer of 16 KiB for its head, and a stack or a task; and for one
/// that never reads: 64 KiB of responses, as much of requests, and the like.
const ENGINE: (u64, u64) = (32 << 10, 192 << 10);

/// The same for other stacks, whose buffers are their own matter as long as they have an end.
const OTHER: (u64, u64) = (128 << 10, 1 << 20);

/// What it may hold beside that.
const MEMORY: u64 = 8 << 20;

/// How long it may take to see that its clients have gone.
const LEAVING: Duration = Duration::from_secs(3);

/// A server under trial, up to its first trouble.
pub(super) struct Trial<'a> {
    target: &'a Target,
    live: Result<Live, Trouble>,
}

struct Live {
    server: Server,
    idle: Usage,
    /// The good clients alone, in this round.
    alone: Option<Sample>,
    /// Alone and beside a crowd, round by round.
    pairs: Vec<(Sample, Sample)>,
    crowd: Option<Crowd>,
    seen: Vec<Seen>,
    /// Connections that the server still had when a crowd was dismissed, at most.
    left: u64,
    peak: u64,
}

impl<'a> Trial<'a> {
    pub(super) fn start(context: &Context, target: &'a Target) -> Self {
        Self {
            target,
            live: Live::start(context, target),
        }
    }

    pub(super) fn measure_alone(&mut self, context: &Context, time: Duration) {
        self.step(|live| {
            live.alone = Some(measure(context, &mut live.server, time)?);
            Ok(())
        });
    }

    pub(super) fn send_crowd(&mut self, size: Size) {
        self.step(|live| {
            live.crowd = Some(Crowd::send(live.server.addr(), size));
            Ok(())
        });
    }

    /// Until it is connected.
    pub(super) fn wait_for_crowd(&mut self) {
        self.step(|live| {
            while live
                .crowd
                .as_ref()
                .is_some_and(|crowd| !crowd.is_connected())
            {
                thread::sleep(Duration::from_millis(10));
            }
            Ok(())
        });
    }

    pub(super) fn measure_beside(&mut self, context: &Context, time: Duration) {
        self.step(|live| {
            let beside = measure(context, &mut live.server, time)?;
            live.pairs
                .extend(live.alone.take().map(|alone| (alone, beside)));
            Ok(())
        });
        self.sample();
    }

    /// Whether some of its crowd is not closed yet.
    pub(super) fn has_crowd(&self) -> bool {
        let crowd = self.live.as_ref().ok().and_then(|live| live.crowd.as_ref());
        crowd.is_some_and(|crowd| !crowd.is_gone())
    }

    pub(super) fn sample(&mut self) {
        self.step(|live| {
            live.peak = live.peak.max(live.server.usage()?.rss);
            Ok(())
        });
    }

    pub(super) fn dismiss_crowd(&mut self) {
        self.step(|live| {
            let descriptors = live.server.usage()?.descriptors;
            live.left = live
                .left
                .max(descriptors.saturating_sub(live.idle.descriptors));
            let seen = live.crowd.take().map(Crowd::dismiss).transpose();
            live.seen.extend(
                seen.map_err(|error| {
                    Trouble::fail(format!("slow clients cannot connect: {error}"))
                })?,
            );
            live.server.expect_service_within(LEAVING)
        });
    }

    /// Whether the rounds so far are enough for it.
    pub(super) fn keeps_up(&self) -> bool {
        self.live.as_ref().map_or(true, |live| live.kept() >= KEPT)
    }

    fn step(&mut self, step: impl FnOnce(&mut Live) -> Result<(), Trouble>) {
        if let Ok(live) = &mut self.live
            && let Err(trouble) = step(live)
        {
            // Its crowd need not stay any longer.
            let _ = live.crowd.take().map(Crowd::dismiss);
            self.live = Err(trouble);
        }
    }

    pub(super) fn judge(self, context: &Context, size: Size) -> Answer {
        let mut figures = Figures::default();
        let strict = self.target.contract != Contract::Foreign;
        let result = self.live.and_then(|mut live| {
            context.go_on()?;
            live.tell(&mut figures)?;
            live.judge_service(strict)?;
            live.judge_memory(self.target.class, size)?;
            if self.target.contract == Contract::Exact {
                live.judge_closing(size)?;
            }
            live.server.stop().map(drop)
        });
        (figures, result)
    }
}

impl Live {
    fn start(context: &Context, target: &Target) -> Result<Self, Trouble> {
        let mut server = Server::start(context, target)?;
        let idle = server.usage()?;
        // What is allocated and learnt with the first load is not the crowd's doing.
        measure(context, &mut server, Duration::from_millis(300))?;
        Ok(Self {
            server,
            idle,
            alone: None,
            pairs: Vec::new(),
            crowd: None,
            seen: Vec::new(),
            left: 0,
            peak: 0,
        })
    }

    /// The median over the rounds.
    fn kept(&self) -> f64 {
        median(
            self.pairs
                .iter()
                .map(|(alone, beside)| beside.kept_of(alone)),
        )
    }

    fn tell(&mut self, figures: &mut Figures) -> Result<(), Trouble> {
        let of = |figure: fn(&(Sample, Sample)) -> f64| median(self.pairs.iter().map(figure));
        figures.set("rounds", self.pairs.len() as f64);
        figures.set("kept_percent", (self.kept() * 1000.0).round() / 10.0);
        figures.set(
            "requests_per_second_alone",
            of(|(alone, _)| alone.requests_per_second.round()),
        );
        figures.set(
            "requests_per_second_beside",
            of(|(_, beside)| beside.requests_per_second.round()),
        );
        figures.set(
            "cpu_us_per_request_alone",
            of(|(alone, _)| alone.cpu_us_per_request),
        );
        figures.set(
            "cpu_us_per_request_beside",
            of(|(_, beside)| beside.cpu_us_per_request),
        );
        figures.set("errors", self.errors() as f64);
        for seen in &self.seen {
            tell_fate("dripping", &seen.dripping, figures);
            tell_fate("never_reading", &seen.never_reading, figures);
            figures.raise("kernel_peak_bytes", seen.kernel as f64);
        }
        figures.set("connections_left", self.left as f64);
        figures.set("rss_idle_bytes", self.idle.rss as f64);
        figures.set("rss_peak_bytes", self.peak as f64);
        figures.set("rss_after_bytes", self.server.usage()?.rss as f64);
        Ok(())
    }

    fn errors(&self) -> u64 {
        self.pairs
            .iter()
            .map(|(alone, beside)| alone.errors + beside.errors)
            .sum()
    }

    fn judge_service(&self, strict: bool) -> Result<(), Trouble> {
        if strict && self.errors() > 0 {
            return Err(Trouble::fail(format!(
                "{} requests of good clients failed",
                self.errors()
            )));
        }
        if self.kept() < KEPT {
            let percent = self.kept() * 100.0;
            return Err(Trouble::fail(format!(
                "good clients keep {percent:.0} % of their throughput"
            )));
        }
        Ok(())
    }

    fn judge_memory(&self, class: Class, size: Size) -> Result<(), Trouble> {
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

    fn judge_closing(&self, size: Size) -> Result<(), Trouble> {
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
    let seconds = |times: &[Duration]| times.iter().max().map_or(0.0, Duration::as_secs_f64);
    figures.raise(&format!("{name}_connected"), fate.connected as f64);
    figures.raise(&format!("{name}_open"), fate.open.len() as f64);
    figures.raise(
        &format!("{name}_closed_after_s"),
        (seconds(&fate.closed) * 10.0).round() / 10.0,
    );
}

/// All have connected, and the server has closed them in time. `left`: connections that it still had at the end; what
/// it has closed a client may not see, behind bytes that it never reads.
fn judge_fate(what: &str, fate: &Fate, all: usize, left: u64) -> Result<(), Trouble> {
    if fate.connected < all {
        let connected = fate.connected;
        return Err(Trouble::fail(format!(
            "{connected} of {all} clients that {what} could connect in time"
        )));
    }
    if left > 0 && !fate.open.is_empty() {
        let (open, limit) = (fate.open.len(), LIMIT.as_secs());
        return Err(Trouble::fail(format!(
            "{open} clients that {what} are still open after {limit} s"
        )));
    }
    match fate.closed.iter().max() {
        Some(after) if *after > LIMIT => {
            let after = after.as_secs_f64();
            Err(Trouble::fail(format!(
                "a client that {what}s was closed after {after:.1} s"
            )))
        }
        _ => Ok(()),
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
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
}
