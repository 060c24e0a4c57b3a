//! Nothing outlives bench, not even when it is killed outright.
//!
//! A second bench process waits for the end of a pipe that only the first one holds. However the first one ends, the
//! pipe ends with it, and the guard kills every process that carries this run's mark in its environment.

use crate::os;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Environment variable that marks what bench started.
pub const MARK: &str = "BENCH_RUN";

/// Name of the hidden verb.
pub const VERB: &str = "guard";

/// The guard of this run, and the mark that it looks for.
#[derive(Debug)]
pub struct Guard {
    mark: String,
    child: Option<Child>,
}

impl Guard {
    /// Starts the guard in a process group of its own, so that Ctrl-C does not end it.
    pub fn start() -> std::io::Result<Self> {
        let mark = format!("{}-{:x}", std::process::id(), rand::random::<u64>());
        let child = Command::new(std::env::current_exe()?)
            .args([VERB, &mark])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        Ok(Self {
            mark,
            child: Some(child),
        })
    }

    /// No guard: for systems where processes cannot be seen.
    #[must_use]
    pub fn none() -> Self {
        Self {
            mark: std::process::id().to_string(),
            child: None,
        }
    }

    /// What to put into [`MARK`] of everything that is started.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

/// The guard's own main: waits for the end of stdin, then kills what carries `mark`.
pub fn run(mark: &str) {
    let mut rest = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut rest);
    // Twice: a marked process may have been forking while the first pass looked.
    for _ in 0..2 {
        os::kill_marked(MARK, mark);
    }
}
