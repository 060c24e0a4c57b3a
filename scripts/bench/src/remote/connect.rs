//! From a host's name to an agent that answers.

use super::address::Address;
use super::arch::System;
use super::freight::Freight;
use super::link::Link;
use super::protocol::{Hello, Request};
use crate::interrupt::Interrupt;
use crate::target::StartError;
use anyhow::{Context, anyhow, bail};
use std::process::Command;

/// What the far shell does: tells the system, takes the archive (its size on a line before it) into a fresh folder, runs
/// the agent in it, and removes the folder. It has no single quote, because it stands in a pair of them, whatever shell
/// the user has over there; and it is one line, because not every shell takes more between quotes.
const SCRIPT: &str = r#"echo bench-system $(uname -s) $(uname -m); read size || exit 1; d=$(mktemp -d "${TMPDIR:-/tmp}/bench-XXXXXX") || exit 1; clean() { rm -rf "$d"; }; trap clean EXIT; trap "exit 1" HUP INT TERM; said=$(head -c "$size" | tar -xf - -C "$d" 2>&1) || { echo bench-cannot; echo "$said"; exit 1; }; echo bench-ready; TMPDIR="$d" "$d/target/release/bench" agent "$d"; code=$?; exit $code"#;

/// A host whose agent answers.
#[derive(Debug)]
pub struct Arrived {
    /// The connection.
    pub link: Link,
    /// Who is there.
    pub hello: Hello,
    /// What was copied.
    pub freight: Freight,
}

/// Connects, copies what `pack` chooses for that system, and starts the agent.
///
/// # Errors
/// One line: which host, what went wrong, and what to do about it.
pub fn connect(
    address: &Address,
    interrupt: &Interrupt,
    pack: impl FnOnce(&System) -> anyhow::Result<Freight>,
) -> anyhow::Result<Arrived> {
    let mut link = Link::over(&address.to_string(), ssh(address), interrupt)?;
    let system = system(&mut link, address)?;
    let freight = pack(&system)?;
    copy(&mut link, address, &freight)?;
    link.beat();
    let hello = link.ask(&Request::Hello).map_err(|error| {
        let cause = cause(error);
        anyhow!("bench does not start on {address}: {cause}")
    })?;
    Ok(Arrived {
        link,
        hello,
        freight,
    })
}

/// The user's own client with the user's own config. A host that is silent is given up after ten seconds.
fn ssh(address: &Address) -> Command {
    let mut ssh = Command::new("ssh");
    ssh.args(["-T", "-o", "ConnectTimeout=10"]).args([
        "-o",
        "ServerAliveInterval=3",
        "-o",
        "ServerAliveCountMax=3",
    ]);
    if let Some(port) = address.port {
        ssh.args(["-p", &port.to_string()]);
    }
    ssh.arg(&address.name).arg(format!("exec sh -c '{SCRIPT}'"));
    ssh
}

fn system(link: &mut Link, address: &Address) -> anyhow::Result<System> {
    let told = line_with(link, "bench-system ").map_err(|error| {
        let reason = cause(error);
        let ssh = address.arguments();
        anyhow!("cannot reach {address}: {reason}: `ssh {ssh} true` has to work first")
    })?;
    let (name, machine) = told
        .split_once(' ')
        .with_context(|| format!("{address} does not tell its system (uname): {told}"))?;
    let system = System {
        name: name.to_owned(),
        machine: machine.to_owned(),
    };
    if system.name != "Linux" {
        bail!(
            "{address} runs {}: servers are started on Linux only",
            system.name
        );
    }
    Ok(system)
}

fn copy(link: &mut Link, address: &Address, freight: &Freight) -> anyhow::Result<()> {
    let archive = freight.archive()?;
    eprintln!(
        "bench: {address}: copies {}",
        crate::view::format::bytes(archive.len() as u64)
    );
    // A far side that cannot take it says why.
    let _ = link
        .write(format!("{}\n", archive.len()).as_bytes())
        .and_then(|()| link.write(&archive));
    let reason = match line_with(link, "bench-") {
        Ok(line) if line == "ready" => return Ok(()),
        Ok(_) => why_not(link),
        Err(error) => cause(error),
    };
    bail!(
        "cannot copy to {address}: {reason}: make room there, or name another folder in its TMPDIR"
    )
}

/// The line of tar's that says most: of a full disk it says in the first ones only what it could not write.
fn why_not(link: &mut Link) -> String {
    let lines: Vec<String> = std::iter::from_fn(|| link.line().ok()).collect();
    let space = lines.iter().find(|line| line.contains("No space"));
    space.or(lines.first()).cloned().unwrap_or_default()
}

/// The rest of the next line that begins so: a far shell's profile may print others.
fn line_with(link: &mut Link, start: &str) -> Result<String, StartError> {
    loop {
        if let Some(rest) = link.line()?.strip_prefix(start) {
            return Ok(rest.to_owned());
        }
    }
}

/// What the client says, without that the connection is gone: it never was there.
fn cause(error: StartError) -> String {
    match error {
        StartError::Lost { cause, .. } => cause.trim_end_matches('.').to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_fits_between_single_quotes_on_one_line() {
        assert!(!SCRIPT.contains(['\'', '\n', '!']));
    }

    #[test]
    fn a_port_is_an_option_of_ssh() {
        let ssh = ssh(&"pi@board:2222".parse().unwrap());
        let arguments: Vec<_> = ssh.get_args().map(|word| word.to_string_lossy()).collect();
        assert!(
            arguments
                .windows(3)
                .any(|words| words == ["-p", "2222", "pi@board"])
        );
    }
}
