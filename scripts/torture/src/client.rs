//! A raw client connection, and the one response that every well-formed request has to get.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use contract::http::{Response, read_response};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::outcome::Trouble;

/// The plainest request that is the last on its connection.
pub const LAST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// The plainest request.
pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// How long one answer may take before it counts as none.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// How a connection ended, or what it brought.
#[derive(Debug)]
pub enum Received {
    /// A whole response.
    Response(Response),
    /// The server closed it, in order or by a reset, at a place where no response was begun.
    Closed,
    /// Nothing came for as long as the client is patient.
    Silence,
}

/// A stream that counts what is read of it.
struct Counted<'a> {
    stream: &'a TcpStream,
    bytes: usize,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.bytes += count;
        Ok(count)
    }
}

/// One connection.
#[derive(Debug)]
pub struct Client {
    stream: TcpStream,
    /// Received and not yet read as a response.
    buffer: Vec<u8>,
}

impl Client {
    /// Connects; reads and writes give up after [`PATIENCE`].
    ///
    /// # Errors
    /// As the system has it.
    pub fn connect(addr: SocketAddr) -> io::Result<Self> {
        Self::over(TcpStream::connect_timeout(&addr, PATIENCE)?)
    }

    /// The same with a receive buffer of about `bytes`, set before the handshake so that the window is small.
    ///
    /// # Errors
    /// As the system has it.
    pub fn connect_with_small_buffer(addr: SocketAddr, bytes: usize) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_recv_buffer_size(bytes)?;
        socket.connect_timeout(&addr.into(), PATIENCE)?;
        Self::over(socket.into())
    }

    /// The same from an address of this machine, of which 127.0.0.0/8 are many (on Linux).
    ///
    /// # Errors
    /// As the system has it.
    pub fn connect_from(source: Ipv4Addr, addr: SocketAddr) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
        socket.bind(&SocketAddr::from((source, 0)).into())?;
        socket.connect_timeout(&addr.into(), PATIENCE)?;
        Self::over(socket.into())
    }

    fn over(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
        })
    }

    /// The socket itself.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// As the system has it.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// How long a read may wait from now on; at first [`PATIENCE`].
    ///
    /// # Errors
    /// As the system has it.
    pub fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(patience))
    }

    /// The next response to a request with `method`, or how the connection went on without one.
    ///
    /// # Errors
    /// One line: a response that was begun and not finished, or bytes that are none.
    pub fn receive(&mut self, method: &str) -> Result<Received, String> {
        let mut stream = Counted {
            stream: &self.stream,
            bytes: self.buffer.len(),
        };
        let result = read_response(&mut stream, &mut self.buffer, method);
        let bytes = stream.bytes;
        match result {
            Ok(Some(response)) => Ok(Received::Response(response)),
            Ok(None) => Ok(Received::Closed),
            Err(error) if is_reset(&error) && bytes == 0 => Ok(Received::Closed),
            Err(error) if is_timeout(&error) && bytes == 0 => Ok(Received::Silence),
            Err(error) => Err(format!("a response is cut after {bytes} bytes: {error}")),
        }
    }

    /// Bytes beyond the responses read that come within `time`: an answer too many.
    pub fn surplus(&mut self, time: Duration) -> Vec<u8> {
        let mut bytes = [0; 4096];
        let _ = self.stream.set_read_timeout(Some(time));
        if let Ok(count) = self.stream.read(&mut bytes) {
            self.buffer.extend_from_slice(&bytes[..count]);
        }
        let _ = self.stream.set_read_timeout(Some(PATIENCE));
        std::mem::take(&mut self.buffer)
    }

    /// Closes it by RST, whatever is still under way.
    pub fn reset(self) {
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }
}

/// Whether the peer ended the connection by force.
pub fn is_reset(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted
    )
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The response that a server gave when nothing was wrong; every later one must be the same, Date apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    status: u16,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Expected {
    /// Asks for it.
    ///
    /// # Errors
    /// When there is none.
    pub fn learn(addr: SocketAddr) -> Result<Self, Trouble> {
        let ask = || -> Result<Received, String> {
            let mut client = Client::connect(addr).map_err(|error| error.to_string())?;
            client.send(GET).map_err(|error| error.to_string())?;
            client.receive("GET")
        };
        match ask() {
            Ok(Received::Response(response)) => Ok(Self::of(&response)),
            Ok(Received::Closed) => Err(Trouble::fail("it closes without an answer")),
            Ok(Received::Silence) => Err(Trouble::fail("it does not answer")),
            Err(reason) => Err(Trouble::fail(reason)),
        }
    }

    fn of(response: &Response) -> Self {
        let told = |(name, _): &&(String, String)| {
            !["date", "connection", "keep-alive"].contains(&name.to_ascii_lowercase().as_str())
        };
        Self {
            status: response.status,
            fields: response.fields.iter().filter(told).cloned().collect(),
            body: response.body.clone(),
        }
    }

    /// Bytes of its body.
    pub fn body_len(&self) -> usize {
        self.body.len()
    }

    /// Whether `response` to a GET is the same.
    pub fn matches(&self, response: &Response) -> bool {
        *self == Self::of(response)
    }
}
