//! `env`: what about this machine spoils measurements.

use super::output;
use crate::cli::EnvArgs;
use crate::model::{Machine, Severity};
use crate::view::Table;
use crate::{exit, os};

/// Shows every fact with its remedy.
///
/// # Errors
/// When stdout cannot be written.
pub fn run(args: &EnvArgs) -> anyhow::Result<u8> {
    let machine = os::machine();
    if args.json {
        output::line(serde_json::to_string_pretty(&machine)?)?;
    } else {
        output::write(table(&machine).to_text())?;
    }
    Ok(exit::OK)
}

fn table(machine: &Machine) -> Table {
    let cpu = machine.cpu.as_deref().unwrap_or("unknown CPU");
    let title = format!(
        "{}, kernel {}, {cpu}, {} CPUs online",
        machine.os, machine.kernel, machine.cpus_online
    );
    let mut table = Table::new(title, &["fact", "found", "", "remedy"]);
    for fact in &machine.facts {
        let mark = match fact.severity {
            Severity::Good => "good",
            Severity::Unknown => "?",
            Severity::Warning => "minds",
            Severity::Bad => "spoils",
        };
        let remedy = fact.remedy.clone().unwrap_or_default();
        table.rows.push(vec![
            fact.name.clone(),
            fact.value.clone(),
            mark.into(),
            remedy,
        ]);
    }
    table
}
