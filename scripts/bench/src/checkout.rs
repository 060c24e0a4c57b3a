//! Where things are: in a checkout of this suite, or outside of one.

use crate::model::{Commit, Toolchain};
use anyhow::Context;
use contract::Targets;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target list of a checkout, relative to its root.
const LIST: &str = "servers/targets.toml";

/// Where bench works.
#[derive(Clone, Debug)]
pub struct Place {
    /// Root of the checkout; `None` outside.
    pub root: Option<PathBuf>,
    /// The targets; `None` outside when no list was given.
    pub targets: Option<Targets>,
    /// Folder of the list; what targets need lies in it.
    pub list_folder: Option<PathBuf>,
    /// The list's file as it is recorded.
    pub targets_file: Option<String>,
    /// Folder of results.
    pub results: PathBuf,
    /// Folder of compiled binaries.
    pub bin: PathBuf,
}

impl Place {
    /// Around the current folder, with the list that was given or the checkout's own.
    ///
    /// # Errors
    /// When a list cannot be read.
    pub fn find(list: Option<&Path>) -> anyhow::Result<Self> {
        let here = std::env::current_dir().context("there is no current folder")?;
        let root = here
            .ancestors()
            .find(|folder| folder.join(LIST).is_file())
            .map(Path::to_owned);
        let file = match list {
            Some(list) => Some(std::path::absolute(list)?),
            None => root.as_ref().map(|root| root.join(LIST)),
        };
        let targets = file.as_deref().map(Targets::load).transpose()?;
        let list_folder = file
            .as_ref()
            .and_then(|file| Some(file.parent()?.to_owned()));
        let recorded = file.map(|file| match &root {
            Some(root) => file
                .strip_prefix(root)
                .unwrap_or(&file)
                .display()
                .to_string(),
            None => file.display().to_string(),
        });
        let base = root.as_ref().unwrap_or(&here);
        Ok(Self {
            results: base.join("results"),
            bin: bin(base),
            targets,
            list_folder,
            targets_file: recorded,
            root,
        })
    }

    /// The commit that is checked out.
    #[must_use]
    pub fn commit(&self) -> Option<Commit> {
        let root = self.root.as_ref()?;
        let id = first_line(
            Command::new("git")
                .args(["rev-parse", "HEAD"])
                .current_dir(root),
        )?;
        let changes = Command::new("git")
            .args(["status", "--porcelain", "--untracked-files=no"])
            .current_dir(root)
            .output()
            .ok()?;
        Some(Commit {
            id,
            dirty: !changes.stdout.is_empty(),
        })
    }

    /// What builds the Rust targets.
    #[must_use]
    pub fn toolchain(&self) -> Option<Toolchain> {
        let root = self.root.as_ref()?;
        Some(Toolchain {
            rustc: first_line(Command::new("rustc").arg("--version").current_dir(root))?,
            profile: release_profile(root).unwrap_or_default(),
            rustflags: std::env::var("RUSTFLAGS").unwrap_or_default(),
        })
    }
}

fn bin(base: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| base.join("target"), |dir| base.join(dir));
    target.join("release")
}

fn release_profile(root: &Path) -> Option<Vec<String>> {
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml"))
        .ok()?
        .parse()
        .ok()?;
    let release = manifest.get("profile")?.get("release")?.as_table()?;
    Some(
        release
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect(),
    )
}

/// First line that a command prints, on stdout or else on stderr; `None` when it fails.
pub fn first_line(command: &mut Command) -> Option<String> {
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}
