//! What a load generator may ask of a server.

use std::net::SocketAddr;
use std::time::Duration;

use serde::Serialize;

use crate::client::{Client, End, G, LAST};
use crate::fault::Fault;
use crate::http::{Framing, Response};
use crate::wire::connection::{AB, AB_KEEP_ALIVE};

/// How long one answer may take: a load generator would wait as well, but a run must not hang.
const LIMIT: Duration = Duration::from_millis(1500);

/// Whether a server can do something, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ability {
    /// It can.
    Yes,
    /// It cannot, for this reason (one line).
    No(String),
}

impl Ability {
    /// Whether it can.
    pub fn is_yes(&self) -> bool {
        *self == Self::Yes
    }

    /// Why not; `None` when it can.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Yes => None,
            Self::No(reason) => Some(reason),
        }
    }
}

/// What a load generator may ask of a server; each was tried, with a short time limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// Answers HTTP/1.0 and closes.
    pub http10: Ability,
    /// Keeps an HTTP/1.0 connection that asked for `Keep-Alive`, and says so.
    pub http10_keep_alive: Ability,
    /// Answers a second HTTP/1.1 request on the same connection.
    pub keep_alive: Ability,
    /// Serves a connection per request, which the client closes.
    pub close: Ability,
    /// Answers `Connection: close` with a close of its own.
    pub server_closes: Ability,
    /// Answers 16 requests that come in one write.
    pub pipelining: Ability,
    /// `ab` would finish.
    pub ab: Ability,
    /// `ab -k` would finish.
    pub ab_keep_alive: Ability,
}

type Try = fn(SocketAddr) -> Result<(), Fault>;

/// Tries what the server on `addr` can do, in turn, so that one that serves a connection at a time is not misjudged.
pub fn capabilities(addr: SocketAddr) -> Capabilities {
    let able = |try_it: Try| match try_it(addr) {
        Ok(()) => Ability::Yes,
        Err(Fault::Fail { reason, .. } | Fault::Skip(reason)) => Ability::No(reason),
    };
    let http10 = able(http10);
    Capabilities {
        http10_keep_alive: able(http10_keep_alive),
        keep_alive: able(keep_alive),
        close: able(close),
        server_closes: able(server_closes),
        pipelining: able(pipelining),
        ab: http10.clone(), // ab without -k reads until the server closes
        ab_keep_alive: able(ab_keep_alive),
        http10,
    }
}

fn ask(client: &mut Client, request: &[u8]) -> Result<Response, Fault> {
    client.send(request)?;
    next(client)
}

fn next(client: &mut Client) -> Result<Response, Fault> {
    let response = client.response_within("GET", LIMIT)?;
    response.ok_or_else(|| client.fault("the connection ended without an answer"))
}

fn closes(client: &mut Client) -> Result<(), Fault> {
    match client.end_within(LIMIT)? {
        End::Open => Err(client.fault("it does not close the connection")),
        End::Fin | End::Reset => Ok(()),
    }
}

fn http10(addr: SocketAddr) -> Result<(), Fault> {
    let mut client = Client::connect(addr)?;
    ask(&mut client, AB)?;
    closes(&mut client)
}

fn http10_keep_alive(addr: SocketAddr) -> Result<(), Fault> {
    let mut client = Client::connect(addr)?;
    let first = ask(&mut client, AB_KEEP_ALIVE)?;
    if !first.connection_has("keep-alive") {
        return Err(client.fault("it does not answer HTTP/1.0 with `Connection: keep-alive`"));
    }
    ask(&mut client, AB_KEEP_ALIVE).map(drop)
}

fn keep_alive(addr: SocketAddr) -> Result<(), Fault> {
    let mut client = Client::connect(addr)?;
    let first = ask(&mut client, G)?;
    if !first.keeps_alive() {
        return Err(client.fault("it closes after each response"));
    }
    ask(&mut client, G).map(drop)
}

fn close(addr: SocketAddr) -> Result<(), Fault> {
    for _ in 0..3 {
        ask(&mut Client::connect(addr)?, G)?;
    }
    Ok(())
}

fn server_closes(addr: SocketAddr) -> Result<(), Fault> {
    let mut client = Client::connect(addr)?;
    ask(&mut client, LAST)?;
    closes(&mut client)
}

fn pipelining(addr: SocketAddr) -> Result<(), Fault> {
    let mut client = Client::connect(addr)?;
    client.send(&G.repeat(16))?;
    for number in 1..=16 {
        next(&mut client)
            .map_err(|fault| fault.in_context(&format!("pipelined response {number} of 16")))?;
    }
    Ok(())
}

/// ab goes on when the head says keep-alive and has a length, and waits for a close when not.
fn ab_keep_alive(addr: SocketAddr) -> Result<(), Fault> {
    let mut client = Client::connect(addr)?;
    let first = ask(&mut client, AB_KEEP_ALIVE)?;
    match (first.connection_has("keep-alive"), first.framing) {
        (true, Framing::Length(_)) => ask(&mut client, AB_KEEP_ALIVE).map(drop),
        (true, _) => Err(client.fault("it says keep-alive without Content-Length")),
        (false, Framing::UntilClose) => Ok(()),
        (false, _) => closes(&mut client),
    }
}
