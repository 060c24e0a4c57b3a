//! What may_minihttp leaves to the kernel's defaults, by way of the socket's descriptor: limits.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use common::date;
use may::coroutine;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::socket::{Shutdown, setsockopt, shutdown, sockopt::TcpNoDelay};

use crate::service::IN_FLIGHT;

/// Seconds for a whole head, counted from the last request, and for a whole body behind it.
const HEAD_TIMEOUT: u32 = 10;

/// Seconds in which a client has to read something of what waits for it.
const WRITE_TIMEOUT: u32 = 10;

/// Between two looks at something that nobody tells a coroutine of.
const PAUSE: Duration = Duration::from_millis(10);

/// The same for a client that has long read nothing: hundreds of them must cost nothing.
const LONGEST_PAUSE: Duration = Duration::from_millis(320);

/// The open connections by their sockets, each with the time of its last request. A socket that is
/// in here is open: the crate drops the service first.
static OPEN: Mutex<BTreeMap<RawFd, Arc<AtomicU32>>> = Mutex::new(BTreeMap::new());

fn open() -> MutexGuard<'static, BTreeMap<RawFd, Arc<AtomicU32>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps connections below the limit of open files: out of descriptors, the crate's accept loop
/// would call accept() without end, and with one thread nothing else would run any more.
pub(crate) struct Limit(usize);

impl Limit {
    /// As many connections as the process may have descriptors, but for its own: a few, and an
    /// epoll and an event descriptor for each of may's threads.
    pub(crate) fn new(threads: usize) -> io::Result<Self> {
        let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE)?;
        let all = usize::try_from(soft).unwrap_or(usize::MAX);
        Ok(Self(all.saturating_sub(16 + 2 * threads).max(1)))
    }

    /// Takes a connection over from the accept loop, which waits here while there are too many, and
    /// for ever once the server stops.
    pub(crate) fn admit(&self, socket: RawFd) -> Connection {
        while open().len() >= self.0 || IN_FLIGHT.is_stopping() {
            coroutine::sleep(PAUSE);
        }
        let last_request = Arc::new(AtomicU32::new(date::ticks()));
        open().insert(socket, Arc::clone(&last_request));
        // Fails on a connection that is already gone, of which its loop will hear soon enough.
        let _ = setsockopt(socket, TcpNoDelay, &true);
        Connection {
            socket,
            last_request,
        }
    }
}

/// An open connection.
pub(crate) struct Connection {
    socket: RawFd,
    last_request: Arc<AtomicU32>,
}

impl Connection {
    /// A request has come.
    pub(crate) fn touch(&self) {
        self.last_request.store(date::ticks(), Relaxed);
    }

    /// Lets the crate's loop find the end of the stream: it writes what it has, and closes.
    pub(crate) fn stop_reading(&self) {
        stop_reading(self.socket);
    }

    /// Waits until the client has read so much that the kernel takes more, or is gone. One that does
    /// not for [`WRITE_TIMEOUT`] is given up: the crate's loop then fails to write, and closes.
    pub(crate) fn wait_until_writable(&self) {
        let since = date::ticks();
        let mut pause = PAUSE;
        while !is_writable(self.socket) {
            if date::ticks().saturating_sub(since) >= WRITE_TIMEOUT {
                let _ = shutdown(self.socket, Shutdown::Both);
                return;
            }
            coroutine::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        open().remove(&self.socket);
    }
}

/// Closes, from now on, connections on which nothing goes on: the crate knows no timeouts.
pub(crate) fn close_silent_ones() {
    date::start();
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            for (&socket, last_request) in open().iter() {
                let idle = date::ticks().saturating_sub(last_request.load(Relaxed));
                // One that is not writable has a response under way.
                if idle >= HEAD_TIMEOUT && is_writable(socket) {
                    stop_reading(socket);
                }
            }
        }
    });
}

/// Returns when for a moment the kernel has taken more on every connection: then nothing of a
/// response is left with the crate's loop, which writes whenever it can.
pub(crate) fn wait_until_sent() {
    /// Time for the loop to fill up what a client has made room for.
    const QUIET: u32 = 5;
    let mut quiet = 0;
    while quiet < QUIET {
        thread::sleep(PAUSE);
        let all_writable = open().keys().all(|&socket| is_writable(socket));
        quiet = if all_writable { quiet + 1 } else { 0 };
    }
}

fn stop_reading(socket: RawFd) {
    let _ = shutdown(socket, Shutdown::Read);
}

fn is_writable(socket: RawFd) -> bool {
    poll(&mut [PollFd::new(socket, PollFlags::POLLOUT)], 0) != Ok(0)
}
