//! SIGTERM: who has connected before it is answered, who comes later is refused.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use contract::{Running, ServerCommand, Values};
use nix::sys::signal::Signal;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

fn start() -> Running {
    let bin = env!("CARGO_BIN_EXE_srv-raw");
    let words = [bin, "--host", "{host}", "--port", "{port}"];
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: Default::default(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-raw".into()),
    };
    command.start(Duration::from_secs(10)).unwrap()
}

fn send(server: &Running, bytes: &[u8]) -> TcpStream {
    let mut client = TcpStream::connect(server.addr()).unwrap();
    client.write_all(bytes).unwrap();
    client
}

fn expect_answer(mut client: TcpStream) {
    let mut response = String::new();
    client.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response:?}");
}

#[test]
fn clients_that_wait_when_the_signal_comes_are_answered() {
    let mut server = start();
    server.signal(Signal::SIGSTOP);
    let clients: Vec<_> = (0..8).map(|_| send(&server, REQUEST)).collect();
    server.signal(Signal::SIGTERM);
    server.signal(Signal::SIGCONT);
    for client in clients {
        expect_answer(client);
    }
    assert!(server.wait(Duration::from_secs(3)).is_some());
}

#[test]
#[cfg(target_os = "linux")]
fn clients_that_come_while_it_finishes_are_refused() {
    let server = start();
    let (half, rest) = REQUEST.split_at(REQUEST.len() / 2);
    let mut client = send(&server, half);
    sleep(Duration::from_millis(200));
    server.signal(Signal::SIGTERM);
    sleep(Duration::from_millis(300));
    for _ in 0..3 {
        assert!(TcpStream::connect(server.addr()).is_err());
    }
    client.write_all(rest).unwrap();
    expect_answer(client);
}
