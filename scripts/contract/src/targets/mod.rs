//! The reader of targets.toml: what is compared, and how each is built, started and judged.

mod check;
mod placeholder;
mod target;

use std::path::{Path, PathBuf};

use serde::Deserialize;

pub use placeholder::{Values, substitute};
pub use target::{Class, Contract, KnownFailure, Target};

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "target", default)]
    targets: Vec<Target>,
}

impl Targets {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Self, TargetError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| TargetError(format!("cannot read {}: {error}", path.display())))?;
        Self::parse(&text, path)
    }

    /// Reads and checks `text`; `path` names it in errors, and `dir` and `source` are relative to its folder.
    pub fn parse(text: &str, path: &Path) -> Result<Self, TargetError> {
        let file: File = toml::from_str(text).map_err(|error| syntax_error(text, path, &error))?;
        let mut targets = file.targets;
        check::targets(&targets)
            .map_err(|error| TargetError(format!("{}: {error}", path.display())))?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let folder = if folder.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            folder
        };
        for target in &mut targets {
            target.dir = folder.join(&target.dir);
        }
        Ok(Self { targets })
    }

    /// The target with this name.
    pub fn get(&self, name: &str) -> Option<&Target> {
        self.targets.iter().find(|target| target.name == name)
    }
}

/// One line, with the file's line number, of what `toml` says in several.
fn syntax_error(text: &str, path: &Path, error: &toml::de::Error) -> TargetError {
    let before = error
        .span()
        .and_then(|span| text.get(..span.start))
        .unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    TargetError(format!("{}:{line}: {message}", path.display()))
}
