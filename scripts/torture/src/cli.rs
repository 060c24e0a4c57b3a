//! The command line.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;

use crate::battery::{Battery, Counts, say};
use crate::context::Context;
use crate::items::{self, Ask, Item};
use crate::machine;
use crate::readme;
use crate::results::Results;
use crate::target::Checkout;

/// All well.
const OK: u8 = 0;
/// Something went wrong; stderr says what.
const ERROR: u8 = 1;
/// The command line makes no sense.
const USAGE: u8 = 2;
/// A server failed an item, or README is not what the results say.
const CHECK_FAILED: u8 = 3;
/// Under `--strict`: something was skipped.
const SKIPPED: u8 = 4;
/// Interrupted: children have ended, results so far are kept.
const INTERRUPTED: u8 = 130;

const EXIT_CODES: &str = "\
Exit codes: 0 all well, 1 error, 2 usage, 3 a server failed or README is not what the results say,
            4 something that applies was skipped under --strict, 130 interrupted";

/// Tries whether servers hold under load, faults and time.
#[derive(Debug, Parser)]
#[command(name = "torture", version, after_help = EXIT_CODES)]
struct Args {
    /// Items to try, by id (see --list) or group: fuzzing, faults, sigterm, environment, slow-clients, storms, soak
    /// [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ITEM")]
    only: Vec<String>,

    /// Servers to try: names of servers/targets.toml, or the groups quick, variants and peers
    #[arg(long, value_delimiter = ',', num_args = 1.., default_value = "quick", value_name = "NAME")]
    servers: Vec<String>,

    /// Do less of everything, so that all of it takes about so long [default: everything in full]
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,

    /// Where chance begins; the same seed does the same [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The file that keeps the results [default: reliability.json in cargo's target folder; README's table is made from
    /// results/reliability.json]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Take the servers as they were built last
    #[arg(long)]
    no_build: bool,

    /// Exit with 4 where something that applies was skipped: a server or a tool is not there
    #[arg(long)]
    strict: bool,

    /// List the items, and do nothing
    #[arg(long)]
    list: bool,

    /// Write README's table from the results, and do nothing else
    #[arg(long, conflicts_with_all = ["only", "minutes", "seed", "list"])]
    readme: bool,

    /// With --readme: only see whether it is what the results say
    #[arg(long, requires = "readme")]
    check: bool,
}

/// Reads the command line and does what it says.
pub fn main() -> u8 {
    let args = Args::parse();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("torture: {error:#}");
            ERROR
        }
    }
}

fn run(args: &Args) -> anyhow::Result<u8> {
    if args.list {
        list();
        return Ok(OK);
    }
    let checkout = Checkout::find()?;
    if args.readme {
        let recorded = checkout.root.join("results/reliability.json");
        let results = args.out.as_ref().unwrap_or(&recorded);
        let same = readme::update(&checkout, results, args.check)?;
        return Ok(if same { OK } else { CHECK_FAILED });
    }
    let selected = items::select(&args.only)
        .and_then(|items| Ok((items, checkout.select(&args.servers)?)))
        .and_then(|selected| Ok((selected, scale_is_sound(args.minutes)?)));
    let (items, targets) = match selected {
        Ok((selected, ())) => selected,
        Err(error) => {
            eprintln!("torture: {error}");
            return Ok(USAGE);
        }
    };
    if let Some((target, id)) = items::unknown(&checkout.targets.targets) {
        anyhow::bail!(
            "servers/targets.toml: target `{target}`: reliability: there is no item `{id}`"
        );
    }
    if !args.no_build {
        checkout.build(&targets)?;
    }
    let full = length(&items, targets.len());
    let context = Context {
        seed: args
            .seed
            .unwrap_or_else(|| u64::from(rand::random::<u32>())),
        scale: scale(args.minutes, full),
        root: checkout.root.clone(),
        bin: checkout.bin.clone(),
        interrupt: on_signals()?,
    };
    let minutes = full.as_secs_f64() * context.scale / 60.0;
    eprintln!(
        "torture: {}, {}, about {minutes:.1} minutes, seed {}",
        number_of(items.len(), "item"),
        number_of(targets.len(), "server"),
        context.seed
    );
    let scratch = checkout.target.join("reliability.json");
    let out = args.out.clone().unwrap_or(scratch);
    let commit = machine::commit(&checkout.root);
    let results = Results::resume(&out, args.out.is_none(), commit, context.seed)?;
    let mut battery = Battery {
        checkout: &checkout,
        targets,
        items,
        context,
        out,
        results,
        found: BTreeMap::new(),
    };
    battery.run()?;
    say(format_args!("\n{}", battery.table()));
    Ok(verdict(&battery, args.strict))
}

fn verdict(battery: &Battery, strict: bool) -> u8 {
    let Counts {
        pass,
        fail,
        deviation,
        skipped,
        inapplicable,
    } = battery.counts();
    let deviations = number_of(deviation, "known deviation");
    say(format_args!(
        "{pass} passed, {fail} failed, {deviations}, {skipped} skipped, {inapplicable} not applicable"
    ));
    if battery.context.go_on().is_err() {
        INTERRUPTED
    } else if fail > 0 {
        CHECK_FAILED
    } else if strict && skipped > 0 {
        SKIPPED
    } else {
        OK
    }
}

/// `1 item`, `2 items`.
fn number_of(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

fn list() {
    for item in items::ITEMS {
        say(format_args!(
            "{:20} {:12} {}",
            item.id, item.group, item.title
        ));
    }
}

fn scale_is_sound(minutes: Option<f64>) -> Result<(), String> {
    match minutes {
        Some(minutes) if !(minutes > 0.0 && minutes.is_finite()) => Err(format!(
            "--minutes {minutes} is no time: give a number above 0"
        )),
        _ => Ok(()),
    }
}

/// How long the items take in full.
fn length(items: &[&Item], servers: usize) -> Duration {
    items
        .iter()
        .map(|item| match item.ask {
            Ask::Each(_) => item.length * u32::try_from(servers).unwrap_or(u32::MAX),
            Ask::Together(_) => item.length,
        })
        .sum()
}

/// The share of it that fits into `minutes`.
fn scale(minutes: Option<f64>, full: Duration) -> f64 {
    minutes.map_or(1.0, |minutes| {
        (minutes * 60.0 / full.as_secs_f64()).min(1.0)
    })
}

/// What a signal sets; a second call in one process fails.
fn on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
    Ok(interrupt)
}
