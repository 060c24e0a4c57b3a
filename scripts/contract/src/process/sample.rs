//! Memory and CPU of a process group, where the system has Linux' /proc.

use std::time::Duration;

/// What a process group uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sample {
    /// Proportional set size, in bytes.
    pub(super) memory: u64,
    /// User and system time of the threads that live.
    pub(super) cpu: Duration,
}

#[cfg(target_os = "linux")]
pub(super) use linux::sample;

#[cfg(not(target_os = "linux"))]
/// What the group uses; `None`, since this system has no /proc.
pub(super) fn sample(_group: u32) -> Option<Sample> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use super::Sample;

    /// What the group uses; `None` when it has no process left.
    pub(in super::super) fn sample(group: u32) -> Option<Sample> {
        let members: Vec<u32> = processes()
            .filter(|pid| group_of(*pid) == Some(group))
            .collect();
        let memory = members.iter().map(|pid| memory(*pid)).sum();
        let cpu = members.iter().map(|pid| cpu(*pid)).sum();
        (!members.is_empty()).then_some(Sample { memory, cpu })
    }

    fn processes() -> impl Iterator<Item = u32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// The third field behind the name, which may hold blanks and brackets itself.
    fn group_of(pid: u32) -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
    }

    fn memory(pid: u32) -> u64 {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        let kib: Option<u64> =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        kib.unwrap_or(0) * 1024
    }

    /// The sum over the threads, in nanoseconds: /proc/PID/stat counts in hundredths of a second.
    fn cpu(pid: u32) -> Duration {
        let threads = fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten();
        threads.filter_map(|thread| on_cpu(&thread.path())).sum()
    }

    fn on_cpu(thread: &Path) -> Option<Duration> {
        let schedstat = fs::read_to_string(thread.join("schedstat")).ok()?;
        schedstat
            .split(' ')
            .next()?
            .parse()
            .ok()
            .map(Duration::from_nanos)
    }
}
