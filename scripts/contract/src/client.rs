//! A raw client connection: it sends what it is told, reads responses exactly, and writes down both.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::http::{Response, read_response};
use crate::wire::repeat::Repeat;

/// How long one answer may take before it counts as none.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// The plainest request.
pub(crate) const G: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// The plainest request that is the last on its connection.
pub(crate) const LAST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The server closed it in order.
    Fin,
    /// It was reset.
    Reset,
    /// It did not within the time given.
    Open,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Client {
    wire: Wire,
    /// Received and not yet read as a response.
    buffer: Vec<u8>,
}

/// The socket with its record and the time until which it may block.
#[derive(Debug)]
struct Wire {
    stream: TcpStream,
    deadline: Instant,
    /// The timeouts that the socket has now.
    read_timeout: Duration,
    write_timeout: Duration,
    exchange: Exchange,
}

impl Client {
    pub(crate) fn connect(addr: SocketAddr) -> Result<Self, Fault> {
        let stream = TcpStream::connect_timeout(&addr, PATIENCE)
            .map_err(|error| Fault::plain(format!("cannot connect to {addr}: {error}")))?;
        Ok(Self::over(stream))
    }

    /// Connects with a receive buffer of about `bytes`, set before the handshake so that the window is small.
    pub(crate) fn connect_with_small_buffer(addr: SocketAddr, bytes: usize) -> Result<Self, Fault> {
        let connect = || {
            let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
            socket.set_recv_buffer_size(bytes)?;
            socket.connect_timeout(&addr.into(), PATIENCE)?;
            io::Result::Ok(socket.into())
        };
        connect()
            .map(Self::over)
            .map_err(|error| Fault::plain(format!("cannot connect to {addr}: {error}")))
    }

    fn over(stream: TcpStream) -> Self {
        // Writes must leave as they are made; where this fails, Nagle only delays the second of them.
        let _ = stream.set_nodelay(true);
        let wire = Wire {
            stream,
            deadline: Instant::now() + PATIENCE,
            read_timeout: Duration::ZERO,
            write_timeout: Duration::ZERO,
            exchange: Exchange::default(),
        };
        Self {
            wire,
            buffer: Vec::new(),
        }
    }

    /// A failure of the server, as this connection saw it.
    pub(crate) fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::Fail {
            reason: reason.into(),
            exchange: self.wire.exchange.render(),
        }
    }

    /// Sends all of `bytes`; a server that has closed already is found out by the read that follows.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.wire.exchange.sent(bytes);
        self.wire.deadline = Instant::now() + PATIENCE;
        match self.wire.write_all(bytes) {
            Ok(()) => Ok(()),
            Err(error) if is_closed(&error) => {
                self.wire.exchange.event(format!("sending failed: {error}"));
                Ok(())
            }
            Err(error) => Err(self.fault(format!("the server does not take the request: {error}"))),
        }
    }

    /// The next response to `method`; `None` when the connection ended before its first byte.
    pub(crate) fn response_or_end(&mut self, method: &str) -> Result<Option<Response>, Fault> {
        self.response_within(method, PATIENCE)
    }

    /// The same, with a limit of its own.
    pub(crate) fn response_within(
        &mut self,
        method: &str,
        limit: Duration,
    ) -> Result<Option<Response>, Fault> {
        self.wire.deadline = Instant::now() + limit;
        match read_response(&mut self.wire, &mut self.buffer, method) {
            Ok(response) => Ok(response),
            Err(error) if is_timeout(&error) => Err(self.fault(self.silence(limit))),
            Err(error) if is_closed(&error) && self.buffer.is_empty() => Ok(None),
            Err(error) => Err(self.fault(error.to_string())),
        }
    }

    /// The next response; an end of the connection is a failure.
    pub(crate) fn response(&mut self, method: &str) -> Result<Response, Fault> {
        let response = self.response_or_end(method)?;
        response.ok_or_else(|| self.fault("the connection ended without an answer"))
    }

    /// How the connection ends within `limit`; bytes before the end are a failure.
    pub(crate) fn end_within(&mut self, limit: Duration) -> Result<End, Fault> {
        if !self.buffer.is_empty() {
            return Err(self.fault("more bytes came than one response"));
        }
        self.wire.deadline = Instant::now() + limit;
        match self.wire.read(&mut [0; 4096]) {
            Ok(0) => Ok(End::Fin),
            Ok(_) => Err(self.fault("more bytes came than one response")),
            Err(error) if is_timeout(&error) => Ok(End::Open),
            Err(_) => Ok(End::Reset),
        }
    }

    /// The server must close now, with FIN or a reset.
    pub(crate) fn must_close(&mut self) -> Result<(), Fault> {
        match self.end_within(PATIENCE)? {
            End::Open => Err(self.fault("the server did not close the connection")),
            End::Fin | End::Reset => Ok(()),
        }
    }

    /// The server must close now, and in order: a reset can overtake a response, which the client then never sees.
    pub(crate) fn must_finish(&mut self) -> Result<(), Fault> {
        match self.end_within(PATIENCE)? {
            End::Open => Err(self.fault("the server did not close the connection")),
            End::Reset => {
                Err(self.fault("the server reset the connection instead of closing it (FIN)"))
            }
            End::Fin => Ok(()),
        }
    }

    /// The connection ends now, with FIN or a reset, whatever bytes come before.
    pub(crate) fn must_end_somehow(&mut self) -> Result<(), Fault> {
        self.wire.deadline = Instant::now() + PATIENCE;
        loop {
            match self.wire.read(&mut [0; 4096]) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {
                    return Err(self.fault("the server did not close the connection"));
                }
                Err(_) => return Ok(()),
            }
        }
    }

    /// Takes one more response, if what has come already starts with the same one.
    pub(crate) fn skip(&mut self, repeat: &Repeat) -> bool {
        let same = repeat.starts(&self.buffer);
        if same {
            self.buffer.drain(..repeat.len());
        }
        same
    }

    /// The same after waiting until as many bytes have come. `false`: what came instead is still to be read.
    pub(crate) fn next_same(&mut self, repeat: &Repeat) -> bool {
        self.wire.deadline = Instant::now() + PATIENCE;
        let mut piece = [0; 4096];
        while self.buffer.len() < repeat.len() {
            match self.wire.read(&mut piece) {
                Ok(count) if count > 0 => self.buffer.extend_from_slice(&piece[..count]),
                _ => return false,
            }
        }
        self.skip(repeat)
    }

    /// Sends `bytes` and FIN, in one segment where the system can (Linux): a server may find the end of the stream
    /// together with the request.
    pub(crate) fn send_last(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        #[cfg(target_os = "linux")]
        // Where this fails they leave in two, as elsewhere.
        let _ = SockRef::from(&self.wire.stream).set_tcp_cork(true);
        self.send(bytes)?;
        self.finish_sending();
        Ok(())
    }

    /// Sends no more: FIN towards the server.
    pub(crate) fn finish_sending(&mut self) {
        self.wire.exchange.event("sent FIN");
        let _ = self.wire.stream.shutdown(Shutdown::Write);
    }

    /// Ends both directions, so that a thread that still writes fails.
    pub(crate) fn abort(&self) {
        let _ = self.wire.stream.shutdown(Shutdown::Both);
    }

    /// Ends the connection with RST, whatever is under way.
    pub(crate) fn reset(self) {
        let _ = SockRef::from(&self.wire.stream).set_linger(Some(Duration::ZERO));
    }

    /// A second handle to the socket, for a thread that writes while this one reads.
    pub(crate) fn writer(&self) -> Result<TcpStream, Fault> {
        let stream = self
            .wire
            .stream
            .try_clone()
            .map_err(|error| Fault::plain(format!("cannot clone a socket: {error}")))?;
        // A server that never reads must not hold the writing thread for ever. (The timeout is the socket's, not
        // the handle's.)
        let _ = stream.set_write_timeout(Some(PATIENCE));
        Ok(stream)
    }

    /// Writes down what a [`writer`](Self::writer) sends.
    pub(crate) fn note_sent(&mut self, bytes: &[u8]) {
        self.wire.exchange.sent(bytes);
    }

    /// Bytes that have come and are not read as a response yet, after a read that may wait until `limit`.
    pub(crate) fn peek_within(&mut self, limit: Duration) -> &[u8] {
        self.wire.deadline = Instant::now() + limit;
        let mut piece = [0; 4096];
        if let Ok(count) = self.wire.read(&mut piece) {
            self.buffer.extend_from_slice(&piece[..count]);
        }
        &self.buffer
    }

    fn silence(&self, limit: Duration) -> String {
        let what = if self.buffer.is_empty() {
            "no answer"
        } else {
            "no end of the answer"
        };
        format!("{what} within {:.1} s", limit.as_secs_f64())
    }
}

impl Wire {
    /// The timeout that ends at the deadline. One that is set already will do when it is at most a tenth longer:
    /// setting it costs as much as reading.
    fn timeout(&self, set: Duration) -> Duration {
        let left = self
            .deadline
            .saturating_duration_since(Instant::now())
            .max(Duration::from_millis(1));
        if set >= left && set <= left.mul_f64(1.1) {
            set
        } else {
            left.mul_f64(1.05)
        }
    }
}

impl Read for Wire {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let timeout = self.timeout(self.read_timeout);
        if timeout != self.read_timeout {
            self.stream.set_read_timeout(Some(timeout))?;
            self.read_timeout = timeout;
        }
        let result = self.stream.read(into);
        match &result {
            Ok(0) => self.exchange.event("the server closed (FIN)"),
            Ok(count) => self.exchange.received(&into[..*count]),
            Err(error) if is_timeout(error) => self.exchange.event("silence"),
            Err(error) => self.exchange.event(error.to_string()),
        }
        result
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let timeout = self.timeout(self.write_timeout);
        if timeout != self.write_timeout {
            self.stream.set_write_timeout(Some(timeout))?;
            self.write_timeout = timeout;
        }
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

pub(crate) fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::ConnectionAborted
            | ErrorKind::NotConnected
    )
}
