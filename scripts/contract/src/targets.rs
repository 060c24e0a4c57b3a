//! The reader of targets.toml: what is compared, and how each is built and started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{ServerCommand, Values};

/// What kind of thing a target is; every table shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// What the kernel and the generator can do: no HTTP.
    Control,
    /// An own loop over sockets.
    Engine,
    /// An HTTP library.
    Library,
    /// A web framework.
    Framework,
    /// A ready-made server.
    Server,
    /// The user's own (`--with`).
    Yours,
}

/// How a target is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contract {
    /// The exact response of our servers.
    Exact,
    /// As a client would judge.
    Foreign,
    /// Not at all: it does not speak HTTP.
    Exempt,
}

/// One entry of targets.toml.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Target {
    /// The key in every JSON.
    pub name: String,
    /// What kind of thing it is.
    pub class: Class,
    /// The language it is written in.
    pub language: String,
    /// The stack and its major version.
    pub stack: String,
    /// How it is judged.
    pub contract: Contract,
    /// Whether it is part of the quick run.
    pub quick: bool,
    /// The target that this one is a variant of.
    pub variant_of: Option<String>,
    /// Its source, relative to the repository: what tables link to.
    pub source: String,
    /// The folder in which its commands run, `{dir}`.
    pub dir: PathBuf,
    /// Commands that build it, in order; may be empty.
    pub build: Vec<Vec<String>>,
    /// The command that starts it.
    pub run: Vec<String>,
    /// The command that prints its version.
    pub version: Vec<String>,
    /// Added to the environment of all three.
    pub env: BTreeMap<String, String>,
    /// Programs that must be on PATH.
    pub needs: Vec<String>,
    /// The command that installs what it needs.
    pub install: Option<String>,
    /// Everything that is not the stack's default: what, why, what it brought.
    pub settings: Vec<String>,
    /// Field lines that the stack adds to the exact response.
    pub extra_fields: Vec<String>,
    /// Cases it is known to fail: reason and upstream reference.
    pub deviations: BTreeMap<String, String>,
}

/// Why targets.toml, or a command in it, cannot be used; one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TargetError(pub String);

/// All targets, in the file's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The entries.
    pub targets: Vec<Target>,
}

impl Targets {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Self, TargetError> {
        Err(TargetError(format!("{}: not yet", path.display())))
    }

    /// Reads and checks `text`; `path` names it in errors, and its folder is where `dir` starts from.
    pub fn parse(text: &str, path: &Path) -> Result<Self, TargetError> {
        let _ = text;
        Err(TargetError(format!("{}: not yet", path.display())))
    }

    /// The target with this name.
    pub fn get(&self, name: &str) -> Option<&Target> {
        self.targets.iter().find(|target| target.name == name)
    }
}

impl Target {
    /// A target for the user's own server (`--with 'NAME=COMMAND {port}'`).
    pub fn yours(name: &str, run: Vec<String>) -> Result<Self, TargetError> {
        let _ = run;
        Err(TargetError(format!("{name}: not yet")))
    }

    /// The command that starts it, placeholders kept for the start.
    pub fn command(&self, values: Values) -> ServerCommand {
        ServerCommand {
            argv: self.run.clone(),
            env: self.env.clone(),
            dir: Some(self.dir.clone()),
            values,
            ready_name: (self.contract != Contract::Foreign).then(|| self.name.clone()),
        }
    }
}

/// Replaces `{bin}`, `{dir}`, `{host}`, `{port}`, `{threads}`, `{body_size}` and `{body}`.
///
/// Braces around anything else than a lower-case word are kept; around an unknown word they are an error.
pub fn substitute(text: &str, values: &Values) -> Result<String, TargetError> {
    let _ = values;
    Ok(text.to_owned())
}
