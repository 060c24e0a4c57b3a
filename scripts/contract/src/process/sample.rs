//! Memory and CPU of a process group, where the system has Linux' /proc.

use std::time::Duration;

/// What one thread has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) id: u32,
    /// User and system time.
    pub(super) cpu: Duration,
    /// Time for which it could have run, and got no CPU.
    pub(super) waiting: Duration,
}

#[cfg(target_os = "linux")]
pub(super) use linux::{memory, threads};

/// Proportional set size of the group in bytes; `None`, since this system has no /proc.
#[cfg(not(target_os = "linux"))]
pub(super) fn memory(_group: u32) -> Option<u64> {
    None
}

/// The group's threads; `None`, since this system has no /proc.
#[cfg(not(target_os = "linux"))]
pub(super) fn threads(_group: u32) -> Option<Vec<Thread>> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use super::Thread;

    /// Proportional set size of the group in bytes; `None` when it has no process left.
    pub(in super::super) fn memory(group: u32) -> Option<u64> {
        members(group).map(|members| members.into_iter().map(proportional_set_size).sum())
    }

    /// The group's threads; `None` when it has no process left.
    pub(in super::super) fn threads(group: u32) -> Option<Vec<Thread>> {
        members(group).map(|members| members.into_iter().flat_map(threads_of).collect())
    }

    fn members(group: u32) -> Option<Vec<u32>> {
        let members: Vec<u32> = numbers("/proc")
            .filter(|pid| group_of(*pid) == Some(group))
            .collect();
        (!members.is_empty()).then_some(members)
    }

    /// The entries of a folder that are numbers.
    fn numbers(folder: impl AsRef<Path>) -> impl Iterator<Item = u32> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// The third field behind the name, which may hold blanks and brackets itself.
    fn group_of(pid: u32) -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse().ok()
    }

    fn proportional_set_size(pid: u32) -> u64 {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        let kib: Option<u64> =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        kib.unwrap_or(0) * 1024
    }

    /// From schedstat, which counts nanoseconds; stat counts hundredths of a second.
    fn threads_of(pid: u32) -> impl Iterator<Item = Thread> {
        numbers(format!("/proc/{pid}/task")).filter_map(move |id| {
            let schedstat = fs::read_to_string(format!("/proc/{pid}/task/{id}/schedstat")).ok()?;
            let mut fields = schedstat
                .split(' ')
                .map(|field| field.parse().ok().map(Duration::from_nanos));
            Some(Thread {
                id,
                cpu: fields.next()??,
                waiting: fields.next()??,
            })
        })
    }
}
