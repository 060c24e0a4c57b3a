//! `--wire-size`: gives each target the body that makes its whole response that size.

use super::{Job, ready};
use crate::candidate::Candidate;
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::padding::{Size, body_size};
use crate::target::{Server, free_port, launch};
use crate::wire;
use anyhow::ensure;
use contract::Values;
use std::collections::BTreeMap;

/// Asks every target, each on a process of its own. One that cannot have the size is skipped with the reason.
pub(super) fn pad(job: &mut Job, guard: &Guard, interrupt: &Interrupt) -> anyhow::Result<()> {
    let Some(wanted) = job.run.plan.wire_size else {
        return Ok(());
    };
    let wanted = usize::try_from(wanted)?;
    let mut found: BTreeMap<String, Result<usize, String>> = BTreeMap::new();
    for candidate in job.candidates.clone() {
        let ask =
            |body| size(job, &candidate, body, guard, interrupt).map_err(|e| format!("{e:#}"));
        // The twin is the same program.
        let size = found
            .entry(candidate.target.name.clone())
            .or_insert_with(|| body_size(wanted, ask));
        match size {
            Ok(size) => drop(job.body_sizes.insert(candidate.name, *size)),
            Err(reason) => leave_out(job, &candidate, reason),
        }
    }
    ensure!(
        !job.candidates.is_empty(),
        "no target's response can be padded to {wanted} bytes"
    );
    Ok(())
}

fn leave_out(job: &mut Job, candidate: &Candidate, reason: &str) {
    eprintln!("bench: {}: {reason}", candidate.name);
    let entry = job.run.targets.iter_mut();
    for entry in entry.filter(|target| target.name == candidate.name) {
        entry.skipped = Some(reason.to_owned());
    }
    ready::skip(&mut job.run.cells, &candidate.name, reason);
    job.candidates.retain(|other| other.name != candidate.name);
}

/// The response to a body of this size.
fn size(
    job: &Job,
    candidate: &Candidate,
    body_size: usize,
    guard: &Guard,
    interrupt: &Interrupt,
) -> anyhow::Result<Size> {
    let plan = &job.run.plan;
    let port = job.port.map_or_else(free_port, Ok)?;
    let values = Values {
        port,
        threads: plan.threads.first().map_or(1, |threads| *threads as usize),
        body_size,
        ..Values::new(&job.place.bin)
    };
    let launch = launch(&candidate.target, &values)?;
    let mut server = Server::start(&launch, port, guard.mark(), interrupt)?;
    server.wait_until_it_answers(&plan.path)?;
    let request = wire::request(plan.request, &plan.path, server.address())?;
    let response = wire::exchange(server.address(), &request)?;
    server.stop()?;
    Ok(Size {
        whole: response.wire_bytes,
        body: response.body.len(),
    })
}
