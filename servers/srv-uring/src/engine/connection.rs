//! One connection: what has been received goes into `http1`, what comes out is to be sent.

use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};

use common::date;
use common::http1::{self, MAX_LINGER, MAX_UNSENT, Next, Response};

use super::ring::Ring;

/// A connection. While it is idle it owns no buffer.
pub struct Connection {
    stream: TcpStream,
    http: http1::Connection,
    next: Next,
    /// Received, not consumed.
    input: Vec<u8>,
    /// The second ([`date::ticks`]) of its last progress.
    progress: u32,
    /// Bytes discarded since nothing more is to be read.
    discarded: usize,
    state: State,
}

/// What is under way.
#[derive(Default)]
struct State {
    receiving: bool,
    /// Receiving goes on until it is cancelled.
    multishot: bool,
    cancelled: bool,
    sending: bool,
    /// The peer has sent all that it will.
    ended: bool,
    /// It is over: what is under way is awaited, then the socket is closed.
    closing: bool,
    shut_down: bool,
}

impl Connection {
    pub fn new(stream: OwnedFd) -> Self {
        Self {
            stream: stream.into(),
            http: http1::Connection::new(),
            next: Next::Read,
            input: Vec::new(),
            progress: date::ticks(),
            discarded: 0,
            state: State::default(),
        }
    }

    pub fn into_fd(self) -> OwnedFd {
        self.stream.into()
    }

    /// Whether it has made no progress for the time that it has.
    pub fn is_overdue(&self, now: u32) -> bool {
        u64::from(now.wrapping_sub(self.progress)) > http1::TIMEOUT.as_secs()
    }

    /// Whether nothing is half-read or half-written.
    pub fn is_idle(&self) -> bool {
        self.input.is_empty()
            && !self.state.sending
            && self.next == Next::Read
            && self.http.is_between_requests()
    }

    pub fn close_after_next(&mut self) {
        self.http.close_after_next();
    }

    /// Ends the connection.
    pub fn close(&mut self) {
        self.state.closing = true;
    }

    /// Something was received: an error number, or the bytes in `data`, none at the end.
    /// `more`: receiving goes on.
    pub fn received(
        &mut self,
        result: Result<&[u8], i32>,
        more: bool,
        response: &Response,
        output: &mut Vec<u8>,
    ) {
        self.state.receiving = more;
        match result {
            Ok([]) => self.state.ended = true,
            Ok(data) if matches!(self.next, Next::Close | Next::Linger) => {
                self.discarded += data.len()
            }
            Ok(data) if self.state.sending || !self.input.is_empty() => {
                self.input.extend_from_slice(data);
                if !self.state.sending {
                    self.answer(response, output);
                }
            }
            Ok(data) => {
                let consumed = self.receive(data, response, output);
                self.input.extend_from_slice(&data[consumed..]);
            }
            // Buffers had run out, we have cancelled, or something came between: it is begun again
            // when there is room.
            Err(libc::ENOBUFS | libc::ECANCELED | libc::EINTR | libc::EAGAIN) => {}
            Err(_) => self.state.closing = true,
        }
    }

    /// Receiving could not be cancelled, and is cancelled again.
    pub fn not_cancelled(&mut self) {
        self.state.cancelled = false;
    }

    /// A part of the output is sent.
    pub fn progress(&mut self) {
        self.progress = date::ticks();
    }

    /// The output is sent, or it failed.
    pub fn sent(&mut self, failed: bool) {
        self.state.sending = false;
        self.state.closing |= failed;
        self.progress();
    }

    /// Answers what has been received, if the output was too full for it.
    pub fn answer_rest(&mut self, response: &Response, output: &mut Vec<u8>) {
        while self.next == Next::Again && !self.state.sending && output.is_empty() {
            self.answer(response, output);
        }
        if self.next == Next::Read
            && !self.state.sending
            && output.is_empty()
            && !self.input.is_empty()
        {
            self.answer(response, output);
        }
    }

    fn answer(&mut self, response: &Response, output: &mut Vec<u8>) {
        let mut input = std::mem::take(&mut self.input);
        let consumed = self.receive(&input, response, output);
        input.drain(..consumed);
        if !input.is_empty() {
            self.input = input;
        }
    }

    fn receive(&mut self, input: &[u8], response: &Response, output: &mut Vec<u8>) -> usize {
        let progress = self.http.receive(input, response, output);
        if progress.consumed > 0 {
            self.progress();
        }
        self.next = progress.next;
        progress.consumed
    }

    /// Begins what is to be done next. Whether the connection is over and can be removed.
    pub fn pump(&mut self, key: usize, output: Vec<u8>, ring: &mut Ring) -> bool {
        let fd = self.stream.as_raw_fd();
        if output.is_empty() || self.state.closing {
            ring.keep(output);
        } else {
            self.state.sending = true;
            // A connection that is still being received on is shut down first, which sends all.
            let last = self.next == Next::Close && !self.state.receiving;
            ring.send(key, fd, output, last);
        }
        if !self.state.sending {
            self.end();
        }
        if self.state.closing {
            return self.wind_up();
        }
        self.keep_receiving(key, ring);
        false
    }

    /// Sees whether the connection ends here, all output being sent.
    fn end(&mut self) {
        match self.next {
            Next::Read => self.state.closing |= self.state.ended,
            Next::Again => {}
            Next::Close => self.state.closing = true,
            Next::Linger => {
                // Fails when the peer is gone, and then receiving says so as well.
                let _ = self.stream.shutdown(Shutdown::Write);
                self.state.closing |= self.state.ended || self.discarded >= MAX_LINGER;
            }
        }
    }

    /// Ends what is under way. Whether nothing is.
    fn wind_up(&mut self) -> bool {
        let under_way = self.state.receiving || self.state.sending;
        if under_way && !self.state.shut_down {
            self.state.shut_down = true;
            // Ends both; fails when they are ending by themselves.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
        !under_way
    }

    /// Receives as long as there is room for it.
    fn keep_receiving(&mut self, key: usize, ring: &mut Ring) {
        let has_room = self.input.len() < MAX_UNSENT;
        let State {
            receiving,
            ended,
            cancelled,
            ..
        } = self.state;
        if receiving && !has_room && !cancelled {
            self.state.cancelled = true;
            ring.cancel_receive(key);
        }
        if receiving || ended || !has_room || (self.next == Next::Close) {
            return;
        }
        self.state.receiving = true;
        self.state.cancelled = false;
        // The first request may be the last: a connection that ends with it has nothing to cancel.
        if self.state.multishot {
            ring.receive(key, self.stream.as_raw_fd());
        } else {
            self.state.multishot = true;
            ring.receive_once(key, self.stream.as_raw_fd());
        }
    }
}
