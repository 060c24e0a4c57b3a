//! A server under strace.

use super::Explanation;
use super::client::{DEPTH, Phase, Use};
use super::strace::parse;
use crate::interrupt::Interrupt;
use crate::target::{Launch, Server, StartError};
use anyhow::Context;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Connections that are asked to close, at most.
const CLOSED: u32 = 50;
/// Times that [`DEPTH`] requests are sent at once, at most.
const BATCHES: u32 = 20;

/// Why there is no strace here, and what to do about that.
#[must_use]
pub fn missing() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("strace is there on Linux only".into());
    }
    let there = Command::new("strace")
        .arg("-V")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    there
        .is_err()
        .then(|| "strace is not installed: apt-get install strace".into())
}

/// Starts it, sends `requests` requests on a connection that stays open and some in other ways, and stops it.
///
/// # Errors
/// When it does not start, or strace may not trace.
pub fn explain(
    launch: &Launch,
    port: u16,
    requests: u32,
    mark: &str,
    interrupt: &Interrupt,
) -> anyhow::Result<Explanation> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("strace");
    let mut server = Server::start(
        &under_strace(launch, &log)?,
        (Ipv4Addr::LOCALHOST, port).into(),
        mark,
        interrupt,
    )?;
    server.wait_until_it_answers("/")?;
    let pipelined = (BATCHES * DEPTH).min(requests.next_multiple_of(DEPTH));
    let asked = [
        (Use::KeepAlive, requests),
        (Use::Close, CLOSED.min(requests)),
        (Use::Pipeline, pipelined),
    ];
    let mut phases = Vec::new();
    for (usage, requests) in asked {
        if interrupt.is_set() {
            return Err(StartError::Interrupted.into());
        }
        phases.push(Phase::run(usage, requests, server.address()));
    }
    server.check_owner()?;
    let remarks = server.stop()?;
    let log = std::fs::read(&log).context("strace wrote nothing")?;
    let calls = parse(&String::from_utf8_lossy(&log));
    Ok(Explanation {
        name: launch.name.clone(),
        calls,
        phases,
        remarks,
    })
}

/// The same command with strace before it: all threads and processes, times, what descriptors stand for.
fn under_strace(launch: &Launch, log: &Path) -> anyhow::Result<Launch> {
    let log = log
        .to_str()
        .context("the folder of temporary files has a name that is not UTF-8")?;
    let strace = [
        "strace", "-f", "-q", "-ttt", "-T", "-y", "-a", "1", "-s", "32", "-o", log, "--",
    ];
    Ok(Launch {
        argv: strace
            .map(str::to_owned)
            .into_iter()
            .chain(launch.argv.clone())
            .collect(),
        ..launch.clone()
    })
}
