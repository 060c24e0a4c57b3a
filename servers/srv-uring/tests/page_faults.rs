//! Large responses are sent from memory that is kept: the kernel maps it once, not for each of them.

#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use contract::{Running, Targets, Values};

const BODY: usize = 1_000_000;

/// A memory allocator keeps pages as well, but not those of so many.
const CLIENTS: usize = 8;

const ROUNDS: usize = 20;

#[test]
fn a_large_response_takes_no_new_pages() {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../targets.toml");
    let targets = Targets::load(&targets).unwrap();
    let target = targets.get("srv-uring").unwrap();
    let mut command = target.command(Values::new(""));
    command.argv[0] = env!("CARGO_BIN_EXE_srv-uring").to_owned();
    command.values.body_size = BODY;
    if let Some(said) = target.refusal(&command) {
        println!("srv-uring is skipped: {said}");
        return;
    }
    let server = command.start(Duration::from_secs(10)).unwrap();
    let mut clients: Vec<_> = (0..CLIENTS)
        .map(|_| TcpStream::connect(server.addr()).unwrap())
        .collect();
    ask_all(&mut clients, 5);
    let before = page_faults(&server);
    ask_all(&mut clients, ROUNDS);
    let faults = page_faults(&server) - before;
    let responses = (CLIENTS * ROUNDS) as u64;
    // Each has 245 pages.
    assert!(
        faults < 25 * responses,
        "{faults} page faults for {responses} responses"
    );
}

/// All at once, so many times.
fn ask_all(clients: &mut [TcpStream], times: usize) {
    for _ in 0..times {
        for client in &mut *clients {
            client
                .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                .unwrap();
        }
        for client in &mut *clients {
            read_response(client);
        }
    }
}

fn read_response(client: &mut TcpStream) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    client.read_exact(&mut vec![0; BODY]).unwrap();
}

/// Those that took no disk, so far, by all threads (`minflt` of proc(5)).
fn page_faults(server: &Running) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid())).unwrap();
    let behind_name = stat.rsplit_once(") ").unwrap().1;
    behind_name.split(' ').nth(7).unwrap().parse().unwrap()
}
