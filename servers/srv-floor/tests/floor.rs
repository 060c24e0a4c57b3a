//! The control answers each empty line, in order, however the bytes are split.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// A running server, ended with the test.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_srv-floor"))
            .args(["--host", "127.0.0.1", "--port", "0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stderr = process.stderr.take().unwrap();
        BufReader::new(stderr).read_line(&mut line).unwrap();
        let address = line.split("http://127.0.0.1:").nth(1).unwrap();
        let port = address.split(' ').next().unwrap().parse().unwrap();
        Self { process, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads `count` responses and shows that nothing follows.
fn read_responses(stream: &mut TcpStream, count: usize) {
    let mut first = [0; 2];
    stream.read_exact(&mut first).unwrap();
    let mut rest = [0; 4096];
    let len = response_len();
    let mut received = first.len();
    while received < count * len {
        received += stream.read(&mut rest).unwrap();
    }
    assert_eq!(received, count * len);
    stream.set_nonblocking(true).unwrap();
    sleep(Duration::from_millis(20));
    assert!(stream.read(&mut rest).is_err(), "an answer too many");
    stream.set_nonblocking(false).unwrap();
}

/// The bytes of what every server sends.
fn response_len() -> usize {
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n".len()
        + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nHello, World!".len()
}

#[test]
fn each_empty_line_is_answered_once() {
    let server = Server::start();
    let mut stream = server.connect();
    stream.write_all(REQUEST).unwrap();
    read_responses(&mut stream, 1);
    stream.write_all(&REQUEST.repeat(100)).unwrap();
    read_responses(&mut stream, 100);
    for split in 1..REQUEST.len() {
        stream.write_all(&REQUEST[..split]).unwrap();
        sleep(Duration::from_millis(5));
        stream.write_all(&REQUEST[split..]).unwrap();
        read_responses(&mut stream, 1);
    }
}

#[test]
fn a_client_that_reads_late_gets_all() {
    let server = Server::start();
    let mut stream = server.connect();
    let mut writer = stream.try_clone().unwrap();
    let requests = std::thread::spawn(move || writer.write_all(&REQUEST.repeat(50_000)).unwrap());
    sleep(Duration::from_millis(300));
    let mut whole = vec![0; 50_000 * response_len()];
    stream.read_exact(&mut whole).unwrap();
    requests.join().unwrap();
    assert!(whole.starts_with(b"HTTP/1.1 200 OK\r\n") && whole.ends_with(b"\r\n\r\nHello, World!"));
}
