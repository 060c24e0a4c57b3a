//! Processes: who started whom, and what becomes of orphans.

use crate::os::Process;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use procfs::process::all_processes;

/// All processes that can be seen. Those that end while looking are left out.
#[must_use]
pub fn processes() -> Vec<Process> {
    let Ok(all) = all_processes() else {
        return Vec::new();
    };
    all.filter_map(|process| {
        let stat = process.ok()?.stat().ok()?;
        let zombie = matches!(stat.state, 'Z' | 'X');
        Some(Process {
            pid: stat.pid,
            parent: stat.ppid,
            group: stat.pgrp,
            name: stat.comm,
            zombie,
        })
    })
    .collect()
}

/// From now on processes whose parent has ended become children of this one, however they detached themselves
/// (`PR_SET_CHILD_SUBREAPER`), so that none is lost.
pub fn adopt_orphans() {
    // Refused only by kernels before 3.4; then what daemonises is found by its port instead.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Kills every process whose environment has `name=value`.
pub fn kill_marked(name: &str, value: &str) {
    let Ok(all) = all_processes() else { return };
    let marked = all.filter_map(Result::ok).filter(|process| {
        process.environ().is_ok_and(|env| {
            env.get(name.as_ref() as &std::ffi::OsStr)
                .is_some_and(|v| v == value)
        })
    });
    for process in marked {
        let _ = kill(Pid::from_raw(process.pid()), Signal::SIGKILL);
    }
}
