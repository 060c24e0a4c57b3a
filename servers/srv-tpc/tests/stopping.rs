//! SIGTERM: who has connected before it is answered, whichever thread accepts.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use contract::{Running, ServerCommand, Values};
use nix::sys::signal::Signal;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

fn start() -> Running {
    let bin = env!("CARGO_BIN_EXE_srv-tpc");
    let words = [
        bin,
        "--host",
        "{host}",
        "--port",
        "{port}",
        "--threads",
        "4",
    ];
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: Default::default(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-tpc".into()),
    };
    command.start(Duration::from_secs(10)).unwrap()
}

#[test]
fn clients_that_wait_when_the_signal_comes_are_answered() {
    // Each time some are handed to a thread that may have ended.
    for _ in 0..10 {
        let server = start();
        server.signal(Signal::SIGSTOP);
        let clients: Vec<_> = (0..4)
            .map(|_| {
                let mut client = TcpStream::connect(server.addr()).unwrap();
                client.write_all(REQUEST).unwrap();
                client
            })
            .collect();
        server.signal(Signal::SIGTERM);
        server.signal(Signal::SIGCONT);
        for mut client in clients {
            let mut response = String::new();
            client.read_to_string(&mut response).unwrap();
            assert!(response.starts_with("HTTP/1.1 200 "), "{response:?}");
        }
    }
}
