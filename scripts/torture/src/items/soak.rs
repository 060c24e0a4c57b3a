//! Time: all servers at once under a modest load of everything, and whether what they hold stays the same.

mod cases;
mod memory;
mod traffic;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use contract::Target;

use self::memory::Series;
use super::growth::Tolerance;
use crate::context::Context;
use crate::items::Answer;
use crate::outcome::{Figures, Trouble};
use crate::server::Server;

/// In full.
pub const LENGTH: Duration = Duration::from_secs(20 * 60);

/// Less would leave no time in which nothing is new.
const SHORTEST: Duration = Duration::from_secs(25);

/// No server is asked all cases more often than that.
const FASTEST: Duration = Duration::from_millis(2500);

/// The contract is gone through so often.
const CYCLES: u32 = 40;

/// So many of these cycles are for warming up (2 minutes of 20).
const WARM_UP: u32 = 4;

/// The schedule of a soak.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    start: Instant,
    length: Duration,
    cycle: Duration,
}

impl Schedule {
    fn new(length: Duration) -> Self {
        Self {
            start: Instant::now(),
            length,
            cycle: (length / CYCLES).max(FASTEST),
        }
    }

    /// From one time through the contract that is due at `time` to the next. While a server warms up four times as
    /// often: what a rare case allocates, and every stack or buffer that is kept, shall be there by then.
    fn pace(&self, time: Instant) -> Duration {
        if time < self.start + self.cycle * WARM_UP {
            (self.cycle / 4).max(FASTEST)
        } else {
            self.cycle
        }
    }

    fn is_over(&self) -> bool {
        self.start.elapsed() >= self.length
    }

    /// Whether `at` is in the two cycles behind the warm-up.
    fn has_settled(&self, at: Duration) -> bool {
        (self.cycle * WARM_UP..self.cycle * (WARM_UP + 2)).contains(&at)
    }

    /// Whether `at` is in the last two cycles.
    fn is_ending(&self, at: Duration) -> bool {
        at + self.cycle * 2 >= self.length
    }
}

/// One server with what is known of it.
struct Soaked<'a> {
    target: &'a Target,
    server: Server,
    series: Series,
    /// The first thing that went wrong with the process itself.
    trouble: Option<Trouble>,
}

/// Item `soak`: every kind of good traffic and one hostile request in a hundred, for 20 minutes.
pub fn all(context: &Context, targets: &[&Target]) -> Vec<Answer> {
    let mut started: Vec<Result<Soaked, Trouble>> = targets
        .iter()
        .map(|target| Soaked::start(context, target))
        .collect();
    let schedule = Schedule::new(context.time(LENGTH, SHORTEST));
    let stop = Arc::new(AtomicBool::new(false));
    let traffic: Vec<_> = started
        .iter()
        .enumerate()
        .map(|(number, soaked)| {
            let soaked = soaked.as_ref().ok()?;
            let part = f64::from(number as u32) / started.len() as f64;
            let offset = schedule.cycle.mul_f64(part);
            Some(traffic::start(
                soaked.target,
                &soaked.server,
                schedule,
                offset,
                &stop,
            ))
        })
        .collect();
    watch(context, schedule, &mut started);
    stop.store(true, Ordering::Relaxed);
    let seen = traffic
        .into_iter()
        .map(|traffic| traffic.map(traffic::Traffic::finish));
    started
        .into_iter()
        .zip(seen)
        .map(|(soaked, seen)| match (soaked, seen) {
            (Ok(soaked), Some(seen)) => soaked.judge(context, schedule, seen),
            (Err(trouble), _) => (Figures::default(), Err(trouble)),
            (Ok(_), None) => unreachable!("what has started has traffic"),
        })
        .collect()
}

/// Samples all servers until the time is over or a signal comes.
fn watch(context: &Context, schedule: Schedule, started: &mut [Result<Soaked, Trouble>]) {
    while !schedule.is_over() && context.go_on().is_ok() {
        let at = schedule.start.elapsed();
        for soaked in started.iter_mut().filter_map(|soaked| soaked.as_mut().ok()) {
            soaked.sample(at);
        }
        thread::sleep(schedule.cycle / 6);
    }
}

impl<'a> Soaked<'a> {
    fn start(context: &Context, target: &'a Target) -> Result<Self, Trouble> {
        Ok(Self {
            target,
            server: Server::start(context, target)?,
            series: Series::default(),
            trouble: None,
        })
    }

    fn sample(&mut self, at: Duration) {
        if self.trouble.is_some() {
            return;
        }
        match self.server.usage() {
            Ok(usage) => self.series.add(at, usage),
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    fn judge(mut self, context: &Context, schedule: Schedule, seen: traffic::Seen) -> Answer {
        let mut figures = Figures::default();
        figures.set("minutes", schedule.start.elapsed().as_secs_f64() / 60.0);
        seen.tell(&mut figures);
        let result = context
            .go_on()
            .and(self.trouble.take().map_or(Ok(()), Err))
            .and_then(|()| {
                self.series
                    .judge(schedule, Tolerance::of(self.target), &mut figures)
            })
            .and(seen.judge())
            .and_then(|()| self.server.expect_service())
            .and_then(|()| self.server.stop().map(drop));
        (figures, result)
    }
}
