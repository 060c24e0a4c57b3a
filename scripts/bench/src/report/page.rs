//! Everything that a report shows, as plain values: what the templates are given.

use super::conformance::{conformance, deviations};
use super::grid::{Column, Grid};
use super::group::{Group, group};
use super::head::{Line, head, machine, setup};
use super::own_work::own_work;
use super::sweep::sweeps;
use super::targets::{settings, targets, wire};
use super::{Options, rounds};
use crate::model::{Cell, CellKey, Fact, Mode, Run, Severity};
use crate::ranking::tables;
use crate::view::words::{self, place};
use serde::Serialize;

/// The number of connections of the tables that stand for a run, where it was measured.
const USUAL_CONNECTIONS: u32 = 64;

/// A report.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// Name of the run.
    pub name: String,
    /// `one core each, loopback`.
    pub setup: String,
    /// The machine in a few words.
    pub machine: String,
    /// What won in the main table, and how sure that is.
    pub lead: String,
    /// What else there is to say of the whole run.
    pub sentences: Vec<String>,
    /// What whoever ran it adds.
    pub note: Option<String>,
    /// Warnings that the run itself left.
    pub warnings: Vec<String>,
    /// Where it comes from.
    pub head: Vec<Line>,
    /// What about the machine is not as it should be.
    pub facts: Vec<Fact>,
    /// The command that repeats it.
    pub command: String,
    /// All tables, the main one first.
    pub groups: Vec<Group>,
    /// Heads of the tables of rounds.
    pub round_columns: Vec<Column>,
    /// Throughput against connections.
    pub sweeps: Vec<Grid>,
    /// Whether it matters, for each mode.
    pub own_work: Vec<Grid>,
    /// The contract beside the speed of the main table.
    pub conformance: Grid,
    /// Why cases fail.
    pub deviations: Vec<(String, Vec<String>)>,
    /// The wire.
    pub wire: Grid,
    /// What each target is.
    pub targets: Grid,
    /// What is not a stack's default.
    pub settings: Vec<(String, Vec<String>)>,
    /// What can be chosen.
    pub choices: Choices,
}

/// What there is to filter by.
#[derive(Clone, Debug, Serialize)]
pub struct Choices {
    /// Classes.
    pub classes: Vec<String>,
    /// Languages.
    pub languages: Vec<String>,
    /// Modes.
    pub modes: Vec<String>,
    /// Numbers of connections.
    pub connections: Vec<u32>,
    /// Generators.
    pub generators: Vec<String>,
}

/// The report of a run that has at least one cell.
#[must_use]
pub fn page(run: &Run, options: &Options) -> Page {
    let links = &options.links;
    let mut indices = tables(run);
    indices.sort_by_key(|table| rank_of_table(run, &run.cells[table[0]].key));
    let cells_of = |table: &[usize]| {
        table
            .iter()
            .map(|index| &run.cells[*index])
            .collect::<Vec<&Cell>>()
    };
    let main = cells_of(&indices[0]);
    let mut groups: Vec<Group> = indices
        .iter()
        .map(|table| group(run, table, links))
        .collect();
    let mut sentences = words::summary(run);
    hand_out(&mut sentences, &mut groups);
    let lead = match groups[0].sentence.as_str() {
        "" => format!("{}: nobody could be ranked.", groups[0].name),
        sentence => sentence.to_owned(),
    };
    let work = indices
        .iter()
        .zip(&groups)
        .filter(|(_, group)| is_usual(run, &group.key));
    Page {
        name: run.name.clone(),
        setup: setup(run),
        machine: machine(run),
        lead,
        sentences,
        note: options.note.clone(),
        warnings: run.warnings.clone(),
        head: head(run),
        facts: run
            .machine
            .facts
            .iter()
            .filter(|fact| fact.severity != Severity::Good)
            .cloned()
            .collect(),
        command: super::command(&run.command),
        own_work: work
            .filter_map(|(table, group)| own_work(run, &group.name, &cells_of(table), links))
            .collect(),
        conformance: conformance(run, &main, links),
        deviations: deviations(run),
        wire: wire(run, links),
        targets: targets(run, links),
        settings: settings(run),
        sweeps: sweeps(run, links),
        round_columns: rounds::columns(),
        choices: choices(run, &groups),
        groups,
    }
}

/// Order of tables: keep-alive at the usual number of connections comes first.
fn rank_of_table(run: &Run, key: &CellKey) -> (bool, Mode, usize, bool, u32, u32) {
    let generator = run
        .plan
        .generators
        .iter()
        .position(|other| *other == key.generator);
    (
        key.rate_percent.is_some(),
        key.mode,
        generator.unwrap_or(usize::MAX),
        key.connections != USUAL_CONNECTIONS,
        key.connections,
        key.threads,
    )
}

/// Whether a table stands for its mode: closed loop, first generator, first number of threads, usual connections.
fn is_usual(run: &Run, key: &CellKey) -> bool {
    let of_mode = run
        .cells
        .iter()
        .map(|cell| &cell.key)
        .filter(|other| other.mode == key.mode);
    of_mode
        .min_by_key(|other| rank_of_table(run, other))
        .is_some_and(|usual| usual.same_table(key))
}

/// Gives each table its sentence, which begins with the table's name.
fn hand_out(sentences: &mut Vec<String>, groups: &mut [Group]) {
    for group in groups {
        let start = format!("{}: ", place(&group.key));
        if let Some(index) = sentences.iter().position(|words| words.starts_with(&start)) {
            group.sentence = sentences.remove(index);
        }
    }
}

fn choices(run: &Run, groups: &[Group]) -> Choices {
    let keys = || groups.iter().map(|group| &group.key);
    let targets = || run.targets.iter();
    Choices {
        classes: distinct(targets().map(|target| target.class))
            .iter()
            .map(ToString::to_string)
            .collect(),
        languages: distinct(targets().map(|target| target.language.clone())),
        modes: distinct(keys().map(|key| key.mode))
            .iter()
            .map(ToString::to_string)
            .collect(),
        connections: distinct(keys().map(|key| key.connections)),
        generators: distinct(keys().map(|key| key.generator))
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort();
    all.dedup();
    all
}
