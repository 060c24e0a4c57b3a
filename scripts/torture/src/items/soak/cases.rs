//! The contract's cases as traffic: the good ones, and the hostile ones as one request in a hundred.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use contract::{Judge, Kind, Selection, Target, Verdict, check_wire};

use super::Schedule;

/// Cases that a good client would not ask: about 60 requests, one in a hundred of a cycle's.
const HOSTILE: &[&str] = &[
    "body-not-a-request",
    "length-and-chunked",
    "bad-length",
    "bad-transfer-encoding",
    "host-missing",
    "host-twice",
    "garbage-behind-good",
    "bad-field",
    "not-http11",
    "too-large",
    "bad-chunk",
    "connect",
];

/// Cases of tens of thousands of requests: every fourth time, so that the rate stays modest.
const MANY: &[&str] = &["pipeline-20000", "wrk-request"];

/// A case that judges time, which a busy machine has not.
const TIMED: &str = "no-stall";

/// What came of the cases.
#[derive(Debug, Default)]
pub(super) struct Cases {
    pub(super) good: u64,
    pub(super) hostile: u64,
    /// A line for each that failed and is not known to.
    pub(super) errors: Vec<String>,
}

/// Goes through the cases, cycle by cycle; `None` for a target that has no contract.
pub(super) fn start(
    target: &Target,
    addr: SocketAddr,
    schedule: Schedule,
    offset: Duration,
    stop: &Arc<AtomicBool>,
) -> Option<JoinHandle<Cases>> {
    let judge = target.judge("Hello, World!")?;
    let known: Vec<String> = target.deviations.keys().cloned().collect();
    let stop = Arc::clone(stop);
    Some(thread::spawn(move || {
        let mut cases = Cases::default();
        let mut due = schedule.start + offset;
        for cycle in 0.. {
            if !wait_until(due, &stop) {
                break;
            }
            let pace = schedule.pace(due);
            cases.good += cases.check(addr, &judge, &good(), &known);
            if cycle % 4 == 0 {
                cases.good += cases.check(addr, &judge, MANY, &known);
            }
            if !wait_until(due + pace / 2, &stop) {
                break;
            }
            cases.hostile += cases.check(addr, &judge, HOSTILE, &known);
            due += pace;
        }
        cases
    }))
}

/// The wire cases that are neither hostile, nor many, nor wait.
fn good() -> Vec<&'static str> {
    let is_other = |id: &str| HOSTILE.contains(&id) || MANY.contains(&id) || id == TIMED;
    contract::cases()
        .iter()
        .filter(|case| case.kind == Kind::Wire && !case.waits && !is_other(case.id))
        .map(|case| case.id)
        .collect()
}

impl Cases {
    /// Asks these cases; how many there were.
    fn check(&mut self, addr: SocketAddr, judge: &Judge, ids: &[&str], known: &[String]) -> u64 {
        let selection = Selection::ids(ids.iter().copied()).expect("all are cases");
        let outcomes = check_wire(addr, judge, &selection);
        for outcome in &outcomes {
            let is_known = known.iter().any(|id| id == outcome.id);
            if !outcome.alive || (outcome.verdict == Verdict::Fail && !is_known) {
                self.errors
                    .push(format!("{}: {}", outcome.id, outcome.reason));
            }
        }
        outcomes.len() as u64
    }
}

/// Whether the time came before the end.
fn wait_until(time: Instant, stop: &AtomicBool) -> bool {
    while !stop.load(Ordering::Relaxed) {
        let left = time.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(Duration::from_millis(100)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_a_case_and_none_is_asked_twice() {
        let all = [good(), HOSTILE.to_vec(), MANY.to_vec(), vec![TIMED]].concat();
        assert!(Selection::ids(all.iter().copied()).is_ok());
        let wire = contract::cases().iter();
        let wire = wire.filter(|case| case.kind == Kind::Wire && !case.waits);
        assert_eq!(all.len(), wire.count());
    }
}
