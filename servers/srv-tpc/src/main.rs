//! Engine: a thread per core, each with its own readiness loop (mio) and its own connections.
//!
//! Run with `cargo run --release -p srv-tpc -- --port 8080`.

mod buffers;
mod connection;
mod mailbox;
mod system;
mod worker;

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use clap::Parser;
use common::http1::Response;
use common::spread::Spread;
use common::{Args, Error, listener, shutdown};
use mio::Poll;

use mailbox::Mailbox;
use worker::{Shared, Worker};

const NAME: &str = env!("CARGO_PKG_NAME");

/// Serves a fixed response, one event loop a thread
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
    let response = Response::new(args.body());

    let polls = (0..args.threads())
        .map(|_| Poll::new())
        .collect::<Result<Vec<_>, _>>()?;
    let mailboxes = polls
        .iter()
        .map(Mailbox::new)
        .collect::<Result<Vec<_>, _>>()?;
    let shared = Arc::new(Shared {
        spread: Spread::new(args.threads()),
        mailboxes,
        data_has_come: args.defer_accept,
    });
    let mut workers = Vec::new();
    for (index, (listener, poll)) in listeners.into_iter().zip(polls).enumerate() {
        let signal = signal.try_clone()?;
        workers.push(Worker::new(
            index,
            poll,
            listener,
            signal,
            response.clone(),
            Arc::clone(&shared),
        )?);
    }

    common::ready(NAME, address, workers.len());
    let threads = workers
        .into_iter()
        .map(|worker| thread::spawn(move || worker.run()))
        .collect();
    common::join(threads)
}
