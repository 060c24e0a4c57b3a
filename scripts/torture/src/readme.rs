//! README's table: rendered from the results, and never written by hand.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use crate::items::ITEMS;
use crate::outcome::Verdict;
use crate::results::{Entry, Fuzzing, Results};
use crate::target::Checkout;

/// Where README's block begins, on a line of its own.
const BEGIN: &str = "<!-- reliability:begin (torture --readme) -->";

/// Where it ends.
const END: &str = "<!-- reliability:end -->";

/// How the table is to be read.
const LEGEND: &str = "–: not tried. Our HTTP servers must close slow clients; others must keep serving good clients \
beside them, and may leave the slow ones open.";

/// Entries by item.
type Entries<'a> = BTreeMap<&'a String, &'a Entry>;

/// Writes README's block, or only looks (`check`): whether it is what the results say.
///
/// # Errors
/// When a file cannot be read or written, or README has no place for it.
pub fn update(checkout: &Checkout, results: &Path, check: bool) -> anyhow::Result<bool> {
    let file = checkout.root.join("README.md");
    let before = std::fs::read_to_string(&file).context("cannot read README.md")?;
    let kept = Results::read(results)?;
    let after = replace(&before, &block(checkout, &kept))?;
    let short = kept.short();
    if let Some((target, item)) = short {
        let file = results.display();
        eprintln!(
            "{file}: {item} of {target} is of a short run, which README does not count: record it without --minutes"
        );
    }
    if check {
        if before != after {
            eprintln!("README.md does not say what the results do: run torture --readme");
        }
        return Ok(before == after && short.is_none());
    }
    if before != after {
        std::fs::write(&file, after).context("cannot write README.md")?;
    }
    Ok(short.is_none())
}

/// A row for each server in the list's order, a column for each group of items; and the failures, with their reasons.
fn block(checkout: &Checkout, results: &Results) -> String {
    let mut groups: Vec<&str> = ITEMS.iter().map(|item| item.group).collect();
    groups.dedup();
    let mut rows = vec![
        format!(
            "| server | {} | known deviations, **failures** |",
            groups.join(" | ")
        ),
        format!("|---|{}---|", "---|".repeat(groups.len())),
    ];
    let mut failures = Vec::new();
    for target in &checkout.targets.targets {
        let Some(entries) = results.targets.get(&target.name).map(in_full) else {
            continue;
        };
        let cells: Vec<String> = groups.iter().map(|group| cell(&entries, group)).collect();
        let known = of(&entries, Verdict::Deviation).map(|(id, _)| (*id).clone());
        let failed = of(&entries, Verdict::Fail).map(|(id, _)| format!("**{id}**"));
        let told: Vec<String> = known.chain(failed).collect();
        let told = if told.is_empty() {
            "–".into()
        } else {
            told.join(", ")
        };
        rows.push(format!(
            "| {} | {} | {told} |",
            target.name,
            cells.join(" | ")
        ));
        for (id, entry) in of(&entries, Verdict::Fail) {
            let reason = entry.outcome.reason.as_deref().unwrap_or_default();
            failures.push(format!("{} fails {id}: {reason}.", target.name));
        }
    }
    rows.push(format!("\n{LEGEND}"));
    rows.extend(fuzzing(&results.fuzzing).map(|sentence| format!("\n{sentence}")));
    rows.extend(failures.into_iter().map(|failure| format!("\n{failure}")));
    rows.join("\n")
}

/// What cargo-fuzz found in the state machine that our engines share.
fn fuzzing(targets: &BTreeMap<String, Fuzzing>) -> Option<String> {
    let executions: u64 = targets.values().map(|target| target.executions).sum();
    let names: Vec<&str> = targets.keys().map(String::as_str).collect();
    (executions > 0).then(|| {
        format!(
            "`common::http1` under cargo-fuzz ({}): {:.1} million executions without a finding.",
            names.join(", "),
            executions as f64 / 1e6
        )
    })
}

/// What a run in full has found.
fn in_full(entries: &BTreeMap<String, Entry>) -> Entries<'_> {
    entries
        .iter()
        .filter(|(_, entry)| entry.is_in_full())
        .collect()
}

/// Items passed, of those tried.
fn cell(entries: &Entries, group: &str) -> String {
    let of_group = ITEMS.iter().filter(|item| item.group == group);
    let verdicts: Vec<Verdict> = of_group
        .filter_map(|item| Some(entries.get(&item.id.to_owned())?.outcome.verdict))
        .filter(|verdict| !matches!(verdict, Verdict::Skipped | Verdict::Inapplicable))
        .collect();
    let passed = verdicts.iter().filter(|verdict| **verdict == Verdict::Pass);
    match verdicts.len() {
        0 => "–".into(),
        tried => format!("{} of {tried}", passed.count()),
    }
}

/// Those with a verdict.
fn of<'a>(
    entries: &'a Entries<'a>,
    verdict: Verdict,
) -> impl Iterator<Item = (&'a String, &'a Entry)> {
    let of = entries.iter().map(|(id, entry)| (*id, *entry));
    of.filter(move |(_, entry)| entry.outcome.verdict == verdict)
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
