//! SIGINT and SIGTERM: stop accepting, finish what is in flight for at most [`GRACE`], exit 0.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

/// How long what is in flight may take to finish.
pub const GRACE: Duration = Duration::from_secs(5);

/// A socket that becomes readable with the first SIGINT or SIGTERM, for any event loop.
///
/// Nobody reads the byte that says so: it stays readable, for every clone of the socket. Ask for it
/// before the server says that it is ready, or a signal that comes at once is lost.
///
/// # Errors
/// When the process is out of descriptors.
pub fn signal() -> io::Result<UnixStream> {
    let (receiver, sender) = UnixStream::pair()?;
    receiver.set_nonblocking(true)?;
    pipe::register(SIGINT, sender.try_clone()?)?;
    pipe::register(SIGTERM, sender)?;
    Ok(receiver)
}

/// Blocks the calling thread until the signal of [`signal`] comes.
///
/// # Errors
/// Those of a socket; none are known.
pub fn wait(mut signal: UnixStream) -> io::Result<()> {
    signal.set_nonblocking(false)?;
    signal.read_exact(&mut [0])
}

/// Counts the requests that are under way in a server of many threads or coroutines, so that its
/// main thread can stop when there are none.
#[derive(Debug, Default)]
pub struct InFlight {
    stopping: AtomicBool,
    requests: AtomicUsize,
}

impl InFlight {
    /// None under way, not stopping.
    pub const fn new() -> Self {
        Self {
            stopping: AtomicBool::new(false),
            requests: AtomicUsize::new(0),
        }
    }

    /// A request has begun; it is over when what this returns is dropped.
    pub fn begin(&self) -> Request<'_> {
        self.requests.fetch_add(1, SeqCst);
        Request(self)
    }

    /// Whether a connection must be closed after its next response.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(SeqCst)
    }

    /// From now on connections close after their next response.
    pub fn stop(&self) {
        self.stopping.store(true, SeqCst);
    }

    /// Stops, and returns when no request has been under way for a moment, or after [`GRACE`].
    pub fn drain(&self) {
        /// A request that was in the kernel when the signal came is under way by then.
        const QUIET: Duration = Duration::from_millis(50);
        self.stop();
        let end = Instant::now() + GRACE;
        let mut busy = Instant::now();
        while Instant::now() < end && busy.elapsed() < QUIET {
            thread::sleep(Duration::from_millis(5));
            if self.requests.load(SeqCst) > 0 {
                busy = Instant::now();
            }
        }
    }
}

/// A request under way.
#[derive(Debug)]
pub struct Request<'a>(&'a InFlight);

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, SeqCst);
    }
}
