//! Gives a stream of bytes to `common::http1` as engines do, and checks what must hold whatever
//! comes: output that is bounded, input that need not be buffered, and an end that is one.

use common::http1::{Buffered, Connection, MAX_HEAD, MAX_UNSENT, Next, Response, Step};

/// What a connection made of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Its output, without the dates: a run may cross a second's end.
    pub output: Vec<u8>,
    /// Bytes of the stream that were consumed.
    pub consumed: usize,
    /// Whether the connection has ended.
    pub ended: bool,
}

/// Bytes that a response has beside its body, a `100 Continue` before it included, at most.
const MAX_RESPONSE_HEAD: usize = 256;

/// Gives `stream` to `connection`, in reads that end at `splits`; `body` is that of `response`.
///
/// # Panics
/// When something does not hold.
pub fn exchange(
    mut connection: Connection,
    stream: &[u8],
    splits: &[usize],
    response: &Response,
    body: usize,
) -> Exchange {
    let (mut output, mut unsent, mut consumed, mut ended) = (Vec::new(), Vec::new(), 0, false);
    let mut ends = splits.iter().copied().chain([stream.len()]);
    let mut end = ends.next().unwrap_or_default();
    loop {
        let progress = connection.receive(&stream[consumed..end], response, &mut unsent);
        consumed += progress.consumed;
        assert!(consumed <= end, "{consumed} consumed of {end}");
        check_unsent(&unsent, body);
        match progress.next {
            Next::Again => {
                assert!(
                    unsent.len() >= MAX_UNSENT,
                    "Again, with {} unsent",
                    unsent.len()
                );
                output.append(&mut unsent);
            }
            Next::Read => {
                let held = end - consumed;
                assert!(held < MAX_HEAD, "an engine would have to buffer {held}");
                let Some(next) = ends.next() else { break };
                end = next;
            }
            Next::Close | Next::Linger => {
                ended = true;
                break;
            }
        }
    }
    output.append(&mut unsent);
    if ended {
        check_end(connection, &stream[consumed..], response);
    }
    Exchange {
        output: undated(output),
        consumed,
        ended,
    }
}

/// The same through a [`Buffered`] that sends in pieces. What it consumes is its own affair.
///
/// # Panics
/// When something does not hold.
pub fn buffered(
    stream: &[u8],
    splits: &[usize],
    response: &Response,
    body: usize,
) -> (Vec<u8>, bool) {
    let mut connection = Buffered::new(response);
    let (mut output, mut read) = (Vec::new(), 0);
    let mut ends = splits.iter().copied().chain([stream.len()]).peekable();
    loop {
        match connection.step() {
            Step::Read => {
                while ends.next_if_eq(&read).is_some() {}
                let Some(&end) = ends.peek() else {
                    return (undated(output), false);
                };
                let space = connection.space();
                let len = space.len().min(end - read);
                assert!(len > 0, "no space to read to");
                space[..len].copy_from_slice(&stream[read..][..len]);
                connection.received(len);
                read += len;
            }
            Step::Write => {
                let unsent = connection.unsent();
                check_unsent(unsent, body);
                let sent = unsent.len().div_ceil(2);
                output.extend_from_slice(&unsent[..sent]);
                connection.sent(sent);
            }
            Step::Close | Step::Linger => {
                assert!(!connection.space().is_empty(), "no space to linger with");
                return (undated(output), true);
            }
        }
    }
}

fn check_unsent(unsent: &[u8], body: usize) {
    let most = MAX_UNSENT + MAX_RESPONSE_HEAD + body;
    assert!(unsent.len() < most, "{} bytes unsent", unsent.len());
}

/// A connection that has ended takes nothing and says nothing.
fn check_end(mut connection: Connection, rest: &[u8], response: &Response) {
    let mut unsent = Vec::new();
    let progress = connection.receive(&[rest, b"GET / "].concat(), response, &mut unsent);
    assert_eq!((progress.consumed, progress.next), (0, Next::Linger));
    assert!(
        unsent.is_empty(),
        "said behind the end: {}",
        unsent.escape_ascii()
    );
}

fn undated(mut output: Vec<u8>) -> Vec<u8> {
    let field = b"\r\nDate: ";
    let mut start = 0;
    while let Some(at) = output[start..]
        .windows(field.len())
        .position(|window| window == field)
    {
        start += at + field.len();
        output[start..][..29].fill(b'-');
    }
    output
}
