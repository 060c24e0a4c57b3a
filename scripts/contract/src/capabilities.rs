//! What a load generator may ask of a server.

use std::net::SocketAddr;

use serde::Serialize;

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
    /// Serves one connection per request, the client closing.
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

/// Tries what the server on `addr` can do, in about a second even when it can do nothing.
pub fn capabilities(addr: SocketAddr) -> Capabilities {
    let _ = addr;
    let no = || Ability::No("not yet".into());
    Capabilities {
        http10: no(),
        http10_keep_alive: no(),
        keep_alive: no(),
        close: no(),
        server_closes: no(),
        pipelining: no(),
        ab: no(),
        ab_keep_alive: no(),
    }
}
