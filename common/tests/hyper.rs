//! A differential test: streams that both hyper and `common::http1` accept get the same number of
//! responses. A different number would mean that one of them sees a request where the other sees
//! a body.

use std::convert::Infallible;

use common::http1::{Connection, Next, Response};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// How many times a stream was answered 200, or `None` where it was not accepted as a whole.
fn ours(stream: &[u8]) -> Option<usize> {
    let response = Response::new(b"");
    let mut output = Vec::new();
    let progress = Connection::new().receive(stream, &response, &mut output);
    let accepted = progress.consumed == stream.len() && progress.next == Next::Read;
    accepted.then(|| answers(&output)).flatten()
}

/// The same of hyper.
async fn hypers(stream: &[u8]) -> Option<usize> {
    let (mut client, server) = tokio::io::duplex(1 << 20);
    let service = service_fn(async |request: hyper::Request<Incoming>| {
        let drained = request.into_body().collect().await;
        let status = if drained.is_ok() { 200 } else { 400 };
        let response = hyper::Response::builder()
            .status(status)
            .body(Empty::<Bytes>::new());
        Ok::<_, Infallible>(response.unwrap())
    });
    client.write_all(stream).await.unwrap();
    client.shutdown().await.unwrap();
    let served = http1::Builder::new()
        .half_close(true)
        .serve_connection(TokioIo::new(server), service)
        .await;
    let mut output = Vec::new();
    client.read_to_end(&mut output).await.unwrap();
    served.ok()?;
    answers(&output)
}

/// The final responses in an output, or `None` where one is not 200.
fn answers(output: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(output);
    let statuses = || {
        text.lines()
            .filter(|line| line.starts_with("HTTP/1.1 ") && !line.contains(" 100 "))
    };
    statuses()
        .all(|line| line.contains(" 200 "))
        .then(|| statuses().count())
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
    fn what_both_accept_gets_the_same_number_of_responses(requests in vec(request(), 1..6)) {
        let stream = requests.concat();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let theirs = runtime.block_on(hypers(&stream));
        if let (Some(ours), Some(theirs)) = (ours(&stream), theirs) {
            prop_assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(&stream));
        }
    }
}

#[test]
fn good_requests_are_accepted_by_both() {
    let stream = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    assert_eq!(
        (ours(stream), runtime.block_on(hypers(stream))),
        (Some(2), Some(2))
    );
}
