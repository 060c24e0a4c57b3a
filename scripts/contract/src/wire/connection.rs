//! Which connections stay open, which close, and who says so (RFC 9112 9).

use super::Wire;
use crate::client::{Client, G, LAST};
use crate::fault::Fault;
use crate::http::{Framing, Response};
use crate::judge::Connection;

/// ab's own bytes.
pub(crate) const AB: &[u8] =
    b"GET / HTTP/1.0\r\nHost: 127.0.0.1:8080\r\nUser-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n";

/// Those of `ab -k`.
pub(crate) const AB_KEEP_ALIVE: &[u8] =
    b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\nHost: 127.0.0.1:8080\r\n\
    User-Agent: ApacheBench/2.3\r\nAccept: */*\r\n\r\n";

/// Case `ab-request`.
pub(crate) fn ab_request(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(AB)?;
    let response = wire.expect(&mut client, "GET", Connection::Last)?;
    not_chunked(&client, &response)?;
    wire.expect_end(&mut client)
}

/// Case `ab-keepalive`.
pub(crate) fn ab_keepalive(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(AB_KEEP_ALIVE)?;
    let response = wire.expect(&mut client, "GET", Connection::KeepAlive)?;
    not_chunked(&client, &response)?;
    if !response.connection_has("keep-alive") {
        return match client.must_close() {
            Ok(()) => Ok(()), // HTTP/1.0 without persistence is allowed, and `ab -k` connects again
            Err(_) => Err(client.fault("stays open without saying so: `ab -k` waits for ever")),
        };
    }
    readable_for_ab(&client, &response)?;
    client.send(AB_KEEP_ALIVE)?;
    wire.expect(&mut client, "GET", Connection::KeepAlive)
        .map(drop)
}

/// A server must not use it unless the request says HTTP/1.1 or later (RFC 9112 6.1).
fn not_chunked(client: &Client, response: &Response) -> Result<(), Fault> {
    match response.framing {
        Framing::Chunked => Err(client.fault("a chunked response to an HTTP/1.0 client")),
        _ => Ok(()),
    }
}

/// ab looks for `keep-alive` or `Keep-Alive` anywhere in the head, and reads the length 16 bytes behind the
/// start of `Content-Length:`.
fn readable_for_ab(client: &Client, response: &Response) -> Result<(), Fault> {
    let head = String::from_utf8_lossy(&response.head);
    if !head.contains("keep-alive") && !head.contains("Keep-Alive") {
        return Err(client.fault("ab looks for `keep-alive` or `Keep-Alive`, spelled so"));
    }
    let head = head.to_ascii_lowercase();
    let length = head
        .split_once("\r\ncontent-length: ")
        .map(|(_, rest)| rest.as_bytes());
    match length {
        Some([digit, ..]) if digit.is_ascii_digit() => Ok(()),
        _ => Err(client.fault("ab needs `Content-Length:` with one space behind it")),
    }
}

/// Case `connection-close`.
pub(crate) fn connection_close(wire: &Wire) -> Result<(), Fault> {
    wire.each(
        &[("close", "close"), ("foo, CLOSE", "foo, CLOSE")],
        |option| {
            let mut client = wire.connect()?;
            client.send(
                format!("GET / HTTP/1.1\r\nHost: x\r\nConnection: {option}\r\n\r\n").as_bytes(),
            )?;
            wire.expect(&mut client, "GET", Connection::Close)?;
            wire.expect_end(&mut client)
        },
    )
}

/// Case `close-ends-pipeline`.
pub(crate) fn close_ends_pipeline(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&[LAST, G].concat())?;
    wire.expect(&mut client, "GET", Connection::Close)?;
    wire.expect_end(&mut client)
}

/// Case `half-close`.
pub(crate) fn half_close(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send_last(G)?;
    wire.expect(&mut client, "GET", Connection::Any)?;
    client.must_finish()
}
