//! `bench agent FOLDER`: the far side. It does what it is asked on stdin, one request a line, with the code that does
//! it for a local run, and answers on stdout.

mod life;
mod work;

pub use life::SILENCE;

use super::freight::BIN;
use super::protocol::Request;
use crate::executor::Local;
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::{exit, os};
use life::Life;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use work::Work;

/// Name of the hidden verb.
pub const VERB: &str = "agent";

/// Works until stdin ends, a signal comes, or the other side has been silent for too long; then ends its children and
/// removes `folder`.
///
/// # Errors
/// When it cannot begin.
pub fn run(folder: &Path) -> anyhow::Result<u8> {
    let interrupt = Interrupt::on_signals()?;
    os::adopt_orphans();
    let guard = Guard::start()?;
    let (life, requests) = Life::begin(folder, guard.mark(), &interrupt);
    let listen = listen(std::env::var("SSH_CONNECTION").ok().as_deref())?;
    let cpus = os::allowed();
    let host = Local::new(
        folder.join(BIN),
        cpus.clone(),
        guard.mark().into(),
        interrupt.clone(),
    )
    .listening_on(listen);
    let mut work = Work {
        host,
        folder: folder.to_owned(),
        listen,
        cpus,
        mark: guard.mark().into(),
        interrupt: interrupt.clone(),
    };
    serve(&requests, &mut work, &interrupt);
    drop(work);
    drop(guard);
    life.end();
    Ok(exit::OK)
}

fn serve(requests: &Receiver<Request>, work: &mut Work, interrupt: &Interrupt) {
    while !interrupt.is_set() {
        let request = match requests.recv_timeout(Duration::from_millis(100)) {
            Ok(request) => request,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut line = work.answer(request);
        line.push('\n');
        let mut stdout = std::io::stdout().lock();
        if stdout
            .write_all(line.as_bytes())
            .and_then(|()| stdout.flush())
            .is_err()
        {
            return;
        }
    }
}

/// The address that ssh came in on, which the other side reaches: the third word of `SSH_CONNECTION` (ssh(1)). Without
/// ssh it is loopback.
fn listen(connection: Option<&str>) -> anyhow::Result<IpAddr> {
    let Some(address) = connection.and_then(|words| words.split(' ').nth(2)) else {
        return Ok(Ipv4Addr::LOCALHOST.into());
    };
    anyhow::ensure!(
        !address.contains('%'),
        "{address} is an address of one link only, where not every server can listen: put `AddressFamily inet` for this host into ~/.ssh/config"
    );
    Ok(address.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_listen_where_ssh_came_in() {
        let listen = |words| listen(words).map_err(|error| error.to_string());
        assert_eq!(listen(None), Ok(Ipv4Addr::LOCALHOST.into()));
        assert_eq!(
            listen(Some("10.0.0.1 5 10.0.0.7 22")),
            Ok([10, 0, 0, 7].into())
        );
        assert!(
            listen(Some("fe80::1%e 5 fe80::2%e 22"))
                .unwrap_err()
                .contains("AddressFamily inet")
        );
    }
}
