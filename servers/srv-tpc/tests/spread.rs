//! No thread gets much more connections than another, also when there are few.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

/// What each thread's epoll watches beside connections: the listener, the signal, the waker.
const OTHERS: usize = 3;

/// How many descriptors each epoll instance of a process watches.
fn watched(pid: u32) -> Vec<usize> {
    fs::read_dir(format!("/proc/{pid}/fdinfo"))
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok())
        .map(|info| info.matches("tfd:").count())
        .filter(|&count| count > 0)
        .collect()
}

#[test]
fn sixty_four_connections_are_shared_by_two_threads() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_srv-tpc"))
        .args(["--host", "127.0.0.1", "--port", "0", "--threads", "2"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stderr = server.stderr.take().unwrap();
    BufReader::new(stderr).read_line(&mut line).unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();

    let mut clients: Vec<_> = (0..64)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    for client in &mut clients {
        client
            .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        assert!(client.read(&mut [0; 1024]).unwrap() > 0);
    }
    let mut connections: Vec<_> = watched(server.id())
        .iter()
        .map(|count| count - OTHERS)
        .collect();
    // It may have ended by itself.
    let _ = server.kill();
    let _ = server.wait();

    connections.sort_unstable();
    let [fewest, most] = connections[..] else {
        panic!("{connections:?} is not two threads");
    };
    assert_eq!(fewest + most, 64);
    assert!(2 * most <= 3 * fewest, "{connections:?}");
}
