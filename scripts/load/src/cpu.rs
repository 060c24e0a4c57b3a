//! CPU time of a thread, time stolen by the hypervisor, and pinning: what each system has of it.

use std::thread::available_parallelism;

use crate::{Config, ThreadCpu};

/// The CPUs that the threads of a run can use.
#[derive(Debug)]
pub(crate) struct Cpus {
    /// Their numbers; empty where the system does not tell.
    numbers: Vec<usize>,
    /// How many can be in use at the same time.
    pub(crate) available: usize,
}

impl Cpus {
    /// Those that threads are pinned to, or else those that this process may use.
    pub(crate) fn new(config: &Config) -> Self {
        if config.cpus.is_empty() {
            let all = available_parallelism().map_or(1, usize::from);
            return Self {
                numbers: system::allowed(),
                available: all.min(config.threads),
            };
        }
        let mut numbers: Vec<_> = config.cpus.iter().take(config.threads).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self {
            available: numbers.len(),
            numbers,
        }
    }

    /// Seconds stolen so far from as many of these CPUs as can be in use: where threads may move, the mean
    /// of all.
    fn stolen_seconds(&self) -> Option<f64> {
        let all = system::stolen_seconds(&self.numbers)?;
        Some(all * self.available as f64 / self.numbers.len().max(1) as f64)
    }
}

/// CPU and stolen time up to one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    thread: ThreadCpu,
    stolen_seconds: Option<f64>,
}

impl Usage {
    /// Of the calling thread, and of the run's CPUs.
    pub(crate) fn now(cpus: &Cpus) -> Self {
        Self {
            thread: system::thread_times(),
            stolen_seconds: cpus.stolen_seconds(),
        }
    }

    /// What was used since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> (ThreadCpu, Option<f64>) {
        let thread = ThreadCpu {
            user_seconds: self.thread.user_seconds - earlier.thread.user_seconds,
            system_seconds: self.thread.system_seconds - earlier.thread.system_seconds,
        };
        let stolen = self.stolen_seconds.zip(earlier.stolen_seconds);
        (thread, stolen.map(|(now, then)| (now - then).max(0.0)))
    }
}

pub(crate) use system::pin;

#[cfg(target_os = "linux")]
mod system {
    use std::{fs, io};

    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeVal;
    use nix::unistd::{Pid, SysconfVar, sysconf};

    use crate::ThreadCpu;

    /// Keeps the calling thread on one CPU.
    pub(crate) fn pin(cpu: usize) -> io::Result<()> {
        let mut set = CpuSet::new();
        set.set(cpu)?;
        Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
    }

    /// The CPUs that this process may use.
    pub(crate) fn allowed() -> Vec<usize> {
        let Ok(set) = sched_getaffinity(Pid::from_raw(0)) else {
            return Vec::new();
        };
        (0..CpuSet::count())
            .filter(|cpu| set.is_set(*cpu).unwrap_or(false))
            .collect()
    }

    pub(crate) fn thread_times() -> ThreadCpu {
        let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        getrusage(UsageWho::RUSAGE_THREAD).map_or_else(
            |_| ThreadCpu::default(),
            |usage| ThreadCpu {
                user_seconds: seconds(usage.user_time()),
                system_seconds: seconds(usage.system_time()),
            },
        )
    }

    pub(crate) fn stolen_seconds(cpus: &[usize]) -> Option<f64> {
        let hertz = sysconf(SysconfVar::CLK_TCK).ok()??;
        Some(stolen_ticks(&fs::read_to_string("/proc/stat").ok()?, cpus)? as f64 / hertz as f64)
    }

    /// proc_stat(5): `cpuN user nice system idle iowait irq softirq steal …`.
    fn stolen_ticks(stat: &str, cpus: &[usize]) -> Option<u64> {
        let wanted = |name: &str| match name.strip_prefix("cpu")? {
            "" => None,
            number => number.parse().ok().filter(|number| cpus.contains(number)),
        };
        let per_cpu = stat.lines().filter_map(|line| {
            let mut words = line.split_ascii_whitespace();
            let _: usize = wanted(words.next()?)?;
            words.nth(7)?.parse::<u64>().ok()
        });
        per_cpu.reduce(|sum, ticks| sum + ticks)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn steal_of_the_right_cpus() {
            let stat = "cpu  9 9 9 9 9 9 9 99 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7 16 0 0\nintr 5\n";
            assert_eq!(stolen_ticks(stat, &[0, 1]), Some(24));
            assert_eq!(stolen_ticks(stat, &[1]), Some(16));
            assert_eq!(stolen_ticks("intr 5\n", &[0]), None);
        }

        #[test]
        fn cpu_time_moves() {
            let before = thread_times();
            while thread_times().user_seconds + thread_times().system_seconds
                <= before.user_seconds + before.system_seconds
            {
                std::hint::spin_loop();
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use nix::time::{ClockId, clock_gettime};

    use crate::ThreadCpu;

    /// Threads cannot be pinned here.
    pub(crate) fn pin(_: usize) -> io::Result<()> {
        Ok(())
    }

    /// The system gives the sum only: it counts as user time.
    pub(crate) fn thread_times() -> ThreadCpu {
        let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
        ThreadCpu {
            user_seconds: time.map_or(0.0, |time| {
                time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9
            }),
            system_seconds: 0.0,
        }
    }

    pub(crate) fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub(crate) fn stolen_seconds(_: &[usize]) -> Option<f64> {
        None
    }
}
