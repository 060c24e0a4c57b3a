//! One slow client.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use socket2::{Domain, Protocol, Socket, Type};

use super::kernel::SEGMENT;
use crate::client::{GET, PATIENCE};

/// A head that has no end.
const HEAD: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ";

/// Both buffers of a client that never reads, bytes.
const BUFFER: usize = 4096;

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sends a head, a byte a second.
    Drips,
    /// Asks until nothing more is taken, and reads nothing.
    NeverReads,
}

/// What a client wants after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// An event.
    Wait,
    /// Another turn.
    Again,
    /// Nothing more: the server has closed the connection, after so long.
    Closed(Duration),
}

/// A client with its connection.
#[derive(Debug)]
pub(super) struct Slow {
    pub(super) kind: Kind,
    pub(super) stream: TcpStream,
    /// When it connected, or when the last byte of one that never reads was taken.
    since: Instant,
    written: usize,
}

impl Slow {
    /// Connects; one that drips has sent all but the end of a head then.
    pub(super) fn connect(kind: Kind, addr: SocketAddr) -> io::Result<Self> {
        let since = Instant::now();
        let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
        if kind == Kind::NeverReads {
            // Before the handshake, which tells the server how much there is room for.
            socket.set_recv_buffer_size(BUFFER)?;
            socket.set_send_buffer_size(BUFFER)?;
            socket.set_tcp_mss(SEGMENT)?;
        }
        socket.connect_timeout(&addr.into(), PATIENCE)?;
        socket.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(socket.into());
        if kind == Kind::Drips {
            stream.write_all(HEAD)?;
        }
        Ok(Self {
            kind,
            stream,
            since,
            written: 0,
        })
    }

    /// Sends one byte of its head.
    pub(super) fn drip(&mut self) -> io::Result<()> {
        self.stream.write_all(b"x")
    }

    /// Reads or writes what it can, one that never reads only while it `may_ask`.
    pub(super) fn turn(&mut self, may_ask: bool) -> Turn {
        let result = match self.kind {
            Kind::Drips => self.read(),
            Kind::NeverReads if may_ask => self.ask(),
            Kind::NeverReads => self
                .stream
                .take_error()
                .and_then(|error| error.map_or(Ok(()), Err)),
        };
        match result {
            Ok(()) => Turn::Again,
            Err(error) if error.kind() == ErrorKind::WouldBlock => Turn::Wait,
            Err(_) => Turn::Closed(self.open_for()),
        }
    }

    /// A response, such as 408, may come before the end.
    fn read(&mut self) -> io::Result<()> {
        match self.stream.read(&mut [0; 512])? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    fn ask(&mut self) -> io::Result<()> {
        let requests = GET.repeat(BUFFER / GET.len());
        let rest = &requests[self.written % GET.len()..];
        self.written += self.stream.write(rest)?;
        self.since = Instant::now();
        Ok(())
    }

    /// How long the server has let it be: since it connected, or since it was last taken something of.
    pub(super) fn open_for(&self) -> Duration {
        self.since.elapsed()
    }
}
