//! Runs bench in a folder of its own and reads what it wrote.

use assert_cmd::Command;
use bench::model::{Cell, Document, Run};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// A folder outside any checkout.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn bench(&self, arguments: &[&str]) -> Output {
        let mut command = Command::cargo_bin("bench").unwrap();
        command
            .current_dir(self.path())
            .args(arguments)
            .output()
            .unwrap()
    }

    /// A short run under the name `t` of servers of these kinds, each under the name of its kind.
    pub(crate) fn run(&self, kinds: &[&str], more: &[&str]) -> Output {
        let with: Vec<String> = kinds
            .iter()
            .map(|kind| format!("{kind}={}", crate::server::command(kind)))
            .collect();
        let mut arguments = vec![
            "run",
            "--name",
            "t",
            "--rounds",
            "1",
            "--duration",
            "300ms",
            "--warmup",
            "0",
        ];
        arguments.extend(with.iter().flat_map(|spec| ["--with", spec.as_str()]));
        arguments.extend(more);
        self.bench(&arguments)
    }

    pub(crate) fn results(&self) -> Run {
        match bench::store::read(&self.path().join("results/t/run.json")).unwrap() {
            Document::Run(run) => *run,
            Document::Published(_) => panic!("not a run"),
        }
    }
}

pub(crate) fn cell<'a>(run: &'a Run, target: &str) -> &'a Cell {
    run.cells
        .iter()
        .find(|cell| cell.key.target == target)
        .unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Processes of the test servers that were started with this folder as their current one.
pub(crate) fn left_over(folder: &Folder) -> Vec<String> {
    let folder = folder.path().canonicalize().unwrap();
    let Ok(all) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    all.filter_map(Result::ok)
        .filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder))
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok())
        .filter(|command| !command.is_empty())
        .collect()
}
