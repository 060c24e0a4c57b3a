//! What all threads of a run have to know.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::cpu::Cpus;
use crate::expected::Expected;
use crate::{Amount, Config, Mode};

/// A run, worked out from its [`Config`] and its first request.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) config: &'a Config,
    pub(crate) cpus: Cpus,
    pub(crate) address: SocketAddr,
    /// The bytes of one request.
    pub(crate) request: &'a [u8],
    pub(crate) expected: Option<Expected>,
    /// When load begins; all times of threads are nanoseconds from here.
    pub(crate) start: Instant,
    /// A thread could not do its part.
    pub(crate) failed: AtomicBool,
    /// Requests to send beside the first one; `None` for a run by time.
    pub(crate) requests: Option<u64>,
}

impl Plan<'_> {
    /// Whether the run has to end before its time.
    pub(crate) fn is_stopped(&self) -> bool {
        self.config.stop.load(Relaxed) || self.failed.load(Relaxed)
    }

    pub(crate) fn closes(&self) -> bool {
        self.config.mode == Mode::Close
    }

    /// The measured time that was asked for.
    pub(crate) fn duration(&self) -> Option<u64> {
        match self.config.amount {
            Amount::Requests(_) => None,
            Amount::Time(time) => Some(nanoseconds(time)),
        }
    }

    /// The part of `whole` that falls to `thread`; the first threads take what is left over.
    pub(crate) fn part(&self, whole: u64, thread: usize) -> u64 {
        let threads = self.config.threads as u64;
        whole / threads + u64::from((thread as u64) < whole % threads)
    }
}

/// A time in the unit of event loops.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos())
        .unwrap_or(u64::MAX / 4)
        .min(u64::MAX / 4)
}
