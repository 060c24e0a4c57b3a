//! What limited a sample or a cell, or what is wrong with it.

use crate::model::{
    Cell, CellKey, Errors, GeneratorCost, Heat, Latency, Mode, Sample, ServerCost, Verdict,
};
use std::collections::BTreeMap;

/// A side that used this share of its CPUs was the limit.
pub const SATURATED: f64 = 0.95;

/// Other processes that take more than this share of the server's CPUs spoil its figures.
pub const CROWDED: f64 = 0.05;

/// Little's law: rate x mean latency is the number of requests in service (J. D. C. Little, "A Proof for the Queuing
/// Formula L = λW", Operations Research 9, 1961). Below this share of what was offered, part of the connections starve.
pub const STARVED: f64 = 0.7;

/// What one sample is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Failed requests.
    pub errors: &'a Errors,
    /// Right responses.
    pub responses: u64,
    /// Right responses per second.
    pub rate: f64,
    /// Latency.
    pub latency: &'a Latency,
    /// Whether connections should be busy all the time, and latency covers all of that time.
    pub always_busy: bool,
    /// Connections x depth.
    pub offered: f64,
    /// Generator's cost.
    pub generator: &'a GeneratorCost,
    /// Server's cost.
    pub server: &'a ServerCost,
    /// Whether both had to share CPUs.
    pub shared_cpus: bool,
    /// Temperature, clock, and whether the machine slowed itself down.
    pub heat: &'a Heat,
}

/// Judges one sample: what is wrong comes before what limited it.
#[must_use]
pub fn judge_sample(evidence: &Evidence<'_>) -> (Verdict, String) {
    wrong(evidence)
        .or_else(|| starved(evidence))
        .or_else(|| late(evidence))
        .unwrap_or_else(|| limit(evidence))
}

fn wrong(evidence: &Evidence<'_>) -> Option<(Verdict, String)> {
    let errors = evidence.errors;
    if errors.wrong_bytes + errors.extra > 0 {
        return Some((Verdict::WrongBytes, describe(errors)));
    }
    if errors.total() > errors.timeout {
        return Some((Verdict::Errors, describe(errors)));
    }
    if evidence.responses == 0 {
        return Some((Verdict::Errors, "not one response".into()));
    }
    (evidence.heat.throttled == Some(true)).then(|| (Verdict::Throttled, throttled(evidence.heat)))
}

/// With what a Raspberry Pi's firmware says (`vcgencmd get_throttled`), now and since boot.
fn throttled(heat: &Heat) -> String {
    const SAYS: [&str; 4] = [
        "under-voltage",
        "clock capped",
        "throttled",
        "at its soft limit of temperature",
    ];
    let bits = heat.get_throttled_before.unwrap_or(0) | heat.get_throttled_after.unwrap_or(0);
    let said: Vec<&str> = SAYS
        .iter()
        .enumerate()
        .filter(|(bit, _)| (bits | bits >> 16) & (1 << bit) != 0)
        .map(|(_, says)| *says)
        .collect();
    let degrees = heat
        .celsius_after
        .map(|celsius| format!(" at {celsius:.0} °C"))
        .unwrap_or_default();
    match said.is_empty() {
        true => format!("the machine lowered its clock during the load{degrees}"),
        false => format!(
            "the machine lowered its clock during the load{degrees} ({})",
            said.join(", ")
        ),
    }
}

/// Timeouts that no starvation explains.
fn late(evidence: &Evidence<'_>) -> Option<(Verdict, String)> {
    (evidence.errors.timeout > 0).then(|| (Verdict::Errors, describe(evidence.errors)))
}

fn starved(evidence: &Evidence<'_>) -> Option<(Verdict, String)> {
    if !evidence.always_busy {
        return None;
    }
    let in_service = evidence.rate * evidence.latency.mean_us? / 1e6;
    let offered = evidence.offered;
    (in_service < STARVED * offered).then(|| {
        (
            Verdict::Starved,
            format!("rate x mean latency is {in_service:.0} of {offered:.0} requests in flight"),
        )
    })
}

fn limit(evidence: &Evidence<'_>) -> (Verdict, String) {
    let generator = evidence.generator.utilisation;
    let Some(server) = evidence.server.utilisation else {
        let why = match evidence.server.children_lost {
            true => {
                "not known: it forks and ignores SIGCHLD, so nobody can tell what its children used"
            }
            false => "not known here",
        };
        return (
            Verdict::LatencyBound,
            format!("generator {}, server's CPU {why}", percent(generator)),
        );
    };
    let used = format!(
        "server {}, generator {} of its CPUs{}",
        percent(server),
        percent(generator),
        others(evidence)
    );
    if evidence.shared_cpus {
        let both = (server + generator).min(1.0);
        let verdict = if both >= SATURATED {
            Verdict::Ok
        } else {
            Verdict::LatencyBound
        };
        return (verdict, format!("{used}, which both share"));
    }
    match (server >= SATURATED, generator >= SATURATED) {
        (true, _) => (Verdict::Ok, used),
        (false, true) => (Verdict::GeneratorBound, used),
        (false, false) => (Verdict::LatencyBound, used),
    }
}

/// Other processes on the server's CPUs, where they took enough to matter.
fn others(evidence: &Evidence<'_>) -> String {
    let share = evidence.server.others_utilisation;
    match share.filter(|share| *share > CROWDED && !evidence.shared_cpus) {
        Some(share) => format!("; others took {} of the server's", percent(share)),
        None => String::new(),
    }
}

/// `3 timeout, 1 reset`.
#[must_use]
pub fn describe(errors: &Errors) -> String {
    let kinds = [
        (errors.connect, "could not connect"),
        (errors.reset, "reset"),
        (errors.timeout, "timeout"),
        (errors.short, "cut short"),
        (errors.wrong_bytes, "wrong bytes"),
        (errors.non_2xx, "not 2xx"),
        (errors.unexpected_close, "closed unexpectedly"),
        (errors.extra, "more than was asked for"),
    ];
    let seen: Vec<String> = kinds
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, kind)| format!("{n} {kind}"))
        .collect();
    seen.join(", ")
}

/// Judges a cell by its rounds: one wrong round spoils it, what limited it is decided by the majority.
#[must_use]
pub fn judge_cell(samples: &[Sample]) -> Option<(Verdict, String)> {
    const SPOILS: [Verdict; 3] = [Verdict::WrongBytes, Verdict::Errors, Verdict::Throttled];
    for verdict in SPOILS {
        let spoilt: Vec<&Sample> = samples
            .iter()
            .filter(|sample| sample.verdict == verdict)
            .collect();
        if let Some(first) = spoilt.first() {
            return Some((
                verdict,
                in_rounds(spoilt.len(), samples.len(), &first.reason),
            ));
        }
    }
    let mut votes: BTreeMap<Verdict, usize> = BTreeMap::new();
    for sample in samples {
        *votes.entry(sample.verdict).or_default() += 1;
    }
    // At equal votes the later, worse verdict wins: `Verdict` is ordered so.
    let (verdict, count) = votes
        .into_iter()
        .max_by_key(|(verdict, count)| (*count, *verdict))?;
    let typical = samples.iter().find(|sample| sample.verdict == verdict)?;
    Some((verdict, in_rounds(count, samples.len(), &typical.reason)))
}

fn in_rounds(count: usize, all: usize, reason: &str) -> String {
    if count == all {
        reason.to_owned()
    } else {
        format!("{reason} (in {count} of {all} rounds)")
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

impl Cell {
    /// A cell that could not be measured.
    #[must_use]
    pub fn skipped(key: CellKey, reason: impl Into<String>) -> Self {
        Self {
            key,
            samples: Vec::new(),
            verdict: Verdict::Skipped,
            reason: reason.into(),
            summary: None,
        }
    }
}

impl CellKey {
    /// Requests that a closed loop keeps in flight.
    #[must_use]
    pub fn offered(&self, pipeline_depth: u32) -> f64 {
        let depth = if self.mode == Mode::Pipeline {
            pipeline_depth
        } else {
            1
        };
        f64::from(self.connections) * f64::from(depth)
    }
}

impl Verdict {
    /// Whether its requests per second may be ranked.
    #[must_use]
    pub fn ranks_requests(self) -> bool {
        self == Self::Ok
    }

    /// Whether its CPU per request may be ranked: that stays true when the server was not the limit.
    #[must_use]
    pub fn ranks_cpu(self) -> bool {
        matches!(self, Self::Ok | Self::GeneratorBound | Self::LatencyBound)
    }
}

#[cfg(test)]
mod tests;
