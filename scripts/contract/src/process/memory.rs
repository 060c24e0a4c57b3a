//! What clients do who do not read, or leave in the middle.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::Process;
use crate::client::G;
use crate::fault::Fault;
use crate::judge::Connection;
use crate::sample::memory;
use crate::{Judge, Running};

/// Clients that never read. Each can pin 4 MB of kernel memory, so there are few.
const CLIENTS: usize = 4;

/// Time in which they may write: a server that is bounded stops taking long before, one that is not has grown by then.
const WRITING: Duration = Duration::from_secs(20);

/// Case `never-reads`.
pub(crate) fn never_reads(process: &Process) -> Result<(), Fault> {
    let mut running = process.start()?;
    process.wire(running.addr()).expect_alive()?;
    let Some(before) = memory(running.pid()) else {
        return Err(Fault::Skip("memory is read from Linux' /proc".into()));
    };
    let bound = Bound::of(&process.judge);
    let seen = watch(&running, before, bound.always)?;
    if seen.grown > bound.always || (seen.still_takes && seen.grown > bound.while_taking) {
        let grown = seen.grown >> 20;
        return Err(Fault::plain(format!(
            "{CLIENTS} clients that never read made the server grow by {grown} MiB"
        )));
    }
    process.expect_alive(&mut running)
}

/// Bytes by which the server may grow.
struct Bound {
    always: u64,
    /// While it goes on taking requests that nobody reads the answers to.
    while_taking: u64,
}

impl Bound {
    /// Ours hold 64 KiB and a response for each client. A garbage collector may take much more before it turns to
    /// what it could free.
    fn of(judge: &Judge) -> Self {
        let mib = |always: u64, while_taking: u64| Self {
            always: always << 20,
            while_taking: while_taking << 20,
        };
        if judge.is_ours() {
            mib(16, 16)
        } else {
            mib(256, 64)
        }
    }
}

/// What became of the server.
struct Seen {
    /// The most that it grew by, in bytes.
    grown: u64,
    /// Whether it still took requests when the time was up.
    still_takes: bool,
}

/// Watches the server until it takes no more, has grown by more than `bound`, or time is up.
fn watch(running: &Running, before: u64, bound: u64) -> Result<Seen, Fault> {
    let stop = AtomicBool::new(false);
    let end = Instant::now() + WRITING;
    let growth = || memory(running.pid()).unwrap_or(0).saturating_sub(before);
    thread::scope(|scope| {
        let write = || write_for_ever(running, end, &stop);
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(write)).collect();
        let mut grown = 0;
        while clients.iter().any(|client| !client.is_finished()) {
            grown = grown.max(growth());
            stop.store(grown > bound, Ordering::Relaxed);
            sleep(Duration::from_millis(50));
        }
        // The connections stay open until here, so that what was buffered for them is counted.
        let clients = clients
            .into_iter()
            .map(|client| client.join().expect("it does not panic"));
        let clients: Vec<(TcpStream, bool)> = clients.collect::<Result<_, _>>()?;
        Ok(Seen {
            grown: grown.max(growth()),
            still_takes: clients.iter().any(|(_, still_takes)| *still_takes),
        })
    })
}

/// Writes requests until the server has taken none for a second, has closed, or time is up; whether it still takes.
fn write_for_ever(
    running: &Running,
    end: Instant,
    stop: &AtomicBool,
) -> Result<(TcpStream, bool), Fault> {
    let failed = |error| Fault::plain(format!("cannot connect: {error}"));
    let mut stream = TcpStream::connect(running.addr()).map_err(failed)?;
    stream
        .set_write_timeout(Some(Duration::from_secs(1)))
        .map_err(failed)?;
    let requests = G.repeat(1000);
    let mut written = 0;
    while Instant::now() < end && !stop.load(Ordering::Relaxed) {
        match stream.write(&requests[written..]) {
            Ok(count) => written = (written + count) % requests.len(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Ok((stream, false)),
        }
    }
    Ok((stream, true))
}

/// Case `reset-in-pipeline`.
pub(crate) fn reset_in_pipeline(process: &Process) -> Result<(), Fault> {
    let mut running = process.start()?;
    let wire = process.wire(running.addr());
    let requests = G.repeat(50);
    for round in 0..20 {
        let mut client = wire.connect()?;
        match round % 3 {
            0 => client.send(&requests)?,
            1 => {
                client.send(&requests)?;
                wire.expect(&mut client, "GET", Connection::Stays)?;
            }
            _ => {
                client.send(&requests[..requests.len() / 2 + 5])?; // in the middle of the 26th
                sleep(Duration::from_millis(5));
            }
        }
        client.reset();
    }
    process.expect_alive(&mut running)
}
