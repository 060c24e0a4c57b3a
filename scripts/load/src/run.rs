//! A run from its first request to its report.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::cpu::Cpus;
use crate::plan::Plan;
use crate::probe::{self, Probe};
use crate::tally::Tally;
use crate::worker::{Shown, Worker};
use crate::{Amount, Config, Error, Mode, Report, files, request, summary};

/// Between two looks at how far the threads are.
const LOOK: Duration = Duration::from_millis(20);
/// Between two calls of `progress`.
const SHOW: Duration = Duration::from_millis(200);

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since the load began.
    pub elapsed: Duration,
    /// Requests ended so far, one way or another.
    pub requests: u64,
    /// Of these, errors.
    pub errors: u64,
    /// Share of the run that is done, 0 to 1.
    pub done: f64,
}

/// Loads the target as told and reports what came of it. `progress` is called a few times a second.
///
/// An error means that nothing could be measured. What goes wrong with the server is in the report, also
/// that the first connection could not be made ([`Report::stopped`]).
///
/// Raises this process's soft limit of open files to the hard one.
pub fn run(config: &Config, progress: impl FnMut(Progress)) -> Result<Report, Error> {
    check(config)?;
    let request = request::bytes(config)?;
    files::make_room(config.connections, config.threads)?;

    let mut probe = probe::send(config, &request);
    let mut tally = probe.tally.clone();
    if tally.stopped.is_none() {
        tally.merge(&load(config, &request, &mut probe, progress)?);
    }
    tally.interrupted |= config.stop.load(Relaxed);
    Ok(summary::report(config, &probe, tally))
}

/// Whether the settings go together.
fn check(config: &Config) -> Result<(), Error> {
    let wrong = |text: &str| Err(Error::Config(text.into()));
    if config.connections == 0 || config.threads == 0 {
        return wrong("at least one connection and one thread are needed");
    }
    if config.threads > config.connections {
        return Err(Error::Config(format!(
            "{} threads have but {} connections: ask for at least one connection for each thread",
            config.threads, config.connections
        )));
    }
    if config.mode == Mode::Pipeline(0) {
        return wrong("the pipeline is at least one request deep");
    }
    if config.timeout.is_zero() {
        return wrong("the timeout must be longer than zero");
    }
    if matches!(
        config.amount,
        Amount::Requests(0) | Amount::Time(Duration::ZERO)
    ) {
        return wrong("at least one request, or a time longer than zero, is needed");
    }
    if config.rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1e9)) {
        return wrong("the rate must be above 0 and at most 1,000,000,000 requests per second");
    }
    Ok(())
}

/// Runs the threads.
fn load(
    config: &Config,
    request: &[u8],
    probe: &mut Probe,
    progress: impl FnMut(Progress),
) -> Result<Tally, Error> {
    let plan = Plan {
        config,
        cpus: Cpus::new(config),
        address: probe.address,
        request,
        expected: probe.expected.take(),
        start: Instant::now(),
        failed: AtomicBool::new(false),
        requests: match config.amount {
            // The first request is one of them, or part of the warm-up.
            Amount::Requests(count) if config.warmup.is_zero() => Some(count - 1),
            Amount::Requests(count) => Some(count),
            Amount::Time(_) => None,
        },
    };
    let shown: Vec<Shown> = (0..config.threads).map(|_| Shown::default()).collect();
    thread::scope(|scope| {
        let threads: Vec<_> = shown
            .iter()
            .enumerate()
            .map(|(thread, shown)| {
                let plan = &plan;
                thread::Builder::new()
                    .name(format!("load-{thread}"))
                    .spawn_scoped(scope, move || work(plan, thread, shown))
                    .map_err(|source| Error::System {
                        action: "start a thread",
                        source,
                    })
            })
            .collect();
        let threads = threads.into_iter().collect::<Result<Vec<_>, _>>()?;
        watch(&plan, &threads, &shown, progress);
        merge(threads)
    })
}

/// What a thread does. When it cannot, the others need not go on.
fn work(plan: &Plan, thread: usize, shown: &Shown) -> Result<Tally, Error> {
    Worker::new(plan, thread, shown)
        .and_then(Worker::run)
        .inspect_err(|_| plan.failed.store(true, Relaxed))
}

/// Shows how far the run is until all threads have ended.
fn watch<T>(
    plan: &Plan,
    threads: &[ScopedJoinHandle<T>],
    shown: &[Shown],
    mut progress: impl FnMut(Progress),
) {
    let mut last = Instant::now();
    while !threads.iter().all(ScopedJoinHandle::is_finished) {
        thread::sleep(LOOK);
        if last.elapsed() >= SHOW {
            last = Instant::now();
            progress(seen(plan, shown));
        }
    }
}

fn seen(plan: &Plan, shown: &[Shown]) -> Progress {
    let elapsed = plan.start.elapsed();
    let requests = shown
        .iter()
        .map(|thread| thread.requests.load(Relaxed))
        .sum();
    let done = match plan.config.amount {
        Amount::Requests(count) => requests as f64 / count as f64,
        Amount::Time(time) => elapsed.as_secs_f64() / (plan.config.warmup + time).as_secs_f64(),
    };
    Progress {
        elapsed,
        requests,
        errors: shown.iter().map(|thread| thread.errors.load(Relaxed)).sum(),
        done: done.min(1.0),
    }
}

/// One tally out of those of all threads.
fn merge(threads: Vec<ScopedJoinHandle<Result<Tally, Error>>>) -> Result<Tally, Error> {
    let mut all = Tally::new();
    for thread in threads {
        match thread.join() {
            Ok(tally) => all.merge(&tally?),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    Ok(all)
}
