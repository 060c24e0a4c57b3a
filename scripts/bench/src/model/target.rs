//! A target and what is found out about it once.

use super::{Capabilities, CaseResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A server under test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Its key everywhere.
    pub name: String,
    /// What kind of thing it is.
    pub class: Class,
    /// Language.
    pub language: String,
    /// The stack that it shows.
    pub stack: String,
    /// Its main source file, relative to `servers/`; null for the user's own.
    pub source: Option<String>,
    /// The target of which this one is a variant with other settings.
    pub variant_of: Option<String>,
    /// The target that this is a second measurement of (A/A control).
    pub twin_of: Option<String>,
    /// Why it was not measured; null when it was.
    pub skipped: Option<String>,
    /// What its version command said.
    pub version: Option<String>,
    /// Command that was run, placeholders filled in as in the first round.
    pub run: Vec<String>,
    /// Command that built it.
    pub build: Vec<String>,
    /// Everything that is not its stack's default.
    pub settings: Vec<String>,
    /// Size of the program file, for programs that are one binary.
    pub binary_bytes: Option<u64>,
    /// SHA-256 of that file.
    pub binary_sha256: Option<String>,
    /// Start of the process to first byte of the first response, one for each round.
    pub start_to_first_byte_us: Vec<f64>,
    /// The request as it goes over the wire.
    pub request: Option<WireRequest>,
    /// The response as it came over the wire.
    pub response: Option<WireResponse>,
    /// What it can do: decides its modes.
    pub capabilities: Option<Capabilities>,
    /// Outcome of each contract case that was tried.
    pub contract: Vec<CaseResult>,
}

/// Kind of target. Control rows are never ranked with the rest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Shows what the machine can do; serves no HTTP.
    Control,
    /// Its own loop over sockets.
    Engine,
    /// An HTTP library.
    Library,
    /// A web framework.
    Framework,
    /// A ready-made server.
    Server,
    /// Given with `--with`.
    Yours,
}

/// A request on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireRequest {
    /// Bytes.
    pub bytes: u64,
    /// Its text.
    pub text: String,
}

/// A response on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireResponse {
    /// All bytes.
    pub bytes: u64,
    /// Bytes of status line, header fields and the empty line.
    pub head_bytes: u64,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Status line, without line end.
    pub status_line: String,
    /// Header fields in the order received.
    pub fields: Vec<Field>,
    /// SHA-256 of the body.
    pub body_sha256: String,
}

/// A header field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Name as it was sent.
    pub name: String,
    /// Value.
    pub value: String,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Control => "control",
            Self::Engine => "engine",
            Self::Library => "library",
            Self::Framework => "framework",
            Self::Server => "server",
            Self::Yours => "yours",
        })
    }
}
