//! The client of `explain`: one request at a time, with an eye on when the parts of a response come, and on who ends
//! a connection and why.

use super::link::{Link, Lost};
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};

/// Requests in flight in [`Use::Pipeline`].
pub const DEPTH: u32 = 16;
/// How long a phase may take: a server that stalls for 40 ms would keep 1,000 requests busy for 40 s.
const PHASE_LIMIT: Duration = Duration::from_secs(10);
/// How long a server may take to end what the last requests left behind.
const SETTLE: Duration = Duration::from_millis(50);
/// Connections that go wrong before a phase is given up.
const PATIENCE: usize = 3;

/// How connections are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// One request after the other on a connection that stays open.
    KeepAlive,
    /// A connection for each request, which says `Connection: close`.
    Close,
    /// [`DEPTH`] requests at once, then their responses.
    Pipeline,
}

/// Requests of one kind, and what became of them.
#[derive(Clone, Debug)]
pub struct Phase {
    /// How connections were used.
    pub usage: Use,
    /// Requests to send.
    pub asked: u32,
    /// When it began: seconds since 1970.
    pub began_s: f64,
    /// When it ended.
    pub ended_s: f64,
    /// What was answered: with pipelining all responses to what was sent at once are one exchange.
    pub exchanges: Vec<Exchange>,
    /// Every connection, in order.
    pub connections: Vec<Connection>,
    /// Why it ended before all was sent.
    pub gave_up: Option<String>,
}

/// Requests sent at once and their responses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchange {
    /// Responses.
    pub responses: u32,
    /// Seconds until the first byte came.
    pub waited_s: f64,
    /// Seconds from the first byte to the last.
    pub spread_s: f64,
    /// Bytes of the first response's head.
    pub head_bytes: u64,
    /// Bytes of the whole first response.
    pub bytes: u64,
}

/// One connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Responses that came on it.
    pub responses: u32,
    /// How it ended.
    pub end: End,
}

/// Who ended a connection first, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The client, when all was answered.
    Client,
    /// The client, because the server did not although it had to.
    LeftOpen,
    /// The server, which had announced it in its last response.
    Announced(Announcement),
    /// The server, without a word.
    Unannounced,
    /// Nobody knows better: the error.
    Failed(String),
}

/// How a response says that it is the last one (RFC 9112 9.3, 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Announcement {
    /// `Connection: close`.
    Close,
    /// HTTP/1.0 without `Connection: keep-alive`.
    Http10,
    /// No length: the body ends with the connection.
    UntilClose,
}

impl Phase {
    /// Sends `asked` requests for `/` to `address`.
    #[must_use]
    pub fn run(usage: Use, asked: u32, address: SocketAddr) -> Self {
        let mut phase = Self {
            usage,
            asked,
            began_s: now_s(),
            ended_s: 0.0,
            exchanges: Vec::new(),
            connections: Vec::new(),
            gave_up: None,
        };
        let began = Instant::now();
        while phase.gave_up.is_none() && phase.responses() < asked {
            phase.connection(address, began);
            phase.gave_up = phase.gave_up.take().or_else(|| phase.reason_to_stop());
        }
        std::thread::sleep(SETTLE);
        phase.ended_s = now_s();
        phase
    }

    /// Responses so far.
    #[must_use]
    pub fn responses(&self) -> u32 {
        self.exchanges
            .iter()
            .map(|exchange| exchange.responses)
            .sum()
    }

    /// One connection, until it ends or nothing is left to send.
    fn connection(&mut self, address: SocketAddr, began: Instant) {
        let before = self.responses();
        let end = match Link::open(address) {
            Ok(mut link) => self.exchange_all(&mut link, began),
            Err(error) => End::Failed(error.to_string()),
        };
        self.connections.push(Connection {
            responses: self.responses() - before,
            end,
        });
    }

    fn exchange_all(&mut self, link: &mut Link, began: Instant) -> End {
        while self.responses() < self.asked {
            if began.elapsed() > PHASE_LIMIT {
                self.gave_up = Some(format!("after {} s", PHASE_LIMIT.as_secs()));
                return End::Client;
            }
            let count = if self.usage == Use::Pipeline {
                DEPTH
            } else {
                1
            };
            let (exchange, lost) = link.exchange(count, self.usage == Use::Close);
            self.exchanges.extend(exchange);
            match lost {
                None => {}
                Some(Lost::Announced(how)) => {
                    return if link.ends() {
                        End::Announced(how)
                    } else {
                        End::LeftOpen
                    };
                }
                Some(Lost::Ended) => return End::Unannounced,
                Some(Lost::Failed(why)) => return End::Failed(why),
            }
            if self.usage == Use::Close {
                return if link.ends() {
                    End::Announced(Announcement::Close)
                } else {
                    End::LeftOpen
                };
            }
        }
        End::Client
    }

    /// Whether the last connections all went so wrong that more of them tell nothing new.
    fn reason_to_stop(&self) -> Option<String> {
        let bad = |connection: &Connection| {
            connection.responses == 0 || matches!(connection.end, End::LeftOpen | End::Failed(_))
        };
        let recent = self.connections.iter().rev().take(PATIENCE);
        (recent.filter(|connection| bad(connection)).count() == PATIENCE)
            .then(|| format!("after {PATIENCE} connections in a row that went wrong"))
    }
}

fn now_s() -> f64 {
    SystemTime::UNIX_EPOCH
        .elapsed()
        .map_or(0.0, |time| time.as_secs_f64())
}

#[cfg(test)]
mod tests;
