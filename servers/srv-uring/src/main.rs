//! Engine: a thread per core, each with its own io_uring: multishot accept and receive into
//! provided buffers, so that many operations share one system call. Linux 6.1 and up.
//!
//! Run with `cargo run --release -p srv-uring -- --port 8080`.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod engine;

use std::process::ExitCode;

use clap::Parser;
use common::{Args, Error};

const NAME: &str = env!("CARGO_PKG_NAME");

/// Serves a fixed response, one io_uring a thread
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

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn serve(args: &Args) -> Result<(), Error> {
    engine::serve(NAME, args)
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn serve(_: &Args) -> Result<(), Error> {
    Err(Error::new(
        "cannot use io_uring: this is no 64-bit Linux; use srv-tpc",
    ))
}
