//! How responses come in.

use std::io::{ErrorKind, Read};

use super::{BUFFER, Worker, would_block};
use crate::inbox::{Failure, Next, Outcome};
use crate::slot::Slot;
use crate::tally::Tally;

impl Worker<'_> {
    /// Reads what has come and sends what may follow it.
    #[inline]
    pub(super) fn read(&mut self, index: usize, ended: bool) {
        loop {
            let slot = &mut self.slots[index];
            let Some(stream) = &mut slot.stream else {
                return;
            };
            let count = match stream.read(&mut self.buffer) {
                Ok(0) => return self.end_of_stream(index),
                Ok(count) => count,
                Err(error) if would_block(&error) => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return self.fail(index, Failure::Reset),
            };
            self.look_at_clock();
            if !self.received(index, count) {
                return;
            }
            if count < BUFFER && !ended && !self.slots[index].reset {
                break;
            }
        }
        self.offer(index);
    }

    /// Takes in `count` bytes. Says whether the connection is still open.
    #[inline]
    fn received(&mut self, index: usize, count: usize) -> bool {
        self.tally.bytes_read += count as u64;
        if self.slots[index].under_way == 0 {
            self.unasked(index);
            return false;
        }
        match self.judge(index, count) {
            Next::Stay if self.plan.closes() && self.slots[index].under_way == 0 => {
                self.renew(index)
            }
            Next::Stay => return true,
            Next::Leave => self.leave(index),
            Next::Fail(failure) => self.fail(index, failure),
        }
        false
    }

    /// Tells right responses from wrong ones.
    #[inline]
    fn judge(&mut self, index: usize, count: usize) -> Next {
        let Self {
            slots,
            tally,
            expected,
            under_way,
            ..
        } = self;
        let slot = &mut slots[index];
        let mut inbox = std::mem::take(&mut slot.inbox);
        let before = slot.under_way;
        let (now, measured_from) = (self.now, self.timing.measured_from);
        let next = inbox.feed(expected, &self.buffer[..count], before, |outcome| {
            record(slot, tally, outcome, now, measured_from);
        });
        slot.inbox = inbox;
        let done = before - slot.under_way;
        *under_way -= done;
        if done > 0 {
            self.timing.last_response = now;
        }
        next
    }

    /// Bytes came that no request asked for: the last one was answered twice.
    fn unasked(&mut self, index: usize) {
        if self.slots[index].right {
            self.tally.responses -= 1;
            self.tally.errors.extra += 1;
        }
        self.fail(index, Failure::Extra);
    }

    /// The server has ended the connection.
    fn end_of_stream(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        if slot.reset {
            return self.fail(index, Failure::Reset);
        }
        if slot.under_way == 0 {
            self.tally.connections_ended_by_server += 1;
            return if slot.right {
                self.renew(index)
            } else {
                self.retry(index)
            };
        }
        let outcome = slot.inbox.end(&mut self.expected);
        record(
            slot,
            &mut self.tally,
            outcome,
            self.now,
            self.timing.measured_from,
        );
        self.under_way -= 1;
        match outcome {
            Outcome::Wrong(_) => self.fail(index, Failure::UnexpectedClose),
            Outcome::Right(_) | Outcome::Differing => self.leave(index),
        }
    }

    /// Looks once more at connections that wait for nothing: a request may have been answered twice.
    pub(super) fn look_for_unasked(&mut self) {
        for index in 0..self.slots.len() {
            let Some(stream) = &mut self.slots[index].stream else {
                continue;
            };
            if let Ok(count @ 1..) = stream.read(&mut self.buffer) {
                self.received(index, count);
            }
        }
    }
}

/// Counts how a request ended that `slot` waits for.
#[inline]
fn record(slot: &mut Slot, tally: &mut Tally, outcome: Outcome, now: u64, measured_from: u64) {
    let right = match outcome {
        Outcome::Right(count) => count,
        Outcome::Differing => {
            tally.differing += 1;
            1
        }
        Outcome::Wrong(failure) => {
            slot.take(1);
            slot.right = false;
            return tally.fail(failure, 1);
        }
    };
    tally.responses += right as u64;
    slot.succeeded();
    let mut left = right;
    while left > 0
        && let Some((count, from)) = slot.take(left)
    {
        left -= count;
        if from >= measured_from {
            slot.served = true;
            tally
                .latency
                .saturating_record_n((now - from) / 1000, count as u64);
        }
    }
}
