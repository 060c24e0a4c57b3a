//! A client that is refused and never stops sending is closed.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use contract::{ServerCommand, Values};

/// Far more than is discarded and the kernel buffers.
const ENDLESS: usize = 256 << 20;

#[test]
fn a_client_that_never_stops_sending_is_closed() {
    let bin = env!("CARGO_BIN_EXE_srv-tokio");
    let words = [bin, "--host", "{host}", "--port", "{port}"];
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: Default::default(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-tokio".into()),
    };
    let server = command.start(Duration::from_secs(10)).unwrap();
    let mut client = TcpStream::connect(server.addr()).unwrap();
    client.write_all(b"BAD\r\n\r\n").unwrap();
    let piece = [b'x'; 64 * 1024];
    let mut sent = 0;
    while sent < ENDLESS && client.write_all(&piece).is_ok() {
        sent += piece.len();
    }
    assert!(sent < ENDLESS, "{sent} bytes were taken");
}
