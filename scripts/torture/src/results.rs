//! `results/reliability.json`: written as a whole after every outcome; what was not tried again is kept.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::outcome::Outcome;

/// Raised when a reader of the file would misunderstand it.
const SCHEMA_VERSION: u32 = 1;

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Version of this form.
    pub schema_version: u32,
    /// Where all of it was done.
    pub machine: Machine,
    /// Commit of the last run; null where unknown.
    pub commit: Option<String>,
    /// Seed of the last run.
    pub seed: u64,
    /// By the target's `name`, then by the item's id.
    pub targets: BTreeMap<String, BTreeMap<String, Entry>>,
    /// By the fuzz target of `common::http1`; `.ci/fuzz --record` writes it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fuzzing: BTreeMap<String, Fuzzing>,
}

/// A run of cargo-fuzz that found nothing: another one is mended, not recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fuzzing {
    /// Inputs that were run.
    pub executions: u64,
    /// Commit of the run.
    pub commit: String,
}

/// One item on one target, with the run that it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Verdict and figures.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
    /// Seed of its run.
    pub seed: u64,
    /// Share of the whole item that was done, 1 is all of it.
    pub scale: f64,
    /// Commit of its run; null where unknown.
    pub commit: Option<String>,
}

impl Entry {
    /// Whether all of the item was done.
    pub fn is_in_full(&self) -> bool {
        self.scale >= 1.0
    }
}

impl Results {
    /// What `file` holds, or nothing yet; for a new run on this machine. What is from another machine is `replaced`, or
    /// stays.
    ///
    /// # Errors
    /// When the file is no such one, or from another machine and stays.
    pub fn resume(
        file: &Path,
        replaced: bool,
        commit: Option<String>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let machine = Machine::this();
        let (targets, fuzzing) = match file.exists() {
            false => Default::default(),
            true => {
                let before = Self::read(file)?;
                let is_ours = before.machine == machine;
                ensure!(
                    is_ours || replaced,
                    "{} is from another machine: move it away, or write elsewhere with --out",
                    file.display()
                );
                if is_ours {
                    (before.targets, before.fuzzing)
                } else {
                    Default::default()
                }
            }
        };
        Ok(Self {
            schema_version: SCHEMA_VERSION,
            machine,
            commit,
            seed,
            targets,
            fuzzing,
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is not there, or no such one.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let results: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is no result of torture", file.display()))?;
        ensure!(
            results.schema_version == SCHEMA_VERSION,
            "{} has schema version {}; this torture reads version {SCHEMA_VERSION}",
            file.display(),
            results.schema_version
        );
        Ok(results)
    }

    /// The first entry, if any, that is not of a run in full: its target, and its item.
    pub fn short(&self) -> Option<(&str, &str)> {
        let all = self.targets.iter().flat_map(|(target, entries)| {
            let of_target = entries.iter();
            of_target.map(move |(item, entry)| (target.as_str(), item.as_str(), entry))
        });
        let short =
            |(target, item, entry): (_, _, &Entry)| (!entry.is_in_full()).then_some((target, item));
        all.into_iter().find_map(short)
    }

    /// Puts an entry in the place of what was known before, unless that is of a longer run.
    pub fn put(&mut self, target: &str, item: &str, entry: Entry) {
        let items = self.targets.entry(target.to_owned()).or_default();
        let before = items.get(item).map_or(0.0, |before| before.scale);
        if entry.scale >= before {
            items.insert(item.to_owned(), entry);
        }
    }

    /// Written beside the old file and renamed, so that there is a whole file at every moment.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        let write = || -> anyhow::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut new = tempfile::Builder::new()
                .permissions(std::fs::Permissions::from_mode(0o644))
                .tempfile_in(folder)?;
            serde_json::to_writer_pretty(&mut new, self)?;
            new.write_all(b"\n")?;
            new.persist(file)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Figures, Trouble};

    fn entry(scale: f64, result: Result<(), Trouble>) -> Entry {
        Entry {
            outcome: Outcome::of(result, Figures::default(), None, true),
            seconds: 1.0,
            seed: 1,
            scale,
            commit: None,
        }
    }

    #[test]
    fn a_short_run_takes_the_place_of_no_longer_one() {
        let file = tempfile::tempdir().expect("a temporary folder");
        let mut results = Results::resume(&file.path().join("none"), false, None, 1).expect("new");
        let full = entry(1.0, Err(Trouble::fail("it died")));
        for next in [entry(0.1, Ok(())), full.clone(), entry(0.1, Ok(()))] {
            results.put("a", "soak", next);
        }
        assert_eq!(results.targets["a"]["soak"], full);
        assert_eq!(results.short(), None);
        results.put("a", "storms", entry(0.1, Ok(())));
        assert_eq!(results.short(), Some(("a", "storms")));
    }
}
