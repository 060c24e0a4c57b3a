//! What was seen, in words.

mod connections;
mod stalls;
mod writes;

use super::Explanation;
use super::client::{DEPTH, Phase, Use};
use super::strace::{Call, Kind};
use super::table::FEW;
use super::turns::{self, Turn};
use crate::view::format::count;
use std::collections::BTreeSet;

/// A phase and what the server called meanwhile.
struct Seen<'a> {
    phase: &'a Phase,
    calls: Vec<&'a Call>,
    /// The calls of each connection that was accepted meanwhile.
    connections: Vec<Vec<&'a Call>>,
    turns: Vec<Turn>,
}

impl Seen<'_> {
    /// `1.02 per request`, or `3 in all` where it is no matter of each request.
    fn often(&self, number: usize) -> String {
        let each = number as f64 / f64::from(self.phase.responses().max(1));
        if each < FEW {
            format!("{number} in all")
        } else {
            format!("{each:.2} per request")
        }
    }

    /// Whether it works without system calls for reading and writing.
    fn is_io_uring(&self) -> bool {
        self.turns.is_empty() && self.calls.iter().any(|call| call.name == "io_uring_enter")
    }
}

/// All findings as paragraphs.
#[must_use]
pub fn findings(explanation: &Explanation) -> String {
    let phases = explanation.phases.iter().map(|phase| {
        let calls = explanation.calls_of(phase);
        let connections = turns::connections(&calls, &explanation.calls);
        let turns = connections
            .iter()
            .flat_map(|calls| turns::turns(calls))
            .collect();
        paragraph(&Seen {
            phase,
            calls,
            connections,
            turns,
        })
    });
    let mut text: String = phases.collect();
    text += &format!("In all\n  {}\n", no_delay(&explanation.calls));
    for remark in &explanation.remarks {
        text += &format!("  The server {remark}.\n");
    }
    text
}

fn paragraph(seen: &Seen) -> String {
    let mut lines = vec![heading(seen.phase)];
    if seen.is_io_uring() {
        lines.push(
            "It works on io_uring: strace sees io_uring_enter, not the reads and writes that the kernel does for it."
                .into(),
        );
    } else {
        lines.push(writes::writes(seen));
        lines.push(empty_reads(seen));
        lines.extend(elsewhere(seen));
    }
    lines.extend(stalls::stalls(seen));
    lines.extend(connections::connections(seen));
    lines.join("\n  ") + "\n\n"
}

fn heading(phase: &Phase) -> String {
    let asked = count(f64::from(phase.asked));
    let how = match phase.usage {
        Use::KeepAlive => format!("{asked} requests, one after the other"),
        Use::Close => {
            format!("{asked} requests, each on a connection of its own, with `Connection: close`")
        }
        Use::Pipeline => format!("{asked} requests, {DEPTH} at once"),
    };
    let answered = match phase.responses() {
        all if all == phase.asked => "all answered".into(),
        some => format!("{} answered", count(f64::from(some))),
    };
    let end = phase
        .gave_up
        .as_ref()
        .map(|why| format!(", given up {why}"))
        .unwrap_or_default();
    format!("{how}: {answered}{end}")
}

/// Calls that came back with EAGAIN.
fn empty_reads(seen: &Seen) -> String {
    let empty = |kind| {
        let calls = seen
            .calls
            .iter()
            .filter(|call| call.kind() == kind && call.found_nothing());
        calls
            .filter(|call| {
                call.object()
                    .is_some_and(|object| object.starts_with("socket:"))
            })
            .count()
    };
    match (empty(Kind::Read), empty(Kind::Accept)) {
        (0, 0) => "No read and no accept found nothing.".into(),
        (reads, 0) => format!("Reads that found nothing (EAGAIN): {}.", seen.often(reads)),
        (reads, accepts) => format!(
            "Reads that found nothing (EAGAIN): {}; accepts: {}.",
            seen.often(reads),
            seen.often(accepts)
        ),
    }
}

/// Writes to stdout, stderr or files: most likely a log.
fn elsewhere(seen: &Seen) -> Option<String> {
    let writes = seen.calls.iter().filter(|call| call.kind() == Kind::Write);
    let places: Vec<&str> = writes.filter_map(|call| place(call)).collect();
    let (place, _) = turns::most_common(places.iter().copied())?;
    let each = places.len() as f64 / f64::from(seen.phase.responses().max(1));
    (each >= 0.5).then(|| format!("It also writes to {place}, {each:.2} per request: a log?"))
}

fn place(call: &Call) -> Option<&str> {
    match call.args.split('<').next() {
        Some("1") => Some("stdout"),
        Some("2") => Some("stderr"),
        _ => call.object().filter(|object| object.starts_with('/')),
    }
}

/// Where TCP_NODELAY was set: accepted sockets inherit it from their listener.
fn no_delay(calls: &[Call]) -> String {
    let listeners: BTreeSet<&str> = calls
        .iter()
        .filter(|call| call.name == "listen")
        .filter_map(Call::object)
        .collect();
    let set: Vec<&str> = calls
        .iter()
        .filter(|call| call.name == "setsockopt" && call.args.contains("TCP_NODELAY"))
        .filter_map(Call::object)
        .collect();
    match (set.iter().any(|socket| listeners.contains(socket)), set.len()) {
        (true, _) => "TCP_NODELAY is set on the listener; connections inherit it.".into(),
        (false, 0) => "TCP_NODELAY is never set: Nagle's algorithm holds a second write back until the first is \
                       acknowledged."
            .into(),
        (false, times) => format!("TCP_NODELAY is set on connections, {} times.", count(times as f64)),
    }
}
