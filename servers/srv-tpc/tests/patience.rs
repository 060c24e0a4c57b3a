//! A connection that makes progress, however slowly, is not closed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use contract::{ServerCommand, Values};

const SIZE: usize = 15_000_000;

/// Longer than a connection may make no progress.
const SLOW: Duration = Duration::from_millis(11_500);

#[test]
fn slow_readers_and_slow_bodies_have_their_time() {
    let bin = env!("CARGO_BIN_EXE_srv-tpc");
    let words = [
        bin,
        "--host",
        "{host}",
        "--port",
        "{port}",
        "--body-size",
        "{body_size}",
    ];
    let mut command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: Default::default(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-tpc".into()),
    };
    command.values.body_size = SIZE;
    let server = command.start(Duration::from_secs(10)).unwrap();
    let connect = || TcpStream::connect(server.addr()).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| read_slowly(connect()));
        scope.spawn(|| send_slowly(connect()));
    });
}

/// Reads a little at a time, so that the server has to wait, and the rest at once.
fn read_slowly(mut client: TcpStream) {
    client
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .unwrap();
    let (start, mut read) = (Instant::now(), 0);
    while start.elapsed() < SLOW {
        sleep(Duration::from_millis(100));
        read += skip(&client, 30_000);
    }
    read += skip(&client, usize::MAX);
    assert!(read > SIZE, "{read} of {SIZE} bytes");
}

/// Reads up to so many bytes.
fn skip(client: &TcpStream, bytes: usize) -> usize {
    let mut read = Vec::new();
    client.take(bytes as u64).read_to_end(&mut read).unwrap()
}

/// Sends a byte of a body at a time.
fn send_slowly(mut client: TcpStream) {
    client
        .write_all(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
        .unwrap();
    let (start, mut sent) = (Instant::now(), 0);
    while start.elapsed() < SLOW {
        sleep(Duration::from_millis(100));
        client.write_all(b"x").unwrap();
        sent += 1;
    }
    client.write_all(&vec![b'x'; 1000 - sent]).unwrap();
    let mut line = [0; 15];
    client.read_exact(&mut line).unwrap();
    assert_eq!(&line, b"HTTP/1.1 200 OK");
}
