//! `chart`: requests per second as bars of text.

use super::output;
use crate::chart::{Style, chart, json};
use crate::checkout::Place;
use crate::cli::ChartArgs;
use crate::{exit, store};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Draws it, or shows it as JSON.
///
/// # Errors
/// When the file cannot be read, or is none of what has a chart.
pub fn run(args: &ChartArgs) -> anyhow::Result<u8> {
    let file = locate(&args.file)?;
    let text = if args.json {
        json(&file)?
    } else {
        chart(&file, style())?
    };
    output::write(text)?;
    Ok(exit::OK)
}

/// A file, also one that is no regular one, or what a run is called.
fn locate(name: &str) -> anyhow::Result<PathBuf> {
    let given = PathBuf::from(name);
    if given.exists() && !given.is_dir() {
        return Ok(given);
    }
    store::locate(&Place::find(None)?.results, name)
}

/// Colours on a terminal only.
pub(super) fn style() -> Style {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if std::io::stdout().is_terminal() && !no_color {
        Style::Terminal
    } else {
        Style::Plain
    }
}
