//! SIGTERM: who has connected before it is answered, whichever thread accepts.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
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

/// More than a connection may read in one turn, and the end of the stream in the same event.
#[test]
fn the_end_of_the_stream_is_seen_behind_much_data() {
    let server = start();
    let mut client = TcpStream::connect(server.addr()).unwrap();
    client
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    // Makes the kernel's buffers large.
    send(&mut client, 60_000_000);
    assert!(client.read(&mut [0; 1024]).unwrap() > 0);

    server.signal(Signal::SIGSTOP);
    let mut writer = client.try_clone().unwrap();
    let writer = std::thread::spawn(move || {
        send(&mut writer, 1_200_000);
        writer.shutdown(std::net::Shutdown::Write).unwrap();
    });
    sleep(Duration::from_millis(300));
    server.signal(Signal::SIGCONT);
    writer.join().unwrap();
    let mut response = String::new();
    // Times out where the server does not close.
    client.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response:?}");
}

/// Sends a request with a body of so many bytes.
fn send(client: &mut TcpStream, bytes: usize) {
    let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {bytes}\r\n\r\n");
    client.write_all(head.as_bytes()).unwrap();
    client.write_all(&vec![b'x'; bytes]).unwrap();
}
