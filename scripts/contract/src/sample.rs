//! Memory, CPU and descriptors of a process group, where the system has Linux' /proc.

use std::time::Duration;

/// What one thread has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Its id.
    pub id: u32,
    /// User and system time.
    pub cpu: Duration,
    /// Time for which it could have run, and got no CPU.
    pub waiting: Duration,
}

/// What all processes of a group hold together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Proportional set size in bytes.
    pub pss: u64,
    /// Resident set size in bytes.
    pub rss: u64,
    /// Open descriptors.
    pub descriptors: u64,
    /// User and system time of the processes alive and of their ended threads, in clock ticks (1/100 s).
    pub cpu: Duration,
}

#[cfg(target_os = "linux")]
pub use linux::{members, memory, threads, usage};

/// The group's processes; `None`, since this system has no /proc.
#[cfg(not(target_os = "linux"))]
pub fn members(_group: u32) -> Option<Vec<u32>> {
    None
}

/// Proportional set size of the group in bytes; `None`, since this system has no /proc.
#[cfg(not(target_os = "linux"))]
pub fn memory(_group: u32) -> Option<u64> {
    None
}

/// The group's threads; `None`, since this system has no /proc.
#[cfg(not(target_os = "linux"))]
pub fn threads(_group: u32) -> Option<Vec<Thread>> {
    None
}

/// What the group holds; `None`, since this system has no /proc.
#[cfg(not(target_os = "linux"))]
pub fn usage(_group: u32) -> Option<Usage> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use super::{Thread, Usage};

    /// Proportional set size of the group in bytes; `None` when it has no process left.
    pub fn memory(group: u32) -> Option<u64> {
        members(group).map(|members| members.into_iter().map(proportional_set_size).sum())
    }

    /// The group's threads; `None` when it has no process left.
    pub fn threads(group: u32) -> Option<Vec<Thread>> {
        members(group).map(|members| members.into_iter().flat_map(threads_of).collect())
    }

    /// What the group holds; `None` when it has no process left.
    pub fn usage(group: u32) -> Option<Usage> {
        let add = |sum: Usage, pid: u32| Usage {
            pss: sum.pss + proportional_set_size(pid),
            rss: sum.rss + kib(&format!("/proc/{pid}/status"), "VmRSS:"),
            descriptors: sum.descriptors + numbers(format!("/proc/{pid}/fd")).count() as u64,
            cpu: sum.cpu + cpu_of(pid).unwrap_or_default(),
        };
        members(group).map(|members| members.into_iter().fold(Usage::default(), add))
    }

    /// The group's processes; `None` when there is none left.
    pub fn members(group: u32) -> Option<Vec<u32>> {
        let members: Vec<u32> = numbers("/proc")
            .filter(|pid| stat(*pid, 2) == Some(u64::from(group)))
            .collect();
        (!members.is_empty()).then_some(members)
    }

    /// The entries of a folder that are numbers.
    fn numbers(folder: impl AsRef<Path>) -> impl Iterator<Item = u32> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// One of the fields behind the name, which may hold blanks and brackets itself; 0 is the state.
    fn stat(pid: u32, field: usize) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let behind = stat.rsplit_once(") ")?.1;
        behind.split(' ').nth(field)?.parse().ok()
    }

    /// User and system time, in the hundredths of a second that Linux counts for programs.
    fn cpu_of(pid: u32) -> Option<Duration> {
        Some(Duration::from_millis(
            10 * (stat(pid, 11)? + stat(pid, 12)?),
        ))
    }

    fn proportional_set_size(pid: u32) -> u64 {
        kib(&format!("/proc/{pid}/smaps_rollup"), "Pss:")
    }

    /// The bytes that a line `NAME N kB` tells; 0 where there is none.
    fn kib(file: &str, name: &str) -> u64 {
        let text = fs::read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
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
