//! The first request of a run: sent alone, its response parsed in full.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::expected::Expected;
use crate::inbox::Failure;
use crate::response::{Parsed, Response, parse};
use crate::tally::Tally;
use crate::{Config, Field, FirstResponse, Mode};

/// How long a server has to end a connection whose request said `Connection: close`.
const FIN_WITHIN: Duration = Duration::from_millis(500);
/// The longest that a read waits before it looks at the stop flag again.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes of the first response, at most.
const LONGEST: usize = 256 << 20;

/// What the first request brought.
pub(crate) struct Probe {
    /// The address that took the connection, or the last one that did not.
    pub(crate) address: SocketAddr,
    /// Its counts: one request.
    pub(crate) tally: Tally,
    pub(crate) expected: Option<Expected>,
    pub(crate) first_response: Option<FirstResponse>,
    pub(crate) server_closes: Option<bool>,
}

/// Sends the first request. When no address takes the connection, the tally says why the run stops.
pub(crate) fn send(config: &Config, request: &[u8]) -> Probe {
    let mut tally = Tally::new();
    tally.requests = 1;
    let (address, connection) = connect(config);
    let mut probe = Probe {
        address,
        tally,
        expected: None,
        first_response: None,
        server_closes: None,
    };
    match connection {
        Ok(stream) => {
            probe.tally.connections_opened = 1;
            let outcome = probe.exchange(config, stream, request);
            match outcome {
                Ok(()) => probe.tally.responses = 1,
                Err(failure) => probe.tally.fail(failure, 1),
            }
        }
        Err(error) => {
            probe.tally.fail(Failure::Connect, 1);
            probe.tally.stopped = Some(format!(
                "cannot connect to {address}: {error}; is the server running?"
            ));
        }
    }
    probe
}

/// The first address that takes a connection.
fn connect(config: &Config) -> (SocketAddr, io::Result<TcpStream>) {
    let mut last = (
        SocketAddr::from(([0, 0, 0, 0], 0)),
        Err(io::Error::new(
            ErrorKind::NotFound,
            "the target has no address",
        )),
    );
    for address in &config.target.addresses {
        last = (
            *address,
            TcpStream::connect_timeout(address, config.timeout),
        );
        if last.1.is_ok() {
            break;
        }
    }
    last
}

impl Probe {
    fn exchange(
        &mut self,
        config: &Config,
        mut stream: TcpStream,
        request: &[u8],
    ) -> Result<(), Failure> {
        stream
            .set_write_timeout(Some(config.timeout))
            .map_err(|_| Failure::Reset)?;
        stream.write_all(request).map_err(|error| failure(&error))?;
        let (bytes, ended) = self.receive(config, &mut stream)?;
        let Parsed::Whole(response) = parse(&bytes, ended) else {
            return Err(Failure::WrongBytes);
        };
        self.first_response = Some(describe(&response, request.len()));
        let status = response.status;
        let behind = bytes.len() - response.length;
        let expected = Expected::new(&response, &bytes);
        if config.mode == Mode::Close {
            self.server_closes = Some(self.closes(config, &mut stream, &expected)?);
        }
        if behind > 0 {
            return Err(Failure::Extra);
        }
        if !(200..300).contains(&status) {
            return Err(Failure::Non2xx);
        }
        self.expected = Some(expected);
        Ok(())
    }

    /// Reads until the response is whole. Also says whether the connection ended with it.
    fn receive(
        &mut self,
        config: &Config,
        stream: &mut TcpStream,
    ) -> Result<(Vec<u8>, bool), Failure> {
        let deadline = Instant::now() + config.timeout;
        let mut bytes = Vec::new();
        let mut buffer = vec![0; 64 * 1024];
        let mut needs = 0;
        loop {
            let count = read(config, stream, &mut buffer, deadline)?;
            let ended = count == 0;
            self.tally.bytes_read += count as u64;
            bytes.extend_from_slice(&buffer[..count]);
            if bytes.len() < needs && !ended {
                continue;
            }
            match parse(&bytes, ended) {
                Parsed::Whole(_) => return Ok((bytes, ended)),
                Parsed::Partial(_) if bytes.is_empty() => return Err(Failure::UnexpectedClose),
                Parsed::Partial(_) if ended => return Err(Failure::Short),
                Parsed::Partial(more) if more <= LONGEST => needs = more,
                Parsed::Partial(_) | Parsed::Invalid => return Err(Failure::WrongBytes),
            }
        }
    }

    /// Whether the server ends the connection in time.
    fn closes(
        &mut self,
        config: &Config,
        stream: &mut TcpStream,
        expected: &Expected,
    ) -> Result<bool, Failure> {
        if expected.until_close {
            return Ok(true);
        }
        let mut buffer = [0; 1024];
        match read(config, stream, &mut buffer, Instant::now() + FIN_WITHIN) {
            Ok(0) | Err(Failure::Reset) => Ok(true),
            Ok(count) => {
                self.tally.bytes_read += count as u64;
                Err(Failure::Extra)
            }
            Err(_) => Ok(false),
        }
    }
}

/// Reads what comes before the deadline; 0 is the end of the connection.
fn read(
    config: &Config,
    stream: &mut TcpStream,
    buffer: &mut [u8],
    deadline: Instant,
) -> Result<usize, Failure> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || config.stop.load(Relaxed) {
            return Err(Failure::Timeout);
        }
        stream
            .set_read_timeout(Some(left.min(LOOK)))
            .map_err(|_| Failure::Reset)?;
        match stream.read(buffer) {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) => {}
            result => return result.map_err(|error| failure(&error)),
        }
    }
}

fn failure(error: &io::Error) -> Failure {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Timeout,
        _ => Failure::Reset,
    }
}

fn describe(response: &Response, request_bytes: usize) -> FirstResponse {
    let fields = response.fields.iter().map(|(name, value)| Field {
        name: (*name).into(),
        value: String::from_utf8_lossy(value).into_owned(),
    });
    FirstResponse {
        status: response.status,
        fields: fields.collect(),
        body_bytes: response.body.len() as u64,
        response_bytes: response.length as u64,
        request_bytes: request_bytes as u64,
    }
}
