//! A client that asks and never reads is closed when its time is up, not twice as late.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use contract::{ServerCommand, Values};

#[test]
fn a_pending_write_is_given_up_in_time() {
    let bin = env!("CARGO_BIN_EXE_srv-raw");
    let words = [bin, "--host", "{host}", "--port", "{port}"];
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: Default::default(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-raw".into()),
    };
    let server = command.start(Duration::from_secs(10)).unwrap();
    let mut client = TcpStream::connect(server.addr()).unwrap();
    fill(&mut client);

    let start = Instant::now();
    let patience = Duration::from_secs(16);
    client.set_write_timeout(Some(patience)).unwrap();
    let error = client.write(b"GET").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    let after = start.elapsed();
    assert!(after > Duration::from_secs(7), "closed after {after:?}");
}

/// Asks until the server takes no more.
fn fill(client: &mut TcpStream) {
    let requests = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);
    let mut written = 0;
    client
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    while let Ok(more) = client.write(&requests[written..]) {
        written = (written + more) % requests.len();
    }
}
