//! The loop of a connection that has a thread or a coroutine to itself, over whatever blocks it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::http1::{Buffered, MAX_LINGER, Response, Step, TIMEOUT};
use crate::shutdown::InFlight;

/// A stream that blocks its thread or coroutine, for a limited time.
pub trait Stream: Read + Write {
    /// How long a read may block before it fails; at first [`TIMEOUT`]. A write may block as long, or
    /// less: it is tried again until the deadline.
    ///
    /// # Errors
    /// When the socket is gone.
    fn limit_reads(&self, timeout: Duration) -> io::Result<()>;

    /// Says to the peer that nothing more will be sent.
    ///
    /// # Errors
    /// When the peer is gone.
    fn shutdown_write(&self) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn limit_reads(&self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))
    }

    fn shutdown_write(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

/// Answers the requests of a connection until it ends.
///
/// # Errors
/// Those of the stream, a timeout among them: the connection is over.
pub fn serve(
    stream: &mut impl Stream,
    response: &Response,
    in_flight: &InFlight,
) -> io::Result<()> {
    let mut connection = Buffered::new(response);
    let mut deadline = Deadline::new();
    let mut request = None;
    loop {
        match connection.step() {
            Step::Read => {
                if connection.is_idle() {
                    request = None;
                    deadline.move_on();
                } else {
                    deadline.limit(stream)?;
                }
                let read = retry(|| stream.read(connection.space()))?;
                if read == 0 {
                    return Ok(());
                }
                request.get_or_insert_with(|| in_flight.begin());
                if in_flight.is_stopping() {
                    connection.close_after_next();
                }
                if connection.received(read) {
                    deadline.move_on();
                    deadline.lift(stream)?;
                }
            }
            Step::Write => {
                let sent = write(stream, connection.unsent(), &deadline)?;
                if sent > 0 {
                    deadline.move_on();
                }
                connection.sent(sent);
            }
            Step::Close => return Ok(()),
            Step::Linger => return linger(stream, connection.space()),
        }
    }
}

/// Writes some of `bytes`: none when the stream gave up before the deadline.
fn write(stream: &mut impl Stream, bytes: &[u8], deadline: &Deadline) -> io::Result<usize> {
    match retry(|| stream.write(bytes)) {
        Err(error) if is_timeout(&error) && !deadline.left().is_zero() => Ok(0),
        result => result,
    }
}

/// Discards what still comes until the peer has closed as well.
fn linger(stream: &mut impl Stream, space: &mut [u8]) -> io::Result<()> {
    stream.shutdown_write()?;
    let mut deadline = Deadline::new();
    let mut discarded = 0;
    while discarded < MAX_LINGER {
        deadline.limit(stream)?;
        match retry(|| stream.read(space))? {
            0 => break,
            read => discarded += read,
        }
    }
    Ok(())
}

/// When a connection that makes no progress is closed.
struct Deadline {
    at: Instant,
    /// The stream's timeout is not what it was at first.
    limited: bool,
}

impl Deadline {
    fn new() -> Self {
        Self {
            at: Instant::now() + TIMEOUT,
            limited: false,
        }
    }

    /// There was progress.
    fn move_on(&mut self) {
        self.at = Instant::now() + TIMEOUT;
    }

    fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Lets the stream block for no longer than is left: bytes that drip do not extend the time.
    fn limit(&mut self, stream: &impl Stream) -> io::Result<()> {
        let left = self.left();
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.limited = true;
        stream.limit_reads(left)
    }

    /// Lets the stream block as long as at first.
    fn lift(&mut self, stream: &impl Stream) -> io::Result<()> {
        if self.limited {
            self.limited = false;
            stream.limit_reads(TIMEOUT)?;
        }
        Ok(())
    }
}

/// What blocking sockets and coroutines call it.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A signal may interrupt any thread.
fn retry(mut operation: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match operation() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests;
