//! README's table: rendered from the results, and never written by hand.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use crate::items::ITEMS;
use crate::outcome::Verdict;
use crate::results::{Entry, Results};
use crate::target::Checkout;

/// Where README's block begins, on a line of its own.
const BEGIN: &str = "<!-- reliability:begin (torture --readme) -->";

/// Where it ends.
const END: &str = "<!-- reliability:end -->";

/// Writes README's block, or only looks (`check`): whether it is what the results say.
///
/// # Errors
/// When a file cannot be read or written, or README has no place for it.
pub fn update(checkout: &Checkout, results: &Path, check: bool) -> anyhow::Result<bool> {
    let file = checkout.root.join("README.md");
    let before = std::fs::read_to_string(&file).context("cannot read README.md")?;
    let after = replace(&before, &block(checkout, &Results::read(results)?))?;
    if before == after {
        return Ok(true);
    }
    if check {
        eprintln!("README.md does not say what the results do: run torture --readme");
        return Ok(false);
    }
    std::fs::write(&file, after).context("cannot write README.md")?;
    Ok(true)
}

/// A row for each server in the list's order, a column for each group of items.
fn block(checkout: &Checkout, results: &Results) -> String {
    let mut groups: Vec<&str> = ITEMS.iter().map(|item| item.group).collect();
    groups.dedup();
    let mut rows = vec![
        format!("| server | {} | known deviations |", groups.join(" | ")),
        format!("|---|{}---|", "---|".repeat(groups.len())),
    ];
    for target in &checkout.targets.targets {
        let Some(entries) = results.targets.get(&target.name) else {
            continue;
        };
        let cells: Vec<String> = groups.iter().map(|group| cell(entries, group)).collect();
        let known = ids(entries, Verdict::Deviation);
        rows.push(format!(
            "| {} | {} | {known} |",
            target.name,
            cells.join(" | ")
        ));
    }
    rows.join("\n")
}

/// Items passed, of those tried.
fn cell(entries: &BTreeMap<String, Entry>, group: &str) -> String {
    let of_group = ITEMS.iter().filter(|item| item.group == group);
    let verdicts: Vec<Verdict> = of_group
        .filter_map(|item| Some(entries.get(item.id)?.outcome.verdict))
        .filter(|verdict| *verdict != Verdict::Skipped)
        .collect();
    let passed = verdicts.iter().filter(|verdict| **verdict == Verdict::Pass);
    match verdicts.len() {
        0 => "–".into(),
        tried => format!("{} of {tried}", passed.count()),
    }
}

fn ids(entries: &BTreeMap<String, Entry>, verdict: Verdict) -> String {
    let ids: Vec<&str> = entries
        .iter()
        .filter(|(_, entry)| entry.outcome.verdict == verdict)
        .map(|(id, _)| id.as_str())
        .collect();
    if ids.is_empty() {
        "–".into()
    } else {
        ids.join(", ")
    }
}

fn replace(readme: &str, block: &str) -> anyhow::Result<String> {
    let (before, rest) = readme.split_once(BEGIN).with_context(|| {
        format!("README.md has no line `{BEGIN}`: put it, and `{END}`, where the table belongs")
    })?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("README.md has no line `{END}` behind `{BEGIN}`"))?;
    Ok(format!("{before}{BEGIN}\n{block}\n{END}{after}"))
}
