//! How connections are spread over threads.
//!
//! The kernel shares them by hash, so with few connections some threads would have twice the work
//! of others. A thread that accepts one too many hands it to the thread that has the fewest.

use mio::net::TcpStream;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use mio::{Poll, Token, Waker};

/// The token of the event that a connection was handed over.
pub const HANDED: Token = Token(usize::MAX - 2);

/// What the threads know of one another.
pub struct Spread {
    members: Vec<Member>,
}

struct Member {
    connections: AtomicUsize,
    handed: Mutex<Vec<TcpStream>>,
    waker: Waker,
}

impl Spread {
    /// The poll of each thread, and what they share.
    pub fn new(threads: usize) -> io::Result<(Self, Vec<Poll>)> {
        let mut members = Vec::new();
        let mut polls = Vec::new();
        for _ in 0..threads {
            let poll = Poll::new()?;
            members.push(Member {
                connections: AtomicUsize::new(0),
                handed: Mutex::default(),
                waker: Waker::new(poll.registry(), HANDED)?,
            });
            polls.push(poll);
        }
        Ok((Self { members }, polls))
    }

    /// Places a connection that `thread` has accepted: back to it, or on the thread with the
    /// fewest connections.
    pub fn place(&self, thread: usize, stream: TcpStream) -> Option<TcpStream> {
        let own = &self.members[thread].connections;
        let (least, fewest) = self.least_loaded();
        // A quarter more than the fewest is not worth waking another thread for.
        if own.load(Relaxed) <= fewest + fewest / 4 {
            own.fetch_add(1, Relaxed);
            return Some(stream);
        }
        let member = &self.members[least];
        member.connections.fetch_add(1, Relaxed);
        lock(&member.handed).push(stream);
        // A waker fails only when its poll is gone, and its thread with it.
        let _ = member.waker.wake();
        None
    }

    /// Takes the connections that were handed to `thread`.
    pub fn take(&self, thread: usize) -> Vec<TcpStream> {
        std::mem::take(&mut lock(&self.members[thread].handed))
    }

    /// A connection of `thread` was closed.
    pub fn closed(&self, thread: usize) {
        self.members[thread].connections.fetch_sub(1, Relaxed);
    }

    fn least_loaded(&self) -> (usize, usize) {
        let load = |member: &Member| member.connections.load(Relaxed);
        (self.members.iter().map(load).enumerate())
            .min_by_key(|&(_, connections)| connections)
            .unwrap_or_default()
    }
}

/// A list of streams is whole whatever panicked while it was locked.
fn lock(handed: &Mutex<Vec<TcpStream>>) -> std::sync::MutexGuard<'_, Vec<TcpStream>> {
    handed
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
