//! Our servers' own tests: the whole contract, and what the cases do not ask, each as one call.

mod bodies;
mod command_line;
mod descriptors;
mod half_body;
mod refusals;

pub use bodies::{assert_bodies, assert_closing_bodies};
pub use command_line::assert_command_line;
pub use descriptors::assert_starts_whole;
pub use half_body::assert_half_body_is_finished;
pub use refusals::assert_refusals_close;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{
    Judge, Level, Outcome, Running, Selection, ServerCommand, Target, Targets, Values, Verdict,
    cases,
};
use crate::{check_process, check_wire};

/// Starts `bin`, runs every case, prints a table and panics if a case failed that targets.toml does not
/// list for `name`, if one passed that it lists, or if a case killed the server.
///
/// ```ignore
/// #[test]
/// fn contract() {
///     contract::assert_server(env!("CARGO_BIN_EXE_srv-hyper"), "srv-hyper");
/// }
/// ```
pub fn assert_server(bin: &str, name: &str) {
    let target = target(name);
    if is_skipped(bin, &target) {
        return;
    }
    let command = command(bin, &target);
    let outcomes = all_cases(&command, &judge(&target, &command));
    print_table(name, &outcomes);
    let faults = faults(&outcomes, &target);
    assert!(
        faults.is_empty(),
        "{name} breaks its contract:\n{}",
        faults.join("\n")
    );
}

/// Whether the server says that this machine cannot run it: then there is nothing to test, which is printed.
fn is_skipped(bin: &str, target: &Target) -> bool {
    let refusal = target.refusal(&command(bin, target));
    if let Some(said) = &refusal {
        println!("{} is skipped: {said}", target.name);
    }
    refusal.is_some()
}

/// The entry in targets.toml.
fn target(name: &str) -> Target {
    let targets = Targets::load(&targets_file()).unwrap_or_else(|error| panic!("{error}"));
    targets
        .get(name)
        .unwrap_or_else(|| panic!("targets.toml has no target `{name}`"))
        .clone()
}

/// How the target is started, by this binary and with two threads.
fn command(bin: &str, target: &Target) -> ServerCommand {
    let mut command = target.command(Values {
        threads: 2,
        ..Values::new("")
    });
    command.argv[0] = bin.to_owned();
    command
}

fn judge(target: &Target, command: &ServerCommand) -> Judge {
    target
        .judge(&command.values.body())
        .unwrap_or_else(|| panic!("`{}` is exempt from the contract", target.name))
}

fn targets_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../servers/targets.toml")
}

/// The quick wire cases first, since the others would hold them up; then all that waits, side by side.
fn all_cases(command: &ServerCommand, judge: &Judge) -> Vec<Outcome> {
    let running = start(command);
    let mut outcomes = check_wire(running.addr(), judge, &Selection::Quick);
    let (wire, process) = std::thread::scope(|scope| {
        let wire = scope.spawn(|| check_wire(running.addr(), judge, &Selection::Waiting));
        let process = check_process(command, judge, &Selection::All);
        (wire.join().expect("no case panics"), process)
    });
    outcomes.extend(wire);
    outcomes.extend(process);
    outcomes.sort_by_key(|outcome| cases().iter().position(|case| case.id == outcome.id));
    outcomes
}

fn start(command: &ServerCommand) -> Running {
    command
        .start(Duration::from_secs(10))
        .unwrap_or_else(|error| panic!("the server does not start: {error}"))
}

fn print_table(name: &str, outcomes: &[Outcome]) {
    println!("{name}:");
    for outcome in outcomes {
        let level = cases()
            .iter()
            .find(|case| case.id == outcome.id)
            .map(|case| case.level);
        let level = if level == Some(Level::Must) { 'M' } else { 'S' };
        let verdict = match outcome.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Skip => "skip",
        };
        println!("  {level} {verdict} {:<22} {}", outcome.id, outcome.reason);
        for line in outcome.exchange.lines() {
            println!("           {line}");
        }
    }
}

/// What breaks the contract, a line each.
fn faults(outcomes: &[Outcome], target: &Target) -> Vec<String> {
    let fault = |outcome: &Outcome| {
        let listed = target.deviations.get(outcome.id);
        match (outcome.verdict, listed) {
            _ if !outcome.alive => Some(format!(
                "{}: the server did not survive it: {}",
                outcome.id, outcome.reason
            )),
            (Verdict::Fail, None) => Some(format!("{}: {}", outcome.id, outcome.reason)),
            (Verdict::Pass, Some(reason)) => Some(format!(
                "{}: passes, so its deviation (`{reason}`) must go from targets.toml",
                outcome.id
            )),
            _ => None,
        }
    };
    outcomes.iter().filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::faults;
    use crate::{Outcome, Target, Verdict};

    fn faults_of(verdict: Verdict, alive: bool, listed: bool) -> Vec<String> {
        let mut target = Target::yours("mine", vec!["run".into()]).unwrap();
        if listed {
            target
                .deviations
                .insert("connect".into(), "upstream".into());
        }
        let outcome = Outcome {
            id: "connect",
            verdict,
            alive,
            reason: "why".into(),
            exchange: String::new(),
        };
        faults(&[outcome], &target)
    }

    #[test]
    fn a_deviation_excuses_a_failure_and_nothing_else() {
        assert_eq!(faults_of(Verdict::Pass, true, false), [""; 0]);
        assert_eq!(faults_of(Verdict::Skip, true, true), [""; 0]);
        assert_eq!(faults_of(Verdict::Fail, true, true), [""; 0]);
        assert_eq!(faults_of(Verdict::Fail, true, false), ["connect: why"]);
        assert_eq!(
            faults_of(Verdict::Fail, false, true),
            ["connect: the server did not survive it: why"]
        );
        assert_eq!(
            faults_of(Verdict::Pass, true, true),
            ["connect: passes, so its deviation (`upstream`) must go from targets.toml"]
        );
    }
}
