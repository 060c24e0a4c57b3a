//! A differential test: where hyper and `common::http1` both see a request, it is the same one.
//! Fuzzed for longer in `fuzz/`.

#[path = "../fuzz/src/answers.rs"]
mod answers;
#[path = "../fuzz/src/differential.rs"]
mod differential;

use std::sync::LazyLock;

use common::http1::Response;
use differential::{Seen, difference};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

static RESPONSE: LazyLock<Response> = LazyLock::new(|| Response::new(b"Hello, World!"));

/// What `common::http1` and hyper make of a stream.
fn both(stream: &[u8]) -> (Seen, Seen) {
    (
        differential::ours(stream, &RESPONSE),
        differential::hypers(stream),
    )
}

/// Requests that are mostly good, and bodies that may look like requests.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let line = select(vec![
        "GET / HTTP/1.1",
        "POST /x HTTP/1.1",
        "HEAD / HTTP/1.1",
        "OPTIONS * HTTP/1.1",
    ]);
    let field = select(vec![
        "Accept: */*\r\n",
        "Expect: 100-continue\r\n",
        "Connection: keep-alive\r\n",
        "X-Y:\r\n",
        "X: \t y \r\n",
        "Connection: Upgrade\r\n",
        "Cookie: a=b; c=d\r\n",
        "X : y\r\n",
        "Content-Length: 0\r\n",
    ]);
    let body = select(vec![
        "\r\n",
        "Content-Length: 5\r\n\r\nhello",
        "Content-Length: 05\r\n\r\nhello",
        "Content-Length: 5, 5\r\n\r\nhello",
        "Content-Length: 27\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n1b\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5;a\nGET \r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0 \r\n\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\n",
    ]);
    (select(vec!["", "\r\n"]), line, vec(field, 0..4), body).prop_map(
        |(lead, line, fields, body)| {
            format!("{lead}{line}\r\nHost: x\r\n{}{body}", fields.concat()).into_bytes()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, max_shrink_iters: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_both_accept_is_the_same_to_both(requests in vec(request(), 1..6)) {
        let stream = requests.concat();
        let (ours, hypers) = both(&stream);
        prop_assert_eq!(difference(&stream, &ours, &hypers), None, "{}", String::from_utf8_lossy(&stream));
    }
}

#[test]
fn good_requests_are_served_by_both() {
    let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    let post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
    let (ours, hypers) = both(format!("{get}{post}").as_bytes());
    let ends: Vec<_> = ours.requests.iter().map(|request| request.end).collect();
    assert_eq!(ends, [get.len(), get.len() + post.len()]);
    assert_eq!(ours, hypers);
}

#[test]
fn a_request_that_ends_elsewhere_is_a_difference() {
    let stream = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    let (ours, mut hypers) = both(stream);
    assert_eq!(difference(stream, &ours, &hypers), None);
    hypers.requests[0].end -= 1;
    assert!(difference(stream, &ours, &hypers).is_some());
    hypers.requests.clear();
    assert!(difference(stream, &ours, &hypers).is_some());
    hypers.refused = true;
    assert_eq!(difference(stream, &ours, &hypers), None);
}

#[test]
fn known_differences_are_still_there() {
    let stream = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: \x88, close\r\n\r\n";
    let (ours, hypers) = both(stream);
    assert_ne!(ours, hypers);
    assert_eq!(difference(stream, &ours, &hypers), None);
}
