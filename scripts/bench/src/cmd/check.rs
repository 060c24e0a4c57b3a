//! `check`: the contract on every available target.

use super::output;
use crate::candidate::{Candidate, Choice, choose};
use crate::checkout::Place;
use crate::cli::CheckArgs;
use crate::executor::{Executor, Real, Setting};
use crate::generator::Site;
use crate::guard::{Guard, MARK};
use crate::interrupt::Interrupt;
use crate::model::{CaseResult, Outcome, RequestKind, Target};
use crate::target::StartError;
use crate::view::{Table, matrix, numbered};
use crate::{conformance, cpus, exit, os, prepare, store};
use contract::targets::Contract;
use contract::{Case, Judge, Level, Selection, Values};
use std::collections::BTreeMap;
use std::time::Duration;

/// Starts each target once for the wire cases, and lets the contract start it for the process cases.
///
/// # Errors
/// When the list or a name cannot be read, or something else holds a port.
pub fn run(args: &CheckArgs) -> anyhow::Result<u8> {
    let place = Place::find(args.selection.targets.as_deref())?;
    let selection = args.selection.clone();
    let choice = Choice {
        only: selection.only,
        skip: selection.skip,
        with: selection.with,
        all: true,
    };
    let candidates = choose(place.targets.as_ref(), &choice)?;
    let interrupt = Interrupt::on_signals()?;
    os::adopt_orphans();
    let guard = Guard::start()?;
    let values = Values::new(&place.bin);
    let missing = prepare::build(&candidates, &values);
    let mut executor = Real::new(setting(&place, &guard, &interrupt));
    let (mut targets, mut failed) = (Vec::new(), false);
    for (candidate, missing) in candidates.iter().zip(missing) {
        if interrupt.is_set() {
            return Ok(exit::INTERRUPTED);
        }
        eprintln!("bench: checking {}", candidate.name);
        let (entry, fails) = check(candidate, missing, &values, &mut executor, args)?;
        targets.push(entry);
        failed |= fails;
    }
    show(args, &targets)?;
    let skipped = targets.iter().any(|target| target.skipped.is_some());
    Ok(match (failed, args.strict && skipped) {
        (true, _) => exit::CHECK_FAILED,
        (false, true) => exit::SKIPPED,
        (false, false) => exit::OK,
    })
}

fn setting(place: &Place, guard: &Guard, interrupt: &Interrupt) -> Setting {
    let cpus = cpus::plan();
    Setting {
        bin: place.bin.clone(),
        site: Site {
            cpus: cpus.generator.clone(),
            mark: guard.mark().into(),
            interrupt: interrupt.clone(),
        },
        cpus,
        port: None,
        body_size: Values::new("").body_size,
        body_sizes: BTreeMap::new(),
        request: RequestKind::Minimal,
        path: "/".into(),
        warmup: Duration::ZERO,
        duration: Duration::ZERO,
    }
}

/// Its entry in the results, and whether the check fails because of it.
fn check(
    candidate: &Candidate,
    missing: Option<String>,
    values: &Values,
    executor: &mut Real,
    args: &CheckArgs,
) -> anyhow::Result<(Target, bool)> {
    let mut entry = candidate.describe();
    // What other stacks need may not be here; this suite's servers, and the user's, have no such excuse.
    let must_start = candidate.is_yours() || candidate.target.contract != Contract::Foreign;
    if missing.is_some() {
        entry.skipped = missing;
        return Ok((entry, must_start));
    }
    prepare::describe(candidate, values, &mut entry);
    match executor.start(candidate, 1) {
        Err(error) if error.is_fatal() => anyhow::bail!("{}: {error}", candidate.name),
        Err(error) => {
            entry.skipped = Some(error.to_string());
            let excused = matches!(error, StartError::Unavailable { .. });
            return Ok((entry, must_start && !excused));
        }
        Ok(seconds) => entry.start_to_first_byte_us.push(seconds * 1e6),
    }
    let inspection = executor.inspect(candidate);
    (entry.request, entry.response) = (inspection.request, inspection.response.ok());
    entry.capabilities = Some(inspection.capabilities);
    entry.contract = inspection.contract;
    let judge = candidate
        .target
        .judge(&values.body())
        .filter(|_| !args.quick);
    if let Some(judge) = &judge {
        entry
            .contract
            .extend(waiting_cases(candidate, judge, executor, args.wire));
    }
    executor.stop()?;
    if let Some(judge) = judge.as_ref().filter(|_| !args.wire) {
        let mut command = candidate.target.command(values.clone());
        command.env.insert(MARK.into(), executor.mark().into());
        entry
            .contract
            .extend(conformance::process(&candidate.target, judge, &command));
    }
    let fails = conformance::fails(&candidate.target, &entry.contract);
    Ok((entry, fails))
}

fn waiting_cases(
    candidate: &Candidate,
    judge: &Judge,
    executor: &Real,
    only_musts: bool,
) -> Vec<CaseResult> {
    let Some(address) = executor.address() else {
        return Vec::new();
    };
    let selected = |case: &&Case| case.waits && (!only_musts || case.level == Level::Must);
    let ids = contract::cases()
        .iter()
        .filter(selected)
        .map(|case| case.id);
    let selection = Selection::Ids(ids.collect());
    conformance::wire(&candidate.target, judge, address, &selection)
}

fn show(args: &CheckArgs, targets: &[Target]) -> anyhow::Result<()> {
    let tables = [matrix(targets), failures(targets)];
    let exported = export(args, targets, &tables);
    print(targets, &tables).and(exported)
}

fn export(args: &CheckArgs, targets: &[Target], tables: &[Table]) -> anyhow::Result<()> {
    if let Some(file) = &args.export_json {
        store::write_text(file, &(serde_json::to_string_pretty(targets)? + "\n"))?;
    }
    if let Some(file) = &args.export_markdown {
        let markdown: String = tables.iter().map(Table::to_markdown).collect();
        store::write_text(file, &markdown)?;
    }
    Ok(())
}

fn print(targets: &[Target], tables: &[Table; 2]) -> anyhow::Result<()> {
    for table in [&numbered(&tables[0]), &tables[1]] {
        if !table.rows.is_empty() {
            output::line(table.to_text())?;
        }
    }
    for target in targets {
        if let Some(reason) = &target.skipped {
            output::line(format_args!("skipped: {}: {reason}", target.name))?;
        }
    }
    Ok(())
}

/// Why each case that is not passed is not.
fn failures(targets: &[Target]) -> Table {
    let mut table = Table::new("Not passed", &["target", "case", "", "why"]);
    for target in targets {
        for case in &target.contract {
            let word = match case.outcome {
                Outcome::Pass => continue,
                Outcome::Fail => "fails",
                Outcome::Deviation => "known deviation",
                Outcome::StaleDeviation => {
                    "listed as a deviation, but passes: take it off the list"
                }
                Outcome::Skipped => "not tried",
            };
            let why = case.detail.clone().unwrap_or_default();
            table.rows.push(vec![
                target.name.clone(),
                case.case.clone(),
                word.into(),
                why,
            ]);
        }
    }
    table
}
