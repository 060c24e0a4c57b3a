//! `--wire-size`: gives each target the body that makes its whole response that size.

use super::Job;
use crate::candidate::Candidate;
use crate::executor::{Host, Order};
use crate::padding::{Size, body_size};
use crate::wire;
use anyhow::ensure;
use std::collections::BTreeMap;

/// Asks every target, each on a process of its own. One that cannot have the size is skipped with the reason.
pub(super) fn pad(job: &mut Job, host: &mut dyn Host) -> anyhow::Result<()> {
    let Some(wanted) = job.run.plan.wire_size else {
        return Ok(());
    };
    let wanted = usize::try_from(wanted)?;
    let mut found: BTreeMap<String, Result<usize, String>> = BTreeMap::new();
    for candidate in job.candidates.clone() {
        let ask = |body| size(job, host, &candidate, body).map_err(|e| format!("{e:#}"));
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
    job.run.leave_out(&candidate.name, reason);
    job.candidates.retain(|other| other.name != candidate.name);
}

/// The response to a body of this size.
fn size(
    job: &Job,
    host: &mut dyn Host,
    candidate: &Candidate,
    body_size: usize,
) -> anyhow::Result<Size> {
    let plan = &job.run.plan;
    let started = host.start(&Order {
        target: candidate.target.clone(),
        threads: plan.threads.first().copied().unwrap_or(1),
        cpus: job.run.cpus.server.clone(),
        port: job.port,
        body_size,
        path: plan.path.clone(),
    })?;
    let request = wire::request(plan.request, &plan.path, started.address)?;
    let response = wire::exchange(started.address, &request)?;
    host.stop()?;
    Ok(Size {
        whole: response.wire_bytes,
        body: response.body.len(),
    })
}
