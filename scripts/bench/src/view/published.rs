//! A preset's figures beside the document's: as ratios to the document's first row, because the machines differ.

use super::Table;
use super::format::{count, counted};
use crate::model::{Cell, Published, PublishedRow, Run};
use crate::preset::{Preset, row_of};

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
        let load = format!(
            "{}, {}",
            counted(key.connections as usize, "connection"),
            counted(key.threads as usize, "thread")
        );
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
    counted(row.figures.connections() as usize, "connection")
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

/// The cell that repeats a row.
fn cell_of<'a>(run: &'a Run, document: &Published, row: &PublishedRow) -> Option<&'a Cell> {
    let repeats = |cell: &&Cell| {
        row_of(document, &cell.key).is_some_and(|repeated| std::ptr::eq(repeated, row))
    };
    run.cells.iter().find(repeats)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;
    use crate::preset::fixture::run;

    fn rows(preset: &str, cells: &[crate::preset::fixture::Given]) -> Vec<String> {
        let table = published(&run(Some(preset), cells)).unwrap();
        table.rows.iter().map(|row| row.join(" | ")).collect()
    }

    #[test]
    fn ratios_are_to_the_documents_first_row() {
        let cells = [
            ("nginx", 2, 1, 60_000.0, Verdict::Ok),
            ("nginx", 10, 1, 90_000.0, Verdict::Ok),
            ("srv-tpc", 2, 1, 66_000.0, Verdict::Ok),
        ];
        let rows = rows("raspberry-pi", &cells);
        assert_eq!(
            rows[0],
            "Nginx | 2 connections | 647 | 1.00 | 60,000 | 1.00 | ok"
        );
        assert_eq!(
            rows[1],
            "Nginx | 10 connections | 826 | 1.28 | 90,000 | 1.50 | ok"
        );
        assert_eq!(rows[2], "Caddy | 2 connections | 178 | 0.27 | – | – | ");
        assert_eq!(
            rows.last().unwrap(),
            "srv-tpc | 2 connections, 1 thread | – | – | 66,000 | 1.10 | ok"
        );
    }

    #[test]
    fn one_process_and_all_cores_are_told_apart() {
        let cells = [
            ("crystal", 10, 1, 20_000.0, Verdict::Ok),
            ("crystal", 10, 4, 50_000.0, Verdict::Ok),
            ("go-nethttp", 10, 1, 10_000.0, Verdict::Ok),
            ("go-nethttp", 10, 4, 40_000.0, Verdict::Ok),
        ];
        let rows = rows("crystal-go", &cells);
        assert!(
            rows[0].ends_with("28,216 | 1.00 | 20,000 | 1.00 | ok"),
            "{}",
            rows[0]
        );
        assert!(
            rows[1].ends_with("21,486 | 0.76 | 10,000 | 0.50 | ok"),
            "{}",
            rows[1]
        );
        assert!(
            rows[2].ends_with("40,683 | 1.44 | 40,000 | 2.00 | ok"),
            "{}",
            rows[2]
        );
    }

    #[test]
    fn other_runs_have_no_such_table() {
        assert_eq!(published(&run(None, &[])), None);
    }
}
