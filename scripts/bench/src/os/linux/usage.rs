//! CPU time, context switches, threads of a process tree.
//!
//! The sum comes from each process's CPU clock (`clock_getcpuclockid`): nanoseconds, threads that have ended included.
//! /proc/PID/stat counts in ticks of 10 ms: too coarse for the sum, good enough for how it splits into user and system
//! time, and the only place that tells what reaped children used. Of children that nobody waits for nothing tells it.

use crate::os::Usage;
use nix::sys::signal::Signal;
use nix::time::ClockId;
use nix::unistd::Pid;
use procfs::process::{Process, Stat};

/// Its bit in the masks of /proc/PID/status, where that of signal 1 is the first.
const SIGCHLD: u64 = 1 << (Signal::SIGCHLD as u64 - 1);

/// What the processes `pids` have used so far. Those that have ended count through the parent that reaped them.
#[must_use]
pub fn usage(pids: &[i32]) -> Usage {
    pids.iter()
        .filter_map(|pid| of_process(*pid))
        .fold(Usage::default(), sum)
}

/// Those of `pids` whose parent, one of them as well, ignores SIGCHLD: when they end, nobody is told what they used, not
/// even the parent (wait(2), "Linux notes").
#[must_use]
pub fn unwaited(pids: &[i32]) -> Vec<i32> {
    let status = |pid: i32| Process::new(pid).ok()?.status().ok();
    let ignores = |pid: i32| status(pid).is_some_and(|status| status.sigign & SIGCHLD != 0);
    let ignoring: Vec<i32> = pids.iter().copied().filter(|pid| ignores(*pid)).collect();
    let is_lost = |pid: i32| status(pid).is_some_and(|status| ignoring.contains(&status.ppid));
    match ignoring.is_empty() {
        true => Vec::new(),
        false => pids.iter().copied().filter(|pid| is_lost(*pid)).collect(),
    }
}

fn of_process(pid: i32) -> Option<Usage> {
    let process = Process::new(pid).ok()?;
    let stat = process.stat().ok()?;
    let tick = 1.0 / procfs::ticks_per_second() as f64;
    let children_user_s = stat.cutime.max(0) as f64 * tick;
    let children_system_s = stat.cstime.max(0) as f64 * tick;
    let own_s = own_cpu_s(pid).unwrap_or((stat.utime + stat.stime) as f64 * tick);
    let (voluntary_switches, involuntary_switches) = switches(&process);
    Some(Usage {
        cpu_s: own_s + children_user_s + children_system_s,
        user_s: stat.utime as f64 * tick + children_user_s,
        system_s: stat.stime as f64 * tick + children_system_s,
        voluntary_switches,
        involuntary_switches,
        threads: threads(&stat),
        processes: 1,
    })
}

fn own_cpu_s(pid: i32) -> Option<f64> {
    let time = ClockId::pid_cpu_clock_id(Pid::from_raw(pid))
        .ok()?
        .now()
        .ok()?;
    Some(time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

fn threads(stat: &Stat) -> u64 {
    u64::try_from(stat.num_threads).unwrap_or(0)
}

/// Over the threads alive: /proc does not tell what ended threads did.
fn switches(process: &Process) -> (u64, u64) {
    let Ok(tasks) = process.tasks() else {
        return (0, 0);
    };
    tasks.filter_map(|task| task.ok()?.status().ok()).fold(
        (0, 0),
        |(voluntary, involuntary), status| {
            (
                voluntary + status.voluntary_ctxt_switches.unwrap_or(0),
                involuntary + status.nonvoluntary_ctxt_switches.unwrap_or(0),
            )
        },
    )
}

fn sum(a: Usage, b: Usage) -> Usage {
    Usage {
        cpu_s: a.cpu_s + b.cpu_s,
        user_s: a.user_s + b.user_s,
        system_s: a.system_s + b.system_s,
        voluntary_switches: a.voluntary_switches + b.voluntary_switches,
        involuntary_switches: a.involuntary_switches + b.involuntary_switches,
        threads: a.threads + b.threads,
        processes: a.processes + b.processes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn the_sum_is_finer_than_a_tick_and_counts_ended_threads() {
        let me = std::process::id().cast_signed();
        let before = usage(&[me]);
        std::thread::spawn(|| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(30) {}
        })
        .join()
        .unwrap();
        let after = usage(&[me]);
        assert!(after.cpu_s > before.cpu_s);
        assert_ne!(
            after.cpu_s,
            (after.cpu_s * 100.0).round() / 100.0,
            "not in ticks of 10 ms"
        );
    }
}
