//! The state machine of one connection.

use super::MAX_UNSENT;
use super::chunked::{Chunked, Skipped};
use super::request::{self, Body, Request};
use super::response::{CONTINUE, Persistence, Refusal, Response};

/// Where a connection is in its exchange of requests and responses. It owns no buffers.
#[derive(Debug, Default)]
pub struct Connection {
    state: State,
    closes_next: bool,
}

#[derive(Debug, Default)]
enum State {
    /// At the start of a request, or in its head.
    #[default]
    Head,
    /// So many bytes of the request's body are still to come.
    Length(Pending, u64),
    Chunked(Pending, Chunked),
    /// The last response has been given.
    Closed,
}

/// What the response to the request under way depends on.
#[derive(Clone, Copy, Debug)]
struct Pending {
    persistence: Persistence,
    is_head: bool,
}

/// What became of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the input that are done with. The rest is to be given again, with what follows.
    pub consumed: usize,
    /// What to do next.
    pub next: Next,
}

/// What an engine does next, after it has sent the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Read more.
    Read,
    /// Give the rest of the input again: the output was full.
    Again,
    /// Close: the client has been told so, or asked for it.
    Close,
    /// Close, but there is or may be input that nobody will read: shut the sending side down,
    /// discard what comes for a while, then close (RFC 9112 9.6).
    Linger,
}

impl Connection {
    /// A connection that has just been accepted.
    pub const fn new() -> Self {
        Self {
            state: State::Head,
            closes_next: false,
        }
    }

    /// Takes `input`, all that was read and has not been consumed, and appends to `out` the
    /// responses to the requests that it completes.
    pub fn receive(&mut self, input: &[u8], response: &Response, out: &mut Vec<u8>) -> Progress {
        let mut consumed = 0;
        let next = loop {
            let rest = &input[consumed..];
            if out.len() >= MAX_UNSENT && !matches!(self.state, State::Closed) {
                break Next::Again;
            }
            match self.step(rest, response, out) {
                Ok(Some(len)) => consumed += len,
                Ok(None) => break Next::Read,
                Err(End::Closed) if rest.is_empty() => break Next::Close,
                Err(End::Closed) => break Next::Linger,
                Err(End::Refused(refusal)) => {
                    refusal.append(out);
                    self.state = State::Closed;
                    break Next::Linger;
                }
            }
        };
        Progress { consumed, next }
    }

    /// Whether nothing of a request has been consumed that has not been answered.
    pub fn is_between_requests(&self) -> bool {
        matches!(self.state, State::Head | State::Closed)
    }

    /// Makes the next response the last one, as a server does that is stopping.
    pub fn close_after_next(&mut self) {
        self.closes_next = true;
    }

    /// Takes the next element of the input: a head, or a part of a body. `None`: it is incomplete.
    fn step(
        &mut self,
        rest: &[u8],
        response: &Response,
        out: &mut Vec<u8>,
    ) -> Result<Option<usize>, End> {
        let (consumed, pending) = match &mut self.state {
            State::Closed => return Err(End::Closed),
            _ if rest.is_empty() => return Ok(None),
            State::Head => {
                let Some((len, request)) = request::parse(rest).map_err(End::Refused)? else {
                    return Ok(None);
                };
                let pending = self.pending(&request);
                if request.expects_continue {
                    out.extend_from_slice(CONTINUE);
                }
                match request.body {
                    Body::Length(0) => (len, pending),
                    Body::Length(bytes) => {
                        self.state = State::Length(pending, bytes);
                        return Ok(Some(len));
                    }
                    Body::Chunked => {
                        self.state = State::Chunked(pending, Chunked::new(len));
                        return Ok(Some(len));
                    }
                }
            }
            State::Length(pending, left) => {
                let here = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= here as u64;
                if *left > 0 {
                    return Ok(Some(here));
                }
                (here, *pending)
            }
            State::Chunked(pending, chunked) => match chunked.skip(rest).map_err(End::Refused)? {
                Skipped::End(len) => (len, *pending),
                Skipped::Part(len) => return Ok(Some(len)),
                Skipped::Incomplete => return Ok(None),
            },
        };
        self.respond(pending, response, out);
        Ok(Some(consumed))
    }

    fn pending(&self, request: &Request) -> Pending {
        let persistence = match request {
            _ if request.closes || self.closes_next => Persistence::Close,
            Request {
                is_http10: true, ..
            } => Persistence::KeepAlive,
            _ => Persistence::Implied,
        };
        Pending {
            persistence,
            is_head: request.is_head,
        }
    }

    /// Answers a request that is complete.
    fn respond(&mut self, pending: Pending, response: &Response, out: &mut Vec<u8>) {
        let persistence = if self.closes_next {
            Persistence::Close
        } else {
            pending.persistence
        };
        response.append(out, persistence, pending.is_head);
        self.state = match persistence {
            Persistence::Close => State::Closed,
            Persistence::Implied | Persistence::KeepAlive => State::Head,
        };
    }
}

/// Why a connection takes nothing more.
enum End {
    Closed,
    Refused(Refusal),
}
