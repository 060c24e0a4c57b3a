//! Runs cases: which ones, side by side or one after the other.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crate::case::Run;
use crate::client::{Client, G};
use crate::fault::Fault;
use crate::process::Process;
use crate::wire::Wire;
use crate::{Case, Judge, Kind, Outcome, ServerCommand, Verdict, cases};

/// Which cases to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All of the kind.
    All,
    /// Those that need no waiting: the wire cases take under a second against a good server.
    Quick,
    /// Those that need waiting.
    Waiting,
    /// These ids; see [`Selection::ids`].
    Ids(Vec<&'static str>),
}

/// A case that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown case `{0}`")]
pub struct UnknownCase(pub String);

impl Selection {
    /// Selects by id; an id that does not exist is an error.
    pub fn ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownCase> {
        let known = |id: &str| {
            let case = cases().iter().find(|case| case.id == id);
            case.map(|case| case.id)
                .ok_or_else(|| UnknownCase(id.to_owned()))
        };
        ids.into_iter()
            .map(known)
            .collect::<Result<_, _>>()
            .map(Self::Ids)
    }

    fn cases(&self, kind: Kind) -> Vec<&'static Case> {
        let selected = |case: &Case| match self {
            Self::All => true,
            Self::Quick => !case.waits,
            Self::Waiting => case.waits,
            Self::Ids(ids) => ids.contains(&case.id),
        };
        cases()
            .iter()
            .filter(|case| case.kind == kind && selected(case))
            .collect()
    }
}

/// Runs the selected wire cases against a server that listens on `addr`; outcomes in the list's order.
///
/// Cases that load or time the server run alone, the others side by side, unless the server serves only a few
/// connections at once: then they would disturb one another, and run in turn.
pub fn check_wire(addr: SocketAddr, judge: &Judge, selection: &Selection) -> Vec<Outcome> {
    let cases = selection.cases(Kind::Wire);
    let mut wire = Wire {
        addr,
        judge: judge.clone(),
        concurrent: false,
    };
    if let Err(dead) = wire.expect_alive() {
        let dead = dead.in_context("the server does not answer");
        return cases
            .into_iter()
            .map(|case| outcome(case, Err(dead.clone()), false))
            .collect();
    }
    wire.concurrent = serves_many(addr);
    let (alone, beside): (Vec<&Case>, Vec<&Case>) = cases
        .iter()
        .partition(|case| !wire.concurrent || matches!(case.run, Run::WireAlone(_)));
    let mut outcomes = in_turn(&alone, &wire);
    outcomes.extend(side_by_side(&beside, |case| run_wire(case, &wire)));
    in_order(outcomes)
}

/// One after the other, until one kills the server: each of the rest would wait for it in vain.
fn in_turn(cases: &[&'static Case], wire: &Wire) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for case in cases {
        let killer = outcomes.iter().find(|outcome| !outcome.alive);
        outcomes.push(match killer {
            None => run_wire(case, wire),
            Some(killer) => outcome(
                case,
                Err(Fault::Skip(format!(
                    "not run: the server did not survive {}",
                    killer.id
                ))),
                false,
            ),
        });
    }
    outcomes
}

/// Runs the selected process cases on servers that it starts with `command`, side by side; outcomes in the
/// list's order.
pub fn check_process(
    command: &ServerCommand,
    judge: &Judge,
    selection: &Selection,
) -> Vec<Outcome> {
    let cases = selection.cases(Kind::Process);
    side_by_side(&cases, |case| run_process(case, command, judge))
}

fn side_by_side(
    cases: &[&'static Case],
    run: impl Fn(&'static Case) -> Outcome + Sync,
) -> Vec<Outcome> {
    let run = &run;
    thread::scope(|scope| {
        let threads: Vec<_> = cases
            .iter()
            .map(|case| scope.spawn(move || run(case)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a case does not panic"))
            .collect()
    })
}

fn in_order(mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    outcomes.sort_by_key(|outcome| cases().iter().position(|case| case.id == outcome.id));
    outcomes
}

fn run_wire(case: &'static Case, wire: &Wire) -> Outcome {
    let (Run::Wire(run) | Run::WireAlone(run)) = case.run else {
        unreachable!("selected by kind");
    };
    let result = run(wire);
    match wire.expect_alive() {
        Ok(()) => outcome(case, result, true),
        Err(dead) => outcome(case, result.and(Err(dead.in_context("afterwards"))), false),
    }
}

fn run_process(case: &'static Case, command: &ServerCommand, judge: &Judge) -> Outcome {
    let Run::Process(run) = case.run else {
        unreachable!("selected by kind");
    };
    let process = Process::new(command, judge);
    let result = run(&process);
    let mut outcome = outcome(case, result, !process.died.load(Ordering::Relaxed));
    if outcome.reason.is_empty() {
        outcome.reason = process
            .remarks
            .into_inner()
            .expect("no case panics")
            .join("; ");
    }
    outcome
}

fn outcome(case: &Case, result: Result<(), Fault>, alive: bool) -> Outcome {
    let (verdict, reason, exchange) = match result {
        Ok(()) => (Verdict::Pass, String::new(), String::new()),
        Err(Fault::Skip(reason)) => (Verdict::Skip, reason, String::new()),
        Err(Fault::Fail { reason, exchange }) => (Verdict::Fail, reason, exchange),
    };
    Outcome {
        id: case.id,
        verdict,
        alive,
        reason,
        exchange,
    }
}

/// More connections than the cases that run side by side hold at once.
const MANY: usize = 64;

/// Whether the server answers one client while many others have sent half a request: not when it serves one
/// connection at a time.
fn serves_many(addr: SocketAddr) -> bool {
    let (start, _) = G.split_at(G.len() / 2);
    let half = || -> Result<Client, Fault> {
        let mut client = Client::connect(addr)?;
        client.send(start)?;
        Ok(client)
    };
    let Ok(_held) = (0..MANY).map(|_| half()).collect::<Result<Vec<_>, _>>() else {
        return false;
    };
    let answered = || -> Result<bool, Fault> {
        let mut client = Client::connect(addr)?;
        client.send(G)?;
        Ok(client
            .response_within("GET", Duration::from_secs(1))?
            .is_some())
    };
    answered().unwrap_or(false)
}
