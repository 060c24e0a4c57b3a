//! What one thread counts; merged when the run is over.

use hdrhistogram::Histogram;

use crate::inbox::Failure;
use crate::samples::Samples;
use crate::{Errors, ThreadCpu};

/// Counts and times of one thread, or of several.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// The fields up to `bytes_read` are those of [`crate::Report`].
    pub(crate) requests: u64,
    pub(crate) responses: u64,
    pub(crate) errors: Errors,
    pub(crate) differing: u64,
    pub(crate) connections_opened: u64,
    pub(crate) connections_ended_by_server: u64,
    pub(crate) bytes_read: u64,
    /// Microseconds from request to whole response.
    pub(crate) latency: Histogram<u64>,
    /// Microseconds by which requests of an open loop left late.
    pub(crate) late: Histogram<u64>,
    /// Requests of an open loop that left within the measured time.
    pub(crate) left_in_time: u64,
    /// Requests of the schedule that never left.
    pub(crate) unsent: u64,
    /// Connections that got no right response within the measured time.
    pub(crate) unserved: u64,
    /// Right responses within the measured time.
    pub(crate) measured_responses: u64,
    /// Nanoseconds of the measured time.
    pub(crate) measured: u64,
    pub(crate) samples: Samples,
    pub(crate) cpu: Vec<ThreadCpu>,
    pub(crate) stolen_seconds: Option<f64>,
    pub(crate) stopped: Option<String>,
    pub(crate) interrupted: bool,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            requests: 0,
            responses: 0,
            errors: Errors::default(),
            differing: 0,
            connections_opened: 0,
            connections_ended_by_server: 0,
            bytes_read: 0,
            latency: histogram(),
            late: histogram(),
            left_in_time: 0,
            unsent: 0,
            unserved: 0,
            measured_responses: 0,
            measured: 0,
            samples: Samples::new(),
            cpu: Vec::new(),
            stolen_seconds: None,
            stopped: None,
            interrupted: false,
        }
    }

    /// Counts `count` requests that failed.
    pub(crate) fn fail(&mut self, failure: Failure, count: u64) {
        let errors = &mut self.errors;
        *match failure {
            Failure::Connect => &mut errors.connect,
            Failure::Reset => &mut errors.reset,
            Failure::Timeout => &mut errors.timeout,
            Failure::Short => &mut errors.short,
            Failure::WrongBytes => &mut errors.wrong_bytes,
            Failure::Non2xx => &mut errors.non_2xx,
            Failure::UnexpectedClose => &mut errors.unexpected_close,
            Failure::Extra => &mut errors.extra,
        } += count;
    }

    /// Takes in another thread's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.responses += other.responses;
        self.errors += other.errors;
        self.differing += other.differing;
        self.connections_opened += other.connections_opened;
        self.connections_ended_by_server += other.connections_ended_by_server;
        self.bytes_read += other.bytes_read;
        self.latency
            .add(&other.latency)
            .expect("all histograms have the same bounds");
        self.late
            .add(&other.late)
            .expect("all histograms have the same bounds");
        self.left_in_time += other.left_in_time;
        self.unsent += other.unsent;
        self.unserved += other.unserved;
        self.measured_responses += other.measured_responses;
        self.measured = self.measured.max(other.measured);
        self.samples.merge(&other.samples);
        self.cpu.extend(&other.cpu);
        self.stolen_seconds = self.stolen_seconds.or(other.stolen_seconds);
        self.stopped = self.stopped.take().or_else(|| other.stopped.clone());
        self.interrupted |= other.interrupted;
    }
}

/// 1 µs to 1 h, three digits; longer is recorded as 1 h.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000, 3).expect("the bounds are valid")
}
