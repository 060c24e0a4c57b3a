//! The threads that `--threads` counts do the work, and no other.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use contract::{Running, ServerCommand, Values};

const CONNECTIONS: usize = 200;

#[test]
fn the_main_thread_sleeps_while_clients_come() {
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
    let before = wakeups(&server);
    for _ in 0..CONNECTIONS {
        let mut client = TcpStream::connect(server.addr()).unwrap();
        client.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 "), "{response:?}");
    }
    let woken = wakeups(&server) - before;
    assert!(woken < CONNECTIONS / 10, "woken {woken} times");
}

/// How often the main thread has gone to sleep.
fn wakeups(server: &Running) -> usize {
    let pid = server.pid();
    let status = fs::read_to_string(format!("/proc/{pid}/task/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("voluntary_ctxt_switches:"));
    let count = line.and_then(|line| line.split_whitespace().nth(1));
    count.unwrap().parse().unwrap()
}
