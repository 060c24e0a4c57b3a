//! A new run: from the command line to what will be measured.

use super::{Asked, Job, Scope, Where, body_size_of};
use crate::candidate::{Candidate, Choice, choose, with_twin};
use crate::checkout::Place;
use crate::cli::{DURATION, ROUNDS, RunArgs};
use crate::exit::Usage;
use crate::generator::Generators;
use crate::model::{Cell, Controls, GeneratorFacts, GeneratorKind, Plan, Run, SCHEMA_VERSION};
use crate::plan::unique;
use crate::session::planned;
use crate::store::Store;
use crate::{clock, plan};
use anyhow::ensure;
use std::collections::BTreeMap;

/// Requests in flight on each connection in mode `pipeline`.
const PIPELINE_DEPTH: u32 = 16;

/// Resolves what was asked for; builds and starts nothing.
pub(super) fn asked(args: &RunArgs, scope: Scope) -> anyhow::Result<Asked> {
    let place = Place::find(args.selection.targets.as_deref())?;
    let candidates = candidates(args, scope, &place)?;
    let name = args.name.clone().unwrap_or_else(clock::run_name);
    let store = Store::of(&place.results, &name)?;
    ensure!(
        args.dry_run || !store.file().exists(),
        "there is a run `{name}` already: --resume goes on with it, another --name keeps it"
    );
    ensure!(
        args.rate.is_empty() || args.generator.contains(&GeneratorKind::Embedded),
        Usage("--rate needs the embedded generator: wrk and ab send as fast as they can".into())
    );
    Ok(Asked {
        args: args.clone(),
        place,
        candidates,
        store,
        name,
        begun: None,
    })
}

/// What will be measured there.
pub(super) fn job(asked: Asked, at: &Where, generators: &dyn Generators) -> anyhow::Result<Job> {
    let Asked {
        args,
        place,
        candidates,
        store,
        name,
        ..
    } = asked;
    let plan = resolve(&args, &place, at);
    let generators = facts(&plan, generators)?;
    let run = Run {
        schema_version: SCHEMA_VERSION,
        name,
        started: clock::now(),
        finished: None,
        command: command(&plan),
        machine: at.machine.clone(),
        generator_machines: at.generator_machines.clone(),
        cpus: at.cpus.clone(),
        commit: place.commit(),
        toolchain: place.toolchain(),
        generators,
        targets: candidates.iter().map(Candidate::describe).collect(),
        cells: cells(&plan, &candidates),
        controls: Controls::default(),
        warnings: Vec::new(),
        plan,
    };
    let body_size = body_size_of(&args);
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

fn resolve(args: &RunArgs, place: &Place, at: &Where) -> Plan {
    Plan {
        seed: args
            .seed
            .unwrap_or_else(|| u64::from(rand::random::<u32>())),
        rounds: args.rounds.unwrap_or(ROUNDS),
        warmup_s: args.warmup.as_secs_f64(),
        duration_s: args.duration.unwrap_or(DURATION).as_secs_f64(),
        modes: unique(&args.mode),
        connections: unique(&args.connections),
        sweep: unique(&args.sweep),
        threads: match (args.threads.is_empty(), args.preset) {
            (true, Some(preset)) => unique(&preset.threads(at.cpus.server.len(), all_cpus(at))),
            (true, None) => vec![u32::try_from(at.cpus.server.len()).unwrap_or(1)],
            (false, _) => unique(&args.threads),
        },
        generators: unique(&args.generator),
        cross_check_every: args.cross_check_every,
        rates_percent: args.rate.clone(),
        pipeline_depth: PIPELINE_DEPTH,
        request: args.request,
        path: args.path.clone(),
        body_size: args.body_size,
        wire_size: args.wire_size,
        preset: args.preset.map(|preset| preset.name().to_owned()),
        targets_file: place.targets_file.clone(),
        on: args.on.as_ref().map(ToString::to_string),
        generator_on: args.generator_on.iter().map(ToString::to_string).collect(),
        cool_below_celsius: args.cool_below,
    }
}

/// All that the servers' machine lets bench use.
fn all_cpus(at: &Where) -> usize {
    at.machine.cpus_allowed.len()
}

/// A generator that is not installed is an error: what was asked for cannot be measured.
fn facts(plan: &Plan, generators: &dyn Generators) -> anyhow::Result<Vec<GeneratorFacts>> {
    plan.generators
        .iter()
        .map(|kind| {
            Ok(GeneratorFacts {
                name: *kind,
                version: generators.of_kind(*kind).version()?,
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
