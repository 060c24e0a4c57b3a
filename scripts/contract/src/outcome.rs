//! What came of a case.

use serde::Serialize;

/// The judgement on one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The server did right.
    Pass,
    /// It did not.
    Fail,
    /// Not judged; the reason says why.
    Skip,
}

/// What came of one case on one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The case's id.
    pub id: &'static str,
    /// The judgement.
    pub verdict: Verdict,
    /// Whether the server still answered after the case. A deviation never excuses a dead server.
    pub alive: bool,
    /// Why it failed or was skipped, in one line; empty, or a remark, when it passed.
    pub reason: String,
    /// The bytes sent and received, escaped and abbreviated, one line each; empty unless it failed.
    pub exchange: String,
}
