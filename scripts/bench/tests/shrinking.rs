//! A server that sends less once it is measured: each load on its own sees nothing that changes.

use assert_cmd::Command;
use bench::model::{Document, Verdict};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Requests that get the whole body.
const HONEST: u64 = 300;
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Not a test: the server's main.
#[test]
#[ignore = "a server that another test starts"]
fn serves() {
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    for stream in listener.incoming().map_while(Result::ok) {
        std::thread::spawn(move || answer(stream));
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 0 {
        if head.ends_with("\n\n") || (head.ends_with("\r\n\r\n") && !is_plain(&head)) {
            return Ok(());
        }
        if head.ends_with("\r\n\r\n") {
            let body = match REQUESTS.fetch_add(1, Relaxed) {
                0..HONEST => "Hello, World!",
                _ => "H",
            };
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}"
            )?;
            if head.contains("close\r\n") {
                return Ok(());
            }
            head.clear();
        }
    }
    Ok(())
}

/// Anything but a plain GET is refused at once, so that the contract has not to wait for what never comes.
fn is_plain(head: &str) -> bool {
    let is_body = ["Content-Length", "Transfer-Encoding"].map(|field| head.contains(field));
    let hosts = head.matches("\nHost: ").count();
    head.starts_with("GET ")
        && head.contains(" HTTP/1.1\r\n")
        && hosts == 1
        && is_body == [false; 2]
}

#[test]
fn a_body_that_shrinks_before_the_load_is_wrong_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let me = std::env::current_exe().unwrap();
    let with = format!(
        "mine=env PORT={{port}} '{}' --exact serves --ignored",
        me.display()
    );
    let mut command = Command::cargo_bin("bench").unwrap();
    command
        .current_dir(folder.path())
        .args(["run", "--name", "t", "--rounds", "1", "--connections", "8"])
        // Long enough for the server to change its mind on the slowest machine.
        .args(["--warmup", "700ms", "--duration", "200ms", "--with", &with])
        .output()
        .unwrap();
    let run = bench::store::read(&folder.path().join("results/t/run.json")).unwrap();
    let Document::Run(run) = run else {
        panic!("not a run")
    };
    let cell = &run.cells[0];
    assert_eq!(cell.verdict, Verdict::WrongBytes, "{}", cell.reason);
    assert_eq!(run.targets[0].response.as_ref().unwrap().body_bytes, 13);
}
