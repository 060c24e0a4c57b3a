//! One thread's event loop.
//!
//! The way of a request is kept short: one read, one look at the clock, one comparison, one record in the
//! histogram, one write. A read that did not fill the buffer has emptied the socket, so the loop does not
//! read on until the kernel says that more has come.

mod connections;
mod receiving;
mod sending;
mod timing;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use mio::{Events, Poll, Token};

use crate::Error;
use crate::alarm::Alarm;
use crate::cpu;
use crate::dialer::Dialer;
use crate::expected::Expected;
use crate::plan::{Plan, nanoseconds};
use crate::schedule::Schedule;
use crate::slot::Slot;
use crate::tally::Tally;
use timing::{Phase, Timing};

/// Bytes of one read.
const BUFFER: usize = 64 * 1024;
/// Events of one turn.
const EVENTS: usize = 1024;
/// Connections that are opened in one turn, so that those already open are served meanwhile.
const OPENED_AT_ONCE: usize = 64;
/// What the timer's events carry.
const ALARM: Token = Token(usize::MAX);

/// What a thread shows while it runs.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) requests: AtomicU64,
    pub(crate) errors: AtomicU64,
}

/// One thread's connections and everything it counts.
pub(crate) struct Worker<'a> {
    plan: &'a Plan<'a>,
    shown: &'a Shown,
    poll: Poll,
    slots: Vec<Slot>,
    dialer: Dialer,
    /// As many requests as can be under way on one connection.
    requests: Vec<u8>,
    expected: Option<Expected>,
    buffer: Vec<u8>,
    tally: Tally,
    /// Slots to open again, by time.
    retries: BinaryHeap<Reverse<(u64, usize)>>,
    /// Slots that were opened at least once.
    opened: usize,
    /// Nanoseconds since the start of the run, as of the last look.
    now: u64,
    /// Requests that may still be sent.
    left: u64,
    under_way: usize,
    schedule: Option<Schedule>,
    alarm: Option<Alarm>,
    timing: Timing,
}

impl<'a> Worker<'a> {
    /// Prepares thread number `thread` of the run.
    pub(crate) fn new(plan: &'a Plan, thread: usize, shown: &'a Shown) -> Result<Self, Error> {
        let config = plan.config;
        if !config.cpus.is_empty() {
            let cpu = config.cpus[thread % config.cpus.len()];
            cpu::pin(cpu).map_err(failed("pin a thread to its CPU"))?;
        }
        let poll = Poll::new().map_err(failed("make an event queue"))?;
        let schedule = config
            .rate
            .map(|rate| Schedule::new(rate, thread, config.threads));
        let alarm = schedule
            .as_ref()
            .map(|_| Alarm::new(poll.registry(), ALARM))
            .transpose();
        let connections = plan.part(config.connections as u64, thread) as usize;
        Ok(Self {
            plan,
            shown,
            poll,
            slots: (0..connections).map(|_| Slot::default()).collect(),
            dialer: Dialer::new(plan.address, plan.closes(), thread, config.threads),
            requests: plan.request.repeat(config.mode.depth()),
            expected: plan.expected.clone(),
            buffer: vec![0; BUFFER],
            tally: Tally::new(),
            retries: BinaryHeap::new(),
            opened: 0,
            now: 0,
            left: u64::MAX,
            under_way: 0,
            schedule,
            alarm: alarm.map_err(failed("make a timer"))?,
            timing: Timing::new(thread, nanoseconds(config.timeout)),
        })
    }

    /// Runs to the end.
    pub(crate) fn run(mut self) -> Result<Tally, Error> {
        let mut many = Events::with_capacity(EVENTS);
        let mut few = Events::with_capacity(OPENED_AT_ONCE);
        loop {
            self.look_at_clock();
            if self.now >= self.timing.next_tick {
                self.tick();
            }
            self.open_more();
            self.send_due();
            if self.is_done() {
                return Ok(self.finish());
            }
            let wait = self.wait().map_err(failed("set a timer"))?;
            // Connections already open must not hold up the others.
            let events = if self.is_opening() {
                &mut few
            } else {
                &mut many
            };
            match self.poll.poll(events, Some(wait)) {
                Err(error) if error.kind() != ErrorKind::Interrupted => {
                    return Err(failed("wait for events")(error));
                }
                _ => {}
            }
            for event in events.iter().filter(|event| event.token() != ALARM) {
                self.ready(event);
            }
        }
    }

    #[inline]
    fn look_at_clock(&mut self) {
        self.now = self.plan.start.elapsed().as_nanos() as u64;
    }

    /// How long to wait for events. Requests of an open loop have an alarm, which is finer.
    fn wait(&mut self) -> io::Result<Duration> {
        let mut next = self.timing.next_tick;
        if self.is_opening() {
            next = self.now;
        }
        if let Some(Reverse((due, _))) = self.retries.peek() {
            next = next.min(*due);
        }
        if let (Some(schedule), Some(alarm)) = (&self.schedule, &self.alarm)
            && let Some(due) = schedule.next()
            && self.left > 0
            && !schedule.free.is_empty()
        {
            next = next.min(due);
            alarm.set(Duration::from_nanos(due.saturating_sub(self.now)))?;
        }
        Ok(Duration::from_nanos(next.saturating_sub(self.now)))
    }

    /// Whether some slots were not open yet.
    fn is_opening(&self) -> bool {
        self.opened < self.slots.len() && self.left > 0
    }

    /// Whether nothing is under way and nothing more will be.
    fn is_done(&self) -> bool {
        let nothing_due = match (&self.schedule, self.timing.phase) {
            (Some(schedule), Phase::Drain { .. }) => schedule.next().is_none(),
            _ => false,
        };
        self.under_way == 0 && (self.left == 0 || nothing_due)
    }

    fn finish(mut self) -> Tally {
        self.end_measurement();
        self.look_for_unasked();
        self.tally.unserved = self.slots.iter().filter(|slot| !slot.served).count() as u64;
        self.shown.requests.store(self.tally.requests, Relaxed);
        self.shown.errors.store(self.tally.errors.total(), Relaxed);
        self.tally
    }
}

fn would_block(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::NotConnected
    )
}

fn failed(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::System { action, source }
}
