//! The threads of the engine and what they share.

mod buffers;
mod connection;
#[cfg_attr(test, path = "../../tests/completions/kernel.rs")]
mod queues;
mod ring;
#[cfg(test)]
#[path = "../../tests/completions/mod.rs"]
mod tests;
mod worker;

use std::io;
use std::net::TcpListener;
use std::os::fd::RawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;

use common::http1::Response;
use common::spread::Spread;
use common::{Args, Error, listener, shutdown};

use ring::Ring;
use worker::Worker;

/// What the threads know of one another.
struct Shared {
    spread: Spread,
    /// The descriptor of each thread's ring, once it has one.
    rings: Vec<OnceLock<RawFd>>,
}

pub fn serve(name: &str, args: &Args) -> Result<(), Error> {
    let listeners = listener::bind_per_thread(args)?;
    let address = listeners[0].local_addr()?;
    let signal = shutdown::signal()?;
    let response = Response::new(args.body());
    let shared = Arc::new(Shared {
        spread: Spread::new(args.threads()),
        rings: (0..args.threads()).map(|_| OnceLock::new()).collect(),
    });

    // A ring belongs to the thread that makes it, which says here whether it could.
    let (sender, made) = mpsc::channel();
    let mut threads = Vec::new();
    for (index, listener) in listeners.into_iter().enumerate() {
        let (signal, response) = (signal.try_clone()?, response.clone());
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        threads.push(thread::spawn(move || {
            run(index, listener, signal, response, shared, sender)
        }));
    }
    drop(sender);
    for result in made {
        result.map_err(|error| unavailable(&error))?;
    }

    common::ready(name, address, threads.len());
    common::join(threads)
}

fn run(
    index: usize,
    listener: TcpListener,
    signal: UnixStream,
    response: Response,
    shared: Arc<Shared>,
    made: mpsc::Sender<io::Result<()>>,
) -> io::Result<()> {
    let (ring, result) = match Ring::new() {
        Ok(ring) => (Some(ring), Ok(())),
        Err(error) => (None, Err(error)),
    };
    if let Some(ring) = &ring {
        // Nobody else sets it.
        let _ = shared.rings[index].set(ring.as_raw_fd());
    }
    // Fails when the main thread has already given up.
    let _ = made.send(result);
    // The main thread waits until all have said so.
    drop(made);
    match ring {
        Some(ring) => Worker::new(index, ring, listener, signal, response, shared).run(),
        None => Ok(()),
    }
}

fn unavailable(error: &io::Error) -> Error {
    let what =
        "cannot use io_uring (Linux 6.1 and up, allowed by seccomp and kernel.io_uring_disabled)";
    let cause = Error::io(what, error);
    Error::new(format!("{cause}; use srv-tpc"))
}
