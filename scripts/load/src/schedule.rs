//! When the requests of an open loop leave.

use std::collections::VecDeque;

/// One thread's share of the schedule, and the connections that can take a request.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// When the first request leaves, and the time between two; nanoseconds.
    first: f64,
    interval: f64,
    /// Requests that have left.
    count: u64,
    /// None leaves at this time or later.
    end: u64,
    /// Slots that can take a request; the one that has waited longest comes first, so that all are used.
    pub(crate) free: VecDeque<usize>,
}

impl Schedule {
    /// `rate` is that of all `threads`, whose requests alternate.
    pub(crate) fn new(rate: f64, thread: usize, threads: usize) -> Self {
        let interval = 1e9 / rate;
        Self {
            first: interval * thread as f64,
            interval: interval * threads as f64,
            count: 0,
            end: u64::MAX,
            free: VecDeque::new(),
        }
    }

    /// When the next request has to leave.
    pub(crate) fn next(&self) -> Option<u64> {
        Some(self.time(self.count)).filter(|time| *time < self.end)
    }

    /// The next request leaves.
    pub(crate) fn advance(&mut self) {
        self.count += 1;
    }

    /// Nothing is due from `end` on.
    pub(crate) fn stop_at(&mut self, end: u64) {
        self.end = self.end.min(end);
    }

    /// Requests that should have left by `now`.
    pub(crate) fn overdue(&self, now: u64) -> u64 {
        let end = now.min(self.end) as f64;
        let due = ((end - self.first) / self.interval).ceil().max(0.0) as u64;
        due.saturating_sub(self.count)
    }

    fn time(&self, index: u64) -> u64 {
        (self.first + self.interval * index as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_alternate() {
        let mut times = Vec::new();
        for thread in 0..2 {
            let mut schedule = Schedule::new(1000.0, thread, 2);
            schedule.stop_at(10_000_000);
            while let Some(time) = schedule.next() {
                times.push(time);
                schedule.advance();
            }
            assert_eq!(schedule.overdue(u64::MAX), 0);
        }
        times.sort_unstable();
        assert_eq!(
            times,
            (0..10).map(|index| index * 1_000_000).collect::<Vec<_>>()
        );
    }

    #[test]
    fn overdue() {
        let mut schedule = Schedule::new(1000.0, 0, 1);
        assert_eq!(schedule.overdue(2_500_000), 3);
        schedule.advance();
        assert_eq!(schedule.overdue(2_500_000), 2);
        schedule.stop_at(1_500_000);
        assert_eq!(schedule.overdue(2_500_000), 1);
    }
}
