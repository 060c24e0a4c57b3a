//! The contract as a matrix: a row for each case, a column for each target.

use super::table::Table;
use crate::model::{Capabilities, Capability, CaseResult, Level, Outcome, Target};

/// All outcomes of these targets.
#[must_use]
pub fn matrix(targets: &[Target]) -> Table {
    let tried: Vec<&Target> = targets
        .iter()
        .filter(|target| target.skipped.is_none())
        .collect();
    let mut table = Table::new("Contract", &["case", "level"]);
    table
        .header
        .extend(tried.iter().map(|target| target.name.clone()));
    for case in cases(&tried) {
        let mut row = vec![case.case.clone(), level(case.level).to_owned()];
        row.extend(tried.iter().map(|target| {
            mark(target.contract.iter().find(|other| other.case == case.case)).to_owned()
        }));
        table.rows.push(row);
    }
    for (name, capability) in CAPABILITIES {
        let mut row = vec![name.to_owned(), "can".to_owned()];
        row.extend(tried.iter().map(|target| {
            let able = target
                .capabilities
                .as_ref()
                .map(|capabilities| capability(capabilities).able);
            able.map_or("", |able| if able { "yes" } else { "no" })
                .to_owned()
        }));
        table.rows.push(row);
    }
    table.notes.push(
        "✓ right  ✗ wrong  d wrong, and known to be  ! listed as wrong, but right  – not tried"
            .into(),
    );
    table
}

/// The same with numbers as heads of the columns, where there are too many names for a terminal.
#[must_use]
pub fn numbered(matrix: &Table) -> Table {
    let names = &matrix.header[FIXED..];
    if names.len() <= NAMES_THAT_FIT {
        return matrix.clone();
    }
    let mut numbered = matrix.clone();
    for (index, head) in numbered.header[FIXED..].iter_mut().enumerate() {
        *head = (index + 1).to_string();
    }
    for row in &mut numbered.rows {
        for cell in &mut row[FIXED..] {
            *cell = cell.replace("yes", "✓").replace("no", "✗");
        }
    }
    let legend = names
        .iter()
        .enumerate()
        .map(|(index, name)| format!("{} {name}", index + 1));
    numbered.notes.push(legend.collect::<Vec<_>>().join(", "));
    numbered
}

/// Columns before those of the targets.
const FIXED: usize = 2;

/// Targets whose names fit beside one another.
const NAMES_THAT_FIT: usize = 8;

type Pick = fn(&Capabilities) -> &Capability;

const CAPABILITIES: [(&str, Pick); 8] = [
    ("keep-alive", |able| &able.keep_alive),
    ("close", |able| &able.close),
    ("server closes", |able| &able.server_closes),
    ("pipelining", |able| &able.pipelining),
    ("HTTP/1.0", |able| &able.http10),
    ("HTTP/1.0 keep-alive", |able| &able.http10_keep_alive),
    ("ab", |able| &able.ab),
    ("ab -k", |able| &able.ab_keep_alive),
];

/// Every case that some target has, in the order of the first one that has it.
fn cases<'a>(targets: &[&'a Target]) -> Vec<&'a CaseResult> {
    let mut cases: Vec<&CaseResult> = Vec::new();
    for case in targets.iter().flat_map(|target| &target.contract) {
        if !cases.iter().any(|other| other.case == case.case) {
            cases.push(case);
        }
    }
    cases
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::Should => "should",
    }
}

fn mark(result: Option<&CaseResult>) -> &'static str {
    match result.map(|result| result.outcome) {
        Some(Outcome::Pass) => "✓",
        Some(Outcome::Fail) => "✗",
        Some(Outcome::Deviation) => "d",
        Some(Outcome::StaleDeviation) => "!",
        Some(Outcome::Skipped) | None => "–",
    }
}
