//! `explain` against a server with a known fault, and where it cannot do its work.

#![cfg(target_os = "linux")]

use bench::exit;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};

/// Runs `bench explain` outside of any checkout, with this test binary as the server.
fn explain(kind: &str, arguments: &[&str], path: Option<&str>) -> Output {
    let program = std::env::current_exe().unwrap();
    let with = format!(
        "mine=env SERVER_KIND={kind} SERVER_PORT={{port}} '{}' --exact serves --ignored",
        program.display()
    );
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command
        .current_dir(folder.path())
        .args(["explain", "--with", &with])
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit::OK)),
        "{stdout}{stderr}"
    );
    stdout
}

/// Whether there is an strace that may trace; says so where there is none.
fn can_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .output();
    let can = traced.is_ok_and(|output| output.status.success());
    if !can {
        println!("skipped: strace is missing or may not trace here: apt-get install strace");
    }
    can
}

/// Not a test: the server's main, reached by starting the test binary with its name.
#[test]
#[ignore = "a server that other tests start"]
fn serves() {
    let kind = std::env::var("SERVER_KIND").unwrap();
    let port: u16 = std::env::var("SERVER_PORT").unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    for stream in listener.incoming().map_while(Result::ok) {
        let kind = kind.clone();
        std::thread::spawn(move || connection(&kind, stream));
    }
}

/// `one-write`: as it should be. `two-writes`: head and body apart, with Nagle's algorithm on. `leaves`: closes after
/// its third response.
fn connection(kind: &str, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(kind != "two-writes")?;
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    let mut answered = 0;
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        received.extend_from_slice(&buffer[..count]);
        while let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let close = received[..end].ends_with(b"close");
            received.drain(..end + 4);
            if kind == "two-writes" {
                stream.write_all(head.as_bytes())?;
                stream.write_all(b"hello")?;
            } else {
                stream.write_all(format!("{head}hello").as_bytes())?;
            }
            answered += 1;
            if close || (kind == "leaves" && answered == 3) {
                return Ok(());
            }
        }
    }
}

#[test]
fn two_writes_with_nagles_algorithm_stall_and_are_named() {
    if !can_trace() {
        return;
    }
    let said = stdout(&explain("two-writes", &["--requests", "60"], None));
    assert!(said.contains("Head and body in two writes"), "{said}");
    assert!(said.contains("38 and 5 bytes"), "{said}");
    assert!(said.contains("Stalls: "), "{said}");
    assert!(
        said.contains("Nagle's algorithm waits for a delayed ACK"),
        "{said}"
    );
    assert!(
        !said.contains("TCP_NODELAY is set on the listener"),
        "{said}"
    );
}

#[test]
fn one_write_does_not_stall() {
    if !can_trace() {
        return;
    }
    let said = stdout(&explain("one-write", &["--requests", "60"], None));
    assert!(said.contains("Head and body in one write"), "{said}");
    let (kept_alive, _) = said.split_once("\n50 requests").unwrap();
    assert!(!kept_alive.contains("delayed ACK"), "{said}");
    assert!(said.contains("TCP_NODELAY is set on connections"), "{said}");
    assert!(
        said.contains("1 connection: the client closed first"),
        "{said}"
    );
    assert!(
        said.contains("50 connections: the server closed first, as it was asked to"),
        "{said}"
    );
}

#[test]
fn who_closes_and_how_is_told() {
    if !can_trace() {
        return;
    }
    let said = stdout(&explain("leaves", &["--requests", "61"], None));
    assert!(
        said.contains(
            "20 connections: the server closed first, after 3 responses, without saying so"
        ),
        "{said}"
    );
}

#[test]
fn without_strace_it_is_skipped_with_the_remedy() {
    let nowhere = tempfile::tempdir().unwrap();
    let path = nowhere.path().to_str().unwrap();
    let said = stdout(&explain("one-write", &[], Some(path)));
    assert!(
        said.contains("skipped: mine: strace is not installed: apt-get install strace"),
        "{said}"
    );
    let strict = explain("one-write", &["--strict"], Some(path));
    assert_eq!(strict.status.code(), Some(i32::from(exit::SKIPPED)));
}

#[test]
fn a_server_that_does_not_start_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["explain", "--with", "mine=false {port}", "--idle", "1"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(i32::from(exit::ERROR)));
    assert!(String::from_utf8_lossy(&output.stderr).contains("mine: ended"));
}

#[test]
fn idle_connections_take_memory() {
    let said = stdout(&explain("one-write", &["--idle", "100"], None));
    let row = said.lines().find(|line| line.contains("mine")).unwrap();
    // Each connection of this server has a thread: its stack takes some pages.
    let bytes = row
        .split("bytes")
        .next()
        .unwrap()
        .split_whitespace()
        .last()
        .unwrap();
    let bytes: f64 = bytes.replace(',', "").parse().unwrap();
    assert!(bytes > 4096.0, "{said}");
}
