//! A run that goes on, or gets more rounds.

use super::{Asked, Job, Scope, Where, begin, body_size_of};
use crate::checkout::Place;
use crate::cli::{Cli, RunArgs, Verb};
use crate::model::Run;
use crate::plan;
use crate::preset::applied;
use crate::store::{self, Store};
use anyhow::{Context, ensure};
use clap::Parser;
use std::collections::BTreeMap;

/// Takes up the run of --name, or the last one, with the settings it was begun with.
pub(super) fn asked(args: &RunArgs) -> anyhow::Result<Asked> {
    let results = Place::find(args.selection.targets.as_deref())?.results;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => store::latest(&results)?,
    };
    let mut run = store::read_run(&results, &name)?;
    let (began, scope) = began(&run)?;
    let place = Place::find(began.selection.targets.as_deref())?;
    let candidates = begin::candidates(&began, scope, &place)?;
    if let Some(rounds) = args.rounds {
        ensure!(
            rounds >= run.plan.rounds,
            "run `{name}` has {} rounds already",
            run.plan.rounds
        );
        run.plan.rounds = rounds;
        set_rounds(&mut run.command, rounds);
    }
    run.finished = None;
    Ok(Asked {
        args: began,
        place,
        candidates,
        store: Store::of(&results, &name)?,
        name,
        begun: Some(run),
    })
}

/// The rest of it, on the same machine.
pub(super) fn job(asked: Asked, at: &Where) -> anyhow::Result<Job> {
    let run = asked.begun.context("there is no run to go on with")?;
    same_machine(&run, at)?;
    Ok(Job {
        run,
        candidates: asked.candidates,
        store: asked.store,
        place: asked.place,
        body_size: body_size_of(&asked.args),
        body_sizes: BTreeMap::new(),
        port: asked.args.port,
    })
}

/// The command repeats the run with all of its rounds.
fn set_rounds(command: &mut Vec<String>, rounds: u32) {
    if let Some(at) = command.iter().position(|word| word == "--rounds") {
        command.drain(at..command.len().min(at + 2));
    }
    command.retain(|word| !word.starts_with("--rounds="));
    command.extend(["--rounds".into(), rounds.to_string()]);
}

/// The arguments that the run was begun with.
fn began(run: &Run) -> anyhow::Result<(RunArgs, Scope)> {
    let cli = Cli::try_parse_from(&run.command)
        .context("the command in run.json cannot be read any more")?;
    match cli.verb {
        None => Ok((cli.run, Scope::Quick)),
        Some(Verb::Run(args)) => Ok((applied(&args), Scope::All)),
        Some(_) => anyhow::bail!("the command in run.json is not a run"),
    }
}

/// Rows of two machines never share a table.
fn same_machine(run: &Run, at: &Where) -> anyhow::Result<()> {
    let (there, here) = (&run.machine, &at.machine);
    ensure!(
        (&there.cpu, &there.model, there.cpus_online, &there.kernel)
            == (&here.cpu, &here.model, here.cpus_online, &here.kernel),
        "run `{}` was begun on another machine or kernel ({}, {}): start a new one here",
        run.name,
        there.cpu.as_deref().unwrap_or("unknown CPU"),
        there.kernel
    );
    ensure!(
        run.cpus == at.cpus,
        "run `{}` was begun with other CPUs allowed: {:?}",
        run.name,
        run.cpus
    );
    Ok(())
}

/// Seconds of what is measured already.
pub(super) fn done_s(run: &Run) -> f64 {
    run.cells
        .iter()
        .map(|cell| cell.samples.len() as f64 * plan::cell_s(&run.plan, &cell.key))
        .sum()
}
