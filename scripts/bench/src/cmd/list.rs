//! `list`: every target, and what is missing to measure it.

use super::output;
use crate::candidate::{Choice, choose};
use crate::checkout::Place;
use crate::cli::ListArgs;
use crate::view::Table;
use crate::{exit, prepare};

/// Shows them.
///
/// # Errors
/// When the list or a name cannot be read, or stdout cannot be written.
pub fn run(args: &ListArgs) -> anyhow::Result<u8> {
    let selection = &args.selection;
    let place = Place::find(selection.targets.as_deref())?;
    let choice = Choice {
        only: selection.only.clone(),
        skip: selection.skip.clone(),
        with: selection.with.clone(),
        all: true,
    };
    let header = [
        "target",
        "class",
        "language",
        "stack",
        "quick run",
        "missing",
    ];
    let mut table = Table::new("Targets", &header);
    for candidate in choose(place.targets.as_ref(), &choice)? {
        let target = &candidate.target;
        table.rows.push(vec![
            candidate.name.clone(),
            candidate.describe().class.to_string(),
            target.language.clone(),
            target.stack.clone(),
            if target.quick {
                "yes".into()
            } else {
                String::new()
            },
            prepare::needs(target).unwrap_or_default(),
        ]);
    }
    output::write(table.to_text())?;
    Ok(exit::OK)
}
