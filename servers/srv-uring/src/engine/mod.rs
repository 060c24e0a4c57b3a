//! The threads of the engine and what they share.

mod buffers;
mod connection;
#[cfg_attr(test, path = "../../tests/completions/kernel.rs")]
mod queues;
mod ring;
mod spares;
#[cfg(test)]
#[path = "../../tests/completions/mod.rs"]
mod tests;
mod worker;

use std::io;
use std::os::fd::RawFd;
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
    let body = args.body();
    let response = Response::new(body);
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
        let run = move || {
            let ring = make_ring(index, body.len(), &shared, sender);
            match ring {
                Some(ring) => Worker::new(index, ring, listener, signal, response, shared).run(),
                None => Ok(()),
            }
        };
        threads.push(thread::Builder::new().spawn(run)?);
    }
    drop(sender);
    for result in made {
        result.map_err(|error| unavailable(&error))?;
    }

    common::ready(name, address, threads.len());
    common::join(threads)
}

/// Makes the ring of a thread, and tells the main thread whether it could.
fn make_ring(
    index: usize,
    body: usize,
    shared: &Shared,
    made: mpsc::Sender<io::Result<()>>,
) -> Option<Ring> {
    let (ring, result) = match Ring::new(body) {
        Ok(ring) => (Some(ring), Ok(())),
        Err(error) => (None, Err(error)),
    };
    if let Some(ring) = &ring {
        // Nobody else sets it.
        let _ = shared.rings[index].set(ring.as_raw_fd());
    }
    // Fails when the main thread has already given up. It waits until all have said so, and dropped
    // this.
    let _ = made.send(result);
    ring
}

fn unavailable(error: &io::Error) -> Error {
    let what =
        "cannot use io_uring (Linux 6.1 and up, allowed by seccomp and kernel.io_uring_disabled)";
    let cause = Error::io(what, error);
    Error::new(format!("{cause}; use srv-tpc"))
}
