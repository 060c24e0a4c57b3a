//! `bench chart FILE`: requests per second as bars of text.
//!
//! FILE is a run, published figures, or what wrk and ab printed. Loads that differ in more than their number of
//! clients never share a chart.

mod bars;
mod published;
mod run;
mod text;

pub use bars::Style;

use crate::model::{Document, Run};
use crate::store;
use anyhow::Context;
use bars::Group;
use std::path::Path;

/// The charts of a file as text.
///
/// # Errors
/// When it cannot be read, or is none of what has a chart.
pub fn chart(path: &Path, style: Style) -> anyhow::Result<String> {
    let text = match load(path)? {
        Document::Run(run) => of_run(&run, style),
        Document::Published(published) => {
            draw_with_one_scale(&published::groups(&published), style)
        }
    };
    anyhow::ensure!(
        !text.is_empty(),
        "{}: there is nothing measured in it yet",
        path.display()
    );
    Ok(text)
}

/// The charts of a run, with a preset's published bars beneath its own; empty where nothing is measured.
#[must_use]
pub fn of_run(run: &Run, style: Style) -> String {
    draw_each(&run::groups(run), style)
}

/// The same file as JSON: text of wrk and ab becomes published figures.
///
/// # Errors
/// As [`chart`].
pub fn json(path: &Path) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&load(path)?)? + "\n")
}

fn load(path: &Path) -> anyhow::Result<Document> {
    let file = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    if text.trim_start().starts_with('{') {
        return store::read(path);
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let published = text::read(&text, &name).with_context(file)?;
    Ok(Document::Published(Box::new(published)))
}

/// One load's groups, drawn to one scale.
fn draw_with_one_scale(groups: &[Group], style: Style) -> String {
    let rates = groups
        .iter()
        .flat_map(|group| &group.bars)
        .flat_map(|bar| [Some(bar.rate), bar.published]);
    let square = bars::square(rates.flatten());
    let mut text: String = groups
        .iter()
        .map(|group| bars::draw(group, square, style) + "\n")
        .collect();
    if !text.is_empty() {
        text += &format!("One square is {square} requests per second.\n");
    }
    text
}

/// Each load's groups, each load with its own scale.
fn draw_each(loads: &[Vec<Group>], style: Style) -> String {
    let drawn: Vec<String> = loads
        .iter()
        .map(|groups| draw_with_one_scale(groups, style))
        .collect();
    drawn.join("\n")
}

/// All bars, then those of each number of clients, the largest number first, where there are several of both.
fn by_clients(
    all: &str,
    some: fn(u32) -> String,
    bars: Vec<(u32, bars::Bar)>,
    notes: Vec<String>,
) -> Vec<Group> {
    let mut counts: Vec<u32> = bars.iter().map(|(clients, _)| *clients).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.dedup();
    if counts.len() < 2 {
        counts.clear();
    }
    let of = |count: u32| {
        bars.iter()
            .filter(move |(clients, _)| *clients == count)
            .map(|(_, bar)| bar.clone())
    };
    let parts: Vec<Group> = counts
        .into_iter()
        .map(|count| Group {
            heading: some(count),
            bars: of(count).collect(),
            notes: vec![],
        })
        .filter(|group| group.bars.len() > 1)
        .collect();
    let all = Group {
        heading: all.to_owned(),
        bars: bars.into_iter().map(|(_, bar)| bar).collect(),
        notes,
    };
    std::iter::once(all).chain(parts).collect()
}

/// `Run in 2 threads`.
fn in_threads(threads: u32) -> String {
    format!(
        "Run in {threads} thread{}",
        if threads == 1 { "" } else { "s" }
    )
}
