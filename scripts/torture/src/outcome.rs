//! What an item found out about a server.

use std::collections::BTreeMap;

use contract::StartError;
use contract::targets::KnownFailure;
use serde::{Deserialize, Serialize};

/// Named numbers that an item measured: `"requests"`, `"rss_bytes"`, … Names end with their unit where they have one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Figures(BTreeMap<String, f64>);

impl Figures {
    /// Sets one.
    pub fn set(&mut self, name: &str, value: impl Into<f64>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Adds to one, which is 0 at first.
    pub fn add(&mut self, name: &str, value: impl Into<f64>) {
        *self.0.entry(name.to_owned()).or_default() += value.into();
    }

    /// Raises one to `value`, if it is lower.
    pub fn raise(&mut self, name: &str, value: impl Into<f64>) {
        let entry = self.0.entry(name.to_owned()).or_default();
        *entry = entry.max(value.into());
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// The same with three digits behind the point: more is noise.
    fn rounded(mut self) -> Self {
        for value in self.0.values_mut() {
            *value = round(*value);
        }
        self
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

/// To three digits behind the point.
pub fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Why an item was not passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The server failed: what it did, and what would repeat it beside the seed (bytes sent, system call, errno, …).
    Fail {
        /// One line.
        reason: String,
        /// Bytes and circumstances; may be empty.
        repeat: String,
    },
    /// It could not be tried: what is missing, and the remedy.
    Skip(String),
    /// It asks for nothing that this server does, on whatever machine: why.
    Inapplicable(String),
    /// A signal ended the battery; nothing is known.
    Interrupted,
}

impl Trouble {
    /// A failure of the server that the seed alone repeats.
    pub fn fail(reason: impl Into<String>) -> Self {
        Self::Fail {
            reason: reason.into(),
            repeat: String::new(),
        }
    }

    /// The same failure with what repeats it.
    #[must_use]
    pub fn repeated_by(self, circumstances: impl Into<String>) -> Self {
        match self {
            Self::Fail { reason, .. } => Self::Fail {
                reason,
                repeat: circumstances.into(),
            },
            other => other,
        }
    }

    /// The same failure, told with the situation in which it came.
    #[must_use]
    pub fn in_context(self, situation: &str) -> Self {
        match self {
            Self::Fail { reason, repeat } => Self::Fail {
                reason: format!("{situation}: {reason}"),
                repeat,
            },
            other => other,
        }
    }
}

impl From<StartError> for Trouble {
    fn from(error: StartError) -> Self {
        Self::fail(format!("the server does not start: {error}"))
    }
}

/// How an item ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// Not tried; the reason says why.
    Skipped,
    /// Nothing to try: it asks for what this server does not do; the reason says what.
    Inapplicable,
    /// Not as it should be, and known: targets.toml says why.
    Deviation,
}

/// What is kept of one item on one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    pub verdict: Verdict,
    /// What was measured, also where it failed.
    pub figures: Figures,
    /// Why it did not pass; null where it did.
    pub reason: Option<String>,
    /// Bytes and circumstances that repeat a failure, beside the seed; null where the seed alone does.
    pub repeat: Option<String>,
}

impl Outcome {
    /// Judges what an item returned; `known` is the target's own word that it fails this one, and how. A failure that
    /// is known is a deviation, and a known one that passes a failure where `strict`: then targets.toml is wrong.
    pub fn of(
        result: Result<(), Trouble>,
        figures: Figures,
        known: Option<&KnownFailure>,
        strict: bool,
    ) -> Self {
        let (verdict, reason, repeat) = match result {
            Ok(()) => match known.filter(|_| strict) {
                None => (Verdict::Pass, None, None),
                Some(known) => (Verdict::Fail, Some(passes(known)), None),
            },
            Err(Trouble::Fail { reason, repeat }) => {
                let (verdict, told) = judge(reason, known);
                (verdict, Some(told), Some(repeat))
            }
            Err(Trouble::Skip(reason)) => (Verdict::Skipped, Some(reason), None),
            Err(Trouble::Inapplicable(reason)) => (Verdict::Inapplicable, Some(reason), None),
            Err(Trouble::Interrupted) => (Verdict::Skipped, Some("interrupted".into()), None),
        };
        Self {
            verdict,
            figures: figures.rounded(),
            reason,
            repeat: repeat.filter(|repeat| !repeat.is_empty()),
        }
    }
}

fn passes(known: &KnownFailure) -> String {
    let why = &known.why;
    format!("passes, though targets.toml lists it under reliability: {why}")
}

/// What a failure is, and what is told of it.
fn judge(reason: String, known: Option<&KnownFailure>) -> (Verdict, String) {
    match known {
        None => (Verdict::Fail, reason),
        Some(known) if known.covers(&reason) => {
            let told = format!("{reason} (known: {})", known.why);
            (Verdict::Deviation, told)
        }
        Some(known) => {
            let expected = known.fails_with.join("` or `");
            let told = format!("{reason} (known is a failure with `{expected}`)");
            (Verdict::Fail, told)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(result: Result<(), Trouble>, known: Option<&str>, strict: bool) -> Verdict {
        let known = known.map(|words| KnownFailure {
            fails_with: vec![words.into()],
            why: "upstream".into(),
        });
        Outcome::of(result, Figures::default(), known.as_ref(), strict).verdict
    }

    #[test]
    fn a_known_failure_is_a_deviation_and_a_known_pass_a_failure() {
        let open = || Err(Trouble::fail("5 clients are still open"));
        assert_eq!(verdict(Ok(()), None, true), Verdict::Pass);
        assert_eq!(verdict(open(), None, true), Verdict::Fail);
        assert_eq!(
            verdict(open(), Some("still open"), true),
            Verdict::Deviation
        );
        assert_eq!(verdict(Ok(()), Some("still open"), true), Verdict::Fail);
        assert_eq!(verdict(Ok(()), Some("still open"), false), Verdict::Pass);
        let skipped = Err(Trouble::Skip("no strace".into()));
        assert_eq!(verdict(skipped, Some("still open"), true), Verdict::Skipped);
    }

    #[test]
    fn a_known_failure_hides_no_other() {
        let died = Err(Trouble::fail("the server died: exit status: 1"));
        assert_eq!(verdict(died, Some("still open"), true), Verdict::Fail);
    }

    #[test]
    fn figures_are_rounded() {
        let mut figures = Figures::default();
        figures.set("seconds", 0.390_911_523_999_999_95);
        let kept = Outcome::of(Ok(()), figures, None, true).figures;
        assert_eq!(kept.get("seconds"), Some(0.391));
    }
}
