//! Where the battery ran.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The machine. Null: it does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system.
    pub os: String,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Architecture.
    pub arch: String,
    /// Name of the CPU.
    pub cpu: Option<String>,
    /// CPUs that this process may use.
    pub cpus: usize,
    /// Memory in KiB.
    pub memory_kib: Option<u64>,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        Self {
            os: line("/etc/os-release", "PRETTY_NAME=").map_or_else(
                || std::env::consts::OS.into(),
                |name| name.trim_matches('"').into(),
            ),
            kernel: line("/proc/sys/kernel/osrelease", ""),
            arch: std::env::consts::ARCH.into(),
            cpu: line("/proc/cpuinfo", "model name").or_else(|| line("/proc/cpuinfo", "Model")),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            memory_kib: line("/proc/meminfo", "MemTotal:")
                .and_then(|text| text.split(' ').next()?.parse().ok()),
        }
    }
}

/// What stands behind `name` in the first line that begins so, a colon apart.
fn line(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim_start_matches([' ', '\t', ':']).trim().to_owned())
}

/// The commit that is checked out, with `-dirty` where files (results apart) differ from it; `None` outside of git.
pub fn commit(root: &Path) -> Option<String> {
    let id = git(root, &["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(
        root,
        &[
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--",
            ".",
            ":!results",
        ],
    )?;
    Some(if changed.is_empty() {
        id
    } else {
        format!("{id}-dirty")
    })
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
