//! Arguments of `run`, and those that choose targets for other verbs as well.

use super::units;
use crate::model::{GeneratorKind, Mode, RequestKind};
use crate::padding::LARGEST_BODY;
use crate::preset::Preset;
use crate::remote::Address;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Which targets.
#[derive(Clone, Debug, Default, Args)]
pub struct Selection {
    /// Only these targets, beside what --with gives: names, classes (engine, library, …), languages, `quick`, `peers`, `yours`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Not these, named in the same way; what --with gives as well
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub skip: Vec<String>,
    /// Your own server beside them, whatever --only names: 'NAME=COMMAND {port}'. {host}, {threads} and {body_size} may stand in it as well. Repeatable
    #[arg(long, value_name = "NAME=COMMAND")]
    pub with: Vec<String>,
    /// The target list; default: servers/targets.toml of the checkout around the current folder
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
}

/// How to measure.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Which targets.
    #[command(flatten)]
    pub selection: Selection,
    /// Repeat a published experiment: its own load over the targets it compared and ours
    #[arg(long, value_name = "NAME", conflicts_with_all = ["mode", "connections", "sweep", "generator", "rate", "body_size", "wire_size"])]
    pub preset: Option<Preset>,
    /// How connections are used: keepalive, close, pipeline
    #[arg(
        long,
        value_name = "MODE,…",
        value_delimiter = ',',
        default_value = "keepalive"
    )]
    pub mode: Vec<Mode>,
    /// Numbers of open connections
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: Vec<u32>,
    /// More numbers of open connections, in mode keepalive only: how throughput moves with them
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub sweep: Vec<u32>,
    /// Numbers of server threads; default: the server's CPUs
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Vec<u32>,
    /// Rounds: each measures every target on a fresh process
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// Length of each measurement; default: 2s, or the preset's
    #[arg(long, value_name = "TIME", value_parser = units::some_duration)]
    pub duration: Option<Duration>,
    /// Load before each measurement
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = units::duration)]
    pub warmup: Duration,
    /// What makes the load: embedded, wrk, ab. Of several, each measures
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "embedded"
    )]
    pub generator: Vec<GeneratorKind>,
    /// All generators but the first measure in one of so many rounds: whether they agree is seen in fewer than a rank needs
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub cross_check_every: u32,
    /// Also at fixed rates, in percent of each server's own measured capacity: 10%,50%,80%
    #[arg(long, value_name = "PERCENT,…", value_delimiter = ',', value_parser = units::percent)]
    pub rate: Vec<f64>,
    /// Which request: wrk's bare one, or a browser's
    #[arg(long, value_name = "KIND", default_value = "minimal")]
    pub request: RequestKind,
    /// What is requested
    #[arg(long, value_name = "PATH", default_value = "/", value_parser = units::path)]
    pub path: String,
    /// Bytes of the servers' body
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=LARGEST_BODY))]
    pub body_size: Option<u64>,
    /// Bytes of each server's whole response: its body is padded until it is
    #[arg(long, value_name = "N", conflicts_with = "body_size", value_parser = clap::value_parser!(u64).range(1..=LARGEST_BODY))]
    pub wire_size: Option<u64>,
    /// Seed of the order in which rounds visit the targets; default: a new one, which is recorded
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Name of the run, a folder in results/; default: date and time
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Port of the servers; default: a free one at each start
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Run the servers on another host, over ssh; they are loaded from here. Nothing is installed there, and nothing stays
    #[arg(long, value_name = "USER@HOST[:PORT]")]
    pub on: Option<Address>,
    /// With --on: make the load on this host instead of here. Repeatable: each takes its share of the connections
    #[arg(long, value_name = "USER@HOST[:PORT]", requires = "on")]
    pub generator_on: Vec<Address>,
    /// Before each measurement wait until the servers' machine is below this temperature in degrees Celsius
    #[arg(long, value_name = "CELSIUS", value_parser = units::celsius)]
    pub cool_below: Option<f64>,
    /// Exit with 4 when anything was skipped
    #[arg(long)]
    pub strict: bool,
    /// Only say what would be done, and how long it would take
    #[arg(long)]
    pub dry_run: bool,
    /// Go on with the run of --name (default: the last one), with its own settings; --rounds adds rounds
    #[arg(long)]
    pub resume: bool,
    /// Also write the results as JSON
    #[arg(long, value_name = "FILE")]
    pub export_json: Option<PathBuf>,
    /// Also write the tables as Markdown
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
}

/// Length of the measurements of a run that does not say.
pub const DURATION: Duration = Duration::from_secs(2);
/// Rounds of a run that does not say.
pub const ROUNDS: u32 = 3;
