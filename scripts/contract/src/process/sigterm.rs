//! SIGTERM, and SIGINT: the server ends by itself, in time, and cuts no response.

use std::thread::{self, sleep};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};

use super::{Process, started};
use crate::client::{Client, G, PATIENCE};
use crate::fault::Fault;
use crate::judge::{Connection, Judge};
use crate::{Running, ServerCommand};

/// Ours promise 5 s; one more for a busy machine.
const LIMIT: Duration = Duration::from_secs(6);

/// The same where nobody keeps ours from ending at once: well below the time that they give those who do.
const PROMPT: Duration = Duration::from_secs(3);

type Situation = fn(&Process) -> Result<(), Fault>;

/// Case `sigterm`.
pub(crate) fn sigterm(process: &Process) -> Result<(), Fault> {
    let situations: [(&str, Situation); 6] = [
        ("idle", idle),
        ("idle, by SIGINT", interrupted),
        ("under load", under_load),
        ("in a large response", large_response),
        ("with a half-sent request", half_sent),
        ("as PID 1", as_pid_1),
    ];
    let results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = situations
            .map(|(name, run)| (name, scope.spawn(move || run(process))))
            .into();
        threads
            .into_iter()
            .map(|(name, thread)| (name, thread.join().expect("a case does not panic")))
            .collect()
    });
    let mut failures = Vec::new();
    for (name, result) in results {
        match result {
            Ok(()) => {}
            Err(Fault::Skip(reason)) => process.remark(format!("not tried {name}: {reason}")),
            Err(fault) => failures.push(fault.in_context(name)),
        }
    }
    Fault::join(failures)
}

/// Nothing under way, one kept connection.
fn idle(process: &Process) -> Result<(), Fault> {
    ends_when_idle(process, Signal::SIGTERM)
}

/// Ours take Ctrl-C for SIGTERM.
fn interrupted(process: &Process) -> Result<(), Fault> {
    match process.judge.is_ours() {
        true => ends_when_idle(process, Signal::SIGINT),
        false => Ok(()),
    }
}

fn ends_when_idle(process: &Process, signal: Signal) -> Result<(), Fault> {
    let mut running = process.start()?;
    let mut client = Client::connect(running.addr())?;
    client.send(G)?;
    process
        .wire(running.addr())
        .expect(&mut client, "GET", Connection::Stays)?;
    running.signal(signal);
    expect_exit(process, &mut running, PROMPT)
}

fn half_sent(process: &Process) -> Result<(), Fault> {
    let mut running = process.start()?;
    let mut client = Client::connect(running.addr())?;
    client.send(&G[..G.len() / 2])?;
    sleep(Duration::from_millis(100));
    running.signal(Signal::SIGTERM);
    expect_exit(process, &mut running, LIMIT)
}

/// Clients that ask as fast as they are answered: each response comes whole, or not at all.
fn under_load(process: &Process) -> Result<(), Fault> {
    let mut running = process.start()?;
    let wire = process.wire(running.addr());
    let ask = || {
        let mut client = wire.connect()?;
        loop {
            client.send(G)?;
            match client.response_or_end("GET")? {
                Some(response) if response.keeps_alive() => {}
                Some(_) => match wire.connect() {
                    Ok(next) => client = next,
                    Err(_) => return Ok(()),
                },
                None => return Ok(()),
            }
        }
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        sleep(Duration::from_millis(300));
        running.signal(Signal::SIGTERM);
        let exit = expect_exit(process, &mut running, PROMPT);
        // Where it does not end, the clients must.
        running.signal_group(Signal::SIGKILL);
        let cut = clients
            .into_iter()
            .try_for_each(|client| client.join().expect("a client does not panic"));
        exit.and(cut)
    })
}

/// To a slow reader, where the server can be told to send that: more than the kernel takes off its hands.
fn large_response(process: &Process) -> Result<(), Fault> {
    const SIZE: usize = 8_000_000;
    let Some(command) = with_body_size(&process.command, SIZE) else {
        return Err(Fault::Skip("its command takes no {body_size}".into()));
    };
    let mut running = started(command.start(super::START))?;
    let mut client = Client::connect_with_small_buffer(running.addr(), 64 * 1024)?;
    client.send(G)?;
    client.peek_within(PATIENCE);
    running.signal(Signal::SIGTERM);
    let mut judge = process.judge.clone();
    if let Judge::Ours { body, .. } = &mut judge {
        *body = command.values.body().into_bytes();
    }
    for _ in 0..10 {
        sleep(Duration::from_millis(50));
        client.peek_within(PATIENCE);
    }
    let response = client.response_within("GET", Duration::from_secs(10))?;
    let response =
        response.ok_or_else(|| client.fault("the connection ended without an answer"))?;
    judge
        .served(&response, "GET", Connection::Any)
        .map_err(|reason| client.fault(reason))?;
    if process.judge.is_ours() {
        client.must_close()?;
    }
    drop(client);
    expect_exit(process, &mut running, PROMPT)
}

fn with_body_size(command: &ServerCommand, size: usize) -> Option<ServerCommand> {
    command
        .argv
        .iter()
        .any(|word| word.contains("{body_size}"))
        .then(|| {
            let mut command = command.clone();
            command.values.body_size = size;
            command
        })
}

/// The first process of a PID namespace has no default action for SIGTERM: without a handler it never ends.
fn as_pid_1(process: &Process) -> Result<(), Fault> {
    let wrapper: &[&str] = match geteuid().is_root() {
        true => &["unshare", "--pid", "--fork"],
        false => &["unshare", "--user", "--map-root-user", "--pid", "--fork"],
    };
    if !works(wrapper) {
        return Err(Fault::Skip(
            "needs `unshare --pid`, which needs root or user namespaces".into(),
        ));
    }
    let mut running = process.start_under(wrapper)?;
    let Some(server) = child_of(running.pid()) else {
        return Err(Fault::Skip(
            "the process under `unshare` is not to be found".into(),
        ));
    };
    let _ = kill(server, Signal::SIGTERM);
    expect_exit(process, &mut running, PROMPT)
}

fn works(wrapper: &[&str]) -> bool {
    let mut command = std::process::Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg("true");
    command.output().is_ok_and(|output| output.status.success())
}

/// The child of `unshare`, which waits for it and exits as it does.
fn child_of(pid: u32) -> Option<Pid> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children
        .split_whitespace()
        .next()?
        .parse()
        .ok()
        .map(Pid::from_raw)
}

/// Ours exit with 0 within `limit`; of others it is only asked that they end.
fn expect_exit(process: &Process, running: &mut Running, limit: Duration) -> Result<(), Fault> {
    let limit = if process.judge.is_ours() {
        limit
    } else {
        LIMIT
    };
    match running.wait(limit) {
        None => Err(Fault::plain(format!(
            "still runs {} s after the signal",
            limit.as_secs()
        ))),
        Some(status) if process.judge.is_ours() && status.code() != Some(0) => Err(Fault::plain(
            format!("ended with {status}, not with exit code 0"),
        )),
        Some(_) => Ok(()),
    }
}
