//! The command line: parsed here without doing anything, then handed to a verb.

mod explain_args;
mod report_args;
mod run_args;
mod units;

pub use explain_args::ExplainArgs;
pub use report_args::ReportArgs;
pub use run_args::{DURATION, ROUNDS, RunArgs, Selection};

use crate::{cmd, exit};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Compares HTTP servers so that the result can be believed.
///
/// Without a verb: a quick run of the Rust servers, two minutes at most.
#[derive(Debug, Parser)]
#[command(name = "bench", version, args_conflicts_with_subcommands = true, after_help = exit::HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Without a verb: how to run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What bench can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show every target, and what is missing to measure it
    List(ListArgs),
    /// Run the contract on every target: what each answers, byte by byte
    #[command(after_help = exit::HELP)]
    Check(CheckArgs),
    /// Measure: every available target unless told otherwise
    #[command(after_help = exit::HELP)]
    Run(Box<RunArgs>),
    /// Compare two runs, or two targets of one run
    #[command(after_help = exit::HELP)]
    Compare(CompareArgs),
    /// Make a page, pictures and a text that stands alone from a run
    Report(ReportArgs),
    /// Draw requests per second as bars: of a run, of published figures, or of what wrk and ab printed
    Chart(ChartArgs),
    /// Tell in words what a server does for a request: 1,000 of them under strace
    Explain(ExplainArgs),
    /// Show what about this machine spoils measurements, and what to do about it
    Env(EnvArgs),
    /// Kill what carries a mark once stdin ends
    #[command(hide = true, name = crate::guard::VERB)]
    Guard {
        /// The mark.
        mark: String,
    },
    /// Do what comes on stdin: the far side of --on and --generator-on
    #[command(hide = true, name = crate::remote::agent::VERB)]
    Agent {
        /// The folder that is its own.
        folder: PathBuf,
    },
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Which targets.
    #[command(flatten)]
    pub selection: Selection,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Which targets.
    #[command(flatten)]
    pub selection: Selection,
    /// Only the cases that need no waiting
    #[arg(long)]
    pub quick: bool,
    /// Only the wire cases, and of those that take seconds only the musts: enough for a server in an emulator
    #[arg(long, conflicts_with = "quick")]
    pub wire: bool,
    /// Exit with 4 when a target was skipped
    #[arg(long)]
    pub strict: bool,
    /// Also write the outcomes as JSON
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Also write the matrix as Markdown
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
}

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// A run: its name, folder or file
    pub a: String,
    /// A second run; without it, --base and --head name two targets of the first
    pub b: Option<String>,
    /// Target of the base
    #[arg(long, value_name = "NAME")]
    pub base: Option<String>,
    /// Target of the head
    #[arg(long, value_name = "NAME")]
    pub head: Option<String>,
    /// Fail when the head needs more CPU per request, or serves fewer requests, than the base by more than this: 3%
    #[arg(long, value_name = "PERCENT", value_parser = units::percent)]
    pub fail_above: Option<f64>,
    /// Compare runs of different machines or settings all the same
    #[arg(long)]
    pub force: bool,
}

/// `chart`.
#[derive(Debug, Args)]
pub struct ChartArgs {
    /// A run (its name, folder or file), published figures, or a file with text of wrk or ab
    pub file: String,
    /// As JSON, the text of wrk and ab too
    #[arg(long)]
    pub json: bool,
}

/// `env`.
#[derive(Debug, Args)]
pub struct EnvArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Parses the command line, does what it says, and returns the exit code.
#[must_use]
pub fn main() -> u8 {
    let cli = Cli::parse();
    let done = match &cli.verb {
        None => cmd::run::run(&cli.run, &cmd::run::Scope::Quick),
        Some(Verb::Run(args)) => cmd::run::run(args, &cmd::run::Scope::All),
        Some(Verb::List(args)) => cmd::list::run(args),
        Some(Verb::Check(args)) => cmd::check::run(args),
        Some(Verb::Compare(args)) => cmd::compare::run(args),
        Some(Verb::Report(args)) => cmd::report::run(args),
        Some(Verb::Chart(args)) => cmd::chart::run(args),
        Some(Verb::Explain(args)) => cmd::explain::run(args),
        Some(Verb::Env(args)) => cmd::env::run(args),
        Some(Verb::Guard { mark }) => {
            crate::guard::run(mark);
            Ok(exit::OK)
        }
        Some(Verb::Agent { folder }) => crate::remote::agent::run(folder),
    };
    done.unwrap_or_else(|error| {
        eprintln!("bench: {error:#}");
        exit::of(&error)
    })
}
