//! Any split of the same bytes gives the same output and the same end, also through the buffers of
//! an engine that sends in pieces.

#![no_main]

use std::sync::LazyLock;

use common::http1::{Connection, Response};
use common_fuzz::exchange::{Exchange, buffered, exchange};
use common_fuzz::splits::splits;
use libfuzzer_sys::fuzz_target;

const BODY: &[u8] = b"Hello, World!";

static RESPONSE: LazyLock<Response> = LazyLock::new(|| Response::new(BODY));

/// A head is parsed again with each read: longer streams are not read byte by byte.
const BYTEWISE: usize = 256;

fuzz_target!(|stream: &[u8]| {
    let whole = run(stream, &[]);
    let some = splits(stream, 8);
    assert_eq!(run(stream, &some), whole, "split at {some:?}");
    if stream.len() <= BYTEWISE {
        let all: Vec<_> = (1..stream.len()).collect();
        assert_eq!(run(stream, &all), whole, "byte by byte");
    }
    let through_buffers = buffered(stream, &some, &RESPONSE, BODY.len());
    assert_eq!(
        through_buffers,
        (whole.output, whole.ended),
        "buffered, split at {some:?}"
    );
});

fn run(stream: &[u8], splits: &[usize]) -> Exchange {
    exchange(Connection::new(), stream, splits, &RESPONSE, BODY.len())
}
