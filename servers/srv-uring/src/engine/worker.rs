//! A thread's loop: waits for events and passes them to the connections.

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::http1::Response;
use common::{date, shutdown};
use slab::Slab;

use super::Shared;
use super::connection::Connection;
use super::ring::{Event, Ring};

/// How often deadlines are looked at.
const TICK: Duration = Duration::from_secs(1);

/// How long a thread waits before it accepts again when the process is out of descriptors, and
/// between two looks at what is still in flight when it stops.
const BACK_OFF: Duration = Duration::from_millis(100);

/// A thread of the server: its ring, its listener and its connections.
pub struct Worker {
    index: usize,
    ring: Ring,
    listener: Option<TcpListener>,
    /// Kept open: it is what the ring watches.
    signal: UnixStream,
    connections: Slab<Connection>,
    response: Response,
    shared: Arc<Shared>,
    /// Accepting is under way. The port is taken until it has ended, whoever closes the listener.
    accepting: bool,
    /// Accepting failed for want of descriptors, and is tried again then.
    backs_off: Option<Instant>,
    /// The second ([`date::ticks`]) in which deadlines were looked at.
    checked: u32,
    ends: Option<Instant>,
}

impl Worker {
    pub fn new(
        index: usize,
        ring: Ring,
        listener: TcpListener,
        signal: UnixStream,
        response: Response,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            index,
            ring,
            listener: Some(listener),
            signal,
            connections: Slab::new(),
            response,
            shared,
            accepting: false,
            backs_off: None,
            checked: date::ticks(),
            ends: None,
        }
    }

    /// Serves until a signal has come and what was in flight is finished.
    pub fn run(mut self) -> io::Result<()> {
        self.begin();
        while !self.is_done() {
            self.turn()?;
        }
        Ok(())
    }

    pub fn begin(&mut self) {
        self.ring.watch(self.signal.as_raw_fd());
        self.accept();
    }

    /// Waits for events and handles them.
    pub fn turn(&mut self) -> io::Result<()> {
        let waits = self.backs_off.is_some() || self.ends.is_some();
        self.ring.wait(if waits { BACK_OFF } else { TICK })?;
        for index in 0..self.ring.events() {
            let event = self.ring.event(index);
            self.handle(event);
        }
        if self.backs_off.is_some_and(|until| Instant::now() >= until) {
            self.accept();
        }
        if self.ends.is_some() && self.ring.events() == 0 {
            self.close_where(|connection| connection.is_idle());
        }
        let now = date::ticks();
        if now != self.checked {
            self.checked = now;
            self.close_where(|connection| connection.is_overdue(now));
        }
        Ok(())
    }

    pub fn is_done(&self) -> bool {
        let is_drained = || !self.accepting && self.connections.is_empty();
        self.ends
            .is_some_and(|end| is_drained() || Instant::now() >= end)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Accepted { stream, more } => self.accepted(stream, more),
            Event::Nothing => {}
            Event::Handed(stream) => self.add(stream),
            Event::NotHanded { thread, stream } => {
                self.shared.spread.moved(thread, self.index);
                self.add(stream);
            }
            Event::NotCancelled { key } => {
                // It may be over meanwhile.
                if let Some(connection) = self.connections.get_mut(key) {
                    connection.not_cancelled();
                }
            }
            Event::Readable => self.stop(),
            Event::NotWatched => self.ring.watch(self.signal.as_raw_fd()),
            Event::Received {
                key,
                result,
                buffer,
                more,
            } => self.received(key, result, buffer, more),
            Event::Progress { key } => self.connections[key].progress(),
            Event::Sent { key, failed } => {
                let connection = &mut self.connections[key];
                connection.sent(failed);
                let mut output = self.ring.spare();
                connection.answer_rest(&self.response, &mut output);
                self.pump(key, output);
            }
        }
    }

    fn accept(&mut self) {
        self.backs_off = None;
        if let Some(listener) = &self.listener {
            self.accepting = true;
            self.ring.accept(listener.as_raw_fd());
        }
    }

    fn accepted(&mut self, stream: io::Result<OwnedFd>, more: bool) {
        self.accepting = more;
        match stream {
            Ok(stream) => self.place(stream),
            // The client has given up.
            Err(error) if is_clients(&error) => {}
            // Out of descriptors or memory. The connections wait in the backlog.
            Err(_) if !more => self.backs_off = Some(Instant::now() + BACK_OFF),
            Err(_) => {}
        }
        if !more && self.backs_off.is_none() {
            self.accept();
        }
    }

    /// Serves a connection here, or hands it to the thread that is to serve it.
    fn place(&mut self, stream: OwnedFd) {
        let thread = self.shared.spread.place(self.index);
        match self.shared.rings[thread].get() {
            Some(&ring) if thread != self.index => self.ring.hand(thread, ring, stream),
            _ => self.add(stream),
        }
    }

    fn add(&mut self, stream: OwnedFd) {
        let mut connection = Connection::new(stream);
        if self.ends.is_some() {
            connection.close_after_next();
        }
        let key = self.connections.insert(connection);
        self.pump(key, Vec::new());
    }

    fn received(
        &mut self,
        key: usize,
        result: Result<usize, i32>,
        buffer: Option<u16>,
        more: bool,
    ) {
        let mut output = self.ring.spare();
        let data = match (result, buffer) {
            (Ok(len), Some(buffer)) => Ok(self.ring.buffers.filled(buffer, len)),
            (Ok(_), None) => Ok([].as_slice()),
            (Err(errno), _) => Err(errno),
        };
        self.connections[key].received(data, more, &self.response, &mut output);
        if let Some(buffer) = buffer {
            self.ring.buffers.give(buffer);
        }
        self.pump(key, output);
    }

    fn pump(&mut self, key: usize, output: Vec<u8>) {
        if self.connections[key].pump(key, output, &mut self.ring) {
            let connection = self.connections.remove(key);
            self.ring.close(connection.into_fd());
            self.shared.spread.closed(self.index);
        }
    }

    /// Stops accepting; what is idle is closed when nothing more comes.
    fn stop(&mut self) {
        if self.listener.take().is_some() {
            self.ring.cancel_accept();
        }
        self.ends = Some(Instant::now() + shutdown::GRACE);
        for (_, connection) in &mut self.connections {
            connection.close_after_next();
        }
    }

    fn close_where(&mut self, ends: impl Fn(&Connection) -> bool) {
        let keys: Vec<_> = (self.connections.iter())
            .filter(|(_, connection)| ends(connection))
            .map(|(key, _)| key)
            .collect();
        for key in keys {
            self.connections[key].close();
            self.pump(key, Vec::new());
        }
    }
}

fn is_clients(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ECONNABORTED | libc::EINTR))
}
