//! Where a server listens, and what it says when it cannot.

use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::time::Duration;

use nix::sys::signal::Signal;

use super::{Process, START, started};
use crate::client::{Client, LAST};
use crate::fault::Fault;
use crate::judge::Connection;
use crate::{Running, ServerCommand};

/// Case `port`.
pub(crate) fn port(process: &Process) -> Result<(), Fault> {
    let mut command = process.command.clone();
    command.values.threads = 2; // several listeners share a port: that must not let in a second instance
    let mut first = started(command.start(START))?;
    command.values.port = first.addr().port();
    second_instance(process, &command).map_err(|fault| fault.in_context("a second instance"))?;
    process.expect_alive(&mut first)?;
    restart(process, &command, first)
        .map_err(|fault| fault.in_context("a restart over TIME_WAIT"))?;
    match &process.command.ready_name {
        Some(name) => any_port(process, name).map_err(|fault| fault.in_context("--port 0")),
        None => Ok(()),
    }
}

fn second_instance(process: &Process, command: &ServerCommand) -> Result<(), Fault> {
    let mut second = started(command.spawn(&[]))?;
    let Some(status) = second.wait(Duration::from_secs(5)) else {
        return Err(Fault::plain("runs beside the first, on the same port"));
    };
    if !process.judge.is_ours() {
        return match status.success() {
            true => Err(Fault::plain("ends with exit code 0, as if all were well")),
            false => Ok(()),
        };
    }
    let said = second.stderr();
    if status.code() != Some(1) {
        return Err(Fault::plain(format!(
            "ends with {status}, not with exit code 1; it said {said:?}"
        )));
    }
    let address = SocketAddr::new(second.addr().ip(), command.values.port).to_string();
    let lines: Vec<&str> = said.lines().collect();
    match lines[..] {
        [line] if line.contains(&address) && line.contains("Address already in use") => Ok(()),
        _ => Err(Fault::plain(format!(
            "should name {address} and the cause in one line, and says {said:?}"
        ))),
    }
}

/// The server closes first, so that its side of the connection waits in TIME_WAIT; then it has to bind again.
fn restart(process: &Process, command: &ServerCommand, mut first: Running) -> Result<(), Fault> {
    for _ in 0..3 {
        let mut client = Client::connect(first.addr())?;
        client.send(LAST)?;
        client.response("GET")?;
        client.must_close()?;
    }
    first.signal(Signal::SIGTERM);
    if first.wait(Duration::from_secs(6)).is_none() {
        return Err(Fault::plain("the first instance does not end at SIGTERM"));
    }
    drop(first);
    let mut again = started(command.start(START))?;
    process.expect_alive(&mut again)
}

fn any_port(process: &Process, name: &str) -> Result<(), Fault> {
    let mut running = started(process.command.start_on_any_port(name, START))?;
    if running.addr().port() == 0 {
        return Err(Fault::plain("prints port 0"));
    }
    process.expect_alive(&mut running)
}

/// Case `both-families`: what `localhost` means, without being told a host.
pub(crate) fn both_families(process: &Process) -> Result<(), Fault> {
    let Some(command) = without_host(&process.command).filter(|_| process.judge.is_ours()) else {
        return Err(Fault::Skip(
            "its command says where to listen; only ours have a default to judge".into(),
        ));
    };
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        return Err(Fault::Skip("this machine has no IPv6".into()));
    }
    let running = started(command.start(START))?;
    let port = running.addr().port();
    for ip in ["127.0.0.1", "::1"] {
        let addr = SocketAddr::new(ip.parse().expect("an address"), port);
        let request = format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
        let answered = || {
            let mut client = Client::connect(addr)?;
            client.send(request.as_bytes())?;
            process
                .wire(addr)
                .expect(&mut client, "GET", Connection::Stays)
        };
        answered().map_err(|fault| fault.in_context(&format!("over {ip}")))?;
    }
    Ok(())
}

/// The command without `--host {host}`.
fn without_host(command: &ServerCommand) -> Option<ServerCommand> {
    let at = command
        .argv
        .windows(2)
        .position(|pair| pair == ["--host", "{host}"])?;
    let mut command = command.clone();
    command.argv.drain(at..at + 2);
    Some(command)
}
