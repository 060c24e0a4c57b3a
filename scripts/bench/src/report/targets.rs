//! What is known of each target apart from its speed: the wire, versions, sizes, settings.

use super::fields::{Field, ONCE, WIRE};
use super::grid::{Column, Entry, Grid, Row};
use super::{Links, parts};
use crate::model::{Run, Target};

/// Bytes of request and response, and the header fields.
#[must_use]
pub fn wire(run: &Run, links: &Links) -> Grid {
    let mut columns: Vec<Column> = WIRE.iter().map(Field::column).collect();
    columns.push(Column::text("status line"));
    columns.push(Column::text("header fields of the response"));
    grid(run, columns, links, |target| {
        let mut cells: Vec<Entry> = WIRE.iter().map(|field| field.entry(Some(target))).collect();
        let response = target.response.as_ref();
        cells.push(Entry::text(
            response
                .map(|response| response.status_line.clone())
                .unwrap_or_default(),
        ));
        let fields = response.into_iter().flat_map(|response| &response.fields);
        cells.push(Entry::text(
            fields
                .map(|field| format!("{}: {}", field.name, field.value))
                .collect::<Vec<_>>()
                .join("; "),
        ));
        cells
    })
}

/// What each target is, and how it was built and run.
#[must_use]
pub fn targets(run: &Run, links: &Links) -> Grid {
    let mut columns: Vec<Column> = ["class", "language", "stack", "version"]
        .map(Column::text)
        .into();
    columns.extend(ONCE.iter().map(Field::column));
    columns.push(Column::text("command"));
    grid(run, columns, links, |target| {
        let version = target
            .skipped
            .as_ref()
            .map(|reason| format!("skipped: {reason}"));
        let mut cells = vec![
            Entry::text(target.class.to_string()),
            Entry::text(&target.language),
            Entry::text(&target.stack),
            Entry::text(
                version
                    .or(target.version.clone())
                    .unwrap_or_else(|| "–".into()),
            ),
        ];
        cells.extend(ONCE.iter().map(|field| field.entry(Some(target))));
        cells.push(Entry {
            tone: "code",
            ..Entry::text(super::command(&target.run))
        });
        cells
    })
}

fn grid(
    run: &Run,
    columns: Vec<Column>,
    links: &Links,
    cells: impl Fn(&Target) -> Vec<Entry>,
) -> Grid {
    let rows = run
        .targets
        .iter()
        .filter(|target| target.twin_of.is_none())
        .map(|target| Row {
            target: target.name.clone(),
            link: links.of(run, &target.name),
            cells: cells(target),
        });
    Grid {
        title: String::new(),
        of: "target",
        group: String::new(),
        columns,
        parts: parts(run, rows.collect()),
        notes: Vec::new(),
    }
}

/// Each target's settings that are not its stack's default.
#[must_use]
pub fn settings(run: &Run) -> Vec<(String, Vec<String>)> {
    let told = run
        .targets
        .iter()
        .filter(|target| target.twin_of.is_none() && !target.settings.is_empty());
    told.map(|target| (target.name.clone(), target.settings.clone()))
        .collect()
}
