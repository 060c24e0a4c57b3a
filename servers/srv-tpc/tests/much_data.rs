//! Much data at once: what comes with it, or is answered before it, is not lost.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread::{self, sleep};
use std::time::Duration;

use contract::{Running, ServerCommand, Values};
use nix::sys::signal::Signal;

/// Far more than is discarded and the kernel buffers.
const ENDLESS: usize = 256 << 20;

fn start() -> Running {
    let bin = env!("CARGO_BIN_EXE_srv-tpc");
    let words = [bin, "--host", "{host}", "--port", "{port}"];
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: Default::default(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-tpc".into()),
    };
    command.start(Duration::from_secs(10)).unwrap()
}

/// More than a connection may read in one turn, and the end of the stream in the same event.
#[test]
fn the_end_of_the_stream_is_seen_behind_it() {
    let server = start();
    let mut client = connect(&server);
    send_at_once(&server, &client, &request(1_200_000), true);
    let mut response = String::new();
    // Times out where the server does not close.
    client.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response:?}");
}

/// More than one read takes, and more to come: a reset would overtake the answer.
#[test]
fn a_refused_client_may_send_on() {
    let server = start();
    let mut client = connect(&server);
    let more = vec![b'x'; 1_200_000];
    send_at_once(
        &server,
        &client,
        &[b"BAD\r\n\r\n", &more[..]].concat(),
        false,
    );
    let mut response = String::new();
    client.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 400 "), "{response:?}");
    client.write_all(&more).unwrap();
}

#[test]
fn a_refused_client_that_never_stops_sending_is_closed() {
    let server = start();
    let mut client = connect(&server);
    client.write_all(b"BAD\r\n\r\n").unwrap();
    let piece = [b'x'; 64 * 1024];
    let mut sent = 0;
    while sent < ENDLESS && client.write_all(&piece).is_ok() {
        sent += piece.len();
    }
    assert!(sent < ENDLESS, "{sent} bytes were taken");
}

/// A connection for which the kernel's buffers have grown large.
fn connect(server: &Running) -> TcpStream {
    let mut client = TcpStream::connect(server.addr()).unwrap();
    client
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    client.write_all(&request(60_000_000)).unwrap();
    assert!(client.read(&mut [0; 1024]).unwrap() > 0);
    client
}

/// A request with a body of so many bytes.
fn request(body: usize) -> Vec<u8> {
    let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {body}\r\n\r\n");
    [head.as_bytes(), &vec![b'x'; body]].concat()
}

/// Sends `bytes` while the server sleeps, so that it finds all of it when it wakes.
fn send_at_once(server: &Running, client: &TcpStream, bytes: &[u8], ends: bool) {
    server.signal(Signal::SIGSTOP);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut client = client;
            client.write_all(bytes).unwrap();
            if ends {
                client.shutdown(Shutdown::Write).unwrap();
            }
        });
        sleep(Duration::from_millis(300));
        server.signal(Signal::SIGCONT);
    });
}
