//! The load on one server: a fixed rate of each mode, and the contract's cases.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use contract::Target;
use contract::targets::Contract;
use load::{Amount, Config, Mode};

use super::Schedule;
use super::cases::{self, Cases};
use crate::client::{Client, Expected, GET, Received};
use crate::outcome::{Figures, Trouble};
use crate::server::Server;

/// Requests per second on kept connections.
const KEPT: f64 = 50.0;

/// Connections per second, with a request each.
const CLOSED: f64 = 20.0;

/// Requests in one write.
const DEPTH: usize = 16;

/// Between two such writes.
const PAUSE: Duration = Duration::from_millis(200);

/// Writes on one connection.
const WRITES: usize = 50;

/// What one kind of traffic saw.
#[derive(Debug, Default)]
struct Tally {
    requests: u64,
    /// What went wrong, a line each.
    errors: Vec<String>,
}

/// The threads that load a server.
pub(super) struct Traffic {
    plain: Vec<JoinHandle<Tally>>,
    /// What a server of ours cannot do, a line each.
    unable: Vec<String>,
    cases: Option<JoinHandle<Cases>>,
}

/// What they saw.
pub(super) struct Seen {
    requests: u64,
    errors: Vec<String>,
    cases: Cases,
}

/// Begins to load a server, and goes through the contract with `offset` to the others. What a server that is not ours
/// cannot do is not asked of it.
pub(super) fn start(
    target: &Target,
    server: &Server,
    schedule: Schedule,
    offset: Duration,
    stop: &Arc<AtomicBool>,
) -> Traffic {
    let addr = server.addr();
    let able = contract::capabilities(addr);
    let mut plain = Vec::new();
    let modes = [
        ("keep a connection", able.keep_alive.is_yes()),
        ("end one", able.close.is_yes()),
        ("pipeline", able.pipelining.is_yes()),
    ];
    let unable = modes
        .iter()
        .filter(|(_, is_able)| !is_able && target.contract != Contract::Foreign)
        .map(|(what, _)| format!("it does not {what}, as ours must"))
        .collect();
    if able.keep_alive.is_yes() {
        let stop = Arc::clone(stop);
        plain.push(thread::spawn(move || {
            at_rate(addr, Mode::KeepAlive, KEPT, schedule, stop)
        }));
    }
    if able.close.is_yes() {
        let stop = Arc::clone(stop);
        plain.push(thread::spawn(move || {
            at_rate(addr, Mode::Close, CLOSED, schedule, stop)
        }));
    }
    if able.pipelining.is_yes() {
        let (stop, expected) = (Arc::clone(stop), server.expected().clone());
        plain.push(thread::spawn(move || pipelined(addr, &expected, &stop)));
    }
    let cases = cases::start(target, addr, schedule, offset, stop);
    Traffic {
        plain,
        unable,
        cases,
    }
}

/// The load generator, in an open loop until the soak ends.
fn at_rate(
    addr: SocketAddr,
    mode: Mode,
    rate: f64,
    schedule: Schedule,
    stop: Arc<AtomicBool>,
) -> Tally {
    let left = schedule.length.saturating_sub(schedule.start.elapsed());
    let config = Config {
        connections: 4,
        mode,
        amount: Amount::Time(left.max(Duration::from_secs(1))),
        rate: Some(rate),
        stop,
        ..Config::new(load::Target::new(addr))
    };
    match load::run(&config, |_| ()) {
        Ok(report) => Tally {
            requests: report.requests,
            errors: (report.errors.by_class().iter())
                .filter(|(_, count)| *count > 0)
                .map(|(class, count)| format!("{mode:?}: {count} {class}"))
                .chain(report.stopped)
                .collect(),
        },
        Err(error) => Tally {
            requests: 0,
            errors: vec![format!("{mode:?}: {error}")],
        },
    }
}

/// Requests in bunches, and a new connection now and then.
fn pipelined(addr: SocketAddr, expected: &Expected, stop: &AtomicBool) -> Tally {
    let mut tally = Tally::default();
    while !stop.load(Ordering::Relaxed) {
        let result = one_connection(addr, expected, stop, &mut tally.requests);
        if let Err(error) = result {
            tally.errors.push(format!("Pipeline: {error}"));
            thread::sleep(PAUSE);
        }
    }
    tally
}

fn one_connection(
    addr: SocketAddr,
    expected: &Expected,
    stop: &AtomicBool,
    requests: &mut u64,
) -> Result<(), String> {
    let mut client = Client::connect(addr).map_err(|error| error.to_string())?;
    let bunch = GET.repeat(DEPTH);
    for _ in 0..WRITES {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        client.send(&bunch).map_err(|error| error.to_string())?;
        for number in 1..=DEPTH {
            *requests += 1;
            match client.receive("GET")? {
                Received::Response(response) if expected.matches(&response) => {}
                Received::Response(_) => return Err(format!("response {number} differs")),
                other => return Err(format!("{other:?} in place of response {number}")),
            }
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

impl Traffic {
    /// Waits until all threads have ended.
    pub(super) fn finish(self) -> Seen {
        let mut seen = Seen {
            requests: 0,
            errors: self.unable,
            cases: Cases::default(),
        };
        for thread in self.plain {
            let tally = thread.join().expect("traffic does not panic");
            seen.requests += tally.requests;
            seen.errors.extend(tally.errors);
        }
        if let Some(thread) = self.cases {
            seen.cases = thread.join().expect("no case panics");
        }
        seen
    }
}

impl Seen {
    pub(super) fn tell(&self, figures: &mut Figures) {
        figures.set("requests", self.requests as f64);
        figures.set("good_cases", self.cases.good as f64);
        figures.set("hostile_cases", self.cases.hostile as f64);
        let errors = self.errors.len() + self.cases.errors.len();
        figures.set("errors", errors as f64);
    }

    /// No error, of any kind.
    pub(super) fn judge(&self) -> Result<(), Trouble> {
        let mut errors = self.errors.iter().chain(&self.cases.errors);
        match errors.next() {
            None => Ok(()),
            Some(first) => {
                let more = errors.count();
                Err(Trouble::fail(format!("{first}, and {more} more errors")))
            }
        }
    }
}
