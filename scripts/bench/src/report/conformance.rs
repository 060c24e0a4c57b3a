//! The contract beside speed: a row for each target, a column for each case.

use super::grid::{Column, Entry, Grid, Row};
use super::{Links, parts};
use crate::model::{CaseResult, Cell, Outcome, Run, Target};
use crate::view::results::contract;
use crate::view::{format, matrix};

/// Outcomes of every target that was tried; speed is that of `cells`.
#[must_use]
pub fn conformance(run: &Run, cells: &[&Cell], links: &Links) -> Grid {
    let tried: Vec<&Target> = run
        .targets
        .iter()
        .filter(|target| is_tried(target))
        .collect();
    let table = matrix(
        &run.targets
            .iter()
            .filter(|target| is_tried(target))
            .cloned()
            .collect::<Vec<_>>(),
    );
    let mut columns = vec![
        Column::figure("requests/s", "summary.requests_per_second.median"),
        Column::figure("CPU µs/request", "summary.cpu_us_per_request.median"),
        Column::text("passed"),
    ];
    columns.extend(table.rows.iter().map(|row| Column::text(&row[0])));
    let rows = tried.iter().enumerate().map(|(index, target)| {
        let mut entries = speed(
            cells
                .iter()
                .find(|cell| cell.key.target == target.name)
                .copied(),
        );
        entries.push(Entry::text(contract(Some(target))));
        entries.extend(
            table
                .rows
                .iter()
                .map(|row| outcome(target, &row[0], &row[2 + index])),
        );
        Row {
            target: target.name.clone(),
            link: links.of(run, &target.name),
            cells: entries,
        }
    });
    Grid {
        title: String::new(),
        of: "cell",
        group: super::group::id(&cells[0].key),
        columns,
        parts: parts(run, rows.collect()),
        notes: table.notes.clone(),
    }
}

fn is_tried(target: &Target) -> bool {
    target.skipped.is_none() && target.twin_of.is_none()
}

fn speed(cell: Option<&Cell>) -> Vec<Entry> {
    let summary = cell.and_then(|cell| cell.summary.as_ref());
    let cpu = summary.and_then(|summary| summary.cpu_us_per_request);
    vec![
        Entry::figure(
            summary.map(|summary| summary.requests_per_second.median),
            format::count,
        ),
        Entry::figure(cpu.map(|cpu| cpu.median), format::micros),
    ]
}

fn outcome(target: &Target, case: &str, mark: &str) -> Entry {
    let detail = target
        .contract
        .iter()
        .find(|result| result.case == case)
        .and_then(|result| result.detail.clone());
    let tone = match mark {
        "✓" | "yes" => "good",
        "✗" | "!" => "bad",
        "d" | "no" => "doubt",
        _ => "",
    };
    Entry {
        text: mark.into(),
        hint: detail.unwrap_or_default(),
        tone,
        ..Entry::default()
    }
}

/// Every case that a target does not pass, and why.
#[must_use]
pub fn deviations(run: &Run) -> Vec<(String, Vec<String>)> {
    let told = run
        .targets
        .iter()
        .filter(|target| is_tried(target))
        .map(|target| {
            let reasons = target
                .contract
                .iter()
                .filter_map(reason)
                .collect::<Vec<_>>();
            (target.name.clone(), reasons)
        });
    told.filter(|(_, reasons)| !reasons.is_empty()).collect()
}

fn reason(result: &CaseResult) -> Option<String> {
    let how = match result.outcome {
        Outcome::Pass | Outcome::Skipped => return None,
        Outcome::Fail => "fails",
        Outcome::Deviation => "known to fail",
        Outcome::StaleDeviation => "listed as failing, but passes",
    };
    Some(format!(
        "{} ({how}): {}",
        result.case,
        result.detail.as_deref().unwrap_or("no reason recorded")
    ))
}
