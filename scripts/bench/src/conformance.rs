//! The contract as results show it: its outcomes against a target's known deviations.

use crate::model::{self, Capability, CaseResult, Level, Outcome};
use contract::targets::Contract;
use contract::{Ability, Judge, Selection, ServerCommand, Target, Verdict};
use std::net::SocketAddr;

/// What a target can do, in the form of the results.
#[must_use]
pub fn capabilities(address: SocketAddr) -> model::Capabilities {
    let found = contract::capabilities(address);
    model::Capabilities {
        keep_alive: capability(found.keep_alive),
        close: capability(found.close),
        server_closes: capability(found.server_closes),
        pipelining: capability(found.pipelining),
        http10: capability(found.http10),
        http10_keep_alive: capability(found.http10_keep_alive),
        ab: capability(found.ab),
        ab_keep_alive: capability(found.ab_keep_alive),
    }
}

fn capability(ability: Ability) -> Capability {
    match ability {
        Ability::Yes => Capability {
            able: true,
            reason: None,
        },
        Ability::No(reason) => Capability {
            able: false,
            reason: Some(reason),
        },
    }
}

/// The wire cases, quick or all, against a running server.
#[must_use]
pub fn wire(
    target: &Target,
    judge: &Judge,
    address: SocketAddr,
    selection: &Selection,
) -> Vec<CaseResult> {
    results(target, contract::check_wire(address, judge, selection))
}

/// The process cases: the contract starts the server itself.
#[must_use]
pub fn process(target: &Target, judge: &Judge, command: &ServerCommand) -> Vec<CaseResult> {
    results(
        target,
        contract::check_process(command, judge, &Selection::All),
    )
}

fn results(target: &Target, outcomes: Vec<contract::Outcome>) -> Vec<CaseResult> {
    outcomes
        .into_iter()
        .map(|outcome| result(target, outcome))
        .collect()
}

fn result(target: &Target, outcome: contract::Outcome) -> CaseResult {
    let known = target.deviations.get(outcome.id);
    let strict = target.contract == Contract::Exact;
    let judged = match (outcome.verdict, known) {
        (Verdict::Skip, _) => Outcome::Skipped,
        (Verdict::Pass, Some(_)) if strict => Outcome::StaleDeviation,
        (Verdict::Pass, _) => Outcome::Pass,
        // A deviation never excuses a dead server.
        (Verdict::Fail, Some(_)) if outcome.alive => Outcome::Deviation,
        (Verdict::Fail, _) => Outcome::Fail,
    };
    let detail = match (judged, known) {
        (Outcome::Deviation, Some(reason)) => Some(reason.clone()),
        _ => Some(outcome.reason).filter(|reason| !reason.is_empty()),
    };
    CaseResult {
        case: outcome.id.into(),
        level: level(outcome.id),
        outcome: judged,
        detail,
    }
}

fn level(id: &str) -> Level {
    match contract::cases()
        .iter()
        .find(|case| case.id == id)
        .map(|case| case.level)
    {
        Some(contract::Level::Should) => Level::Should,
        _ => Level::Must,
    }
}

/// Whether a check of this target fails because of these results: for servers of this suite whatever is not as it is
/// written down, for the user's own what is a must, for others nothing.
#[must_use]
pub fn fails(target: &Target, results: &[CaseResult]) -> bool {
    results
        .iter()
        .any(|result| match (target.contract, target.class) {
            (Contract::Exact, _) => {
                matches!(result.outcome, Outcome::Fail | Outcome::StaleDeviation)
            }
            (_, contract::targets::Class::Yours) => {
                result.outcome == Outcome::Fail && result.level == Level::Must
            }
            _ => false,
        })
}
