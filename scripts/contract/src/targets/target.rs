//! One entry of targets.toml.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use super::{TargetError, Values, check, substitute};
use crate::{Judge, ServerCommand, StartError};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contract {
    /// It promises the exact response of our servers; its deviations are strict.
    Exact,
    /// As a client would judge; its deviations are notes.
    #[default]
    Foreign,
    /// Not at all: it does not speak HTTP.
    Exempt,
}

/// One entry of targets.toml.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Target {
    /// The key in every JSON.
    pub name: String,
    /// What kind of thing it is.
    pub class: Class,
    /// The language it is written in.
    pub language: String,
    /// The stack, with the version that matters.
    pub stack: String,
    /// How it is judged.
    #[serde(default)]
    pub contract: Contract,
    /// Whether it is part of the quick run.
    #[serde(default)]
    pub quick: bool,
    /// The target that this one is a variant of.
    #[serde(default)]
    pub variant_of: Option<String>,
    /// Its main source file, relative to the folder of targets.toml: what tables link to.
    pub source: String,
    /// The folder in which its commands run, and `{dir}`; in the file relative to it.
    #[serde(default)]
    pub dir: PathBuf,
    /// Commands that build it, in order; may be empty.
    #[serde(default, deserialize_with = "one_or_more_commands")]
    pub build: Vec<Vec<String>>,
    /// The command that starts it.
    pub run: Vec<String>,
    /// The command that prints its version.
    #[serde(default)]
    pub version: Vec<String>,
    /// Added to the environment of all three.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Programs that must be on PATH.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The command that installs what it needs.
    #[serde(default)]
    pub install: Option<String>,
    /// Words of the line with which it ends on a machine that cannot run it: there it is skipped, not failed.
    #[serde(default)]
    pub unavailable: Option<String>,
    /// Everything that is not the stack's default: what, why, what it brought.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Field lines that the stack adds to the exact response.
    #[serde(default)]
    pub extra_fields: Vec<String>,
    /// Cases it is known to fail: reason and upstream reference.
    #[serde(default)]
    pub deviations: BTreeMap<String, String>,
    /// Items of the reliability battery that it is known to fail, and how.
    #[serde(default)]
    pub reliability: BTreeMap<String, KnownFailure>,
}

/// How a target is known to fail an item of the reliability battery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFailure {
    /// Words of the line that the battery then says: any of them. Another failure is not known.
    pub fails_with: Vec<String>,
    /// The reason, and the upstream reference.
    pub why: String,
}

impl KnownFailure {
    /// Whether a failure that is told as `reason` is this one.
    pub fn covers(&self, reason: &str) -> bool {
        self.fails_with.iter().any(|words| reason.contains(words))
    }
}

impl Target {
    /// A target for the user's own server (`--with 'NAME=COMMAND {port}'`); it starts in the current folder.
    pub fn yours(name: &str, run: Vec<String>) -> Result<Self, TargetError> {
        let target = Self {
            name: name.to_owned(),
            class: Class::Yours,
            language: String::new(),
            stack: String::new(),
            contract: Contract::Foreign,
            quick: false,
            variant_of: None,
            source: String::new(),
            dir: PathBuf::from("."),
            build: Vec::new(),
            run,
            version: Vec::new(),
            env: BTreeMap::new(),
            needs: Vec::new(),
            install: None,
            unavailable: None,
            settings: Vec::new(),
            extra_fields: Vec::new(),
            deviations: BTreeMap::new(),
            reliability: BTreeMap::new(),
        };
        check::target(&target).map_err(TargetError)?;
        Ok(target)
    }

    /// The command that starts it. Placeholders are filled in at each start; `values.dir` is set here.
    pub fn command(&self, values: Values) -> ServerCommand {
        ServerCommand {
            argv: self.run.clone(),
            env: self.env.clone(),
            dir: Some(self.dir.clone()),
            values: Values {
                dir: self.dir.clone(),
                ..values
            },
            ready_name: (self.contract != Contract::Foreign).then(|| self.binary_name().to_owned()),
        }
    }

    /// One of its commands (`build`, `version`) with `values` filled in; `{dir}` is its own folder.
    pub fn fill(&self, argv: &[String], values: &Values) -> Result<Vec<String>, TargetError> {
        let values = Values {
            dir: self.dir.clone(),
            ..values.clone()
        };
        argv.iter().map(|word| substitute(word, &values)).collect()
    }

    /// How strictly the contract judges it, given the body it was told to send; `None`: not at all.
    pub fn judge(&self, body: &str) -> Option<Judge> {
        match self.contract {
            Contract::Exact => Some(Judge::Ours {
                body: body.as_bytes().to_vec(),
                extra_fields: self.extra_fields.clone(),
                engine: self.class == Class::Engine,
            }),
            Contract::Foreign => Some(Judge::Foreign),
            Contract::Exempt => None,
        }
    }

    /// Whether what it `said` as it ended means that this machine cannot run it.
    pub fn is_unavailable(&self, said: &str) -> bool {
        let words = self.unavailable.as_deref();
        words.is_some_and(|words| said.contains(words))
    }

    /// Why this machine cannot run it, if that is what it says when `command` starts it. Only a target that is listed
    /// with such words is started.
    pub fn refusal(&self, command: &ServerCommand) -> Option<String> {
        self.unavailable.as_ref()?;
        let StartError(said) = command.start(Duration::from_secs(10)).err()?;
        self.is_unavailable(&said).then_some(said)
    }

    /// The name a server of ours calls itself: a variant is started from the plain target's binary.
    fn binary_name(&self) -> &str {
        self.variant_of.as_deref().unwrap_or(&self.name)
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "`build` must be a command (a list of words) or a list of commands"
)]
enum OneOrMore {
    One(Vec<String>),
    More(Vec<Vec<String>>),
}

fn one_or_more_commands<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Vec<String>>, D::Error> {
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(words) if words.is_empty() => Vec::new(),
        OneOrMore::One(words) => vec![words],
        OneOrMore::More(commands) => commands,
    })
}
