//! Figures that someone published, as that document gives them. What it does not say is null.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One document's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// [`super::SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the file, without `.json`.
    pub name: String,
    /// Title of the document.
    pub title: String,
    /// Where it can be read.
    pub url: Option<String>,
    /// When it was published: a date, or as much of one as is known.
    pub date: Option<String>,
    /// Where it was measured.
    pub machine: PublishedMachine,
    /// Load generator and its version, as the document names it.
    pub generator_version: Option<String>,
    /// The load commands as printed.
    pub commands: Vec<String>,
    /// Size of a whole response, where the document gives one for all.
    pub response_bytes: Option<u64>,
    /// Anything else that a reader must know, one sentence each.
    pub notes: Vec<String>,
    /// The figures, in the document's order.
    pub rows: Vec<PublishedRow>,
}

/// The machine, as far as the document describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedMachine {
    /// Product or board.
    pub model: Option<String>,
    /// CPU.
    pub cpu: Option<String>,
    /// Cores.
    pub cores: Option<u32>,
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// Operating system.
    pub os: Option<String>,
    /// Network between generator and server.
    pub network: Option<String>,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedRow {
    /// What the document calls it.
    pub label: String,
    /// The target here that repeats it; null where there is none.
    pub target: Option<String>,
    /// Version of the server.
    pub version: Option<String>,
    /// How it was built and run, as printed.
    pub server_commands: Vec<String>,
    /// The load command of this row; null where only the document's list is known.
    pub command: Option<String>,
    /// The figures.
    pub figures: Figures,
}

/// What a generator printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "generator", rename_all = "kebab-case")]
pub enum Figures {
    /// One block of wrk.
    Wrk(Box<WrkFigures>),
    /// One block of ab.
    Ab(Box<AbFigures>),
}

impl Figures {
    /// Requests per second as printed.
    #[must_use]
    pub fn requests_per_second(&self) -> f64 {
        match self {
            Self::Wrk(wrk) => wrk.requests_per_second,
            Self::Ab(ab) => ab.requests_per_second,
        }
    }
}

/// One block of wrk's text. Times and sizes are what the printed, rounded figures say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrkFigures {
    /// Duration asked for.
    pub duration_s: Option<f64>,
    /// URL.
    pub url: Option<String>,
    /// Threads.
    pub threads: u32,
    /// Connections.
    pub connections: u32,
    /// Latency.
    pub latency_us: MeanSpread,
    /// Requests per second of each thread.
    pub thread_requests_per_second: MeanSpread,
    /// Latency distribution; empty when it was not asked for.
    pub latency_distribution_us: Vec<Percentile>,
    /// Requests completed.
    pub requests: u64,
    /// Time taken.
    pub elapsed_s: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Socket errors; null when wrk printed no such line: there were none.
    pub socket_errors: Option<SocketErrors>,
    /// `Non-2xx or 3xx responses`; null when wrk printed no such line: there were none.
    pub non_2xx_or_3xx: Option<u64>,
    /// `Requests/sec`.
    pub requests_per_second: f64,
    /// `Transfer/sec`, in bytes.
    pub transfer_bytes_per_second: f64,
}

/// A line of wrk's thread statistics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanSpread {
    /// `Avg`.
    pub mean: f64,
    /// `Stdev`.
    pub stdev: f64,
    /// `Max`.
    pub max: f64,
    /// `+/- Stdev`: percent of samples within one deviation of the mean.
    pub within_stdev_percent: f64,
}

/// A percentile and its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentile {
    /// 0 to 100.
    pub percent: f64,
    /// The value.
    pub value: f64,
}

/// wrk's `Socket errors` line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SocketErrors {
    /// Could not connect.
    pub connect: u64,
    /// Could not read, or the server closed.
    pub read: u64,
    /// Could not write.
    pub write: u64,
    /// Slower than the timeout.
    pub timeout: u64,
}

/// One block of ab's text, every line of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AbFigures {
    /// `Server Software`; null when empty.
    pub server_software: Option<String>,
    /// `Server Hostname`.
    pub hostname: String,
    /// `Server Port`.
    pub port: u16,
    /// `Document Path`.
    pub path: String,
    /// `Document Length`; null when ab printed `Variable`.
    pub document_bytes: Option<u64>,
    /// `Concurrency Level`.
    pub concurrency: u32,
    /// `Time taken for tests`.
    pub elapsed_s: f64,
    /// `Complete requests`.
    pub complete: u64,
    /// `Failed requests`.
    pub failed: u64,
    /// Of these `Connect`.
    pub failed_connect: Option<u64>,
    /// Of these `Receive`.
    pub failed_receive: Option<u64>,
    /// Of these `Length`.
    pub failed_length: Option<u64>,
    /// Of these `Exceptions`.
    pub failed_exceptions: Option<u64>,
    /// `Write errors`.
    pub write_errors: Option<u64>,
    /// `Non-2xx responses`.
    pub non_2xx: Option<u64>,
    /// `Keep-Alive requests`; null without `-k`.
    pub keepalive: Option<u64>,
    /// `Total transferred`.
    pub transferred_bytes: u64,
    /// `HTML transferred`.
    pub html_bytes: u64,
    /// `Requests per second`.
    pub requests_per_second: f64,
    /// First `Time per request`: the mean that one client sees.
    pub request_ms: f64,
    /// Second `Time per request`: across all concurrent requests.
    pub request_across_all_ms: f64,
    /// `Transfer rate`, in kilobytes of 1,024 bytes per second.
    pub transfer_kbytes_per_second: f64,
    /// `Connection Times`; null when ab printed none.
    pub connection_times_ms: Option<ConnectionTimes>,
    /// `Percentage of the requests served within a certain time (ms)`.
    pub percentiles_ms: Vec<Percentile>,
}

/// ab's table of connection times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionTimes {
    /// `Connect`.
    pub connect: MinMeanMedianMax,
    /// `Processing`.
    pub processing: MinMeanMedianMax,
    /// `Waiting`.
    pub waiting: MinMeanMedianMax,
    /// `Total`.
    pub total: MinMeanMedianMax,
}

/// A row of that table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MinMeanMedianMax {
    /// `min`.
    pub min: f64,
    /// `mean`.
    pub mean: f64,
    /// `[+/-sd]`.
    pub stdev: f64,
    /// `median`.
    pub median: f64,
    /// `max`.
    pub max: f64,
}
