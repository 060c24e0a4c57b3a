//! The connections on which mutants are sent.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::outcome::Trouble;

/// Connections that are open at the same time.
const OPEN: usize = 32;

/// How long a connection is left to the server, at least.
const LIFE: Duration = Duration::from_millis(1);

/// A connection on which a mutant was sent.
struct Sent<'a> {
    client: Client,
    mutant: &'a [u8],
    since: Instant,
}

/// Sends each of `mutants` on a connection of its own, and ends that by RST when it has had its time. Every other one
/// says first that nothing will follow.
///
/// # Errors
/// When there is no connection, or, where the server `speaks_http1`, something came that is no response.
pub fn send(addr: SocketAddr, mutants: &[Vec<u8>], speaks_http1: bool) -> Result<(), Trouble> {
    let mut open = VecDeque::new();
    for (number, mutant) in mutants.iter().enumerate() {
        let sent = begin(addr, mutant, number.is_multiple_of(2))
            .map_err(|error| Trouble::fail(format!("it cannot be connected to: {error}")))?;
        open.push_back(sent);
        if open.len() == OPEN {
            open.pop_front()
                .map_or(Ok(()), |oldest| end(oldest, speaks_http1))?;
        }
    }
    open.into_iter()
        .try_for_each(|sent| end(sent, speaks_http1))
}

fn begin(addr: SocketAddr, mutant: &[u8], is_all: bool) -> io::Result<Sent<'_>> {
    let mut client = Client::connect(addr)?;
    // A server that has already refused it may have closed.
    let _ = client.send(mutant);
    if is_all {
        let _ = client.stream().shutdown(Shutdown::Write);
    }
    Ok(Sent {
        client,
        mutant,
        since: Instant::now(),
    })
}

fn end(sent: Sent, speaks_http1: bool) -> Result<(), Trouble> {
    sleep(LIFE.saturating_sub(sent.since.elapsed()));
    let mut start = [0; 8];
    let mut stream = sent.client.stream();
    let read = stream
        .set_nonblocking(true)
        .and_then(|()| stream.read(&mut start))
        .unwrap_or(0);
    let is_response = b"HTTP/1.".starts_with(&start[..read.min(7)]);
    sent.client.reset();
    if is_response || !speaks_http1 {
        return Ok(());
    }
    let reason = format!(
        "it answers with no response: {}",
        start[..read].escape_ascii()
    );
    Err(Trouble::fail(reason).repeated_by(sent.mutant.escape_ascii().to_string()))
}
