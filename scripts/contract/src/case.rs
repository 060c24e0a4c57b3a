//! What a case is.

use serde::Serialize;

use crate::fault::Fault;
use crate::list;
use crate::process::Process;
use crate::wire::Wire;

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
    /// Whether it has to let seconds pass even against a good server.
    pub waits: bool,
    /// The input and the right answer in one line.
    pub about: &'static str,
    pub(crate) run: Run,
}

/// How a case is run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// Beside others.
    Wire(fn(&Wire) -> Result<(), Fault>),
    /// Alone: it loads the server, or times it.
    WireAlone(fn(&Wire) -> Result<(), Fault>),
    /// With servers of its own.
    Process(fn(&Process) -> Result<(), Fault>),
}

/// All cases, in the order of the matrix.
pub fn cases() -> &'static [Case] {
    list::CASES
}
