//! What a refusal says of its connection.

use std::net::SocketAddr;

use super::{command, is_skipped, start, target};
use crate::client::Client;
use crate::fault::Fault;

/// Each is refused, and asks for the connection to be kept.
const REFUSED: [&[u8]; 2] = [
    b"CONNECT x:80 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\nConnection: keep-alive\r\n\r\n",
];

/// Panics unless a refusal that closes says `close` and nothing else, also to an HTTP/1.0 client that would keep
/// the connection (RFC 9112 9.3).
pub fn assert_refusals_close(bin: &str, name: &str) {
    let target = target(name);
    if is_skipped(bin, &target) {
        return;
    }
    let running = start(&command(bin, &target));
    for request in REFUSED {
        let refused = String::from_utf8_lossy(request);
        let said = connection_fields(running.addr(), request)
            .unwrap_or_else(|fault| panic!("{name}: {refused}: {fault:?}"));
        assert_eq!(said, ["close"], "{name}: {refused}");
    }
}

/// The values of `Connection` in the refusal, behind which the connection must close.
fn connection_fields(addr: SocketAddr, request: &[u8]) -> Result<Vec<String>, Fault> {
    let mut client = Client::connect(addr)?;
    client.send(request)?;
    let response = client.response("GET")?;
    client.must_finish()?;
    Ok(response.values("connection").map(str::to_owned).collect())
}
