//! Arguments of `explain`.

use clap::Args;
use std::path::PathBuf;

/// What to explain.
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// Targets: names, classes (engine, library, …), languages, `quick`, `peers`
    #[arg(value_name = "NAME", required_unless_present = "with")]
    pub names: Vec<String>,
    /// Your own server: 'NAME=COMMAND {port}'. {host}, {threads} and {body_size} may stand in it as well. Repeatable
    #[arg(long, value_name = "NAME=COMMAND")]
    pub with: Vec<String>,
    /// Requests on a connection that stays open
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub requests: u32,
    /// Threads of the server
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: u32,
    /// Instead: memory for each of so many idle connections, without strace
    #[arg(long, value_name = "N", conflicts_with = "requests", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub idle: Option<u32>,
    /// The target list; default: servers/targets.toml of the checkout around the current folder
    #[arg(long, value_name = "FILE")]
    pub targets: Option<PathBuf>,
    /// Exit with 4 when a target was skipped
    #[arg(long)]
    pub strict: bool,
}
