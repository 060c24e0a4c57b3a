//! What a run found out: the object that `load --json` prints.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Mode, RequestKind};

/// The result of one run. Times are in the unit that a field's name ends with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this object's shape.
    pub schema_version: u32,
    /// What was asked for.
    pub settings: Settings,
    /// Requests attempted, warm-up included: always `responses` plus all `errors`.
    pub requests: u64,
    /// Right responses: status 2xx and the same body as the first one. Warm-up included.
    pub responses: u64,
    /// Requests that did not get a right response, by class.
    pub errors: Errors,
    /// Why the run ended before its time, if it did: no connection at the start, or no ports left.
    pub stopped: Option<String>,
    /// The run was ended from outside before its time.
    pub interrupted: bool,
    /// The measured time: warm-up and the wait for the last responses apart. With a number of requests it
    /// reaches to the end of the last one.
    pub duration_seconds: f64,
    /// Right responses that arrived within the measured time.
    pub measured_responses: u64,
    /// `measured_responses` per second of the measured time.
    pub requests_per_second: f64,
    /// Time from request to whole response, of right responses to requests of the measured time; null
    /// where there was none.
    pub latency: Option<Latency>,
    /// How well an open loop kept its schedule; null for a closed loop.
    pub rate: Option<Rate>,
    /// Requests under way over the measured time.
    pub in_flight: InFlight,
    /// Whether the server ends a connection whose request said `Connection: close`; null outside mode close.
    pub server_closes: Option<bool>,
    /// The response that all others were compared with; null where none came.
    pub first_response: Option<FirstResponse>,
    /// Right responses that differed from the first one in more than the Date value, in their head or
    /// framing. They cost the generator more time.
    pub differing_heads: u64,
    /// Connections made.
    pub connections_opened: u64,
    /// Connections that the server ended as HTTP allows: announced, or idle.
    pub connections_ended_by_server: u64,
    /// Bytes received.
    pub bytes_read: u64,
    /// What the generator itself used during the measured time.
    pub cpu: Cpu,
}

/// What a run was asked to do.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// The target as a URL.
    pub url: String,
    /// The address that was loaded.
    pub address: String,
    /// Connections held open at the same time.
    pub connections: usize,
    /// Threads of the generator.
    pub threads: usize,
    /// How connections were used.
    pub mode: Mode,
    /// Requests asked for, warm-up apart; null for a run by time.
    pub requests: Option<u64>,
    /// Seconds asked for, warm-up apart; null for a run by number.
    pub duration_seconds: Option<f64>,
    /// Warm-up.
    pub warmup_seconds: f64,
    /// How long a request may take.
    pub timeout_seconds: f64,
    /// Requests per second of an open loop; null for a closed one.
    pub rate: Option<f64>,
    /// Which header fields a request carried.
    pub request: RequestKind,
}

/// Requests that did not get a right response. Each is counted once, under what happened to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Errors {
    /// No connection: refused, unreachable, or not made within the timeout. Nothing was sent.
    pub connect: u64,
    /// The server reset the connection.
    pub reset: u64,
    /// No whole response within the timeout.
    pub timeout: u64,
    /// The connection ended within the response.
    pub short: u64,
    /// Status 2xx, but another body than the first response's; or bytes that are no HTTP response.
    pub wrong_bytes: u64,
    /// A whole response with another status than 2xx.
    pub non_2xx: u64,
    /// The connection ended before the first byte of the response.
    pub unexpected_close: u64,
    /// More bytes came than the response has: the request was answered more than once, or the length is
    /// wrong.
    pub extra: u64,
}

impl Errors {
    /// Errors of all classes.
    pub fn total(&self) -> u64 {
        self.by_class().iter().map(|(_, count)| count).sum()
    }

    /// Every class by its name.
    pub fn by_class(&self) -> [(&'static str, u64); 8] {
        [
            ("connect", self.connect),
            ("reset", self.reset),
            ("timeout", self.timeout),
            ("short", self.short),
            ("wrong_bytes", self.wrong_bytes),
            ("non_2xx", self.non_2xx),
            ("unexpected_close", self.unexpected_close),
            ("extra", self.extra),
        ]
    }
}

impl AddAssign for Errors {
    fn add_assign(&mut self, other: Self) {
        self.connect += other.connect;
        self.reset += other.reset;
        self.timeout += other.timeout;
        self.short += other.short;
        self.wrong_bytes += other.wrong_bytes;
        self.non_2xx += other.non_2xx;
        self.unexpected_close += other.unexpected_close;
        self.extra += other.extra;
    }
}

/// Percentiles of an HDR histogram (1 µs to 1 h, three digits), not corrected.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// What these figures are; see [`LatencyKind`].
    pub kind: LatencyKind,
    /// Responses recorded.
    pub count: u64,
    /// Arithmetic mean.
    pub mean_us: f64,
    /// 50 % took no longer.
    pub p50_us: u64,
    /// 75 % took no longer.
    pub p75_us: u64,
    /// 90 % took no longer.
    pub p90_us: u64,
    /// 99 % took no longer.
    pub p99_us: u64,
    /// 99.9 % took no longer.
    pub p99_9_us: u64,
    /// 99.99 % took no longer.
    pub p99_99_us: u64,
    /// The longest.
    pub max_us: u64,
    /// What the percentiles are taken from, so that those of several generators can be merged. Printed with
    /// `--histogram` only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<Bucket>,
}

/// Responses that took about as long, to three digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket {
    /// How long.
    pub us: u64,
    /// How many.
    pub count: u64,
}

/// From when on latency counts, and so what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LatencyKind {
    /// Closed loop: from the sending of a request (in mode close: from the start of its connection). The
    /// next request waits for the response, so a stall of the server is seen by few requests.
    LatencyAtSaturation,
    /// Open loop: from the time at which the schedule wanted the request to leave.
    LatencyAtRate,
}

impl LatencyKind {
    /// The heading for figures of this kind.
    pub fn label(self) -> &'static str {
        match self {
            Self::LatencyAtSaturation => "latency at saturation",
            Self::LatencyAtRate => "latency at the given rate",
        }
    }
}

/// How well an open loop kept its schedule.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// Requests per second asked for.
    pub asked: f64,
    /// Requests per second that left within the measured time.
    pub reached: f64,
    /// Requests of the schedule that never left: no connection was free in time.
    pub unsent: u64,
    /// How late requests left, median.
    pub late_p50_us: u64,
    /// How late requests left, 99th percentile.
    pub late_p99_us: u64,
    /// How late requests left, at most.
    pub late_max_us: u64,
}

/// Requests under way over the measured time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct InFlight {
    /// The most there can be: connections times pipeline depth.
    pub possible: u64,
    /// Mean of the samples: sent and not yet answered. A starved connection counts as under way. 0 where
    /// there is no sample.
    pub mean: f64,
    /// Rate times mean latency of what was answered (Little's law). Well below `mean`: some connections
    /// wait while others are served. Null for an open loop, whose latency begins before a request leaves.
    pub served_mean: Option<f64>,
    /// Connections that got no right response within the measured time.
    pub connections_unserved: u64,
    /// Samples over the measured time, evenly spaced, at most 200; none in a run under 10 ms.
    pub samples: Vec<Sample>,
}

/// Requests under way at one moment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Since the start of the measured time.
    pub seconds: f64,
    /// Requests sent and not yet answered.
    pub in_flight: u64,
}

/// The response that all others are compared with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FirstResponse {
    /// Status code.
    pub status: u16,
    /// Every header field in its order.
    pub fields: Vec<Field>,
    /// Bytes of the body, decoded.
    pub body_bytes: u64,
    /// Bytes of the response on the wire, head included.
    pub response_bytes: u64,
    /// Bytes of the request on the wire.
    pub request_bytes: u64,
}

/// A header field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Its name as sent.
    pub name: String,
    /// Its value; bytes that are no UTF-8 are replaced.
    pub value: String,
}

/// What the generator itself used during the measured time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// User time of all threads.
    pub user_seconds: f64,
    /// System time of all threads.
    pub system_seconds: f64,
    /// Each thread that sends requests.
    pub threads: Vec<ThreadCpu>,
    /// CPUs that these threads could use at the same time.
    pub available: usize,
    /// Time that the hypervisor took away from so many of the CPUs that the threads may use
    /// (`/proc/stat`); null where the system does not say.
    pub stolen_seconds: Option<f64>,
}

impl Cpu {
    /// User and system time together.
    pub fn seconds(&self) -> f64 {
        self.user_seconds + self.system_seconds
    }

    /// Share of the CPU time it could have had, stolen time apart: near 1 the generator was the limit.
    pub fn share(&self, duration_seconds: f64) -> f64 {
        let possible =
            self.available as f64 * duration_seconds - self.stolen_seconds.unwrap_or(0.0);
        if possible > 0.0 {
            self.seconds() / possible
        } else {
            0.0
        }
    }
}

/// CPU time of one thread.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ThreadCpu {
    /// User time.
    pub user_seconds: f64,
    /// System time.
    pub system_seconds: f64,
}
