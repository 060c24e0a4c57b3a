//! What clients do who do not read, or leave in the middle.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::Process;
use super::sample::memory;
use crate::client::{Fault, G};
use crate::judge::Connection;
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
    let bound = memory_bound(&process.judge);
    let grown = watch(&running, before, bound)?;
    if grown > bound {
        let (grown, bound) = (grown >> 20, bound >> 20);
        return Err(Fault::plain(format!(
            "{CLIENTS} clients that never read made the server grow by {grown} MiB (bound: {bound} MiB)"
        )));
    }
    process.expect_alive(&mut running)
}

/// Bytes by which the server may grow: ours hold 64 KiB and a response for each; a garbage collector takes more.
fn memory_bound(judge: &Judge) -> u64 {
    if judge.is_ours() { 16 << 20 } else { 64 << 20 }
}

/// The most that the group grew by while the clients wrote.
fn watch(running: &Running, before: u64, bound: u64) -> Result<u64, Fault> {
    let stop = AtomicBool::new(false);
    let end = Instant::now() + WRITING;
    let growth = || memory(running.pid()).unwrap_or(0).saturating_sub(before);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| scope.spawn(|| write_for_ever(running, end, &stop)))
            .collect();
        let mut grown = 0;
        while clients.iter().any(|client| !client.is_finished()) {
            grown = grown.max(growth());
            stop.store(grown > bound, Ordering::Relaxed);
            sleep(Duration::from_millis(50));
        }
        // The connections stay open until here, so that what was buffered for them is counted.
        let streams: Vec<_> = clients
            .into_iter()
            .map(|client| client.join().expect("it does not panic"))
            .collect();
        let grown = grown.max(growth());
        streams
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .map(|_| grown)
    })
}

/// Writes requests until the server has taken none for a second, has closed, or time is up.
fn write_for_ever(running: &Running, end: Instant, stop: &AtomicBool) -> Result<TcpStream, Fault> {
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
            Err(_) => break,
        }
    }
    Ok(stream)
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
