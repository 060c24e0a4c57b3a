//! What people look at: one page, pictures and a text, made from `run.json` alone.
//!
//! [`page`] turns a run into plain values, the templates turn these into HTML, SVG and Markdown. The same run gives the
//! same bytes: nothing here asks for the time, the machine or anything else outside the run.

mod conformance;
mod fields;
mod grid;
mod group;
mod head;
mod own_work;
mod page;
mod picture;
pub mod readme;
mod rounds;
mod scale;
mod sweep;
mod targets;
mod templates;

pub use group::Group;
pub use page::{Page, page};

use crate::model::{Class, Run};
use anyhow::ensure;
use grid::{Part, Row};
use serde::Serialize;

/// A file of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, with `/` between folders.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// What a report is told beside the run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Anything that the machine does not tell of itself: power supply, case, network.
    pub note: Option<String>,
    /// Where sources are.
    pub links: Links,
}

/// Where links to sources lead.
#[derive(Clone, Debug)]
pub struct Links {
    /// What comes before `servers/…`.
    pub base: String,
}

impl Default for Links {
    /// From `results/<name>/`.
    fn default() -> Self {
        Self {
            base: "../../".into(),
        }
    }
}

impl Links {
    /// The source of a target.
    fn of(&self, run: &Run, target: &str) -> Option<String> {
        let source = run.target(target)?.source.as_ref()?;
        Some(format!("{}servers/{source}", self.base))
    }
}

/// All files of a report: the page, the text, and two pictures of each table.
///
/// # Errors
/// When the run is empty.
pub fn files(run: &Run, options: &Options) -> anyhow::Result<Vec<File>> {
    ensure_cells(run)?;
    let page = page(run, options);
    let mut files = vec![
        File {
            name: "report.html".into(),
            text: templates::render("report.html", &page)?,
        },
        File {
            name: "report.md".into(),
            text: markdown("report.md", &page)?,
        },
    ];
    for group in &page.groups {
        files.extend(pictures(group, &page.setup)?);
    }
    Ok(files)
}

/// Markdown from a template, without the empty lines that optional parts leave behind.
fn markdown(name: &str, view: &impl Serialize) -> anyhow::Result<String> {
    let mut text = templates::render(name, view)?;
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    Ok(text)
}

/// The pictures of a table.
fn pictures(group: &Group, setup: &str) -> anyhow::Result<Vec<File>> {
    #[derive(Serialize)]
    struct View<'a> {
        picture: &'a picture::Picture,
        name: &'a str,
        setup: &'a str,
    }
    let render = |picture: &picture::Picture| {
        let view = View {
            picture,
            name: &group.name,
            setup,
        };
        Ok(File {
            name: format!("pictures/{}-{}.svg", group.id, picture.file),
            text: templates::render("picture.svg", &view)?,
        })
    };
    group.pictures.iter().map(render).collect()
}

fn ensure_cells(run: &Run) -> anyhow::Result<()> {
    ensure!(
        !run.cells.is_empty(),
        "run {} is empty: nothing was measured, so there is nothing to report; `bench run` measures",
        run.name
    );
    Ok(())
}

/// Rows that compete, then controls. A second measurement of a target is a control.
fn parts(run: &Run, rows: Vec<Row>) -> Vec<Part> {
    let is_control = |row: &Row| {
        run.target(&row.target)
            .is_some_and(|target| target.class == Class::Control || target.twin_of.is_some())
    };
    let (controls, competitors): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(is_control);
    let parts = [
        Part {
            title: "",
            rows: competitors,
        },
        Part {
            title: "controls, never ranked",
            rows: controls,
        },
    ];
    parts
        .into_iter()
        .filter(|part| !part.rows.is_empty())
        .collect()
}

/// A command as a shell takes it.
fn command(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}
