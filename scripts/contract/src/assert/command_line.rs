//! The command line of our servers: what it takes, what it refuses, and with which exit code.

use std::net::{Ipv6Addr, TcpListener};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{command, is_skipped, judge, start, target};
use crate::ServerCommand;
use crate::judge::Judge;
use crate::wire::Wire;

/// Panics unless the server starts on each kind of host and number of threads, ends on SIGINT with 0, and refuses wrong values in a clear
/// message: exit code 2 for usage (clap's own message), 1 in one line for a host that it cannot use.
pub fn assert_command_line(bin: &str, name: &str) {
    tells_about_itself(bin, name);
    refuses(bin, &["--port", "99999"], 2, "99999");
    refuses(bin, &["--no-such-flag"], 2, "--no-such-flag");
    for threads in ["0", "513", "18446744073709551615"] {
        refuses(bin, &["--threads", threads], 2, "--threads");
    }
    for size in ["1073741825", "9000000000000000000", "18446744073709551615"] {
        refuses(bin, &["--body-size", size], 2, "--body-size");
    }
    let target = target(name);
    if is_skipped(bin, &target) {
        return;
    }
    let unresolved = refuses(
        bin,
        &["--port", "0", "--host", "no-such-host.invalid"],
        1,
        "no-such-host.invalid",
    );
    assert!(
        unresolved.starts_with(&format!("{name}: ")) && unresolved.trim_end().lines().count() == 1,
        "{unresolved}"
    );

    let base = command(bin, &target);
    let judge = judge(&target, &base);
    for threads in [1, 2] {
        let with = |command: &mut ServerCommand| command.values.threads = threads;
        serves(&base, &judge, with, &format!("({threads} thread"));
    }
    serves(
        &base,
        &judge,
        |command| command.values.host = "127.0.0.1".into(),
        "http://127.0.0.1:",
    );
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        serves(
            &base,
            &judge,
            |command| command.values.host = "::1".into(),
            "http://[::1]:",
        );
        let bracketed = |command: &mut ServerCommand| {
            command.values.host = "::1".into();
            for word in &mut command.argv {
                *word = word.replace("{host}", "[{host}]");
            }
        };
        serves(&base, &judge, bracketed, "http://[::1]:");
        serves(
            &base,
            &judge,
            |command| command.values.host = "::".into(),
            "http://[::]:",
        );
    } else {
        println!("{name}: ::1 and :: are not tried: this machine has no IPv6");
    }
}

fn tells_about_itself(bin: &str, name: &str) {
    let version = output(bin, &["--version"]);
    assert!(
        version.status.success() && String::from_utf8_lossy(&version.stdout).starts_with(name),
        "{version:?}"
    );
    let help = output(bin, &["--help"]);
    let text = String::from_utf8_lossy(&help.stdout);
    for flag in [
        "--host",
        "--port",
        "--threads",
        "--body",
        "--body-size",
        "--backlog",
    ] {
        assert!(
            help.status.success() && text.contains(flag),
            "{flag} is missing in\n{text}"
        );
    }
}

/// Its message, which must hold `what`.
fn refuses(bin: &str, arguments: &[&str], code: i32, what: &str) -> String {
    let output = output(bin, arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(what), "{arguments:?}: {said}");
    said
}

/// The output of a call that ends by itself; one that does not within 30 s is killed, and ends with no exit code.
fn output(bin: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(bin);
    command.args(arguments).env_remove("PORT");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {bin}: {error}"));
    let end = Instant::now() + Duration::from_secs(30);
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > end {
            let _ = child.kill();
        }
        sleep(Duration::from_millis(5));
    }
    child
        .wait_with_output()
        .unwrap_or_else(|error| panic!("{bin}: {error}"))
}

fn serves(
    base: &ServerCommand,
    judge: &Judge,
    change: impl FnOnce(&mut ServerCommand),
    ready: &str,
) {
    let mut command = base.clone();
    change(&mut command);
    let mut running = start(&command);
    let wire = Wire {
        addr: running.addr(),
        judge: judge.clone(),
        concurrent: true,
    };
    wire.expect_alive()
        .unwrap_or_else(|fault| panic!("{:?}: {fault:?}", command.values));
    assert!(
        running.stderr().contains(ready),
        "`{}` does not hold `{ready}`",
        running.stderr().trim_end()
    );
    assert_eq!(running.wait(Duration::ZERO), None);
    running.signal(Signal::SIGINT);
    let exit = running.wait(Duration::from_secs(20));
    assert_eq!(
        exit.and_then(|exit| exit.code()),
        Some(0),
        "behind SIGINT: {exit:?}"
    );
}
