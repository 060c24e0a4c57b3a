//! may_minihttp as published: HTTP/1.1 on the stackful coroutines of `may`.
//!
//! The crate itself neither closes a connection when HTTP says so nor limits anything; what a
//! service can add to that is in [`service`] and [`connection`], the rest in targets.toml.
//!
//! Run with `cargo run --release -p srv-may-minihttp -- --port 8080`

mod connection;
mod request;
mod service;

use std::os::fd::RawFd;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use common::{Args, Error, listener, shutdown};
use may_minihttp::HttpServiceFactory;

use connection::Limit;
use service::Service;

const NAME: &str = "srv-may-minihttp";

/// Stacks that are made before the server listens; may's default is [`STACKS_KEPT`].
const STACKS_AT_START: usize = 16;

/// Stacks of closed connections that are kept for the next ones, as by default.
const STACKS_KEPT: usize = 1000;

/// Serves a fixed response, with may_minihttp
#[derive(Parser)]
#[command(name = NAME, version)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

/// Makes a service for each connection.
struct Factory {
    body: &'static [u8],
    limit: Limit,
}

impl HttpServiceFactory for Factory {
    type Service = Service;

    /// On Unix `id` is the descriptor of the connection's socket.
    fn new_service(&self, id: usize) -> Service {
        Service::new(self.limit.admit(id as RawFd), self.body)
    }
}

fn main() -> ExitCode {
    let Cli { args } = Cli::parse();
    common::run(NAME, || serve(&args))
}

fn serve(args: &Args) -> Result<(), Error> {
    may::config()
        .set_workers(args.threads())
        .set_pool_capacity(STACKS_AT_START)
        .set_worker_pin(false);
    let factory = Factory {
        body: args.body(),
        limit: Limit::new(args.threads())?,
    };
    // The crate binds its own listener, and always with SO_REUSEPORT: a second instance would share
    // the port. So the port is first taken, and given back, by a socket that does not share.
    let address = listener::free_address(args)?;
    factory.start(address)?;
    may::config().set_pool_capacity(STACKS_KEPT);
    connection::close_silent_ones();
    let signal = shutdown::signal()?;
    common::ready(NAME, address, args.threads());
    shutdown::wait(signal)?;
    finish_what_is_unsent();
    service::IN_FLIGHT.drain();
    Ok(())
}

/// Counts as a request under way what the crate's loop still has to write when the server stops.
fn finish_what_is_unsent() {
    let unsent = service::IN_FLIGHT.begin();
    thread::spawn(move || {
        connection::wait_until_sent();
        drop(unsent);
    });
}
