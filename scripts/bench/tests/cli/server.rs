//! Small servers for these tests, honest and otherwise.
//!
//! They live in the test binary itself, which the tests start again as a server: `cargo test` needs nothing but Rust.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The command that starts a server of this kind, for `--with`.
pub(crate) fn command(kind: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "env SERVER_KIND={kind} SERVER_PORT={{port}} '{}' --exact server::serves --ignored",
        program.display()
    )
}

/// The same with an environment of its own, without what bench put there.
pub(crate) fn command_of_its_own(kind: &str) -> String {
    command(kind).replacen("env ", "env -i ", 1)
}

/// Not a test: the server's main, reached by starting the test binary with its name.
#[test]
#[ignore = "a server that other tests start"]
fn serves() {
    let kind = std::env::var("SERVER_KIND").unwrap();
    let port = std::env::var("SERVER_PORT").unwrap().parse().unwrap();
    match kind.as_str() {
        "daemonises" => {
            start_again("worker");
            exit(0);
        }
        "leaves-a-worker" => {
            start_again("worker");
            std::thread::sleep(Duration::from_secs(60));
        }
        "worker" => {
            // A session of its own: no signal to the group reaches it.
            let _ = nix::unistd::setsid();
            serve("honest", port);
        }
        _ => serve(&kind, port),
    }
}

#[allow(clippy::zombie_processes)] // leaving a process behind is the point
fn start_again(kind: &str) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let program = std::env::current_exe().unwrap();
    Command::new(program)
        .args(arguments)
        .env("SERVER_KIND", kind)
        .process_group(0)
        .spawn()
        .unwrap();
}

/// Connections open now, and requests answered, of bench's loads: the checks before them see an honest server.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);
static REQUESTS: AtomicU64 = AtomicU64::new(0);

fn serve(kind: &str, port: u16) {
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    for stream in listener.incoming().map_while(Result::ok) {
        let kind = kind.to_owned();
        std::thread::spawn(move || {
            let open = CONNECTIONS.fetch_add(1, Relaxed);
            let _ = connection(&kind, open, stream);
            CONNECTIONS.fetch_sub(1, Relaxed);
        });
    }
}

fn connection(kind: &str, open: u64, mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(head) = head(&mut reader)? {
        let loaded = head.contains("Host: 127.0.0.1");
        if kind == "fails-at-once" {
            stream.shutdown(std::net::Shutdown::Both)?;
            std::thread::sleep(Duration::from_millis(40));
            exit(9);
        }
        if kind == "silent" || (kind == "half" && loaded && open >= 8) {
            reader.read_to_end(&mut Vec::new())?;
            return Ok(());
        }
        if !is_plain(&head) {
            return stream
                .write_all(b"HTTP/1.1 400 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        }
        let n = if loaded {
            REQUESTS.fetch_add(1, Relaxed)
        } else {
            0
        };
        stream.write_all(response(kind, n).as_bytes())?;
        if is_last(&head) || kind == "closes" {
            return Ok(());
        }
    }
    Ok(())
}

fn head(reader: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(String::from_utf8_lossy(&head).into_owned()))
}

/// Anything but a plain GET is refused at once, so that the contract has not to wait for what never comes.
fn is_plain(head: &str) -> bool {
    let hosts = head.matches("\nHost: ").count();
    let body = ["Content-Length", "Transfer-Encoding"]
        .iter()
        .any(|field| head.contains(field));
    let http11 = head.contains(" HTTP/1.1\r\n") && hosts == 1;
    head.starts_with("GET ")
        && !body
        && !head.contains("\n\n")
        && (http11 || head.contains(" HTTP/1.0\r\n"))
}

fn is_last(head: &str) -> bool {
    head.to_lowercase().contains("close\r\n") || head.contains(" HTTP/1.0\r\n")
}

/// What this kind answers to its n-th loaded request: liars lie once they are measured.
fn response(kind: &str, n: u64) -> String {
    let honest = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let lie = n > 20 && n.is_multiple_of(7);
    match kind {
        "wrong-body" if lie => honest.replace("hello", "jello"),
        "always-500" => honest.replace("200 OK", "500 No"),
        "sometimes-500" if lie => honest.replace("200 OK", "500 No"),
        "more-bytes" if lie => format!("{honest}surplus"),
        "dies" if n > 20 => exit(7),
        "slow" => {
            std::thread::sleep(Duration::from_millis(1));
            honest.into()
        }
        _ => honest.into(),
    }
}
