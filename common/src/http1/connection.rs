//! The state machine of one connection.

use super::MAX_UNSENT;
use super::chunked::{Chunked, Skipped};
use super::request::{self, Body, Head, Request};
use super::response::{Answer, CONTINUE, Persistence, Refusal, Response};

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
    Length(Answer, u64),
    Chunked(Answer, Chunked),
    /// The last response has been given.
    Closed,
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
    /// Close at once: the client asked for it, so it sends no more (RFC 9112 9.6). If it does all the
    /// same, a reset may cut the response. To linger on every such connection would cost each a
    /// system call, and a wait for the client's close.
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
        while consumed < input.len() {
            if let State::Closed = self.state {
                return Progress {
                    consumed,
                    next: Next::Linger,
                };
            }
            if out.len() >= MAX_UNSENT {
                return Progress {
                    consumed,
                    next: Next::Again,
                };
            }
            match self.step(&input[consumed..], response, out) {
                Ok(0) => break,
                Ok(len) => consumed += len,
                Err(refusal) => {
                    refusal.append(out);
                    self.state = State::Closed;
                    return Progress {
                        consumed,
                        next: Next::Linger,
                    };
                }
            }
        }
        let next = match self.state {
            State::Closed => self.end(),
            _ => Next::Read,
        };
        Progress { consumed, next }
    }

    /// How to end a connection whose last response has been given.
    #[cold]
    fn end(&self) -> Next {
        if self.closes_next {
            // Nobody asked for the close: more requests may be on their way.
            Next::Linger
        } else {
            Next::Close
        }
    }

    /// Whether nothing of a request has been consumed that has not been answered.
    pub fn is_between_requests(&self) -> bool {
        matches!(self.state, State::Head | State::Closed)
    }

    /// Makes the next response the last one, as a server does that is stopping.
    pub fn close_after_next(&mut self) {
        self.closes_next = true;
    }

    /// Takes the next element of the input, a head or a part of a body: how many bytes it has, or
    /// 0 while it is incomplete.
    #[inline(always)]
    fn step(
        &mut self,
        rest: &[u8],
        response: &Response,
        out: &mut Vec<u8>,
    ) -> Result<usize, Refusal> {
        let State::Head = self.state else {
            return self.body(rest, response, out);
        };
        match request::parse(rest)? {
            Head::Incomplete => Ok(0),
            Head::Plain(len) if !self.closes_next => {
                response.append(out, Answer::PLAIN);
                Ok(len)
            }
            Head::Plain(len) => {
                self.respond(Answer::PLAIN, response, out);
                Ok(len)
            }
            Head::Full(len, request) => {
                if request.body == Body::Length(0) {
                    self.respond(request.answer, response, out);
                } else {
                    self.begin_body(len, &request, out);
                }
                Ok(len)
            }
        }
    }

    /// Takes a part of a body, and answers its request when that is the last.
    fn body(
        &mut self,
        rest: &[u8],
        response: &Response,
        out: &mut Vec<u8>,
    ) -> Result<usize, Refusal> {
        let (len, answer) = match &mut self.state {
            State::Length(answer, left) => {
                let here = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= here as u64;
                if *left > 0 {
                    return Ok(here);
                }
                (here, *answer)
            }
            State::Chunked(answer, chunked) => match chunked.skip(rest)? {
                Skipped::End(len) => (len, *answer),
                Skipped::Part(len) => return Ok(len),
                Skipped::Incomplete => return Ok(0),
            },
            State::Head | State::Closed => return Ok(0),
        };
        self.respond(answer, response, out);
        Ok(len)
    }

    fn begin_body(&mut self, head: usize, request: &Request, out: &mut Vec<u8>) {
        if request.expects_continue {
            out.extend_from_slice(CONTINUE);
        }
        self.state = match request.body {
            Body::Length(bytes) => State::Length(request.answer, bytes),
            Body::Chunked => State::Chunked(request.answer, Chunked::new(head)),
        };
    }

    /// Answers a request that is complete.
    fn respond(&mut self, mut answer: Answer, response: &Response, out: &mut Vec<u8>) {
        if self.closes_next {
            answer.persistence = Persistence::Close;
        }
        response.append(out, answer);
        let closes = answer.persistence == Persistence::Close;
        self.state = if closes { State::Closed } else { State::Head };
    }
}
