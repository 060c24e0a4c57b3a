//! A thread's loop: reads, looks for empty lines, writes.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use slab::Slab;

use crate::empty_lines::EmptyLines;

const LISTENER: Token = Token(usize::MAX);
const SIGNAL: Token = Token(usize::MAX - 1);

/// How long a thread waits before it accepts again when the process is out of descriptors.
const BACK_OFF: Duration = Duration::from_millis(100);

/// A thread of the server: its listener and its connections.
pub struct Worker {
    poll: Poll,
    listener: mio::net::TcpListener,
    /// Kept open: it is what the poll watches.
    _signal: mio::net::UnixStream,
    connections: Slab<Connection>,
    backs_off: bool,
    empty_lines: EmptyLines,
    response: &'static [u8],
    input: Box<[u8]>,
    output: Vec<u8>,
}

struct Connection {
    stream: TcpStream,
    /// Bytes of an empty line that the last read ended with.
    matched: usize,
    unsent: Vec<u8>,
}

impl Worker {
    pub fn new(
        listener: TcpListener,
        signal: UnixStream,
        response: &'static [u8],
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let poll = Poll::new()?;
        let mut listener = mio::net::TcpListener::from_std(listener);
        let mut signal = mio::net::UnixStream::from_std(signal);
        poll.registry()
            .register(&mut listener, LISTENER, Interest::READABLE)?;
        poll.registry()
            .register(&mut signal, SIGNAL, Interest::READABLE)?;
        Ok(Self {
            poll,
            listener,
            _signal: signal,
            connections: Slab::new(),
            backs_off: false,
            empty_lines: EmptyLines::new(),
            response,
            input: vec![0; 64 * 1024].into_boxed_slice(),
            output: Vec::new(),
        })
    }

    /// Answers until a signal comes.
    pub fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        loop {
            let patience = self.backs_off.then_some(BACK_OFF);
            match self.poll.poll(&mut events, patience) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result?,
            }
            if self.backs_off {
                self.accept();
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept(),
                    SIGNAL => return Ok(()),
                    Token(key) if self.advance(key, event.is_read_closed()).is_err() => {
                        self.connections.try_remove(key);
                    }
                    Token(_) => {}
                }
            }
        }
    }

    fn accept(&mut self) {
        self.backs_off = false;
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => self.add(stream),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return,
                    ErrorKind::ConnectionAborted | ErrorKind::Interrupted => {}
                    _ => {
                        self.backs_off = true;
                        return;
                    }
                },
            }
        }
    }

    fn add(&mut self, mut stream: TcpStream) {
        let entry = self.connections.vacant_entry();
        let interest = Interest::READABLE | Interest::WRITABLE;
        let token = Token(entry.key());
        if self
            .poll
            .registry()
            .register(&mut stream, token, interest)
            .is_ok()
        {
            entry.insert(Connection {
                stream,
                matched: 0,
                unsent: Vec::new(),
            });
        }
    }

    /// Reads and answers what has come. An error, or the end of the stream, ends the connection.
    fn advance(&mut self, key: usize, at_end: bool) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(key) else {
            return Ok(());
        };
        loop {
            let unsent = std::mem::take(&mut connection.unsent);
            connection.send(&unsent)?;
            if !connection.unsent.is_empty() {
                return Ok(());
            }
            let Some(read) = unless_blocked(|| connection.stream.read(&mut self.input))? else {
                return Ok(());
            };
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            self.output.clear();
            for _ in 0..self
                .empty_lines
                .count(&mut connection.matched, &self.input[..read])
            {
                self.output.extend_from_slice(self.response);
            }
            connection.send(&self.output)?;
            if read < self.input.len() && !at_end && connection.unsent.is_empty() {
                return Ok(());
            }
        }
    }
}

impl Connection {
    /// Sends what the socket takes and keeps the rest.
    fn send(&mut self, output: &[u8]) -> io::Result<()> {
        let mut sent = 0;
        while sent < output.len() {
            match unless_blocked(|| self.stream.write(&output[sent..]))? {
                Some(more) => sent += more,
                None => break,
            }
        }
        self.unsent.extend_from_slice(&output[sent..]);
        Ok(())
    }
}

fn unless_blocked(mut operation: impl FnMut() -> io::Result<usize>) -> io::Result<Option<usize>> {
    loop {
        match operation() {
            Ok(len) => return Ok(Some(len)),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => return Ok(None),
                ErrorKind::Interrupted => {}
                _ => return Err(error),
            },
        }
    }
}
