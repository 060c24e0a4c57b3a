//! The list of cases: what each asks, how much it matters and where its answer is written down.

use serde::Serialize;

/// How much a case matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Every server has to pass.
    Must,
    /// A stack may deviate, in the open; our engines may not.
    Should,
}

/// What a case needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An address is enough.
    Wire,
    /// The case starts, signals or limits the server itself.
    Process,
}

/// One named question to a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// Permanent name, the key in targets.toml's deviations and in every JSON.
    pub id: &'static str,
    /// Where the right answer is written down; where no RFC speaks, the reason for asking.
    pub section: &'static str,
    /// How much it matters.
    pub level: Level,
    /// What it needs.
    pub kind: Kind,
    /// Whether it has to let time pass (seconds) even against a good server.
    pub waits: bool,
    /// The input and the right answer in one line.
    pub about: &'static str,
}

/// All cases, in the order of the matrix.
pub fn cases() -> &'static [Case] {
    &[]
}
