//! Heads that are wrong, or are not HTTP/1.x at all (RFC 9112 2, 3, 5).

use super::{Others, Wire};
use crate::client::G;
use crate::fault::Fault;
use crate::judge::Connection;

/// Case `host-missing`.
pub(crate) fn host_missing(wire: &Wire) -> Result<(), Fault> {
    wire.expect_refusal(b"GET / HTTP/1.1\r\n\r\n", &[400], Others::Refuse)
        .map(drop)
}

/// Case `host-twice`.
pub(crate) fn host_twice(wire: &Wire) -> Result<(), Fault> {
    wire.expect_refusal(
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        &[400],
        Others::Refuse,
    )
    .map(drop)
}

/// Case `bad-field`. What others may do: RFC 9112 2.2 (bare CR and LF), 5.2 (folding), RFC 9110 5.5 (controls).
pub(crate) fn bad_field(wire: &Wire) -> Result<(), Fault> {
    let field = |field: &[u8]| [b"GET / HTTP/1.1\r\nHost: x\r\n", field, b"\r\n\r\n"].concat();
    let variants = [
        ("obs-fold", (field(b"A: b\r\n c"), Others::MayServe)),
        ("space before colon", (field(b"A : b"), Others::Refuse)),
        ("NUL in a value", (field(b"A: b\0c"), Others::MayServe)),
        ("bare CR in a value", (field(b"A: b\rc"), Others::MayServe)),
        (
            "control character in a value",
            (field(b"A: b\x01c"), Others::MayServe),
        ),
        (
            "control character in a name",
            (field(b"A\x01: b"), Others::Refuse),
        ),
        (
            "bare LF",
            (b"GET / HTTP/1.1\nHost: x\n\n".to_vec(), Others::MayServe),
        ),
        (
            "one bare LF",
            (
                b"GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n".to_vec(),
                Others::MayServe,
            ),
        ),
    ];
    wire.each(&variants, |(request, others)| {
        wire.expect_refusal(request, &[400], *others).map(drop)
    })
}

/// Case `garbage-behind-good`.
pub(crate) fn garbage_behind_good(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&[G, b"\x01garbage\r\n\r\n"].concat())?;
    let first = wire.expect(&mut client, "GET", Connection::Stays)?;
    if !first.keeps_alive() {
        return client.must_close();
    }
    let Some(second) = client.response_or_end("GET")? else {
        return match wire.judge.is_ours() {
            true => Err(client.fault("the garbage is not answered with 400")),
            false => Ok(()),
        };
    };
    wire.judge
        .refused(&second, &[400])
        .map_err(|reason| client.fault(reason))?;
    client.must_close()
}

/// Case `not-http11`.
pub(crate) fn not_http11(wire: &Wire) -> Result<(), Fault> {
    let versions: [(&str, &[u8]); 2] = [
        ("HTTP/2.0", b"GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
        ("http/1.1", b"GET / http/1.1\r\nHost: x\r\n\r\n"),
    ];
    let foreign: [(&str, &[u8]); 4] = [
        ("no version", b"GET /\r\n\r\n"),
        ("TLS hello", TLS_HELLO),
        (
            "h2 preface",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        ),
        (
            "noise",
            b"\0\xff\xfe\x80\x7f\x1b[2J\x00\x00GET\xf0\x28\x8c\x28 \x9f\n\r\n\r\n",
        ),
    ];
    let versions = wire.each(&versions, |request| refused_or_closed(wire, request));
    let foreign = wire.each(&foreign, |bytes| not_served(wire, bytes));
    Fault::join([versions, foreign].into_iter().filter_map(Result::err))
}

/// A refusal, or a close without one.
fn refused_or_closed(wire: &Wire, request: &[u8]) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(request)?;
    match client.response_or_end("GET")? {
        Some(response) => wire
            .judge
            .refused(&response, &[400, 505])
            .map_err(|reason| client.fault(reason)),
        None => Ok(()),
    }
}

/// The same for what is another protocol. Nothing follows it: a server that waits for the rest of a line must
/// give up at FIN. Others may answer in the client's protocol (HTTP/0.9, HTTP/2), if they close then.
fn not_served(wire: &Wire, bytes: &[u8]) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(bytes)?;
    client.finish_sending();
    if !wire.judge.is_ours() {
        return client.must_end_somehow();
    }
    if let Some(response) = client.response_or_end("GET")? {
        wire.judge
            .refused(&response, &[400, 505])
            .map_err(|reason| client.fault(reason))?;
    }
    client.must_close()
}

/// A TLS 1.2 ClientHello, as a browser sends it to a port that does not speak TLS.
const TLS_HELLO: &[u8] = b"\x16\x03\x01\x00\x4b\x01\x00\x00\x47\x03\x03\
    0123456789abcdef0123456789abcdef\x00\x00\x06\xc0\x2f\xc0\x30\x00\xff\x01\x00\x00\x18\
    \x00\x0a\x00\x04\x00\x02\x00\x17\x00\x0b\x00\x02\x01\x00\x00\x0d\x00\x06\x00\x04\x04\x01\x08\x04";
