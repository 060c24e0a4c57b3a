//! What happens by the clock: the phases of a run, timeouts, samples.

use std::sync::atomic::Ordering::Relaxed;

use super::Worker;
use crate::cpu::Usage;
use crate::inbox::Failure;
use crate::plan::nanoseconds;

/// Nanoseconds between two looks at the clock, at most.
const TICK: u64 = 10_000_000;
/// Nanoseconds between two updates of what the progress shows.
const SHOW: u64 = 100_000_000;
/// Nanoseconds that an interrupted run waits for what is under way.
const PATIENCE: u64 = 500_000_000;
/// A run by number gives up after so many timeouts without any response.
const HOPELESS: u64 = 10;

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    WarmUp,
    Measure,
    /// What is under way is awaited until then.
    Drain {
        deadline: u64,
    },
}

/// What a thread remembers of times; nanoseconds since the start of the run.
#[derive(Debug)]
pub(super) struct Timing {
    /// Which thread this is.
    thread: usize,
    pub(super) timeout: u64,
    pub(super) phase: Phase,
    /// Start of the measured time.
    pub(super) measured_from: u64,
    /// CPU time and right responses up to then.
    usage: Option<Usage>,
    responses_before: u64,
    pub(super) last_response: u64,
    pub(super) next_tick: u64,
    next_show: u64,
    next_scan: u64,
}

impl Timing {
    pub(super) fn new(thread: usize, timeout: u64) -> Self {
        Self {
            thread,
            timeout,
            phase: Phase::WarmUp,
            measured_from: u64::MAX,
            usage: None,
            responses_before: 0,
            last_response: 0,
            next_tick: 0,
            next_show: 0,
            next_scan: 0,
        }
    }
}

impl Worker<'_> {
    /// Looks after everything that is not an event.
    pub(super) fn tick(&mut self) {
        self.timing.next_tick = self.now + TICK;
        self.advance_phase();
        if self.timing.phase == Phase::Measure {
            self.tally
                .samples
                .take(self.now - self.timing.measured_from, self.under_way as u64);
        }
        if self.now >= self.timing.next_show {
            self.timing.next_show = self.now + SHOW;
            self.shown
                .requests
                .store(self.tally.requests - self.under_way as u64, Relaxed);
            self.shown.errors.store(self.tally.errors.total(), Relaxed);
        }
        if self.now >= self.timing.next_scan {
            self.timing.next_scan = self.now + (self.timing.timeout / 20).clamp(TICK, 25 * TICK);
            self.end_overdue(self.now.saturating_sub(self.timing.timeout));
        }
        if self.timing.phase != Phase::WarmUp && self.left > 0 && self.plan.requests.is_some() {
            self.give_up_when_hopeless();
        }
    }

    fn advance_phase(&mut self) {
        let warmup = nanoseconds(self.plan.config.warmup);
        if self.timing.phase == Phase::WarmUp && self.now >= warmup {
            self.timing.phase = Phase::Measure;
            self.timing.measured_from = self.now;
            self.timing.usage = Some(Usage::now(&self.plan.cpus));
            self.timing.responses_before = self.tally.responses;
            self.left = self.plan.requests.map_or(u64::MAX, |requests| {
                self.plan.part(requests, self.timing.thread)
            });
        }
        let end = match (self.timing.phase, self.plan.duration()) {
            (Phase::Measure, Some(duration)) => self.timing.measured_from + duration,
            _ => u64::MAX,
        };
        if self.now >= end {
            self.stop_sending(end, self.timing.timeout);
        }
        if self.plan.is_stopped() && !self.tally.interrupted {
            self.tally.interrupted = true;
            self.stop_sending(self.now, self.timing.timeout.min(PATIENCE));
        }
        if let Phase::Drain { deadline } = self.timing.phase
            && self.now >= deadline
        {
            self.close_schedule();
            self.end_overdue(u64::MAX);
        }
        self.timing.next_tick = self.timing.next_tick.min(match self.timing.phase {
            Phase::WarmUp => warmup,
            Phase::Measure => end,
            Phase::Drain { deadline } => deadline.max(self.now + 1),
        });
    }

    /// Ends the measured time. A closed loop sends nothing more; an open one sends what was due by `end`.
    fn stop_sending(&mut self, end: u64, patience: u64) {
        self.end_measurement();
        match &mut self.schedule {
            None => self.left = 0,
            Some(schedule) => schedule.stop_at(end),
        }
        self.timing.phase = Phase::Drain {
            deadline: self.now + patience,
        };
    }

    pub(super) fn end_measurement(&mut self) {
        let Some(before) = self.timing.usage.take() else {
            return;
        };
        let (cpu, stolen) = Usage::now(&self.plan.cpus).since(before);
        self.tally.cpu.push(cpu);
        self.tally.stolen_seconds = stolen;
        self.tally.measured = self.now - self.timing.measured_from;
        self.tally.measured_responses = self
            .tally
            .responses
            .saturating_sub(self.timing.responses_before);
    }

    /// Ends what has been under way since before `limit`.
    fn end_overdue(&mut self, limit: u64) {
        for index in 0..self.slots.len() {
            let slot = &self.slots[index];
            if slot.is_older_than(limit) {
                let failure = if slot.connecting {
                    Failure::Connect
                } else {
                    Failure::Timeout
                };
                self.fail(index, failure);
            }
        }
    }

    /// A number of requests is never done when the server does not answer at all any more.
    fn give_up_when_hopeless(&mut self) {
        let since = self.timing.last_response.max(self.timing.measured_from);
        if self.now > since.saturating_add(self.timing.timeout.saturating_mul(HOPELESS)) {
            self.stop(format!(
                "{} has not answered for {} s, ten times the timeout",
                self.plan.address,
                (self.now - since) / 1_000_000_000
            ));
        }
    }

    /// Ends the run because it cannot go on.
    pub(super) fn stop(&mut self, reason: String) {
        self.tally.stopped.get_or_insert(reason);
        self.stop_sending(self.now, self.timing.timeout);
        self.close_schedule();
        self.timing.next_tick = self.now;
    }

    /// Nothing more is sent, whatever is due.
    fn close_schedule(&mut self) {
        if let Some(schedule) = &self.schedule {
            self.tally.unsent += schedule.overdue(self.now).min(self.left);
        }
        self.left = 0;
    }
}
