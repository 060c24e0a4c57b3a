//! The same bytes to `common::http1` and to a hyper server: where both see a request, it must be
//! the same bytes, and get the same response. What only one of them takes for the end of a request
//! is how requests are smuggled.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use common::http1::{Connection, Next, Response};
use http_body_util::{BodyExt, Full};
use hyper::StatusCode;
use hyper::body::{Bytes, Incoming};
use hyper::rt::ReadBufCursor;
use hyper::server::conn::http1;
use hyper::service::service_fn;

use crate::answers::{Answer, answers};

/// The body of every response.
const BODY: &[u8] = b"Hello, World!";

/// What one of the two made of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The requests that it served.
    pub requests: Vec<Request>,
    /// Whether it refused what came behind them.
    pub refused: bool,
}

/// A request that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Where in the stream it ends, body included.
    pub end: usize,
    /// What it was answered.
    pub answer: Answer,
}

/// Gives `stream` to `common::http1`, one byte at a time.
pub fn ours(stream: &[u8], response: &Response) -> Seen {
    let mut connection = Connection::new();
    let (mut output, mut consumed, mut ends) = (Vec::new(), 0, Vec::new());
    let mut refused = false;
    for end in 1..=stream.len() {
        let before = output.len();
        let progress = connection.receive(&stream[consumed..end], response, &mut output);
        consumed += progress.consumed;
        if output[before..].starts_with(b"HTTP/1.1 200") {
            ends.push(end);
        }
        if matches!(progress.next, Next::Close | Next::Linger) {
            refused = ends.last() != Some(&end);
            break;
        }
    }
    seen(&output, ends, refused)
}

/// Gives `stream` to a hyper server, one byte at a time.
pub fn hypers(stream: &[u8]) -> Seen {
    let (read, ends) = (Cell::new(0), RefCell::new(Vec::new()));
    let service = service_fn(async |request: hyper::Request<Incoming>| {
        let mut response = hyper::Response::new(Full::<Bytes>::default());
        match request.into_body().collect().await {
            Ok(_) => {
                ends.borrow_mut().push(read.get());
                *response.body_mut() = Full::from(BODY);
            }
            Err(_) => *response.status_mut() = StatusCode::BAD_REQUEST,
        }
        Ok::<_, Infallible>(response)
    });
    let mut output = Vec::new();
    let memory = Memory {
        stream,
        read: &read,
        output: &mut output,
    };
    let mut connection = pin!(
        http1::Builder::new()
            .half_close(true)
            .serve_connection(memory, service)
    );
    // Nothing of it waits for anything but itself.
    let result = loop {
        if let Poll::Ready(result) = connection
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            break result;
        }
    };
    seen(&output, ends.take(), result.is_err())
}

/// Requests that ended at `ends` and were answered with `output`.
fn seen(output: &[u8], ends: Vec<usize>, refused: bool) -> Seen {
    let answers = answers(output, BODY);
    let served = answers.iter().filter(|answer| answer.status == 200);
    assert_eq!(
        served.clone().count(),
        ends.len(),
        "{}",
        output.escape_ascii()
    );
    let requests = served
        .zip(ends)
        .map(|(&answer, end)| Request { end, answer });
    Seen {
        requests: requests.collect(),
        refused: refused || answers.iter().any(|answer| answer.status != 200),
    }
}

/// Both ends of a connection, in memory.
struct Memory<'a> {
    stream: &'a [u8],
    /// How much of it was read.
    read: &'a Cell<usize>,
    output: &'a mut Vec<u8>,
}

impl hyper::rt::Read for Memory<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let read = self.read.get();
        if let Some(byte) = self.stream.get(read..=read) {
            into.put_slice(byte);
            self.read.set(read + 1);
        }
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Memory<'_> {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().output.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Whether a request, given its bytes, shows a difference that is no fault. Behind it the two are
/// no longer in the same state.
type Known = fn(&[u8], &Request, &Request) -> bool;

/// Hyper ignores the whole of a Connection field with a byte beyond ASCII, and so the `close` in it.
/// There is no right answer to such a list (RFC 9110 5.6.1).
const CONNECTION_BEYOND_ASCII: Known = |request, ours, hypers| {
    !request.is_ascii() && ours.answer.closes != hypers.answer.closes && ours.end == hypers.end
};

/// All that are known.
const KNOWN: [Known; 1] = [CONNECTION_BEYOND_ASCII];

/// How the two differ where they must not, if they do.
///
/// Each may refuse what the other serves: that is strictness, and ends the comparison.
pub fn difference(stream: &[u8], ours: &Seen, hypers: &Seen) -> Option<String> {
    let mut start = 0;
    for (number, (ours, hypers)) in ours.requests.iter().zip(&hypers.requests).enumerate() {
        if ours != hypers {
            let request = &stream[start..ours.end];
            let is_known = KNOWN.iter().any(|shows| shows(request, ours, hypers));
            return (!is_known).then(|| format!("request {number}: {ours:?}, hyper {hypers:?}"));
        }
        start = ours.end;
    }
    let (more, fewer) = if ours.requests.len() > hypers.requests.len() {
        (ours, hypers)
    } else {
        (hypers, ours)
    };
    let differs = more.requests.len() > fewer.requests.len() && !fewer.refused;
    differs.then(|| format!("{ours:?}, hyper {hypers:?}"))
}
