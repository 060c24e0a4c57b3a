//! How connections are spread over the threads of an engine that has a listener a thread.
//!
//! The kernel shares them by hash, so with few connections some threads would have twice the work
//! of others. A thread that accepts one too many hands it to the thread that has the fewest.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many connections each thread has.
#[derive(Debug)]
pub struct Spread(Vec<AtomicUsize>);

impl Spread {
    /// No connections on any of `threads` threads.
    pub fn new(threads: usize) -> Self {
        Self((0..threads).map(|_| AtomicUsize::new(0)).collect())
    }

    /// Places a connection that `thread` has accepted: the thread that is to serve it.
    pub fn place(&self, thread: usize) -> usize {
        let own = self.0[thread].load(Relaxed);
        let (least, fewest) = (self
            .0
            .iter()
            .map(|connections| connections.load(Relaxed))
            .enumerate())
        .min_by_key(|&(_, connections)| connections)
        .unwrap_or((thread, own));
        // Up to a quarter more than the fewest is not worth waking another thread for.
        let placed = if own <= fewest + fewest / 4 {
            thread
        } else {
            least
        };
        self.0[placed].fetch_add(1, Relaxed);
        placed
    }

    /// A connection that was placed on the thread `from` is served by `to` all the same.
    pub fn moved(&self, from: usize, to: usize) {
        self.0[from].fetch_sub(1, Relaxed);
        self.0[to].fetch_add(1, Relaxed);
    }

    /// A connection of `thread` was closed.
    pub fn closed(&self, thread: usize) {
        self.0[thread].fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_gets_much_more_than_another() {
        let spread = Spread::new(3);
        for _ in 0..64 {
            spread.place(0);
        }
        let connections: Vec<_> = spread.0.iter().map(|count| count.load(Relaxed)).collect();
        assert_eq!(connections.iter().sum::<usize>(), 64);
        let (most, fewest) = (
            connections.iter().max().unwrap(),
            connections.iter().min().unwrap(),
        );
        assert!(2 * most <= 3 * fewest, "{connections:?}");
    }
}
