//! Options of `report`.

use clap::Args;
use std::path::PathBuf;

/// `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A run: its name, folder or file
    #[arg(required_unless_present = "readme")]
    pub run: Option<String>,
    /// Folder to write to, instead of the run's own
    #[arg(long, value_name = "DIR", conflicts_with = "readme")]
    pub out: Option<PathBuf>,
    /// What the machine does not tell of itself: power supply, case, wifi
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Where the repository can be browsed, so that links to sources work in a gist or an issue
    #[arg(long, value_name = "URL")]
    pub source: Option<String>,
    /// Render README.md's results and their pictures from results/reference/run.json
    #[arg(long, conflicts_with = "run")]
    pub readme: bool,
    /// Write nothing; exit with 3 when a file is not what the run renders
    #[arg(long)]
    pub check: bool,
}
