//! `explain`: what a server does for a request, in words.

use super::output;
use crate::candidate::{Candidate, Choice, choose};
use crate::checkout::Place;
use crate::cli::ExplainArgs;
use crate::explain::{findings, idle, table, trace};
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::target::{Launch, StartError, free_port, launch};
use crate::view::Table;
use crate::view::format::{bytes, count, time};
use crate::{exit, os, prepare};
use contract::Values;

/// What all targets have in common.
struct Site<'a> {
    args: &'a ExplainArgs,
    place: Place,
    guard: Guard,
    interrupt: Interrupt,
}

/// What came of the targets so far.
#[derive(Default)]
struct Done {
    skipped: usize,
    failed: usize,
    memory: Vec<Vec<String>>,
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
    let mut done = Done::default();
    for (candidate, missing) in candidates.iter().zip(missing) {
        if site.interrupt.is_set() {
            break;
        }
        match missing {
            Some(reason) => done.skip(candidate, &reason)?,
            None => done.explain(&site, candidate)?,
        }
    }
    done.show()?;
    Ok(code(&site, &done))
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

impl Done {
    fn skip(&mut self, candidate: &Candidate, reason: &str) -> anyhow::Result<()> {
        self.skipped += 1;
        output::line(format_args!("skipped: {}: {reason}", candidate.name))
    }

    /// Only what makes it senseless to go on is an error.
    fn explain(&mut self, site: &Site, candidate: &Candidate) -> anyhow::Result<()> {
        let explained = match site.args.idle {
            Some(connections) => idle(site, candidate, connections).map(|row| {
                self.memory.push(row);
                String::new()
            }),
            None => trace(site, candidate),
        };
        match explained {
            Err(error) if error.downcast_ref() == Some(&StartError::Interrupted) => Ok(()),
            Err(error) if error.downcast_ref().is_some_and(StartError::is_fatal) => Err(error),
            Err(error) => {
                eprintln!("bench: {}: {error:#}", candidate.name);
                self.failed += 1;
                Ok(())
            }
            Ok(text) => output::write(text),
        }
    }

    fn show(&self) -> anyhow::Result<()> {
        if self.memory.is_empty() {
            return Ok(());
        }
        let header = ["target", "class", "before", "with", "each", "opened in", ""];
        let mut table = Table::new("Memory for each idle connection", &header);
        table.rows.clone_from(&self.memory);
        table.notes.push(
            "Proportional set size of the whole process tree. What the kernel needs is not in it."
                .into(),
        );
        output::line(table.to_text())
    }
}

/// Its memory with idle connections, as a row.
fn idle(site: &Site, candidate: &Candidate, connections: u32) -> anyhow::Result<Vec<String>> {
    eprintln!("bench: {}: {connections} idle connections", candidate.name);
    let port = free_port()?;
    let launch = filled(site, candidate, port)?;
    let idle = idle::measure(
        &launch,
        port,
        connections,
        site.guard.mark(),
        &site.interrupt,
    )?;
    let note = match idle.closed {
        0 => String::new(),
        closed => format!("{} of them were closed by then", count(f64::from(closed))),
    };
    Ok(vec![
        candidate.name.clone(),
        candidate.describe().class.to_string(),
        bytes(idle.before),
        bytes(idle.with),
        format!("{} bytes", count(idle.bytes_each())),
        time(idle.took_s * 1e6),
        note,
    ])
}

/// Its system calls, explained.
fn trace(site: &Site, candidate: &Candidate) -> anyhow::Result<String> {
    let requests = site.args.requests;
    eprintln!(
        "bench: {} under strace: {requests} requests",
        candidate.name
    );
    let port = free_port()?;
    let launch = filled(site, candidate, port)?;
    let explanation = trace::explain(&launch, port, requests, site.guard.mark(), &site.interrupt)?;
    let table = table::table(&explanation).to_text();
    Ok(format!("{table}\n{}\n", findings::findings(&explanation)))
}

fn filled(site: &Site, candidate: &Candidate, port: u16) -> anyhow::Result<Launch> {
    let values = Values {
        port,
        threads: site.args.threads as usize,
        ..Values::new(&site.place.bin)
    };
    Ok(launch(&candidate.target, &values)?)
}

fn code(site: &Site, done: &Done) -> u8 {
    if site.interrupt.is_set() {
        exit::INTERRUPTED
    } else if done.failed > 0 {
        exit::ERROR
    } else if site.args.strict && done.skipped > 0 {
        exit::SKIPPED
    } else {
        exit::OK
    }
}
