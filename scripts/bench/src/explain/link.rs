//! One connection of a client.

use super::client::{Announcement, Exchange};
use contract::http::{Framing, Response, read_response};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// How long a response may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);
/// How long a server may take to end a connection that has to end.
const END_LIMIT: Duration = Duration::from_secs(1);

/// A connection and what was read from it beyond the last response.
pub(super) struct Link {
    stream: TcpStream,
    host: String,
    surplus: Vec<u8>,
}

/// Why a connection cannot be used any more.
#[derive(Debug, thiserror::Error)]
pub(super) enum Lost {
    /// The last response says that it is the last one.
    #[error("it was announced to be the last one")]
    Announced(Announcement),
    /// It was closed or reset where a response had to begin.
    #[error("the server closed it")]
    Ended,
    /// Something else.
    #[error("{0}")]
    Failed(String),
}

impl Link {
    pub(super) fn open(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, ANSWER_LIMIT)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        Ok(Self {
            stream,
            host: address.to_string(),
            surplus: Vec::new(),
        })
    }

    /// Sends `count` requests in one write and reads the responses, as far as they come.
    pub(super) fn exchange(&mut self, count: u32, close: bool) -> (Option<Exchange>, Option<Lost>) {
        let connection = if close { "Connection: close\r\n" } else { "" };
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n{connection}\r\n", self.host);
        let sent = Instant::now();
        if let Err(error) = self
            .stream
            .write_all(request.repeat(count as usize).as_bytes())
        {
            return (None, Some(lost(&error)));
        }
        let mut timed = Timed {
            stream: &self.stream,
            first: None,
            last: sent,
        };
        let mut responses = Vec::new();
        let mut end = None;
        while end.is_none() && responses.len() < count as usize {
            match read_response(&mut timed, &mut self.surplus, "GET") {
                Ok(Some(response)) => {
                    end = announcement(&response)
                        .filter(|_| !close)
                        .map(Lost::Announced);
                    responses.push(response);
                }
                Ok(None) => end = Some(Lost::Ended),
                Err(error) => end = Some(lost(&error)),
            }
        }
        let (first, last) = (timed.first.unwrap_or(sent), timed.last);
        let exchange = responses.first().map(|response| Exchange {
            responses: u32::try_from(responses.len()).unwrap_or(count),
            waited_s: (first - sent).as_secs_f64(),
            spread_s: (last - first).as_secs_f64(),
            head_bytes: response.head.len() as u64,
            bytes: response.wire_bytes as u64,
        });
        (exchange, end)
    }

    /// Whether the server has not ended the connection so far.
    pub(super) fn is_open(&mut self) -> bool {
        let read = self
            .stream
            .set_nonblocking(true)
            .and_then(|()| self.stream.read(&mut [0; 64]));
        matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    /// Whether the server ends the connection by itself, soon.
    pub(super) fn ends(&mut self) -> bool {
        let _ = self.stream.set_read_timeout(Some(END_LIMIT));
        !matches!(self.stream.read(&mut [0; 64]), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }
}

fn announcement(response: &Response) -> Option<Announcement> {
    match response.framing {
        _ if response.keeps_alive() => None,
        Framing::UntilClose => Some(Announcement::UntilClose),
        _ if response.connection_has("close") => Some(Announcement::Close),
        _ => Some(Announcement::Http10),
    }
}

fn lost(error: &std::io::Error) -> Lost {
    match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => Lost::Ended,
        ErrorKind::WouldBlock => {
            Lost::Failed(format!("no response within {} s", ANSWER_LIMIT.as_secs()))
        }
        _ => Lost::Failed(error.to_string()),
    }
}

/// Notes when the first and the last bytes came.
struct Timed<'a> {
    stream: &'a TcpStream,
    first: Option<Instant>,
    last: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.stream.read(buffer)?;
        if count > 0 {
            self.last = Instant::now();
            self.first.get_or_insert(self.last);
        }
        Ok(count)
    }
}
