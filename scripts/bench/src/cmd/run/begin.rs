//! A new run: from the command line to what will be measured.

use super::{Job, Scope, default_body_size};
use crate::candidate::{Candidate, Choice, choose, with_twin};
use crate::checkout::Place;
use crate::cli::{DURATION, ROUNDS, RunArgs};
use crate::model::{
    Cell, Controls, Fact, GeneratorFacts, GeneratorKind, Mode, Plan, Run, SCHEMA_VERSION,
};
use crate::session::planned;
use crate::store::Store;
use crate::{clock, cpus, generator, os, plan, prepare};
use anyhow::ensure;
use contract::Values;
use std::collections::BTreeMap;

/// Requests in flight on each connection in mode `pipeline`.
const PIPELINE_DEPTH: u32 = 16;

/// Resolves what was asked for; builds and starts nothing.
pub(super) fn job(args: &RunArgs, scope: Scope) -> anyhow::Result<Job> {
    let place = Place::find(args.selection.targets.as_deref())?;
    let candidates = candidates(args, scope, &place)?;
    let name = args.name.clone().unwrap_or_else(clock::run_name);
    let store = Store::of(&place.results, &name)?;
    ensure!(
        args.dry_run || !store.file().exists(),
        "there is a run `{name}` already: --resume goes on with it, another --name keeps it"
    );
    // Before this process is bound to the generator's CPUs.
    let machine = os::machine();
    let cpus = cpus::plan();
    let plan = resolve(args, &place, u32::try_from(cpus.server.len()).unwrap_or(1));
    ensure!(
        plan.rates_percent.is_empty() || plan.generators.contains(&GeneratorKind::Embedded),
        "--rate needs the embedded generator: wrk and ab send as fast as they can"
    );
    let generators = generators(&plan)?;
    let run = Run {
        schema_version: SCHEMA_VERSION,
        name,
        started: clock::now(),
        finished: None,
        command: command(&plan),
        machine,
        cpus,
        commit: place.commit(),
        toolchain: place.toolchain(),
        generators,
        targets: candidates.iter().map(Candidate::describe).collect(),
        cells: cells(&plan, &candidates),
        controls: Controls::default(),
        warnings: Vec::new(),
        plan,
    };
    let body_size = args.body_size.unwrap_or_else(default_body_size);
    Ok(Job {
        run,
        candidates,
        store,
        place,
        body_size,
        body_sizes: BTreeMap::new(),
        port: args.port,
    })
}

/// The targets, and the A/A twin of the first.
pub(super) fn candidates(
    args: &RunArgs,
    scope: Scope,
    place: &Place,
) -> anyhow::Result<Vec<Candidate>> {
    let selection = args.selection.clone();
    let choice = Choice {
        only: selection.only,
        skip: selection.skip,
        with: selection.with,
        all: scope == Scope::All && place.targets.is_some(),
    };
    Ok(with_twin(choose(place.targets.as_ref(), &choice)?))
}

fn resolve(args: &RunArgs, place: &Place, server_cpus: u32) -> Plan {
    Plan {
        seed: args
            .seed
            .unwrap_or_else(|| u64::from(rand::random::<u32>())),
        rounds: args.rounds.unwrap_or(ROUNDS),
        warmup_s: args.warmup.as_secs_f64(),
        duration_s: args.duration.unwrap_or(DURATION).as_secs_f64(),
        modes: unique(&args.mode),
        connections: unique(&args.connections),
        threads: if args.threads.is_empty() {
            vec![server_cpus]
        } else {
            unique(&args.threads)
        },
        generators: unique(&args.generator),
        rates_percent: args.rate.clone(),
        pipeline_depth: PIPELINE_DEPTH,
        request: args.request,
        path: args.path.clone(),
        body_size: args.body_size.map(|size| size as u64),
        wire_size: args.wire_size,
        preset: args.preset.map(|preset| preset.name().to_owned()),
        targets_file: place.targets_file.clone(),
    }
}

fn unique<T: Copy + PartialEq>(values: &[T]) -> Vec<T> {
    let mut unique: Vec<T> = Vec::new();
    for value in values {
        if !unique.contains(value) {
            unique.push(*value);
        }
    }
    unique
}

/// A generator that is not installed is an error: what was asked for cannot be measured.
fn generators(plan: &Plan) -> anyhow::Result<Vec<GeneratorFacts>> {
    plan.generators
        .iter()
        .map(|kind| {
            Ok(GeneratorFacts {
                name: *kind,
                version: generator::of_kind(*kind).version()?,
            })
        })
        .collect()
}

/// The command that repeats this run: as it was given, with the seed.
fn command(plan: &Plan) -> Vec<String> {
    let mut command: Vec<String> = std::env::args().skip(1).collect();
    command.insert(0, "bench".into());
    if !command
        .iter()
        .any(|word| word == "--seed" || word.starts_with("--seed="))
    {
        command.extend(["--seed".into(), plan.seed.to_string()]);
    }
    command
}

/// Every cell of the plan, in the order of targets.
pub(super) fn cells(plan: &Plan, candidates: &[Candidate]) -> Vec<Cell> {
    let visits = candidates.iter().flat_map(|candidate| {
        plan.threads
            .iter()
            .map(move |threads| (candidate, *threads))
    });
    visits
        .flat_map(|(candidate, threads)| plan::cells_of(plan, &candidate.name, threads))
        .map(planned)
        .collect()
}

/// Builds the targets, skips those that cannot be, and describes the others.
pub(super) fn prepare(job: &mut Job) -> anyhow::Result<()> {
    let threads = job.run.plan.threads.first().copied().unwrap_or(1);
    let values = Values {
        port: job.port.unwrap_or(0),
        threads: threads as usize,
        body_size: job.body_size,
        ..Values::new(&job.place.bin)
    };
    let missing = prepare::build(&job.candidates, &values);
    for (candidate, missing) in job.candidates.iter().zip(&missing) {
        let Some(entry) = job
            .run
            .targets
            .iter_mut()
            .find(|target| target.name == candidate.name)
        else {
            continue;
        };
        entry.skipped.clone_from(missing);
        match missing {
            None => describe(candidate, &values, entry)?,
            Some(reason) => skip(&mut job.run.cells, &candidate.name, reason),
        }
    }
    let mut missing = missing.into_iter();
    job.candidates
        .retain(|_| missing.next().flatten().is_none());
    ensure!(
        !job.candidates.is_empty(),
        "no target can be measured: {}",
        job.run
            .targets
            .iter()
            .find_map(|target| target.skipped.clone())
            .unwrap_or_default()
    );
    note_crowding(&mut job.run, job.port);
    Ok(())
}

/// A resumed run must not mix two builds.
fn describe(
    candidate: &Candidate,
    values: &Values,
    entry: &mut crate::model::Target,
) -> anyhow::Result<()> {
    let before = entry.binary_sha256.take();
    prepare::describe(candidate, values, entry);
    ensure!(
        before.is_none() || before == entry.binary_sha256,
        "{} was built anew since this run began: its rounds cannot be mixed, so start a new run",
        candidate.name
    );
    Ok(())
}

pub(super) fn skip(cells: &mut [Cell], target: &str, reason: &str) {
    for cell in cells
        .iter_mut()
        .filter(|cell| cell.key.target == target && cell.samples.is_empty())
    {
        *cell = Cell::skipped(cell.key.clone(), reason);
    }
}

/// What about the plan itself a reader must know.
fn note_crowding(run: &mut Run, port: Option<u16>) {
    let cpus = run.cpus.server.len();
    let mut notes = Vec::new();
    if let Some(most) = run
        .plan
        .threads
        .iter()
        .max()
        .filter(|most| **most as usize > cpus)
    {
        notes.push(format!("{most} server threads share {cpus} CPU(s): what more threads bring is not to be seen here"));
    }
    if run.cpus.shared {
        notes.push(
            "server and generator share their CPUs: only CPU per request tells servers apart"
                .into(),
        );
    }
    if port.is_some() && run.plan.modes.contains(&Mode::Close) {
        notes.push("mode close on one fixed port leaves connections in TIME_WAIT behind: without --port each start has a fresh one".into());
    }
    if run.plan.modes.contains(&Mode::Close) {
        notes.extend(ports_that_run_out(&run.machine.facts));
    }
    for note in notes {
        if !run.warnings.contains(&note) {
            run.warnings.push(note);
        }
    }
}

/// A connection per request leaves an ephemeral port in TIME_WAIT: after some 28,000 of them wrk and ab stall silently
/// (TechEmpower 4092). The embedded generator spreads over source addresses instead.
fn ports_that_run_out(facts: &[Fact]) -> Vec<String> {
    let limits = facts
        .iter()
        .filter(|fact| ["port-range", "tcp-tw-reuse"].contains(&fact.name.as_str()));
    limits
        .filter_map(|fact| {
            let remedy = fact.remedy.as_ref()?;
            Some(format!(
                "mode close can run out of ports ({}: {}): {remedy}",
                fact.name, fact.value
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;

    #[test]
    fn too_few_ports_for_mode_close_are_said() {
        let fact = |name: &str, remedy: Option<&str>| Fact {
            name: name.into(),
            value: "1000 ephemeral ports".into(),
            severity: Severity::Warning,
            remedy: remedy.map(str::to_owned),
        };
        let few = [
            fact("port-range", Some("sudo sysctl -w x")),
            fact("load", Some("wait")),
        ];
        let notes = ports_that_run_out(&few);
        assert_eq!(notes.len(), 1);
        assert!(
            notes[0].contains("1000 ephemeral ports") && notes[0].contains("sysctl"),
            "{notes:?}"
        );
        assert!(ports_that_run_out(&[fact("port-range", None)]).is_empty());
    }
}
