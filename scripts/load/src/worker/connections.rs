//! How connections begin and end.

use std::cmp::Reverse;
use std::io::{self, ErrorKind};

use mio::event::Event;
use mio::{Interest, Token};

use super::{OPENED_AT_ONCE, Worker};
use crate::inbox::Failure;

/// The longest back-off of a connection in nanoseconds, and what it is at least for each connection of the
/// thread: a server that refuses is asked 10,000 times a second at most.
const BACKOFF: u64 = 25_000_000;
const BACKOFF_PER_CONNECTION: u64 = 100_000;

impl Worker<'_> {
    /// Opens slots that were not open yet, and those whose back-off is over.
    pub(super) fn open_more(&mut self) {
        let end = self.slots.len().min(self.opened + OPENED_AT_ONCE);
        for index in self.opened..end {
            self.opened += 1;
            self.open(index);
        }
        while let Some(Reverse((due, index))) = self.retries.peek().copied()
            && due <= self.now
        {
            self.retries.pop();
            self.open(index);
        }
    }

    /// Starts a connection. On loopback it is made when connect() returns, so the request is written at
    /// once: that spares an event.
    pub(super) fn open(&mut self, index: usize) {
        if self.left == 0 || self.tally.stopped.is_some() {
            return;
        }
        self.look_at_clock();
        let stream = match self.dialer.connect() {
            Ok(stream) => stream,
            Err(error) => return self.cannot_connect(index, &error),
        };
        if !self.plan.closes() {
            let _ = stream.set_nodelay(true); // without it some batches are late, nothing else
        }
        self.slots[index].start(stream, self.now);
        if self.schedule.is_none() {
            self.claim(index);
        }
        self.write(index);
        self.register(index);
    }

    /// Has the event loop watch a connection that was just started.
    fn register(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let Some(stream) = &mut slot.stream else {
            return;
        };
        // Watching for a writable connection that has nothing to write makes an event for nothing.
        slot.watches_writable = slot.connecting || slot.unwritten > 0;
        let interest = if slot.watches_writable {
            Interest::READABLE | Interest::WRITABLE
        } else {
            Interest::READABLE
        };
        if self
            .poll
            .registry()
            .register(stream, Token(index), interest)
            .is_err()
        {
            self.fail(index, Failure::Connect);
        }
    }

    /// No connection could even be started.
    fn cannot_connect(&mut self, index: usize, error: &io::Error) {
        if error.kind() == ErrorKind::AddrNotAvailable {
            self.stop(format!(
                "no source port is left for connections to {}: each is kept for a minute after it was closed (TIME_WAIT); wait, ask for fewer requests with -n, or widen the range of ports (sysctl net.ipv4.ip_local_port_range)",
                self.plan.address
            ));
        }
        if self.schedule.is_none() {
            self.claim(index);
        }
        self.fail(index, Failure::Connect);
    }

    /// Handles what the kernel says of a connection.
    #[inline]
    pub(super) fn ready(&mut self, event: &Event) {
        let index = event.token().0;
        let slot = &mut self.slots[index];
        if slot.connecting && !self.connected(index) {
            return;
        }
        let slot = &mut self.slots[index];
        if slot.unwritten > 0 && event.is_writable() {
            self.write(index);
        }
        if event.is_readable() || event.is_read_closed() || event.is_error() {
            self.read(index, event.is_read_closed());
        }
    }

    /// Whether a connection that was being made now is.
    fn connected(&mut self, index: usize) -> bool {
        let slot = &mut self.slots[index];
        let Some(stream) = &slot.stream else {
            return false;
        };
        if !matches!(stream.take_error(), Ok(None)) {
            self.fail(index, Failure::Connect);
            return false;
        }
        if stream.peer_addr().is_err() {
            return false; // not yet
        }
        self.look_at_clock();
        self.made(index);
        if !self.plan.closes() {
            self.slots[index].restart_clock(self.now);
        }
        self.write(index);
        self.offer(index);
        self.slots[index].stream.is_some()
    }

    /// Counts a connection that was made.
    pub(super) fn made(&mut self, index: usize) {
        self.slots[index].connecting = false;
        self.tally.connections_opened += 1;
    }

    /// The server ends the connection after this response, as it said.
    pub(super) fn leave(&mut self, index: usize) {
        self.tally.connections_ended_by_server += u64::from(!self.plan.closes());
        self.forget(index, Failure::UnexpectedClose);
        self.renew(index);
    }

    /// The connection is of no use any more. What is under way on it has failed.
    pub(super) fn fail(&mut self, index: usize, failure: Failure) {
        if failure == Failure::Connect && self.slots[index].under_way == 0 {
            self.give_due_to(index);
        }
        self.forget(index, failure);
        self.retry(index);
    }

    /// A request of an open loop that is due had no connection to leave on.
    fn give_due_to(&mut self, index: usize) {
        if self.left > 0
            && let Some(schedule) = &mut self.schedule
            && let Some(due) = schedule.next().filter(|due| *due <= self.now)
        {
            schedule.advance();
            self.add(index, 1, due);
        }
    }

    /// Counts everything under way on a connection as failed.
    fn forget(&mut self, index: usize, failure: Failure) {
        let slot = &mut self.slots[index];
        self.tally.fail(failure, slot.under_way as u64);
        self.under_way -= slot.under_way;
        slot.close();
    }

    /// Closes the connection and opens the next one.
    pub(super) fn renew(&mut self, index: usize) {
        self.slots[index].close();
        self.open(index);
    }

    /// Closes the connection and opens the next one a little later.
    pub(super) fn retry(&mut self, index: usize) {
        let longest = BACKOFF.max(self.slots.len() as u64 * BACKOFF_PER_CONNECTION);
        let slot = &mut self.slots[index];
        slot.close();
        let wait = slot.back_off(longest);
        self.retries.push(Reverse((self.now + wait, index)));
    }
}
