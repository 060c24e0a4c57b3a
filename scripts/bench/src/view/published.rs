//! A preset's figures beside the document's: as ratios to the document's first row, because the machines differ.

use super::Table;
use super::format::count;
use crate::model::{Cell, Published, PublishedRow, Run};
use crate::preset::Preset;

/// The table of a preset's run; `None` for any other.
#[must_use]
pub fn published(run: &Run) -> Option<Table> {
    let document = Preset::of(run.plan.preset.as_deref())?.document();
    let header = [
        "target",
        "load",
        "published",
        "ratio",
        "measured",
        "ratio",
        "limit",
    ];
    let title = format!(
        "Published ({}) and measured requests per second",
        document.title
    );
    let mut table = Table::new(title, &header);
    let base = document.rows.first()?;
    let measured_base = cell_of(run, &document, base).and_then(rate);
    for row in &document.rows {
        let cell = cell_of(run, &document, row);
        let published = Some(row.figures.requests_per_second());
        let mut line = vec![row.label.clone(), load(row)];
        line.extend(with_ratio(
            published,
            Some(base.figures.requests_per_second()),
        ));
        line.extend(with_ratio(cell.and_then(rate), measured_base));
        line.push(
            cell.map(|cell| cell.verdict.to_string())
                .unwrap_or_default(),
        );
        table.rows.push(line);
    }
    for cell in run.cells.iter().filter(|cell| is_new(run, &document, cell)) {
        let key = &cell.key;
        let load = format!("{} connections, {} threads", key.connections, key.threads);
        let mut line = vec![key.target.clone(), load];
        line.extend(with_ratio(None, None));
        line.extend(with_ratio(rate(cell), measured_base));
        line.push(cell.verdict.to_string());
        table.rows.push(line);
    }
    table.notes.push(format!(
        "Ratios are to {} of the same column: {}.",
        base.label,
        load(base)
    ));
    Some(table)
}

fn load(row: &PublishedRow) -> String {
    format!("{} connections", row.figures.connections())
}

fn rate(cell: &Cell) -> Option<f64> {
    Some(cell.summary.as_ref()?.requests_per_second.median)
}

fn with_ratio(rate: Option<f64>, base: Option<f64>) -> [String; 2] {
    let missing = || "–".to_owned();
    let ratio = rate
        .zip(base)
        .map(|(rate, base)| format!("{:.2}", rate / base));
    [
        rate.map_or_else(missing, count),
        ratio.unwrap_or_else(missing),
    ]
}

/// The cell that repeats a row. Where a document has several rows for a target under the same load, the first is for
/// one thread or process and the last for all cores.
fn cell_of<'a>(run: &'a Run, document: &Published, row: &PublishedRow) -> Option<&'a Cell> {
    let same = |other: &&PublishedRow| {
        other.target == row.target && other.figures.connections() == row.figures.connections()
    };
    let rows: Vec<&PublishedRow> = document.rows.iter().filter(same).collect();
    let cells = run.cells.iter().filter(|cell| {
        Some(&cell.key.target) == row.target.as_ref()
            && cell.key.connections == row.figures.connections()
    });
    let is_last = rows.len() > 1 && rows.last().is_some_and(|last| *last == row);
    if is_last {
        cells.max_by_key(|cell| cell.key.threads)
    } else {
        cells.min_by_key(|cell| cell.key.threads)
    }
}

/// A cell of a target that the document does not have, the A/A control apart.
fn is_new(run: &Run, document: &Published, cell: &Cell) -> bool {
    let name = &cell.key.target;
    let twin = run
        .target(name)
        .is_some_and(|target| target.twin_of.is_some());
    !twin
        && !document
            .rows
            .iter()
            .any(|row| row.target.as_ref() == Some(name))
}
