//! What a run shows and writes at its end.

use super::Job;
use crate::cli::RunArgs;
use crate::cmd::output;
use crate::model::{Document, Run, Verdict};
use crate::session::RunError;
use crate::view::{self, Table, words};
use crate::{chart, exit, plan, store};

/// What would be done.
///
/// # Errors
/// When stdout cannot be written.
pub(super) fn dry_run(job: &Job, seconds: f64) -> anyhow::Result<u8> {
    let plan = &job.run.plan;
    let header = ["round", "order of targets"];
    let mut table = Table::new(format!("Seed {}", plan.seed), &header);
    for round in 1..=plan.rounds {
        let order = plan::order(plan.seed, round, job.candidates.len());
        let names: Vec<&str> = order
            .iter()
            .map(|index| job.candidates[*index].name.as_str())
            .collect();
        table.rows.push(vec![round.to_string(), names.join(", ")]);
    }
    output::line(table.to_text())?;
    output::line("Each target in each round, on a fresh process for each number of threads:")?;
    for threads in &plan.threads {
        for key in plan::cells_of(plan, "", *threads) {
            let rate = key
                .rate_percent
                .map(|percent| format!(", at {percent} % of its capacity"))
                .unwrap_or_default();
            let rounds = match plan.cross_check_every {
                every if every > 1 && !plan::takes_part(plan, key.generator, 2) => {
                    format!(", in one of {every} rounds")
                }
                _ => String::new(),
            };
            output::line(format_args!(
                "  {}, {} connections, {threads} threads, {}{rate}{rounds}",
                key.mode, key.connections, key.generator
            ))?;
        }
    }
    output::line(format_args!(
        "About {}, builds apart. Nothing was started.",
        plan::describe_s(seconds)
    ))?;
    Ok(exit::OK)
}

/// Tables and sentences, of whatever was measured.
pub(super) fn show(args: &RunArgs, job: &Job, result: Result<(), RunError>) -> anyhow::Result<u8> {
    let run = &job.run;
    let mut tables = view::tables(run);
    tables.extend(view::variants(run));
    tables.extend(view::published(run));
    // Files first: a table that nobody reads to its end takes nothing from them.
    let exported = export(args, run, &tables);
    let told = print(job, &tables).and(exported);
    let Err(error) = result else {
        return told.map(|()| code(args, run));
    };
    // Why the run ended says more than what became of its tables.
    if let Err(told) = told {
        eprintln!("bench: {told:#}");
    }
    let RunError::Interrupted = error else {
        return Err(error.into());
    };
    eprintln!(
        "bench: interrupted; `bench run --resume --name {}` goes on",
        run.name
    );
    Ok(exit::INTERRUPTED)
}

fn export(args: &RunArgs, run: &Run, tables: &[Table]) -> anyhow::Result<()> {
    if let Some(file) = &args.export_json {
        store::write_json(file, &Document::Run(Box::new(run.clone())))?;
    }
    if let Some(file) = &args.export_markdown {
        store::write_text(file, &markdown(run, tables))?;
    }
    Ok(())
}

fn print(job: &Job, tables: &[Table]) -> anyhow::Result<()> {
    let run = &job.run;
    for table in tables {
        output::line(table.to_text())?;
    }
    if run.plan.preset.is_some() {
        output::line(chart::of_run(run, super::super::chart::style()))?;
    }
    for sentence in words::summary(run) {
        output::line(sentence)?;
    }
    output::line(format_args!("Results: {}", job.store.file().display()))
}

fn markdown(run: &Run, tables: &[Table]) -> String {
    let tables: String = tables.iter().map(Table::to_markdown).collect();
    let words: String = words::summary(run)
        .iter()
        .map(|sentence| format!("{sentence}\n\n"))
        .collect();
    format!(
        "## {}\n\n{words}{tables}Command: `{}`\n",
        run.name,
        run.command.join(" ")
    )
}

/// Every response is checked: one that was wrong fails the run as a check would.
fn code(args: &RunArgs, run: &Run) -> u8 {
    let any = |wanted: fn(Verdict) -> bool| run.cells.iter().any(|cell| wanted(cell.verdict));
    if any(|verdict| matches!(verdict, Verdict::WrongBytes | Verdict::Errors)) {
        return exit::CHECK_FAILED;
    }
    if args.strict && any(|verdict| verdict == Verdict::Skipped) {
        return exit::SKIPPED;
    }
    exit::OK
}
