//! The time of a head is counted from the last response, however slowly that was read.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use contract::{ServerCommand, Values};

const SIZE: usize = 15_000_000;

/// Longer than a head may take.
const SLOW: Duration = Duration::from_millis(10_500);

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

#[test]
fn half_a_head_behind_a_request_has_its_time() {
    let bin = env!("CARGO_BIN_EXE_srv-tokio");
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
        ready_name: Some("srv-tokio".into()),
    };
    command.values.body_size = SIZE;
    let server = command.start(Duration::from_secs(10)).unwrap();
    let mut client = TcpStream::connect(server.addr()).unwrap();
    let (half, rest) = REQUEST.split_at(REQUEST.len() / 2);
    client
        .write_all(&[&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], half].concat())
        .unwrap();

    let (start, mut read) = (Instant::now(), 0);
    while start.elapsed() < SLOW {
        sleep(Duration::from_millis(100));
        read += skip(&client, 30_000);
    }
    // All but the length of the head: the server has written everything when this has come.
    read += skip(&client, SIZE - read);
    assert_eq!(read, SIZE);
    sleep(Duration::from_millis(300));
    client.write_all(rest).unwrap();
    let rest = skip(&client, usize::MAX);
    assert!(rest > SIZE, "{rest} bytes came behind the first body");
}

/// Reads up to so many bytes.
fn skip(client: &TcpStream, bytes: usize) -> usize {
    let mut read = Vec::new();
    client.take(bytes as u64).read_to_end(&mut read).unwrap()
}
