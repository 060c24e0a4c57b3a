//! A thread's loop: waits for events and gives each connection its turn.

use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::http1::Response;
use common::spread::Spread;
use common::{date, shutdown};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use slab::Slab;

use crate::buffers::Buffers;
use crate::connection::{Connection, Turn};
use crate::mailbox::{HANDED, Mailbox};
use crate::system;

const LISTENER: Token = Token(usize::MAX);
const SIGNAL: Token = Token(usize::MAX - 1);

/// How often deadlines are looked at.
const TICK: Duration = Duration::from_secs(1);

/// How long a thread waits before it accepts again when the process is out of descriptors.
const BACK_OFF: Duration = Duration::from_millis(100);

/// What the threads know of one another.
pub struct Shared {
    pub spread: Spread,
    pub mailboxes: Vec<Mailbox>,
    /// Connections are accepted when their first data has come.
    pub data_has_come: bool,
}

/// A thread of the server: its listener and its connections.
pub struct Worker {
    poll: Poll,
    listener: Option<mio::net::TcpListener>,
    /// Kept open: it is what the poll watches.
    _signal: mio::net::UnixStream,
    connections: Slab<Connection>,
    /// Connections that want another turn without an event.
    again: Vec<usize>,
    buffers: Buffers,
    shared: Arc<Shared>,
    index: usize,
    /// Accepting failed for want of descriptors.
    backs_off: bool,
    ends: Option<Instant>,
}

impl Worker {
    pub fn new(
        index: usize,
        poll: Poll,
        listener: TcpListener,
        signal: UnixStream,
        response: Response,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let mut listener = mio::net::TcpListener::from_std(listener);
        let registry = poll.registry();
        system::watch(registry, &mut listener, LISTENER)?;
        let mut signal = mio::net::UnixStream::from_std(signal);
        registry.register(&mut signal, SIGNAL, Interest::READABLE)?;
        Ok(Self {
            poll,
            listener: Some(listener),
            _signal: signal,
            connections: Slab::new(),
            again: Vec::new(),
            buffers: Buffers::new(response),
            shared,
            index,
            backs_off: false,
            ends: None,
        })
    }

    /// Serves until a signal has come and what was in flight is finished.
    pub fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        let mut checked = date::ticks();
        while !self.is_done() {
            match self.poll.poll(&mut events, Some(self.patience())) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result?,
            }
            if self.backs_off {
                self.resume()?;
            }
            for key in std::mem::take(&mut self.again) {
                self.turn(key, false);
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept(system::ACCEPTS_AN_EVENT),
                    HANDED => self.adopt(),
                    SIGNAL => self.stop(),
                    Token(key) => self.turn(key, event.is_read_closed()),
                }
            }
            let now = date::ticks();
            if now != checked {
                checked = now;
                self.drop_overdue(now);
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.ends
            .is_some_and(|end| self.connections.is_empty() || Instant::now() >= end)
    }

    /// How long to wait for events.
    fn patience(&self) -> Duration {
        if !self.again.is_empty() {
            Duration::ZERO
        } else if self.backs_off || self.ends.is_some() {
            BACK_OFF
        } else {
            TICK
        }
    }

    /// Accepts the connections that wait, but no more than `limit`.
    fn accept(&mut self, limit: usize) {
        for _ in 0..limit {
            let Some(listener) = &self.listener else {
                return;
            };
            match listener.accept() {
                Ok((stream, _)) => self.place(stream),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return,
                    // The client has given up.
                    ErrorKind::ConnectionAborted | ErrorKind::Interrupted => {}
                    // Out of descriptors or memory. The connections wait in the backlog.
                    _ => return self.back_off(),
                },
            }
        }
    }

    /// Serves a connection, or hands it to a thread that has fewer.
    fn place(&mut self, stream: TcpStream) {
        let thread = self.shared.spread.place(self.index);
        if thread == self.index {
            self.add(stream);
        } else if let Err(stream) = self.shared.mailboxes[thread].put(stream) {
            self.shared.spread.moved(thread, self.index);
            self.add(stream);
        }
    }

    /// Looks away from the listener for a while.
    fn back_off(&mut self) {
        if let Some(listener) = &mut self.listener {
            self.backs_off = system::unwatch(self.poll.registry(), listener).is_ok();
        }
    }

    /// Accepts again: what waits is an event.
    fn resume(&mut self) -> io::Result<()> {
        self.backs_off = false;
        match &mut self.listener {
            Some(listener) => system::watch(self.poll.registry(), listener, LISTENER),
            None => Ok(()),
        }
    }

    /// Takes what other threads have handed over.
    fn adopt(&mut self) {
        for stream in self.shared.mailboxes[self.index].take() {
            self.add(stream);
        }
    }

    fn add(&mut self, stream: TcpStream) {
        let key = self.connections.insert(Connection::new(stream));
        // Its request has come: a connection that ends with it is never waited for.
        if self.shared.data_has_come {
            self.turn(key, false);
        }
        let Some(connection) = self.connections.get_mut(key) else {
            return;
        };
        let interest = Interest::READABLE | Interest::WRITABLE;
        let registry = self.poll.registry();
        if registry
            .register(connection.stream(), Token(key), interest)
            .is_err()
        {
            self.remove(key);
        } else if self.ends.is_some() {
            self.finish(key);
        }
    }

    fn remove(&mut self, key: usize) {
        self.connections.remove(key);
        self.shared.spread.closed(self.index);
    }

    /// Gives a connection its turn. The event may be of one that was closed just now.
    fn turn(&mut self, key: usize, at_end: bool) {
        let Some(connection) = self.connections.get_mut(key) else {
            return;
        };
        match connection.advance(at_end, &mut self.buffers) {
            Turn::Wait if self.ends.is_some() && connection.is_idle() => self.remove(key),
            Turn::Wait => {}
            Turn::Again => self.again.push(key),
            Turn::Close => self.remove(key),
        }
    }

    /// Stops accepting, also what others have accepted, and closes what is idle.
    fn stop(&mut self) {
        if self.ends.is_some() {
            return;
        }
        self.accept(usize::MAX);
        self.listener = None;
        for stream in self.shared.mailboxes[self.index].close() {
            self.add(stream);
        }
        self.ends = Some(Instant::now() + shutdown::GRACE);
        let keys: Vec<_> = self.connections.iter().map(|(key, _)| key).collect();
        for key in keys {
            self.finish(key);
        }
    }

    /// Lets a connection answer the request that it may have, then closes it.
    fn finish(&mut self, key: usize) {
        if let Some(connection) = self.connections.get_mut(key) {
            connection.close_after_next();
        }
        self.turn(key, false);
    }

    fn drop_overdue(&mut self, now: u32) {
        let overdue: Vec<_> = (self.connections.iter())
            .filter(|(_, connection)| connection.is_overdue(now))
            .map(|(key, _)| key)
            .collect();
        for key in overdue {
            self.remove(key);
        }
    }
}
