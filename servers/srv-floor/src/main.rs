//! Control: what a readiness loop costs without HTTP. It is srv-tpc's loop, and sends one prebuilt
//! response, its Date fixed at start, for each empty line that it reads.
//!
//! It parses nothing and closes nothing, so it is no server to use. On kept connections only batching
//! system calls can go below it; where each is closed it waits for the client to do it.
//!
//! Run with `cargo run --release -p srv-floor -- --port 8080`.

mod empty_lines;
mod worker;

use std::process::ExitCode;
use std::thread;

use clap::Parser;
use common::{Args, Error, date, listener, shutdown};

use worker::Worker;

const NAME: &str = env!("CARGO_PKG_NAME");

/// Sends a fixed response for each empty line: the floor, not an HTTP server
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let Cli { args } = Cli::parse();
    common::run(NAME, || serve(&args))
}

fn serve(args: &Args) -> Result<(), Error> {
    let listeners = listener::bind_per_thread(args)?;
    let address = listeners[0].local_addr()?;
    let signal = shutdown::signal()?;
    let response = response(args.body()).leak();

    let mut workers = Vec::new();
    for listener in listeners {
        workers.push(Worker::new(listener, signal.try_clone()?, response)?);
    }
    common::ready(NAME, address, workers.len());
    let threads = workers
        .into_iter()
        .map(|worker| thread::spawn(move || worker.run()))
        .collect();
    common::join(threads)
}

/// The bytes that every other server sends as well, but for the date.
fn response(body: &[u8]) -> Vec<u8> {
    date::start();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nDate: "
    );
    [head.as_bytes(), &date::now(), b"\r\n\r\n", body].concat()
}
