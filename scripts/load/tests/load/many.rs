//! Ten thousand connections.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::thread;

use assert_cmd::cargo::cargo_bin_cmd;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

use crate::server::RIGHT;

const CONNECTIONS: usize = 10_000;

#[test]
fn ten_thousand_connections() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    if hard < CONNECTIONS as rlim_t + 100 {
        return println!("skipped: the hard limit of open files is {hard}");
    }
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
    let address = serve();

    let run = cargo_bin_cmd!("load")
        .args([
            "-c",
            "10000",
            "-t",
            "2",
            "-n",
            "30000",
            "--timeout",
            "60",
            "--json",
        ])
        .arg(format!("http://{address}/"))
        .assert()
        .success();
    let report: load::Report = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!((report.requests, report.responses), (30_000, 30_000));
    assert_eq!(report.connections_opened, CONNECTIONS as u64 + 1);
}

/// An event loop that answers every read; it ends with the process.
fn serve() -> SocketAddr {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket
        .bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())
        .unwrap();
    socket.listen(4096).unwrap();
    socket.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(socket.into());
    let address = listener.local_addr().unwrap();
    thread::spawn(|| answer_all(listener));
    address
}

fn answer_all(mut listener: TcpListener) {
    const LISTENER: Token = Token(usize::MAX);
    let mut poll = Poll::new().unwrap();
    poll.registry()
        .register(&mut listener, LISTENER, Interest::READABLE)
        .unwrap();
    let mut connections: Vec<TcpStream> = Vec::new();
    let mut events = Events::with_capacity(1024);
    loop {
        poll.poll(&mut events, None).unwrap();
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((mut stream, _)) = listener.accept() {
                    let token = Token(connections.len());
                    poll.registry()
                        .register(&mut stream, token, Interest::READABLE)
                        .unwrap();
                    connections.push(stream);
                }
            } else {
                answer(&mut connections[event.token().0]);
            }
        }
    }
}

fn answer(stream: &mut TcpStream) {
    let mut buffer = [0; 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(1..) => stream.write_all(RIGHT.as_bytes()).unwrap(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}
