//! `explain`: what a server does for a request, in words.

use crate::candidate::{Candidate, Choice, choose};
use crate::checkout::Place;
use crate::cli::ExplainArgs;
use crate::explain::{findings, idle, table, trace};
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::target::{Launch, StartError, free_port, launch};
use crate::view::Table;
use crate::view::format::{bytes, count};
use crate::{exit, os, prepare};
use contract::Values;

/// What all targets have in common.
struct Site<'a> {
    args: &'a ExplainArgs,
    place: Place,
    guard: Guard,
    interrupt: Interrupt,
}

/// How many targets came to what.
#[derive(Default)]
struct Tally {
    skipped: usize,
    failed: usize,
}

/// Explains each target in turn.
///
/// # Errors
/// When the list or a name cannot be read, or something else holds a port.
pub fn run(args: &ExplainArgs) -> anyhow::Result<u8> {
    let place = Place::find(args.targets.as_deref())?;
    let candidates = choose(place.targets.as_ref(), &choice(args))?;
    let interrupt = Interrupt::on_signals()?;
    os::adopt_orphans();
    let guard = if os::SAMPLES {
        Guard::start()?
    } else {
        Guard::none()
    };
    let missing = match args.idle {
        None => trace::missing(),
        Some(_) => None,
    };
    let missing = match missing {
        Some(reason) => vec![Some(reason); candidates.len()],
        None => prepare::build(&candidates, &Values::new(&place.bin)),
    };
    let site = Site {
        args,
        place,
        guard,
        interrupt,
    };
    let mut tally = Tally::default();
    let mut memory = Table::new(
        "Memory for each idle connection",
        &["target", "class", "before", "with", "each", ""],
    );
    for (candidate, missing) in candidates.iter().zip(missing) {
        if let Some(reason) = missing {
            println!("skipped: {}: {reason}", candidate.name);
            tally.skipped += 1;
            continue;
        }
        match explain(&site, candidate, &mut memory) {
            Err(_) if site.interrupt.is_set() => return Ok(exit::INTERRUPTED),
            Err(error) if error.downcast_ref().is_some_and(StartError::is_fatal) => {
                return Err(error);
            }
            Err(error) => {
                eprintln!("bench: {}: {error:#}", candidate.name);
                tally.failed += 1;
            }
            Ok(()) => {}
        }
    }
    if !memory.rows.is_empty() {
        memory.notes.push(
            "Proportional set size of the whole process tree. What the kernel needs is not in it."
                .into(),
        );
        println!("{}", memory.to_text());
    }
    Ok(code(args, &tally))
}

fn choice(args: &ExplainArgs) -> Choice {
    let yours = if args.with.is_empty() {
        None
    } else {
        Some("yours".to_owned())
    };
    Choice {
        only: args.names.iter().cloned().chain(yours).collect(),
        with: args.with.clone(),
        ..Choice::default()
    }
}

fn explain(site: &Site, candidate: &Candidate, memory: &mut Table) -> anyhow::Result<()> {
    let port = free_port()?;
    let launch = filled(site, candidate, port)?;
    let mark = site.guard.mark();
    if let Some(connections) = site.args.idle {
        eprintln!("bench: {}: {connections} idle connections", candidate.name);
        let idle = idle::measure(&launch, port, connections, mark, &site.interrupt)?;
        memory.rows.push(row(candidate, &idle));
        return Ok(());
    }
    eprintln!(
        "bench: {} under strace: {} requests",
        candidate.name, site.args.requests
    );
    let explanation = trace::explain(&launch, port, site.args.requests, mark, &site.interrupt)?;
    println!("{}", table::table(&explanation).to_text());
    println!("{}", findings::findings(&explanation));
    Ok(())
}

fn filled(site: &Site, candidate: &Candidate, port: u16) -> anyhow::Result<Launch> {
    let values = Values {
        port,
        threads: site.args.threads as usize,
        ..Values::new(&site.place.bin)
    };
    Ok(launch(&candidate.target, &values)?)
}

fn row(candidate: &Candidate, idle: &idle::Idle) -> Vec<String> {
    let note = match idle.closed {
        0 => String::new(),
        closed => format!(
            "{} were closed by then, after {:.1} s",
            count(f64::from(closed)),
            idle.took_s
        ),
    };
    vec![
        candidate.name.clone(),
        candidate.describe().class.to_string(),
        bytes(idle.before),
        bytes(idle.with),
        format!("{} bytes", count(idle.bytes_each())),
        note,
    ]
}

fn code(args: &ExplainArgs, tally: &Tally) -> u8 {
    if tally.failed > 0 {
        exit::ERROR
    } else if args.strict && tally.skipped > 0 {
        exit::SKIPPED
    } else {
        exit::OK
    }
}
