//! How requests leave.

use mio::{Interest, Token};

use super::timing::Phase;
use super::{Worker, would_block};
use crate::inbox::Failure;

impl Worker<'_> {
    /// Puts as many requests under way on a connection of a closed loop as it takes.
    #[inline]
    pub(super) fn claim(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let free = self.plan.config.mode.depth() - slot.under_way;
        let count = free.min(usize::try_from(self.left).unwrap_or(free));
        if count > 0 {
            self.add(index, count, self.now);
        }
    }

    #[inline]
    pub(super) fn add(&mut self, index: usize, count: usize, from: u64) {
        self.left -= count as u64;
        self.under_way += count;
        self.tally.requests += count as u64;
        self.slots[index].add(count, self.plan.request.len(), from, self.now);
    }

    /// Writes what is under way and not yet written.
    #[inline]
    pub(super) fn write(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        if slot.unwritten == 0 {
            return;
        }
        match slot.write(&self.requests, self.plan.request.len()) {
            Ok(()) if slot.connecting => self.made(index),
            Ok(()) => {}
            Err(error) if would_block(&error) => self.watch_writable(index),
            Err(_) if slot.connecting => self.fail(index, Failure::Connect),
            // What the server sent before it is still there to be read; the end shows then.
            Err(_) => {
                slot.reset = true;
                slot.unwritten = 0;
            }
        }
    }

    /// Has the event loop say when the connection takes more.
    fn watch_writable(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let Some(stream) = slot
            .stream
            .as_mut()
            .filter(|_| !slot.connecting && !slot.watches_writable)
        else {
            return;
        };
        slot.watches_writable = true;
        let both = Interest::READABLE | Interest::WRITABLE;
        if self
            .poll
            .registry()
            .reregister(stream, Token(index), both)
            .is_err()
        {
            self.fail(index, Failure::Reset);
        }
    }

    /// The connection can take requests: a closed loop gives them now, an open one when they are due.
    #[inline]
    pub(super) fn offer(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        match &mut self.schedule {
            None => {
                self.claim(index);
                self.write(index);
            }
            Some(schedule) if !slot.queued => {
                slot.queued = true;
                schedule.free.push_back(index);
            }
            Some(_) => {}
        }
    }

    /// Sends the requests of an open loop that are due, as far as connections are free.
    pub(super) fn send_due(&mut self) {
        let depth = self.plan.config.mode.depth();
        while self.left > 0
            && let Some(schedule) = &mut self.schedule
            && let Some(due) = schedule.next().filter(|due| *due <= self.now)
            && let Some(index) = schedule.free.pop_front()
        {
            let slot = &mut self.slots[index];
            slot.queued = false;
            if slot.stream.is_none() || slot.connecting || slot.under_way >= depth {
                continue;
            }
            schedule.advance();
            self.look_at_clock();
            if due >= self.timing.measured_from {
                self.tally.late.saturating_record((self.now - due) / 1000);
                self.tally.left_in_time += u64::from(self.timing.phase == Phase::Measure);
            }
            self.add(index, 1, due);
            self.write(index);
            if self.slots[index].under_way < depth {
                self.offer(index);
            }
        }
    }
}
