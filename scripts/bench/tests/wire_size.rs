//! `--wire-size`: the whole response has that many bytes, or the target says why it cannot.

use assert_cmd::Command;
use bench::model::{Document, Run, Target, Verdict};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

/// The command that starts this test binary as a server whose head has so many bytes of filler, for `--with`.
fn server(filler: usize) -> String {
    format!(
        "env FILLER={filler} PORT={{port}} BODY={{body_size}} '{}' --exact serves --ignored",
        std::env::current_exe().unwrap().display()
    )
}

/// Not a test: the server's main.
#[test]
#[ignore = "a server that other tests start"]
fn serves() {
    let number = |name: &str| -> usize { std::env::var(name).unwrap().parse().unwrap() };
    let body = "b".repeat(number("BODY"));
    let response = format!(
        "HTTP/1.1 200 OK\r\nX-Filler: {}\r\nContent-Length: {}\r\n\r\n{body}",
        "f".repeat(number("FILLER")),
        body.len()
    );
    let port = u16::try_from(number("PORT")).unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    for stream in listener.incoming().map_while(Result::ok) {
        let response = response.clone();
        std::thread::spawn(move || answer(stream, &response));
    }
}

/// Keeps the connection after a plain request, and closes it after anything else: no check has to wait.
fn answer(mut stream: TcpStream, response: &str) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
            if reader.read_until(b'\n', &mut head)? == 0 {
                return Ok(());
            }
        }
        stream.write_all(response.as_bytes())?;
        let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
        let plain = head.starts_with("get / http/1.1\r\n");
        if !plain || head.contains("\r\nconnection: ") || head.contains("\r\ncontent-length: ") {
            return Ok(());
        }
    }
}

fn run(folder: &Path, servers: &[(&str, usize)], more: &[&str]) -> (Run, String) {
    let with = servers
        .iter()
        .flat_map(|(name, filler)| ["--with".to_owned(), format!("{name}={}", server(*filler))]);
    let output = Command::cargo_bin("bench")
        .unwrap()
        .current_dir(folder)
        .args(["run", "--name", "t", "--rounds", "1", "--duration", "200ms"])
        .args(["--warmup", "0", "--connections", "2"])
        .args(with)
        .args(more)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    match bench::store::read(&folder.join("results/t/run.json")) {
        Ok(Document::Run(run)) => (*run, told),
        other => panic!("{other:?}: {told}"),
    }
}

fn target<'a>(run: &'a Run, name: &str) -> &'a Target {
    run.targets
        .iter()
        .find(|target| target.name == name)
        .unwrap()
}

#[test]
fn each_body_fills_what_its_own_head_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let servers = [
        ("short-head", 10),
        ("long-head", 90),
        ("too-long-head", 300),
    ];
    let (run, told) = run(folder.path(), &servers, &["--wire-size", "228"]);
    assert_eq!(run.plan.wire_size, Some(228));
    for name in ["short-head", "long-head"] {
        let response = target(&run, name).response.as_ref().unwrap();
        assert_eq!(response.bytes, 228, "{name}");
    }
    let reason = target(&run, "too-long-head").skipped.as_ref().unwrap();
    assert!(
        reason.ends_with("its response cannot be 228 bytes"),
        "{reason}"
    );
    assert!(
        told.contains(&format!("bench: too-long-head: {reason}")),
        "{told}"
    );
    let cell = run
        .cells
        .iter()
        .find(|cell| cell.key.target == "too-long-head")
        .unwrap();
    assert_eq!((cell.verdict, &cell.reason), (Verdict::Skipped, reason));
}
