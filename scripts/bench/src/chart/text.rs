//! Reads what wrk and ab printed, however it was copied: with headings between, or run together on one line.

mod wrk;

use crate::generator::parse_ab;
use crate::model::{Figures, Published, PublishedMachine, PublishedRow, SCHEMA_VERSION};
use anyhow::{Context, ensure};

/// What a block of wrk and one of ab begin with.
const WRK: &str = "Running ";
const AB: &str = "This is ApacheBench";

/// All blocks of a text, as the figures of one document.
///
/// # Errors
/// When there is no block, or one cannot be read.
pub(super) fn read(text: &str, name: &str) -> anyhow::Result<Published> {
    let mut rows = Vec::new();
    let (mut heading, mut from) = (None, 0);
    while let Some(start) = next_block(text, from) {
        let before = &text[from..start];
        heading = self::heading(before).or(heading);
        let (figures, length) =
            block(&text[start..]).with_context(|| format!("block {}", rows.len() + 1))?;
        let label = heading
            .clone()
            .or_else(|| line_above(before))
            .unwrap_or_else(|| address(&figures));
        rows.push(PublishedRow {
            label,
            target: None,
            version: None,
            server_commands: vec![],
            command: None,
            figures,
        });
        from = start + length;
    }
    ensure!(
        !rows.is_empty(),
        "neither JSON of bench nor text of wrk or ab"
    );
    Ok(Published {
        schema_version: SCHEMA_VERSION,
        name: name.to_owned(),
        title: name.to_owned(),
        url: None,
        date: None,
        machine: PublishedMachine::default(),
        generator_version: None,
        commands: vec![],
        response_bytes: None,
        notes: vec![],
        rows,
    })
}

fn next_block(text: &str, from: usize) -> Option<usize> {
    let rest = &text[from..];
    let wrk = rest
        .match_indices(WRK)
        .map(|(at, _)| at)
        .find(|at| wrk::begins(&rest[*at..]));
    [wrk, rest.find(AB)]
        .into_iter()
        .flatten()
        .min()
        .map(|at| from + at)
}

/// The figures of the block that `text` begins with, and its length.
fn block(text: &str) -> anyhow::Result<(Figures, usize)> {
    if text.starts_with(AB) {
        let length = ab_length(text);
        return Ok((Figures::Ab(Box::new(parse_ab(&text[..length])?)), length));
    }
    let (figures, length) = wrk::parse(text)?;
    Ok((Figures::Wrk(Box::new(figures)), length))
}

/// ab ends with its longest request; without percentiles, before what comes next.
fn ab_length(text: &str) -> usize {
    const LAST: &str = "(longest request)";
    let next = next_block(text, AB.len()).unwrap_or(text.len());
    text[..next].find(LAST).map_or(next, |at| at + LAST.len())
}

/// The last `##Name` line or `**Name**:`.
fn heading(before: &str) -> Option<String> {
    let line = before.lines().rev().find_map(|line| {
        let name = line.strip_prefix("##")?.trim();
        name.starts_with(char::is_alphanumeric)
            .then(|| name.to_owned())
    });
    let bold = || {
        before
            .rsplit_once("**:")?
            .0
            .rsplit_once("**")
            .map(|(_, name)| name.to_owned())
    };
    line.or_else(bold)
}

/// A short line of words right above the block.
fn line_above(before: &str) -> Option<String> {
    let line = before.trim_end().lines().next_back()?.trim();
    let is_name = line.chars().count() <= 40
        && line.starts_with(char::is_alphanumeric)
        && !line.ends_with(':');
    is_name.then(|| line.to_owned())
}

fn address(figures: &Figures) -> String {
    match figures {
        Figures::Wrk(wrk) => wrk.url.clone().unwrap_or_default(),
        Figures::Ab(ab) => format!("http://{}:{}{}", ab.hostname, ab.port, ab.path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "Running 1m test @ http://a:80/\n  2 threads and 2 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     3.09ms    0.95ms  19.51ms   90.00%\n    Req/Sec   325.17     28.44   390.00     89.57%\n  38888 requests in 1.00m, 8.45MB read\nRequests/sec:    647.27\nTransfer/sec:    144.09KB\n";

    fn labels(text: &str) -> Vec<String> {
        read(text, "x")
            .unwrap()
            .rows
            .into_iter()
            .map(|row| row.label)
            .collect()
    }

    #[test]
    fn a_heading_names_all_blocks_below_it() {
        let text =
            format!("##One\n\n###wrk result\n\n{BLOCK}\nRun again:\n\n{BLOCK}\n##Two\n{BLOCK}");
        assert_eq!(labels(&text), ["One", "One", "Two"]);
    }

    #[test]
    fn text_that_is_run_together_is_named_in_bold() {
        let text = format!("Running late. **One**: ``` {BLOCK}``` **Two**: ``` {BLOCK}");
        assert_eq!(labels(&text.replace('\n', " ")), ["One", "Two"]);
    }

    #[test]
    fn without_a_heading_the_line_above_or_the_address_names_it() {
        assert_eq!(
            labels(&format!("My server\n{BLOCK}$ wrk again\n{BLOCK}")),
            ["My server", "http://a:80/"]
        );
    }

    #[test]
    fn no_block_and_half_a_block_are_errors() {
        assert!(read("Running shoes", "x").is_err());
        let error = read(&BLOCK.replace("Transfer", "Speed"), "x").unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "block 1: wrk's text: `Transfer/sec:` expected, found `Speed/sec:`"
        );
    }
}
