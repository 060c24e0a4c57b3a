//! What only one operating system can tell or do. The two variants have the same functions.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::*;

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
pub use other::*;

/// A process as far as it matters to who started whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: i32,
    /// Id of its parent.
    pub parent: i32,
    /// Process group.
    pub group: i32,
    /// Name of the program.
    pub name: String,
    /// It has ended and waits to be reaped.
    pub zombie: bool,
}

/// A socket that listens on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Process that holds it; `None` where that cannot be seen.
    pub pid: Option<i32>,
    /// The holder in words, for errors.
    pub owner: String,
}

/// What a process tree has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// CPU time in seconds, reaped children included.
    pub cpu_s: f64,
    /// User time in seconds, in clock ticks.
    pub user_s: f64,
    /// System time in seconds, in clock ticks.
    pub system_s: f64,
    /// Voluntary context switches of the threads alive.
    pub voluntary_switches: u64,
    /// Involuntary ones.
    pub involuntary_switches: u64,
    /// Threads alive.
    pub threads: u64,
    /// Processes alive.
    pub processes: u64,
}

impl Usage {
    /// What was used since `before`; the counts of what is alive are those of now.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            cpu_s: self.cpu_s - before.cpu_s,
            user_s: self.user_s - before.user_s,
            system_s: self.system_s - before.system_s,
            voluntary_switches: self
                .voluntary_switches
                .saturating_sub(before.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(before.involuntary_switches),
            threads: self.threads,
            processes: self.processes,
        }
    }

    /// User time as a share of all; 0 where both are below a clock tick.
    #[must_use]
    pub fn user_share(&self) -> f64 {
        let both = self.user_s + self.system_s;
        if both > 0.0 { self.user_s / both } else { 0.0 }
    }
}

/// What a CPU says about slowing itself down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttle {
    /// It is slowed down now.
    pub now: bool,
    /// How often it was since boot, where that is counted; on a Raspberry Pi in how many ways.
    pub count: u64,
    /// All that a Raspberry Pi's firmware says.
    pub firmware: Option<u32>,
}

/// `root` and all that descends from it, among `processes`.
#[must_use]
pub fn descendants(processes: &[Process], root: i32) -> Vec<i32> {
    let mut tree: Vec<i32> = processes
        .iter()
        .filter(|process| process.pid == root)
        .map(|process| process.pid)
        .collect();
    let mut next = 0;
    while let Some(&parent) = tree.get(next) {
        tree.extend(
            processes
                .iter()
                .filter(|process| process.parent == parent)
                .map(|process| process.pid),
        );
        next += 1;
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_over_generations() {
        let process = |pid, parent| Process {
            pid,
            parent,
            group: 0,
            name: String::new(),
            zombie: false,
        };
        let all = [
            process(1, 0),
            process(5, 1),
            process(9, 5),
            process(7, 9),
            process(6, 1),
        ];
        assert_eq!(descendants(&all, 5), [5, 9, 7]);
        assert_eq!(descendants(&all, 4), Vec::<i32>::new());
    }
}
