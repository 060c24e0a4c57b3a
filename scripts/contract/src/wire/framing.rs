//! Where a request's body ends (RFC 9112 6, 7): what two readers could take differently is how requests are smuggled.

use std::time::Duration;

use super::requests::ends_with_one_more;
use super::{Others, Wire};
use crate::client::G;
use crate::fault::Fault;
use crate::judge::Connection;

/// Case `body-not-a-request`.
pub(crate) fn body_not_a_request(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    let head = format!(
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
        G.len()
    );
    client.send(&[head.as_bytes(), G].concat())?;
    let Some(first) = client.response_or_end("GET")? else {
        return match wire.judge.is_ours() {
            true => Err(client.fault("closed without an answer")),
            false => Ok(()),
        };
    };
    // Content in a GET has no meaning, and another server may refuse it (RFC 9110 9.3.1).
    wire.judge_served(&client, &first, "POST", Connection::Any)?;
    ends_with_one_more(wire, &mut client, &first)
}

/// Case `chunked-then-request`.
pub(crate) fn chunked_then_request(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    let chunks = b"5\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer-One: x\r\nTrailer-Two: y\r\n\r\n";
    client.send(&[&chunked_head("1.1")[..], chunks, G].concat())?;
    let first = wire.expect(&mut client, "POST", Connection::Any)?;
    if !first.keeps_alive() {
        return client.must_close();
    }
    let Some(second) = client.response_or_end("GET")? else {
        return Ok(()); // one and close
    };
    wire.judge_served(&client, &second, "GET", Connection::Stays)?;
    ends_with_one_more(wire, &mut client, &second)
}

fn chunked_head(version: &str) -> Vec<u8> {
    format!("POST / HTTP/{version}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes()
}

/// Case `length-and-chunked`: both agree, or the length would swallow the request behind.
pub(crate) fn length_and_chunked(wire: &Wire) -> Result<(), Fault> {
    let end = b"0\r\n\r\n";
    wire.each(&[("both agree", end.len()), ("they differ", end.len() + G.len())], |length| {
        let mut client = wire.connect()?;
        let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send(&[head.as_bytes(), end, G].concat())?;
        client.response_or_end("POST")?; // whatever it is, it is the last (RFC 9112 6.1)
        client.must_close()
    })
}

/// Case `bad-length`.
pub(crate) fn bad_length(wire: &Wire) -> Result<(), Fault> {
    let line = |value: &str| format!("Content-Length: {value}\r\n");
    let variants = [
        ("abc", line("abc")),
        ("-1", line("-1")),
        ("+5", line("+5")),
        ("5, 6", line("5, 6")),
        ("5 and 6", line("5") + &line("6")),
        ("2^70", line("1180591620717411303424")),
    ];
    wire.each(&variants, |lines| {
        let request = format!("POST / HTTP/1.1\r\nHost: x\r\n{lines}\r\nhello");
        wire.expect_refusal_and_close(&[request.as_bytes(), G].concat(), &[400], Others::Refuse)
    })
}

/// Case `bad-transfer-encoding`.
pub(crate) fn bad_transfer_encoding(wire: &Wire) -> Result<(), Fault> {
    let variants = [
        ("identity", ("1.1", "identity")),
        ("gzip", ("1.1", "gzip")),
        ("chunked, chunked", ("1.1", "chunked, chunked")),
        ("HTTP/1.0", ("1.0", "chunked")),
    ];
    wire.each(&variants, |(version, encoding)| {
        let head =
            format!("POST / HTTP/{version}\r\nHost: x\r\nTransfer-Encoding: {encoding}\r\n\r\n");
        let request = [head.as_bytes(), b"0\r\n\r\n", G].concat();
        wire.expect_refusal_and_close(&request, &[400, 501], Others::Close)
    })
}

/// Case `bad-chunk`.
pub(crate) fn bad_chunk(wire: &Wire) -> Result<(), Fault> {
    let doubtful: [(&str, &[u8]); 2] = [
        ("bare LF", b"5\nhello\r\n0\r\n\r\n"),
        (
            "extensions",
            b"5;name=value;other=\"a;b\"\r\nhello\r\n0;last\r\n\r\n",
        ),
    ];
    let wrong: [(&str, &[u8]); 6] = [
        ("2^68 - 1", b"FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        ("2^64 + 5", b"10000000000000005\r\nhello\r\n0\r\n\r\n"),
        ("0x5", b"0x5\r\nhello\r\n0\r\n\r\n"),
        ("+5", b"+5\r\nhello\r\n0\r\n\r\n"),
        ("no size", b"\r\nhello\r\n0\r\n\r\n"),
        ("longer than its size", b"5\r\nhello!!0\r\n\r\n"),
    ];
    let doubtful = wire.each(&doubtful, |chunks| refused_or_right(wire, chunks));
    let wrong = wire.each(&wrong, |chunks| refused(wire, chunks));
    Fault::join([doubtful, wrong].into_iter().filter_map(Result::err))
}

/// One refusal and a close, or the body's and the next request's responses and nothing more.
fn refused_or_right(wire: &Wire, chunks: &[u8]) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&[&chunked_head("1.1")[..], chunks, G].concat())?;
    let Some(first) = client.response_or_end("POST")? else {
        return Ok(());
    };
    if first.status >= 400 {
        return client.must_close();
    }
    wire.judge_served(&client, &first, "POST", Connection::Any)?;
    if !first.keeps_alive() {
        return client.must_close();
    }
    let Some(second) = client.response_or_end("GET")? else {
        return Ok(());
    };
    wire.judge_served(&client, &second, "GET", Connection::Stays)?;
    ends_with_one_more(wire, &mut client, &second)
}

/// At most one response, then a close. A server that counts further than 64 bits may wait for the rest.
fn refused(wire: &Wire, chunks: &[u8]) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&[&chunked_head("1.1")[..], chunks, G].concat())?;
    let waits = client.peek_within(Duration::from_millis(500)).is_empty();
    if waits && !wire.judge.is_ours() {
        return Ok(());
    }
    let answer = client.response_or_end("POST")?;
    if let Some(response) = answer.filter(|_| wire.judge.is_engine()) {
        wire.judge
            .refused(&response, &[400])
            .map_err(|reason| client.fault(reason))?;
    }
    client.must_close()
}
