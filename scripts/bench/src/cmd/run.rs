//! `run`: measure.

mod begin;
mod finish;
mod ground;
mod pad;
mod ready;
mod resume;

use crate::candidate::Candidate;
use crate::checkout::Place;
use crate::cli::RunArgs;
use crate::executor::{Real, Setting};
use crate::generator::{Generators, Here, Site};
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::model::Run;
use crate::progress::Progress;
use crate::session::{RunError, Session};
use crate::store::Store;
use crate::{exit, os, plan, preset, wire};
use contract::Values;
use ground::{Ground, Where};
use std::collections::BTreeMap;
use std::time::Duration;

/// Which targets are measured when none are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of the quick run.
    Quick,
    /// All.
    All,
}

/// What a run needs beyond its results.
struct Job {
    run: Run,
    candidates: Vec<Candidate>,
    store: Store,
    place: Place,
    body_size: usize,
    /// Where they differ from target to target.
    body_sizes: BTreeMap<String, usize>,
    port: Option<u16>,
}

/// What the command line means, before anything is started or asked.
struct Asked {
    /// The arguments that the run began with.
    args: RunArgs,
    place: Place,
    candidates: Vec<Candidate>,
    store: Store,
    name: String,
    /// The run to go on with.
    begun: Option<Run>,
}

/// Measures, or goes on measuring.
///
/// # Errors
/// When nothing can be measured, or the run had to stop.
pub fn run(args: &RunArgs, scope: &Scope) -> anyhow::Result<u8> {
    let args = &preset::applied(args);
    let asked = if args.resume {
        resume::asked(args)?
    } else {
        begin::asked(args, *scope)?
    };
    if args.dry_run {
        let job = asked.job(&Where::here(), &Here)?;
        let seconds = plan::duration_s(&job.run.plan, &job.candidates);
        return finish::dry_run(&job, seconds);
    }
    let interrupt = Interrupt::on_signals()?;
    os::adopt_orphans();
    let guard = if os::SAMPLES {
        Guard::start()?
    } else {
        Guard::none()
    };
    match go(args, asked, &guard, &interrupt) {
        // A signal also ends ssh and builds, which is no fault of theirs.
        Err(_) if interrupt.is_set() => Ok(exit::INTERRUPTED),
        done => done,
    }
}

fn go(args: &RunArgs, asked: Asked, guard: &Guard, interrupt: &Interrupt) -> anyhow::Result<u8> {
    let mut ground = Ground::find(&asked, guard, interrupt)?;
    let mut job = asked.job(&ground.at, ground.generators.as_ref())?;
    ready::prepare(&mut job, ground.host.as_mut())?;
    pad::pad(&mut job, ground.host.as_mut())?;
    if interrupt.is_set() {
        return Ok(exit::INTERRUPTED);
    }
    let seconds = plan::duration_s(&job.run.plan, &job.candidates);
    let left = seconds - resume::done_s(&job.run);
    eprintln!(
        "bench: {} targets, {} rounds, about {}",
        job.candidates.len(),
        job.run.plan.rounds,
        plan::describe_s(left)
    );
    let result = measure(&mut job, ground, guard, interrupt, left);
    finish::show(args, &job, result)
}

impl Asked {
    fn job(self, at: &Where, generators: &dyn Generators) -> anyhow::Result<Job> {
        match &self.begun {
            Some(_) => resume::job(self, at),
            None => begin::job(self, at, generators),
        }
    }
}

fn measure(
    job: &mut Job,
    ground: Ground,
    guard: &Guard,
    interrupt: &Interrupt,
    seconds: f64,
) -> Result<(), RunError> {
    let plan = &job.run.plan;
    let cpus = job.run.cpus.clone();
    let site = Site {
        // Those of other hosts are known there.
        cpus: match plan.generator_on.is_empty() {
            true => cpus.generator.clone(),
            false => os::allowed(),
        },
        mark: guard.mark().into(),
        interrupt: interrupt.clone(),
    };
    let any = ([127, 0, 0, 1], 0).into();
    let request = wire::request(plan.request, &plan.path, any)?;
    let setting = Setting {
        bin: job.place.bin.clone(),
        cpus,
        port: job.port,
        body_size: job.body_size,
        body_sizes: job.body_sizes.clone(),
        request: plan.request,
        path: plan.path.clone(),
        warmup: Duration::from_secs_f64(plan.warmup_s),
        duration: Duration::from_secs_f64(plan.duration_s),
        site,
    };
    let mut executor = Real::over(setting, ground.host, ground.generators);
    let progress = Progress::new(seconds);
    let mut session = Session {
        run: job.run.clone(),
        candidates: &job.candidates,
        executor: &mut executor,
        keep: &mut job.store,
        progress: &progress,
        interrupt: interrupt.clone(),
        fields: wire::own_fields(&request),
        inspected: BTreeMap::new(),
    };
    let result = session.go();
    job.run = session.run;
    progress.finish();
    result
}

/// Size of the body that was asked for, or the servers' default.
fn body_size_of(args: &RunArgs) -> usize {
    let asked = args.body_size.and_then(|size| usize::try_from(size).ok());
    asked.unwrap_or_else(|| Values::new("").body_size)
}
