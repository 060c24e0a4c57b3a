//! Samples of a server's process tree around and during a load.

use crate::model::{Heat, ServerCost};
use crate::os::{self, Throttle, Usage};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Watches a process tree from just before a load until just after it.
#[derive(Debug)]
pub(super) struct Watch {
    began: Instant,
    cpus: Vec<u32>,
    usage: Usage,
    unwaited: Vec<i32>,
    stolen_s: Option<f64>,
    busy_s: Option<f64>,
    heat: Heat,
    throttle: Option<Throttle>,
    middle: Middle,
}

impl Watch {
    /// Looks at `processes`, whose server runs on `cpus`, now and once more after `delay`, while the load runs.
    pub(super) fn begin(processes: &[i32], cpus: &[u32], delay: Duration) -> Self {
        let cpu = first(cpus);
        let throttle = os::throttle(cpu);
        Self {
            heat: Heat {
                get_throttled_before: throttle.and_then(|throttle| throttle.firmware),
                celsius_before: os::celsius(),
                mhz_before: os::mhz(cpu),
                governor_before: os::governor(cpu),
                ..Heat::default()
            },
            throttle,
            middle: Middle::after(delay, processes.to_vec()),
            stolen_s: os::stolen_s(cpus),
            busy_s: os::busy_s(cpus),
            usage: os::usage(processes),
            unwaited: os::unwaited(processes),
            cpus: cpus.to_vec(),
            began: Instant::now(),
        }
    }

    /// What the tree, now `processes`, used for `all_responses`, which at the measured rate take `elapsed_s`.
    pub(super) fn end(
        self,
        processes: &[i32],
        elapsed_s: f64,
        all_responses: u64,
    ) -> (ServerCost, Heat) {
        let used = os::usage(processes).since(&self.usage);
        let since = |now: Option<f64>, before: Option<f64>| Some(now? - before?);
        let busy_s = since(os::busy_s(&self.cpus), self.busy_s);
        let stolen_s = since(os::stolen_s(&self.cpus), self.stolen_s);
        let heat = self.heat_until_now();
        let cpus = u32::try_from(self.cpus.len()).unwrap_or(1);
        let mut cost = ServerCost {
            cpus,
            stolen_s,
            ..ServerCost::default()
        };
        let mut unwaited = self.unwaited;
        if let Some(look) = self.middle.seen() {
            cost.pss_load_bytes = look.pss;
            cost.processes = Some(look.usage.processes);
            cost.threads = Some(look.usage.threads);
            unwaited.extend(look.unwaited);
        }
        cost.children_lost = unwaited.iter().any(|pid| !processes.contains(pid));
        // A tree that has ended tells nothing any more.
        if os::SAMPLES && used.processes > 0 && used.cpu_s >= 0.0 && !cost.children_lost {
            let wall_s = self.began.elapsed().as_secs_f64();
            let had = Had {
                wall_s,
                cpus,
                stolen_s,
            };
            cost.utilisation = had.share(used.cpu_s, elapsed_s);
            cost.others_utilisation = busy_s.and_then(|busy| had.share(busy - used.cpu_s, wall_s));
            cost.cpu_us_per_request =
                (all_responses > 0).then(|| used.cpu_s * 1e6 / all_responses as f64);
            fill(&mut cost, &used);
        }
        (cost, heat)
    }

    fn heat_until_now(&self) -> Heat {
        let cpu = first(&self.cpus);
        let throttle = os::throttle(cpu);
        let throttled = self
            .throttle
            .zip(throttle)
            .map(|(before, after)| before.now || after.now || after.count > before.count);
        Heat {
            celsius_after: os::celsius(),
            mhz_after: os::mhz(cpu),
            governor_after: os::governor(cpu),
            get_throttled_after: throttle.and_then(|throttle| throttle.firmware),
            throttled,
            ..self.heat.clone()
        }
    }
}

/// The CPU time that was to be had while a tree was watched, which is longer than the measured time: connections are
/// opened before, and what is under way is awaited after it.
#[derive(Clone, Copy, Debug)]
struct Had {
    wall_s: f64,
    cpus: u32,
    stolen_s: Option<f64>,
}

impl Had {
    /// `cpu_s` as a share of what was to be had in `seconds`: time was stolen evenly.
    fn share(&self, cpu_s: f64, seconds: f64) -> Option<f64> {
        let cpus = f64::from(self.cpus) - self.stolen_s.unwrap_or(0.0) / self.wall_s;
        let available = seconds * cpus;
        (available > 0.0).then(|| (cpu_s / available).max(0.0))
    }
}

fn fill(cost: &mut ServerCost, used: &Usage) {
    cost.cpu_s = Some(used.cpu_s);
    cost.user_s = Some(used.cpu_s * used.user_share());
    cost.system_s = Some(used.cpu_s * (1.0 - used.user_share()));
    cost.voluntary_switches = Some(used.voluntary_switches);
    cost.involuntary_switches = Some(used.involuntary_switches);
}

fn first(cpus: &[u32]) -> u32 {
    cpus.first().copied().unwrap_or(0)
}

/// A look at the tree in the middle of a load, by a thread of its own.
#[derive(Debug)]
struct Middle {
    thread: JoinHandle<Option<Look>>,
    cancel: Sender<()>,
}

/// What was seen of it.
#[derive(Debug)]
struct Look {
    pss: Option<u64>,
    usage: Usage,
    unwaited: Vec<i32>,
}

impl Middle {
    fn after(delay: Duration, roots: Vec<i32>) -> Self {
        let (cancel, cancelled) = channel();
        let thread = std::thread::spawn(move || match cancelled.recv_timeout(delay) {
            Err(RecvTimeoutError::Timeout) if os::SAMPLES => {
                let all = os::processes();
                let mut tree: Vec<i32> = roots
                    .iter()
                    .flat_map(|root| os::descendants(&all, *root))
                    .collect();
                tree.sort_unstable();
                tree.dedup();
                Some(Look {
                    pss: os::pss(&tree),
                    usage: os::usage(&tree),
                    unwaited: os::unwaited(&tree),
                })
            }
            _ => None,
        });
        Self { thread, cancel }
    }

    /// What it saw; nothing when the load ended before.
    fn seen(self) -> Option<Look> {
        drop(self.cancel);
        self.thread.join().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stolen_time_is_spread_over_all_the_time_that_was_watched() {
        let had = Had {
            wall_s: 4.0,
            cpus: 2,
            stolen_s: Some(1.6),
        };
        let share = had.share(1.6, 2.0).unwrap();
        assert!((share - 0.5).abs() < 1e-12, "{share}");
        assert_eq!(had.share(1.0, 0.0), None);
    }

    /// What others did while connections were opened and awaited is no part of the measured time alone.
    #[test]
    #[cfg(target_os = "linux")]
    fn others_never_take_more_than_there_is() {
        let cpus = os::allowed();
        let me = [std::process::id().cast_signed()];
        let watch = Watch::begin(&me, &cpus[..1], Duration::ZERO);
        std::thread::sleep(Duration::from_millis(200));
        let (cost, _) = watch.end(&me, 0.001, 1);
        let others = cost.others_utilisation.unwrap();
        assert!(others < 1.3, "{others}: clock ticks of 10 ms apart");
    }

    /// Watches a server in Perl that forks a child every 30 ms; `None` without Perl.
    #[cfg(target_os = "linux")]
    fn watch_forks(of_children: &str) -> Option<ServerCost> {
        use std::process::Command;
        const FORKS: &str = "for (;;) { if (!fork) { $x++ for 1..99999; select undef, undef, undef, 0.3; exit } select undef, undef, undef, 0.03 }";
        let script = format!("$SIG{{CHLD}} = {of_children}; {FORKS}");
        let Ok(mut perl) = Command::new("perl").args(["-e", &script]).spawn() else {
            println!("skipped: no perl here");
            return None;
        };
        let pid = perl.id().cast_signed();
        let tree = || os::descendants(&os::processes(), pid);
        std::thread::sleep(Duration::from_millis(300));
        let watch = Watch::begin(&tree(), &os::allowed()[..1], Duration::from_millis(300));
        std::thread::sleep(Duration::from_millis(900));
        let (cost, _) = watch.end(&tree(), 0.9, 1);
        perl.kill().unwrap();
        perl.wait().unwrap();
        Some(cost)
    }

    /// 330 µs for each request instead of 1,227.
    #[test]
    #[cfg(target_os = "linux")]
    fn cpu_time_of_children_that_nobody_waits_for_is_not_known() {
        let Some(cost) = watch_forks("'IGNORE'") else {
            return;
        };
        assert!(cost.children_lost, "{cost:?}");
        assert_eq!((cost.cpu_us_per_request, cost.utilisation), (None, None));
        let waits = "sub { 1 while waitpid(-1, 1) > 0 }";
        let cost = watch_forks(waits).unwrap();
        assert!(!cost.children_lost && cost.cpu_s.is_some(), "{cost:?}");
    }
}
