//! One connection: moves its bytes between the socket and `http1`.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;

use common::date;
use common::http1::{self, MAX_LINGER, Next};
use mio::net::TcpStream;

use crate::buffers::{Buffers, Kept};
use crate::system;

/// Reads that a connection may do in one turn, so that none keeps a thread to itself.
const READS_A_TURN: usize = 16;

/// A connection. While it is idle it owns no buffer.
pub struct Connection {
    stream: TcpStream,
    http: http1::Connection,
    next: Next,
    kept: Option<Box<Kept>>,
    /// The second ([`date::ticks`]) of its last progress.
    progress: u32,
    /// Bytes discarded since its sending side was shut down.
    discarded: usize,
    /// The peer has sent all that it will. The event that says so comes once.
    at_end: bool,
}

/// What a connection wants after its turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// An event.
    Wait,
    /// Another turn: there is more to read.
    Again,
    /// To be dropped.
    Close,
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            http: http1::Connection::new(),
            next: Next::Read,
            kept: None,
            progress: date::ticks(),
            discarded: 0,
            at_end: false,
        }
    }

    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Whether it has made no progress for the time that it has.
    pub fn is_overdue(&self, now: u32) -> bool {
        u64::from(now.wrapping_sub(self.progress)) > http1::TIMEOUT.as_secs()
    }

    /// Whether nothing is half-read or half-written.
    pub fn is_idle(&self) -> bool {
        self.kept.is_none() && self.next == Next::Read && self.http.is_between_requests()
    }

    pub fn close_after_next(&mut self) {
        self.http.close_after_next();
    }

    /// Does what can be done now. `at_end`: an event says that the peer has sent all that it will.
    pub fn advance(&mut self, at_end: bool, buffers: &mut Buffers) -> Turn {
        self.at_end |= at_end;
        buffers.load(self.kept.take());
        // An error of the socket ends the connection, whatever it is.
        let turn = self.try_advance(buffers).unwrap_or(Turn::Close);
        self.kept = buffers.store();
        turn
    }

    fn try_advance(&mut self, buffers: &mut Buffers) -> io::Result<Turn> {
        let mut reads = 0;
        let mut drained = false;
        loop {
            if !self.send(&mut buffers.output)? {
                return Ok(Turn::Wait);
            }
            match self.next {
                Next::Read if drained => return Ok(Turn::Wait),
                Next::Read if reads == READS_A_TURN => return Ok(Turn::Again),
                Next::Read => {
                    let space = buffers.space();
                    let room = space.len();
                    let Some(read) = receive(&mut self.stream, space)? else {
                        return Ok(Turn::Wait);
                    };
                    if read == 0 {
                        return Ok(Turn::Close);
                    }
                    buffers.fill(read);
                    reads += 1;
                    // A short read has emptied the socket; to read on would only say so, at a
                    // twentieth of a request's cost. But data and FIN may be one event.
                    drained = read < room && !self.at_end;
                }
                Next::Again => {}
                Next::Close => return Ok(Turn::Close),
                Next::Linger => return self.linger(buffers.space()),
            }
            self.answer(buffers);
        }
    }

    /// Answers the requests that the input completes.
    fn answer(&mut self, buffers: &mut Buffers) {
        let progress = buffers.receive(&mut self.http);
        if progress.consumed > 0 {
            self.progress = date::ticks();
        }
        self.next = progress.next;
    }

    /// Sends the output as far as it goes. Whether all is sent.
    fn send(&mut self, output: &mut Vec<u8>) -> io::Result<bool> {
        let mut sent = 0;
        while sent < output.len() {
            let rest = &output[sent..];
            let result = match self.next {
                Next::Close => system::send_last(&self.stream, rest),
                _ => self.stream.write(rest),
            };
            match result {
                Ok(more) => sent += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            self.progress = date::ticks();
        }
        output.drain(..sent);
        Ok(output.is_empty())
    }

    /// Discards what still comes until the peer has closed as well.
    fn linger(&mut self, space: &mut [u8]) -> io::Result<Turn> {
        self.stream.shutdown(Shutdown::Write)?;
        while self.discarded < MAX_LINGER {
            match receive(&mut self.stream, space)? {
                Some(0) => return Ok(Turn::Close),
                Some(read) => self.discarded += read,
                None => return Ok(Turn::Wait),
            }
        }
        Ok(Turn::Close)
    }
}

/// Reads once. `None`: there is nothing yet.
fn receive(stream: &mut TcpStream, space: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        match stream.read(space) {
            Ok(read) => return Ok(Some(read)),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => return Ok(None),
                ErrorKind::Interrupted => {}
                _ => return Err(error),
            },
        }
    }
}
