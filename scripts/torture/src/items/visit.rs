//! A client that comes a few times, asks a few times each, and looks at every byte.

use std::net::SocketAddr;
use std::ops::Add;
use std::time::Duration;

use crate::client::{Client, Expected, GET, Received};
use crate::outcome::Trouble;

/// How long an answer that nobody asked for may take to be seen.
const SURPLUS: Duration = Duration::from_millis(2);

/// What is asked of whom.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// Where the server listens.
    pub addr: SocketAddr,
    /// What it has to answer.
    pub expected: &'a Expected,
    /// Connections, one after the other.
    pub connections: usize,
    /// Requests on each, unless it is closed before.
    pub requests: usize,
    /// How long one answer may take.
    pub patience: Duration,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Whole and right responses.
    pub responses: u64,
    /// Connections that were closed, unannounced, before a response began.
    pub closed: u64,
    /// Connections on which a response did not come.
    pub silent: u64,
}

impl Add for Seen {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            responses: self.responses + other.responses,
            closed: self.closed + other.closed,
            silent: self.silent + other.silent,
        }
    }
}

impl Visit<'_> {
    /// Asks.
    ///
    /// # Errors
    /// With the first response that was cut, wrong, or one too many.
    pub fn pay(&self) -> Result<Seen, Trouble> {
        let mut seen = Seen::default();
        for connection in 0..self.connections {
            self.connection(&mut seen)
                .map_err(|reason| Trouble::fail(format!("connection {connection}: {reason}")))?;
        }
        Ok(seen)
    }

    fn connection(&self, seen: &mut Seen) -> Result<(), String> {
        let mut client = Client::connect(self.addr).map_err(|error| error.to_string())?;
        client
            .set_patience(self.patience)
            .map_err(|error| error.to_string())?;
        for _ in 0..self.requests {
            if client.send(GET).is_err() {
                seen.closed += 1;
                return Ok(());
            }
            match client.receive("GET")? {
                Received::Response(response) if self.expected.matches(&response) => {
                    seen.responses += 1;
                    if !response.keeps_alive() {
                        return Ok(());
                    }
                }
                Received::Response(response) => {
                    let head = String::from_utf8_lossy(&response.head);
                    return Err(format!("another response: {}", head.escape_debug()));
                }
                Received::Closed => {
                    seen.closed += 1;
                    return Ok(());
                }
                Received::Silence => {
                    seen.silent += 1;
                    return Ok(());
                }
            }
        }
        match client.surplus(SURPLUS) {
            surplus if surplus.is_empty() => Ok(()),
            surplus => Err(format!(
                "answered twice: {}",
                String::from_utf8_lossy(&surplus).escape_debug()
            )),
        }
    }
}
