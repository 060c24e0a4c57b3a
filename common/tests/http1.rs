//! Property tests of `common::http1`: whatever comes, however it is split.

#[path = "../fuzz/src/exchange.rs"]
mod exchange;

use std::sync::LazyLock;

use common::http1::{Buffered, Connection, MAX_HEAD, MAX_UNSENT, Next, Response, Step};
use exchange::Exchange;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const BODY: &[u8] = b"Hello, World!";

static RESPONSE: LazyLock<Response> = LazyLock::new(|| Response::new(BODY));

/// Gives a stream to a connection as an engine does, in reads that end at `splits`.
fn exchange(stream: &[u8], splits: &[usize]) -> Exchange {
    exchange::exchange(Connection::new(), stream, splits, &RESPONSE, BODY.len())
}

/// Pieces of which requests, good and bad, are made.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let text = select(vec![
        "GET / HTTP/1.1\r\n",
        "POST /x?y HTTP/1.1\r\n",
        "HEAD * HTTP/1.0\r\n",
        "CONNECT x:80 HTTP/1.1\r\n",
        "GET / HTTP/1.2\r\n",
        "GET / HTTP/2.0\r\n",
        "GET / HTTP/1.",
        "GET / http/1.1\r\n",
        "GET /\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM",
        "Host: x\r\n",
        "host:y\r\n",
        "Connection: close\r\n",
        "Connection: foo, Keep-Alive\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 0\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: +5\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Expect: 100-continue\r\n",
        "Expect: a miracle\r\n",
        "A : b\r\n",
        " folded\r\n",
        "X: a\rb\r\n",
        "X: \0\r\n",
        "\r\n",
        "\n",
        "\r",
        "\r\n\r\n",
        "hello",
        "5\r\nhello\r\n",
        "5;ext=1\r\nhello\r\n",
        "5;ext\nhello\r\n",
        "5\nhello\r\n",
        "0\r\n\r\n",
        "0\r\nTrailer: x\r\n\r\n",
        "0\r\nTrailer: x\n\r\n",
        "FFFFFFFFFFFFFFFFF\r\n",
        "ffffffffffffffff\r\n",
        ";\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
    ]);
    prop_oneof![
        20 => text.prop_map(|text| text.as_bytes().to_vec()),
        2 => vec(any::<u8>(), 0..20),
        1 => (select(vec!["GET /", "GET / HTTP/1.1\r\nX: ", "5;", "0\r\nX: ", "M", "\r\n"]), 1..20_000_usize)
            .prop_map(|(start, len)| [start.as_bytes(), &b"a".repeat(len)].concat()),
        1 => (90..110_usize).prop_map(|fields| b"X: y\r\n".repeat(fields)),
    ]
}

/// A stream, and places to split it at.
fn split_stream() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    vec(piece(), 0..12)
        .prop_map(|pieces| pieces.concat())
        .prop_flat_map(|stream| {
            let places: Vec<_> = (1..stream.len().max(1)).collect();
            let most = places.len().min(40);
            (Just(stream), subsequence(places, 0..=most))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same((stream, splits) in split_stream()) {
        let whole = exchange(&stream, &[]);
        prop_assert_eq!(&exchange(&stream, &splits), &whole);
        let buffered = exchange::buffered(&stream, &splits, &RESPONSE, BODY.len());
        prop_assert_eq!(buffered, (whole.output, whole.ended));
    }

    #[test]
    fn noise_is_answered_or_waited_for(stream in vec(any::<u8>(), 0..2000)) {
        let bytewise: Vec<_> = (1..stream.len().max(1)).collect();
        prop_assert_eq!(exchange(&stream, &bytewise), exchange(&stream, &[]));
    }
}

#[test]
fn a_slow_stream_of_good_requests_is_answered_byte_by_byte() {
    let requests = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
    let bytewise: Vec<_> = (1..requests.len()).collect();
    let exchange = exchange(&requests, &bytewise);
    let answers = exchange
        .output
        .windows(15)
        .filter(|window| window == b"HTTP/1.1 200 OK");
    assert_eq!(
        (answers.count(), exchange.consumed, exchange.ended),
        (20, requests.len(), false)
    );
}

#[test]
fn output_is_bounded_however_much_is_pipelined() {
    let requests = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(10_000);
    let mut output = Vec::new();
    let progress = Connection::new().receive(&requests, &RESPONSE, &mut output);
    assert_eq!(progress.next, Next::Again);
    assert!(
        (MAX_UNSENT..MAX_UNSENT + 256).contains(&output.len()),
        "{}",
        output.len()
    );
    assert!(progress.consumed < requests.len() / 5);
}

#[test]
fn there_is_space_to_linger_with_behind_a_head_that_is_too_large() {
    let mut connection = Buffered::new(&RESPONSE);
    connection.space().fill(b'M');
    connection.received(MAX_HEAD);
    connection.sent(connection.unsent().len());
    assert_eq!(connection.step(), Step::Linger);
    assert!(!connection.space().is_empty());
}
