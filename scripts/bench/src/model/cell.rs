//! One cell: a target in one mode, at one number of connections, under one generator.

use super::{Latency, Sample};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What was measured, every round of it, and what it means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// What makes this cell this cell.
    #[serde(flatten)]
    pub key: CellKey,
    /// Every round's raw sample, in the order measured. Empty when skipped.
    pub samples: Vec<Sample>,
    /// The verdict on the whole cell.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub reason: String,
    /// Derived from `samples` alone; null when there is nothing to summarise.
    pub summary: Option<Summary>,
}

/// Identity of a cell. Cells whose keys differ in `target` alone share a table; no others do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellKey {
    /// Name of the target.
    pub target: String,
    /// How connections are used.
    pub mode: Mode,
    /// Open connections.
    pub connections: u32,
    /// Threads that the server was told to use.
    pub threads: u32,
    /// What made the load.
    pub generator: GeneratorKind,
    /// Open loop at this percentage of the server's own capacity; null: closed loop.
    pub rate_percent: Option<f64>,
}

/// How connections are used.
#[derive(
    clap::ValueEnum,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// One request after another on each connection.
    Keepalive,
    /// One connection per request, closed by the client.
    Close,
    /// Several requests in flight on each connection.
    Pipeline,
}

/// A load generator.
#[derive(
    clap::ValueEnum,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratorKind {
    /// Package `load`.
    Embedded,
    /// wrk with `scripts/wrk/report.lua`.
    Wrk,
    /// ApacheBench.
    Ab,
}

/// What limited a cell, or what is wrong with it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The server was the limit.
    Ok,
    /// The generator was the limit: its requests per second say nothing about the server.
    GeneratorBound,
    /// Neither was: few connections, a network, a lock, or a fixed rate.
    LatencyBound,
    /// Part of the connections got no service.
    Starved,
    /// Some requests failed.
    Errors,
    /// Some responses were not the verified one.
    WrongBytes,
    /// The machine slowed itself down.
    Throttled,
    /// Not measured.
    Skipped,
}

/// A number with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Median over rounds.
    pub median: f64,
    /// Lower end of the median's interval ([`crate::stats::interval`]); null with fewer than three rounds.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Probability that the interval covers the true median: at least 0.95 from six rounds on, 0.75 with three.
    pub confidence: Option<f64>,
}

/// A cell's figures over all rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Right responses per second.
    pub requests_per_second: Estimate,
    /// CPU of the server's process tree for each right response.
    pub cpu_us_per_request: Option<Estimate>,
    /// Its user part, median over rounds.
    pub user_us_per_request: Option<f64>,
    /// Its system part, median over rounds.
    pub system_us_per_request: Option<f64>,
    /// CPUs that the server kept busy, as a share of those it had (1.0 = all), median.
    pub server_utilisation: Option<f64>,
    /// The same for the generator.
    pub generator_utilisation: Option<f64>,
    /// Context switches of the server for each right response, median.
    pub context_switches_per_request: Option<f64>,
    /// Each latency figure's median over rounds.
    pub latency: Latency,
    /// Proportional set size of the tree before load, median.
    pub pss_idle_bytes: Option<u64>,
    /// Largest seen under load, median over rounds.
    pub pss_load_bytes: Option<u64>,
    /// After the load, median.
    pub pss_after_bytes: Option<u64>,
    /// Threads of the tree under load, median.
    pub server_threads: Option<u64>,
    /// Its interval is wider than 5 % of the median.
    pub noisy: bool,
    /// Group by requests per second among the cells of its table, 1 is best; ties share a group. Null: not ranked.
    pub requests_per_second_rank: Option<u32>,
    /// Group by CPU per request.
    pub cpu_per_request_rank: Option<u32>,
}

impl CellKey {
    /// Whether the two may stand in one table.
    #[must_use]
    pub fn same_table(&self, other: &Self) -> bool {
        (
            self.mode,
            self.connections,
            self.threads,
            self.generator,
            self.rate_percent,
        ) == (
            other.mode,
            other.connections,
            other.threads,
            other.generator,
            other.rate_percent,
        )
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Keepalive => "keepalive",
            Self::Close => "close",
            Self::Pipeline => "pipeline",
        })
    }
}

impl fmt::Display for GeneratorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Embedded => "embedded",
            Self::Wrk => "wrk",
            Self::Ab => "ab",
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::GeneratorBound => "generator-bound",
            Self::LatencyBound => "latency-bound",
            Self::Starved => "starved",
            Self::Errors => "errors",
            Self::WrongBytes => "wrong-bytes",
            Self::Throttled => "throttled",
            Self::Skipped => "skipped",
        })
    }
}
