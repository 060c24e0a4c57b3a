//! Between plan and first round: builds, versions, and what a reader must know before.

use super::Job;
use crate::candidate::Candidate;
use crate::executor::Host;
use crate::model::{Fact, Mode, Run};
use anyhow::ensure;
use contract::Values;

/// Builds the targets, skips those that cannot be, and describes the others.
pub(super) fn prepare(job: &mut Job, host: &mut dyn Host) -> anyhow::Result<()> {
    let threads = job.run.plan.threads.first().copied().unwrap_or(1);
    let values = Values {
        port: job.port.unwrap_or(0),
        threads: threads as usize,
        body_size: job.body_size,
        ..Values::new(&job.place.bin)
    };
    let missing = host.prepare(&job.candidates, &values)?;
    for (candidate, missing) in job.candidates.iter().zip(&missing) {
        let Some(entry) = job
            .run
            .targets
            .iter_mut()
            .find(|target| target.name == candidate.name)
        else {
            continue;
        };
        entry.skipped = None;
        match missing {
            None => describe(host, candidate, &values, entry)?,
            Some(reason) => job.run.leave_out(&candidate.name, reason),
        }
    }
    let mut missing = missing.into_iter();
    job.candidates
        .retain(|_| missing.next().flatten().is_none());
    ensure!(
        !job.candidates.is_empty(),
        "no target can be measured: {}",
        job.run
            .targets
            .iter()
            .find_map(|target| target.skipped.clone())
            .unwrap_or_default()
    );
    note_crowding(&mut job.run, job.port);
    Ok(())
}

/// A resumed run must not mix two builds.
fn describe(
    host: &mut dyn Host,
    candidate: &Candidate,
    values: &Values,
    entry: &mut crate::model::Target,
) -> anyhow::Result<()> {
    let before = entry.binary_sha256.take();
    host.describe(candidate, values, entry);
    ensure!(
        before.is_none() || before == entry.binary_sha256,
        "{} was built anew since this run began: its rounds cannot be mixed, so start a new run",
        candidate.name
    );
    Ok(())
}

/// What about the plan itself a reader must know.
fn note_crowding(run: &mut Run, port: Option<u16>) {
    let cpus = run.cpus.server.len();
    let mut notes = Vec::new();
    if let Some(most) = run
        .plan
        .threads
        .iter()
        .max()
        .filter(|most| **most as usize > cpus)
    {
        notes.push(format!("{most} server threads share {cpus} CPU(s): what more threads bring is not to be seen here"));
    }
    if run.cpus.shared {
        notes.push(
            "server and generator share their CPUs: only CPU per request tells servers apart"
                .into(),
        );
    }
    if port.is_some() && run.plan.modes.contains(&Mode::Close) {
        notes.push("mode close on one fixed port leaves connections in TIME_WAIT behind: without --port each start has a fresh one".into());
    }
    if run.plan.modes.contains(&Mode::Close) {
        let loading = run.generator_machines.first().unwrap_or(&run.machine);
        notes.extend(ports_that_run_out(&loading.facts));
    }
    for note in notes {
        if !run.warnings.contains(&note) {
            run.warnings.push(note);
        }
    }
}

/// A connection per request leaves an ephemeral port in TIME_WAIT: after some 28,000 of them wrk and ab stall silently
/// (TechEmpower 4092). The embedded generator spreads over source addresses instead.
fn ports_that_run_out(facts: &[Fact]) -> Vec<String> {
    let limits = facts
        .iter()
        .filter(|fact| ["port-range", "tcp-tw-reuse"].contains(&fact.name.as_str()));
    limits
        .filter_map(|fact| {
            let remedy = fact.remedy.as_ref()?;
            Some(format!(
                "mode close can run out of ports ({}: {}): {remedy}",
                fact.name, fact.value
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Severity;

    #[test]
    fn too_few_ports_for_mode_close_are_said() {
        let fact = |name: &str, remedy: Option<&str>| Fact {
            name: name.into(),
            value: "1000 ephemeral ports".into(),
            severity: Severity::Warning,
            remedy: remedy.map(str::to_owned),
        };
        let few = [
            fact("port-range", Some("sudo sysctl -w x")),
            fact("load", Some("wait")),
        ];
        let notes = ports_that_run_out(&few);
        assert_eq!(notes.len(), 1);
        assert!(
            notes[0].contains("1000 ephemeral ports") && notes[0].contains("sysctl"),
            "{notes:?}"
        );
        assert!(ports_that_run_out(&[fact("port-range", None)]).is_empty());
    }
}
