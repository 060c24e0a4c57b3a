//! Nothing outlives bench, not even when it is killed outright.
//!
//! A second bench process waits for the end of a pipe that only the first one holds. However the first one ends, the
//! pipe ends with it, and the guard kills every process that carries this run's mark in its environment. Some servers
//! overwrite their environment (nginx does, to show a title): the pipe tells the process groups that were started too.

use crate::os;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Environment variable that marks what bench started.
pub const MARK: &str = "BENCH_RUN";

/// Name of the hidden verb.
pub const VERB: &str = "guard";

/// The pipe to this process's guard: whatever starts a server can tell it.
static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

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
        let mut child = Command::new(std::env::current_exe()?)
            .args([VERB, &mark])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        with_pipe(|pipe| *pipe = child.stdin.take());
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
        with_pipe(|pipe| drop(pipe.take()));
        let _ = child.wait();
    }
}

fn with_pipe<T>(work: impl FnOnce(&mut Option<ChildStdin>) -> T) -> T {
    work(&mut PIPE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Tells the guard, where there is one, of a process group that was started.
pub fn watch(group: i32) {
    tell(group, true);
}

/// Tells the guard that a process group has ended: its number may become another's.
pub fn forget(group: i32) {
    tell(group, false);
}

fn tell(group: i32, runs: bool) {
    let sign = if runs { '+' } else { '-' };
    // Without its guard a run goes on.
    with_pipe(|pipe| pipe.as_mut().map(|pipe| writeln!(pipe, "{sign}{group}")));
}

/// The guard's own main: waits for the end of stdin, then kills the groups that it was told of, and what carries `mark`.
pub fn run(mark: &str) {
    let groups = groups(std::io::stdin().lock());
    // Twice: a marked process may have been forking while the first pass looked.
    for _ in 0..2 {
        for group in &groups {
            let _ = killpg(Pid::from_raw(*group), Signal::SIGKILL);
        }
        os::kill_marked(MARK, mark);
    }
}

/// What is left of the groups told of, at the end of the stream.
fn groups(told: impl BufRead) -> BTreeSet<i32> {
    let mut groups = BTreeSet::new();
    for line in told.lines().map_while(Result::ok) {
        match line.parse::<i32>() {
            // To killpg, 0 is its own group and 1 everybody.
            Ok(group) if group > 1 => drop(groups.insert(group)),
            Ok(group) => drop(groups.remove(&-group)),
            Err(_) => {}
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_have_ended_are_forgotten_and_nonsense_kills_nobody() {
        let told = "+40\n+41\n-40\n0\n1\n-1\nx\n+42\n";
        assert_eq!(groups(told.as_bytes()), BTreeSet::from([41, 42]));
    }
}
