//! One round's raw sample of one cell.

use super::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one load on one fresh process gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Round, from 1.
    pub round: u32,
    /// When the load began, seconds since the run began.
    pub at_s: f64,
    /// Measured length of the load.
    pub elapsed_s: f64,
    /// Right responses.
    pub responses: u64,
    /// Right responses per second.
    pub requests_per_second: f64,
    /// Bytes read; null where the generator does not tell.
    pub read_bytes: Option<u64>,
    /// What went wrong, by kind.
    pub errors: Errors,
    /// Latency figures.
    pub latency: Latency,
    /// Mean number of requests in flight; null where the generator does not tell.
    pub in_flight: Option<f64>,
    /// Open loop: requests per second that were to be sent.
    pub rate_wanted: Option<f64>,
    /// Open loop: requests per second that were sent.
    pub rate_sent: Option<f64>,
    /// Cost on the generator's side.
    pub generator: GeneratorCost,
    /// Cost on the server's side.
    pub server: ServerCost,
    /// Temperature and clock around the load.
    pub heat: Heat,
    /// Verdict on this round alone.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
}

/// Failed requests by kind. A kind that the generator cannot tell apart counts under the nearest one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Errors {
    /// Connections that could not be made.
    pub connect: u64,
    /// Connections reset by the server.
    pub reset: u64,
    /// No whole response in time.
    pub timeout: u64,
    /// The connection ended in the middle of a response.
    pub short: u64,
    /// A response that differs from the verified one.
    pub wrong_bytes: u64,
    /// A status outside 200 to 299.
    pub non_2xx: u64,
    /// A connection closed although nothing had announced it.
    pub unexpected_close: u64,
    /// Bytes or responses that nobody asked for.
    pub extra: u64,
}

impl Errors {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.connect
            + self.reset
            + self.timeout
            + self.short
            + self.wrong_bytes
            + self.non_2xx
            + self.unexpected_close
            + self.extra
    }

    /// Those of both, kind by kind.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            connect: self.connect + other.connect,
            reset: self.reset + other.reset,
            timeout: self.timeout + other.timeout,
            short: self.short + other.short,
            wrong_bytes: self.wrong_bytes + other.wrong_bytes,
            non_2xx: self.non_2xx + other.non_2xx,
            unexpected_close: self.unexpected_close + other.unexpected_close,
            extra: self.extra + other.extra,
        }
    }
}

/// Latency of single requests as the generator saw it. Null: this generator does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// What these figures are.
    pub kind: LatencyKind,
    /// Mean.
    pub mean_us: Option<f64>,
    /// Median.
    pub p50_us: Option<f64>,
    /// 75th percentile.
    pub p75_us: Option<f64>,
    /// 90th percentile.
    pub p90_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// 99.9th percentile.
    pub p999_us: Option<f64>,
    /// 99.99th percentile.
    pub p9999_us: Option<f64>,
    /// Largest.
    pub max_us: Option<f64>,
}

/// What a latency is counted from. Figures of two kinds never share a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LatencyKind {
    /// Closed loop: from sending, while as much as possible is sent.
    AtSaturation,
    /// Open loop: from the time when the request was due.
    AtRate,
}

/// CPU of the load generator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorCost {
    /// CPU time of all its threads.
    pub cpu_s: f64,
    /// CPUs that it could use at once.
    pub cpus: u32,
    /// Time that the hypervisor took from those CPUs; null: not known.
    pub stolen_s: Option<f64>,
    /// CPU time over the time that was to be had (stolen time apart); 1.0 = all of it.
    pub utilisation: f64,
}

/// Cost of the server's whole process tree during the load. Null: this system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServerCost {
    /// CPU time, children included.
    pub cpu_s: Option<f64>,
    /// Children have ended whose CPU time nobody can tell, because their parent ignores SIGCHLD: so it is null.
    #[serde(default)]
    pub children_lost: bool,
    /// Its user part.
    pub user_s: Option<f64>,
    /// Its system part.
    pub system_s: Option<f64>,
    /// CPUs that it could use at once.
    pub cpus: u32,
    /// Time that the hypervisor took from those CPUs.
    pub stolen_s: Option<f64>,
    /// CPU time over the time that was to be had; 1.0 = all of it.
    pub utilisation: Option<f64>,
    /// What all other processes took of its CPUs, in the same terms: figures of a busy machine are not to be trusted.
    pub others_utilisation: Option<f64>,
    /// CPU time for each right response.
    pub cpu_us_per_request: Option<f64>,
    /// Context switches that it asked for by waiting.
    pub voluntary_switches: Option<u64>,
    /// Context switches forced on it.
    pub involuntary_switches: Option<u64>,
    /// Processes in the tree under load.
    pub processes: Option<u64>,
    /// Threads in the tree under load.
    pub threads: Option<u64>,
    /// Proportional set size of the tree before the load.
    pub pss_idle_bytes: Option<u64>,
    /// In the middle of the load.
    pub pss_load_bytes: Option<u64>,
    /// After the load, connections closed.
    pub pss_after_bytes: Option<u64>,
}

/// Temperature and clock of the server's machine around a load. Null: it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Heat {
    /// Degrees Celsius before.
    pub celsius_before: Option<f64>,
    /// Degrees Celsius after.
    pub celsius_after: Option<f64>,
    /// Clock of the server's first CPU before.
    pub mhz_before: Option<f64>,
    /// Clock after.
    pub mhz_after: Option<f64>,
    /// Governor of that CPU before.
    pub governor_before: Option<String>,
    /// Governor after.
    pub governor_after: Option<String>,
    /// What `vcgencmd get_throttled` of a Raspberry Pi says before, as a number: bits 0 to 3 are about now, 16 to 19
    /// about the time since boot.
    pub get_throttled_before: Option<u32>,
    /// What it says after.
    pub get_throttled_after: Option<u32>,
    /// Whether the machine throttled itself during the load.
    pub throttled: Option<bool>,
}

impl Latency {
    /// No figures of this kind.
    #[must_use]
    pub fn unknown(kind: LatencyKind) -> Self {
        Self {
            kind,
            mean_us: None,
            p50_us: None,
            p75_us: None,
            p90_us: None,
            p99_us: None,
            p999_us: None,
            p9999_us: None,
            max_us: None,
        }
    }
}
