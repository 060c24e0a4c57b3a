//! A server that has run out of descriptors, and one that does not get to accept.

use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::Signal;

use super::Process;
use crate::Running;
use crate::client::{Client, G};
use crate::fault::Fault;
use crate::sample::{Thread, threads};

/// The shell lowers both limits before it becomes the server: ours raise the soft one to the hard one.
const FEW_DESCRIPTORS: [&str; 4] = ["sh", "-c", "ulimit -n 40; exec \"$@\"", "sh"];

/// Case `out-of-descriptors`, with one thread: where that one spins, nobody serves.
pub(crate) fn out_of_descriptors(process: &Process) -> Result<(), Fault> {
    let mut running = process.start_under(&FEW_DESCRIPTORS)?;
    let held = connect_many(running.addr(), 60)?;
    sleep(Duration::from_millis(300));
    let used = cpu_in_a_second(&running);
    drop(held);
    let released = Instant::now();
    serves_again(running.addr(), released + Duration::from_secs(2))?;
    process.expect_alive(&mut running)?;
    match used {
        Some(used) => used.judge(),
        None => {
            process.remark("its CPU was not measured: that is read from Linux' /proc".into());
            Ok(())
        }
    }
}

/// What a server did in a second, as shares of that second.
struct Used {
    /// Of all threads together; 1 is one CPU.
    cpu: f64,
    /// Of the thread that least often slept: on a busy machine a spinning thread gets little CPU, but always wants it.
    runnable: f64,
}

impl Used {
    fn judge(&self) -> Result<(), Fault> {
        if self.cpu < 0.05 && self.runnable < 0.9 {
            return Ok(());
        }
        let (cpu, runnable) = (self.cpu * 100.0, self.runnable * 100.0);
        Err(Fault::plain(format!(
            "out of descriptors, the server uses {cpu:.0} % of a CPU; a thread is runnable {runnable:.0} % of the time"
        )))
    }
}

fn cpu_in_a_second(running: &Running) -> Option<Used> {
    let (before, start) = (threads(running.pid())?, Instant::now());
    sleep(Duration::from_secs(1));
    let (after, seconds) = (threads(running.pid())?, start.elapsed().as_secs_f64());
    let used = |now: &Thread| {
        let then = before.iter().find(|then| then.id == now.id);
        let cpu = now
            .cpu
            .saturating_sub(then.map_or(Duration::ZERO, |then| then.cpu))
            .as_secs_f64();
        let waiting = now
            .waiting
            .saturating_sub(then.map_or(Duration::ZERO, |then| then.waiting))
            .as_secs_f64();
        (cpu / seconds, (cpu + waiting) / seconds)
    };
    let each: Vec<(f64, f64)> = after.iter().map(used).collect();
    Some(Used {
        cpu: each.iter().map(|(cpu, _)| cpu).sum(),
        runnable: each
            .iter()
            .map(|(_, runnable)| *runnable)
            .fold(0.0, f64::max),
    })
}

/// The server answers a new client until `end`; one that it still turns away tries again.
fn serves_again(addr: SocketAddr, end: Instant) -> Result<(), Fault> {
    loop {
        let limit = end
            .saturating_duration_since(Instant::now())
            .max(Duration::from_millis(10));
        let mut client = Client::connect(addr)?;
        client.send(G)?;
        match client.response_within("GET", limit) {
            Ok(Some(_)) => return Ok(()),
            _ if Instant::now() >= end => {
                return Err(
                    client.fault("2 s after the connections were released it does not serve")
                );
            }
            _ => sleep(Duration::from_millis(20)),
        }
    }
}

/// Connections of the case `backlog`.
const WAITING: usize = 1000;

/// Case `backlog`.
pub(crate) fn backlog(process: &Process) -> Result<(), Fault> {
    possible()?;
    let mut running = process.start()?;
    running.signal_group(Signal::SIGSTOP);
    let waiting = connect_many(running.addr(), WAITING);
    running.signal_group(Signal::SIGCONT);
    drop(waiting?);
    process.expect_alive(&mut running)
}

fn connect_many(addr: SocketAddr, count: usize) -> Result<Vec<TcpStream>, Fault> {
    let connect = |number| {
        TcpStream::connect_timeout(&addr, Duration::from_secs(1)).map_err(|error| {
            Fault::plain(format!(
                "connection {number} of {count} does not complete: {error}"
            ))
        })
    };
    (1..=count).map(connect).collect()
}

/// Whether this system lets anyone have such a backlog, and this process so many connections.
fn possible() -> Result<(), Fault> {
    let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn");
    let allowed: usize = allowed
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0);
    if allowed <= WAITING {
        return Err(Fault::Skip(format!(
            "the system's longest backlog is {allowed} (Linux' net.core.somaxconn; 0: not known), {WAITING} are needed"
        )));
    }
    let descriptors = raise_descriptor_limit();
    if descriptors < WAITING as rlim_t + 200 {
        return Err(Fault::Skip(format!(
            "only {descriptors} open files are allowed (`ulimit -Hn`)"
        )));
    }
    Ok(())
}

/// Raises this process's soft limit of open files to the hard one, and says what it is then.
fn raise_descriptor_limit() -> rlim_t {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return 0;
    };
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => hard,
        Err(_) => soft,
    }
}
