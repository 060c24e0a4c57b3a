//! README's table and pictures: rendered from the reference run, and never written by hand.

use super::{File, Group, Options, Page, page};
use crate::model::{Mode, Run};
use anyhow::{Context, ensure};
use serde::Serialize;

/// Where README's block begins, on a line of its own.
pub const BEGIN: &str = "<!-- results:begin (bench report --readme) -->";

/// Where it ends.
pub const END: &str = "<!-- results:end -->";

/// Folder of the reference run, seen from the root of the checkout.
pub const FOLDER: &str = "results/reference";

#[derive(Serialize)]
struct Block<'a> {
    page: &'a Page,
    group: &'a Group,
    folder: &'static str,
    commit: String,
    seed: u64,
}

/// The block and its pictures, names seen from the root of the checkout.
///
/// # Errors
/// When the run has no table of mode keep-alive.
pub fn block(run: &Run, options: &Options) -> anyhow::Result<(String, Vec<File>)> {
    super::ensure_cells(run)?;
    let page = page::page(run, options);
    let group = page
        .groups
        .iter()
        .find(|group| group.key.mode == Mode::Keepalive && group.key.rate_percent.is_none());
    let group = group.with_context(|| {
        format!(
            "run {} has no cell in mode keepalive, which README shows",
            run.name
        )
    })?;
    let text = super::markdown(
        "readme.md",
        &Block {
            page: &page,
            group,
            folder: FOLDER,
            commit: short_commit(run),
            seed: run.plan.seed,
        },
    )?;
    let pictures = super::pictures(group, &page.setup)?;
    let placed = pictures.into_iter().map(|file| File {
        name: format!("{FOLDER}/{}", file.name),
        ..file
    });
    Ok((text, placed.collect()))
}

fn short_commit(run: &Run) -> String {
    run.commit.as_ref().map_or_else(
        || "unknown".into(),
        |commit| commit.id.chars().take(12).collect(),
    )
}

/// README with its block replaced.
///
/// # Errors
/// When it does not have both marks, once and in order.
pub fn replace(readme: &str, block: &str) -> anyhow::Result<String> {
    let (before, rest) = readme.split_once(BEGIN).with_context(|| {
        format!("README.md has no line `{BEGIN}`: put it, and `{END}`, where the results belong")
    })?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("README.md has no line `{END}` behind `{BEGIN}`"))?;
    ensure!(!after.contains(BEGIN), "README.md has `{BEGIN}` twice");
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", block.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let readme = format!("# Title\n\n{BEGIN}\nold\n{END}\n\nrest\n");
        let new = replace(&readme, "\nnew\n").unwrap();
        assert_eq!(new, format!("# Title\n\n{BEGIN}\nnew\n{END}\n\nrest\n"));
        assert_eq!(replace(&new, "new").unwrap(), new);
    }

    #[test]
    fn a_readme_without_marks_is_told_which_are_missing() {
        for readme in [
            "# Title".to_owned(),
            format!("{END}\n{BEGIN}"),
            format!("{BEGIN}{END}{BEGIN}"),
        ] {
            let error = replace(&readme, "new").unwrap_err().to_string();
            assert!(
                error.starts_with("README.md has ") && error.contains("results:"),
                "{error}"
            );
        }
    }
}
