//! What the contract found, as far as results show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One contract case on one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseResult {
    /// Permanent id of the case.
    pub case: String,
    /// How binding it is.
    pub level: Level,
    /// How it went.
    pub outcome: Outcome,
    /// Why it failed or was skipped, or the reason of the deviation.
    pub detail: Option<String>,
}

/// How binding a case is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Every server of this suite.
    Must,
    /// A stack may deviate, in the open.
    Should,
}

/// How a case went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Right.
    Pass,
    /// Wrong, and not known to be.
    Fail,
    /// Wrong, and listed as a deviation.
    Deviation,
    /// Listed as a deviation, but right.
    StaleDeviation,
    /// Not tried.
    Skipped,
}

/// What a target can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capabilities {
    /// Answers a second HTTP/1.1 request on a connection.
    pub keep_alive: Capability,
    /// Serves one request on each connection, which the client closes.
    pub close: Capability,
    /// Answers `Connection: close` with a close of its own.
    pub server_closes: Capability,
    /// Answers pipelined requests, all and in order.
    pub pipelining: Capability,
    /// Answers HTTP/1.0 and closes.
    pub http10: Capability,
    /// Keeps an HTTP/1.0 connection open that asked for it, and says so.
    pub http10_keep_alive: Capability,
    /// Serves `ab`.
    pub ab: Capability,
    /// Serves `ab -k`.
    pub ab_keep_alive: Capability,
}

/// Whether it can, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capability {
    /// Whether it can.
    pub able: bool,
    /// Why not.
    pub reason: Option<String>,
}
