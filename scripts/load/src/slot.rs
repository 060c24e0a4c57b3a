//! The place of one connection: it holds one after the other, without allocating anew.

use std::collections::VecDeque;
use std::io::{self, Write};

use mio::net::TcpStream;

use crate::inbox::Inbox;

/// Back-off after the first failure in a row, in nanoseconds; it doubles up to the longest.
const SHORTEST_BACKOFF: u64 = 1_000_000;

/// One connection at a time and the requests under way on it.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    pub(crate) stream: Option<TcpStream>,
    pub(crate) inbox: Inbox,
    /// Requests under way, oldest first.
    waiting: VecDeque<Waiting>,
    pub(crate) under_way: usize,
    /// Bytes of these requests that have still to be written.
    pub(crate) unwritten: usize,
    /// The connection is not made yet.
    pub(crate) connecting: bool,
    /// The event loop tells when the connection is writable.
    pub(crate) watches_writable: bool,
    /// When the connection was started.
    pub(crate) since: u64,
    /// The last request on this connection got a right response.
    pub(crate) right: bool,
    /// A write found the connection reset.
    pub(crate) reset: bool,
    /// The slot is in the queue of those that can take a request of an open loop.
    pub(crate) queued: bool,
    /// There was a right response within the measured time.
    pub(crate) served: bool,
    /// Failures in a row.
    failures: u32,
}

/// Requests that left at the same time.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// From when on latency counts.
    from: u64,
    /// When they left.
    sent: u64,
    count: usize,
}

impl Slot {
    /// Holds a new connection.
    pub(crate) fn start(&mut self, stream: TcpStream, now: u64) {
        self.stream = Some(stream);
        self.connecting = true;
        self.watches_writable = false;
        self.since = now;
        self.right = false;
        self.reset = false;
    }

    /// Closes the connection, if there is one. Requests still under way are the caller's to count.
    pub(crate) fn close(&mut self) {
        self.stream = None;
        self.inbox.clear();
        self.waiting.clear();
        self.under_way = 0;
        self.unwritten = 0;
        self.connecting = false;
    }

    /// Notes `count` requests of `length` bytes that leave now; their latency counts from `from`.
    #[inline]
    pub(crate) fn add(&mut self, count: usize, length: usize, from: u64, now: u64) {
        self.waiting.push_back(Waiting {
            from,
            sent: now,
            count,
        });
        self.under_way += count;
        self.unwritten += count * length;
    }

    /// Takes the oldest requests, at most `most` that left together: how many, and from when on their
    /// latency counts.
    #[inline]
    pub(crate) fn take(&mut self, most: usize) -> Option<(usize, u64)> {
        let oldest = self.waiting.front_mut()?;
        let count = oldest.count.min(most);
        let from = oldest.from;
        oldest.count -= count;
        if oldest.count == 0 {
            self.waiting.pop_front();
        }
        self.under_way -= count;
        Some((count, from))
    }

    /// Writes what the connection takes. `requests` are as many requests as can be under way, and `length`
    /// is that of one. Fails with `WouldBlock` when something is left.
    #[inline]
    pub(crate) fn write(&mut self, requests: &[u8], length: usize) -> io::Result<()> {
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        while self.unwritten > 0 {
            let start = (length - self.unwritten % length) % length;
            let end = requests.len().min(start + self.unwritten);
            match stream.write(&requests[start..end]) {
                Ok(count) => self.unwritten -= count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether the oldest request, or the connection itself, was started before `limit`.
    pub(crate) fn is_older_than(&self, limit: u64) -> bool {
        let oldest = self.waiting.front().map(|waiting| waiting.sent);
        oldest
            .or(self.connecting.then_some(self.since))
            .is_some_and(|start| start < limit)
    }

    /// The connection is made only now, so requests that waited for it leave now.
    pub(crate) fn restart_clock(&mut self, now: u64) {
        for waiting in &mut self.waiting {
            *waiting = Waiting {
                from: now,
                sent: now,
                ..*waiting
            };
        }
    }

    /// How long to wait after one more failure.
    pub(crate) fn back_off(&mut self, longest: u64) -> u64 {
        let wait = SHORTEST_BACKOFF << self.failures.min(20);
        self.failures += 1;
        wait.min(longest)
    }

    /// A right response came.
    #[inline]
    pub(crate) fn succeeded(&mut self) {
        self.failures = 0;
        self.right = true;
    }
}
