//! Engine: `std::net` and nothing else, one blocking thread per connection.
//!
//! Run with `cargo run --release -p srv-raw -- --port 8080`.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use common::blocking;
use common::http1::{Response, TIMEOUT};
use common::shutdown::InFlight;
use common::{Args, Error, listener, shutdown};

const NAME: &str = env!("CARGO_PKG_NAME");

/// The stack of a connection's thread, bytes: its buffers are on the heap.
const STACK: usize = 128 * 1024;

/// How long a thread waits before it accepts again when descriptors or threads have run out.
const BACK_OFF: Duration = Duration::from_millis(100);

/// How long a write may block. One that times out when it has sent a part says so only then, as if
/// the client had read just now; so this is a small part of [`TIMEOUT`].
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

static IN_FLIGHT: InFlight = InFlight::new();

/// Serves a fixed response, one blocking thread per connection
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
    let listener = listener::bind(args)?;
    let response: &'static Response = Box::leak(Box::new(Response::new(args.body())));
    for _ in 0..args.threads() {
        let listener = listener.try_clone()?;
        thread::spawn(move || accept(&listener, response, usize::MAX));
    }
    let signal = shutdown::signal()?;
    common::ready(NAME, listener.local_addr()?, args.threads());
    shutdown::wait(signal)?;
    IN_FLIGHT.stop();
    // What waits to be accepted, and no more: clients may come faster than they are accepted.
    listener.set_nonblocking(true)?;
    accept(&listener, response, args.backlog as usize);
    listener::refuse(&listener);
    IN_FLIGHT.drain();
    Ok(())
}

/// Accepts up to `limit` connections, and when the server stops only those that wait.
fn accept(listener: &TcpListener, response: &'static Response, limit: usize) {
    for _ in 0..limit {
        let spawned = listener.accept().and_then(|(stream, _)| {
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn(move || answer(stream, response))
        });
        match spawned {
            Ok(_) => {}
            Err(_) if IN_FLIGHT.is_stopping() => return,
            Err(_) => thread::sleep(BACK_OFF),
        }
    }
}

/// An error of its socket ends a connection, and that is all there is to do about it.
fn answer(mut stream: TcpStream, response: &Response) -> io::Result<()> {
    if IN_FLIGHT.is_stopping() {
        // On macOS a socket blocks or not as its listener does.
        stream.set_nonblocking(false)?;
    }
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    blocking::serve(&mut stream, response, &IN_FLIGHT)
}
