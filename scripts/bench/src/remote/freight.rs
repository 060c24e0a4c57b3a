//! What is copied to a host: bench itself, the programs of the targets, and the peers' scripts.

use super::arch::Binaries;
use crate::candidate::Candidate;
use crate::checkout::Place;
use crate::prepare::{self, Missing};
use anyhow::{Context, anyhow};
use contract::{Target, Values};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where compiled programs lie in the far folder, which is laid out as a checkout.
pub const BIN: &str = "target/release";

/// Files with their places over there, and what that means for each target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Freight {
    /// Far path, relative to the far folder, and the file here.
    files: BTreeMap<PathBuf, PathBuf>,
    /// Targets that cannot be measured there, and why.
    pub missing: BTreeMap<String, Missing>,
    /// The far folder of each target, relative to the far folder.
    pub folders: BTreeMap<String, PathBuf>,
    /// Folder of the compiled programs here.
    pub bin: PathBuf,
}

impl Freight {
    /// For a host that makes load: bench alone.
    ///
    /// # Errors
    /// When there is none for that system.
    pub fn bench(binaries: &Binaries) -> anyhow::Result<Self> {
        let bench = if binaries.own {
            std::env::current_exe().context("bench does not find its own program")?
        } else {
            binaries.program("bench")?
        };
        Ok(Self {
            files: BTreeMap::from([(Path::new(BIN).join("bench"), bench)]),
            bin: binaries.folder.clone(),
            ..Self::default()
        })
    }

    /// For a host that runs servers. Where both systems are the same, what cargo and go build is built first.
    ///
    /// # Errors
    /// When bench itself is missing.
    pub fn servers(
        binaries: &Binaries,
        candidates: &[Candidate],
        place: &Place,
    ) -> anyhow::Result<Self> {
        let mut freight = Self::bench(binaries)?;
        if binaries.own {
            freight.build(candidates);
        }
        for candidate in candidates {
            let target = &candidate.target;
            if freight.folders.contains_key(&target.name) {
                continue; // The twin is the same program.
            }
            let folder = freight.folder(candidate, place);
            freight.folders.insert(target.name.clone(), folder);
            if freight.missing.contains_key(&target.name) {
                continue;
            }
            if let Err(reason) = freight.program(target, binaries) {
                freight
                    .missing
                    .insert(target.name.clone(), reason.to_string());
            }
        }
        Ok(freight)
    }

    fn build(&mut self, candidates: &[Candidate]) {
        let ours: Vec<Candidate> = candidates
            .iter()
            .filter(|candidate| is_built_here(&candidate.target))
            .cloned()
            .collect();
        let missing = prepare::build(&ours, &Values::new(&self.bin));
        for (candidate, missing) in ours.iter().zip(missing) {
            if let Some(missing) = missing {
                self.missing.insert(candidate.target.name.clone(), missing);
            }
        }
    }

    /// The far folder of a target; what lies in its folder here is copied. Those of the checkout keep their places.
    fn folder(&mut self, candidate: &Candidate, place: &Place) -> PathBuf {
        let target = &candidate.target;
        if candidate.is_yours() {
            return Path::new("yours").join(&target.name);
        }
        let list = place.list_folder.clone().unwrap_or_default();
        let own = target.dir.strip_prefix(&list).unwrap_or(Path::new(""));
        let far = Path::new("servers").join(own);
        if !own.as_os_str().is_empty() {
            self.take_folder(&target.dir, &far);
            // Scripts that several targets share lie beside their folders.
            if let (Some(here), Some(there)) = (target.dir.parent(), far.parent()) {
                self.take_scripts(here, there);
            }
        }
        far
    }

    fn take_folder(&mut self, here: &Path, there: &Path) {
        for entry in std::fs::read_dir(here)
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
        {
            let (path, far) = (entry.path(), there.join(entry.file_name()));
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if path.is_dir() && !hidden && entry.file_name() != "zig-out" {
                self.take_folder(&path, &far);
            } else if path.is_file() {
                self.files.insert(far, path);
            }
        }
    }

    fn take_scripts(&mut self, here: &Path, there: &Path) {
        for entry in std::fs::read_dir(here)
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
        {
            let path = entry.path();
            if path.extension().is_some_and(|end| end == "sh") {
                self.files.insert(there.join(entry.file_name()), path);
            }
        }
    }

    /// The program of a target that is built here, or the user's own one.
    fn program(&mut self, target: &Target, binaries: &Binaries) -> anyhow::Result<()> {
        let word = target.run.first().map_or("", String::as_str);
        match word.strip_prefix("{bin}/") {
            Some(name) if is_built_here(target) => {
                let file = binaries.program(name).map_err(|error| match binaries.own {
                    true => error,
                    false => anyhow!("{error}, unless that architecture cannot run it"),
                })?;
                self.files.insert(Path::new(BIN).join(name), file);
            }
            _ if is_copied(target) => {
                let file = PathBuf::from(word);
                binaries.fits(&file)?;
                let folder = self.folders[&target.name].clone();
                self.files
                    .insert(folder.join(file.file_name().unwrap_or_default()), file);
            }
            _ => {}
        }
        Ok(())
    }

    /// The tar archive, in memory: some 30 MB. It says nothing of this machine's users and times.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn archive(&self) -> anyhow::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        archive.mode(tar::HeaderMode::Deterministic);
        for (far, here) in &self.files {
            archive
                .append_path_with_name(here, far)
                .with_context(|| format!("cannot read {}", here.display()))?;
        }
        for folder in self.folders.values() {
            archive.append_dir(folder, ".")?;
        }
        Ok(archive.into_inner()?)
    }

    /// A target as the far side sees it: its folder is there, and what is built here is ready.
    #[must_use]
    pub fn over_there(&self, target: &Target, install: Option<String>) -> Target {
        let mut far = target.clone();
        far.install = install;
        far.dir = self.folders.get(&target.name).cloned().unwrap_or_default();
        if is_built_here(target) {
            far.needs.clear();
            far.build.clear();
            if !is_cargo(target) {
                far.version.clear();
            }
        }
        if is_copied(target)
            && let Some(name) = Path::new(&target.run[0]).file_name()
        {
            far.run[0] = format!("./{}", name.to_string_lossy());
        }
        far
    }
}

/// Whether cargo or go builds it: they build for other systems, which the far side need not be able to.
#[must_use]
pub fn is_built_here(target: &Target) -> bool {
    let programs = target.build.iter().filter_map(|command| command.first());
    !target.build.is_empty()
        && programs
            .into_iter()
            .all(|program| ["cargo", "go"].contains(&program.as_str()))
}

/// Whether cargo does: then the program tells its own version.
fn is_cargo(target: &Target) -> bool {
    target
        .build
        .iter()
        .all(|command| command.first().is_some_and(|program| program == "cargo"))
}

/// Whether it is the user's own program and lies here; else its command is meant as it stands over there, as that of
/// an interpreter is.
fn is_copied(target: &Target) -> bool {
    const SYSTEM: [&str; 4] = ["/usr/", "/bin/", "/sbin/", "/opt/"];
    let word = target.run.first().map_or("", String::as_str);
    target.class == contract::targets::Class::Yours
        && word.contains('/')
        && !SYSTEM.iter().any(|folder| word.starts_with(folder))
        && Path::new(word).is_file()
}

#[cfg(test)]
mod tests;
