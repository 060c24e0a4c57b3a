//! Engine: stackful coroutines on `may`, one per connection, scheduled on a few threads.
//!
//! Run with `cargo run --release -p srv-may -- --port 8080`.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use common::blocking::{self, Stream};
use common::http1::{Response, TIMEOUT};
use common::shutdown::InFlight;
use common::{Args, Error, listener, shutdown};
use may::coroutine;
use may::go;
use may::io::{CoIo, WaitIo};

const NAME: &str = env!("CARGO_PKG_NAME");

/// The stack of a coroutine, in words, as `may` counts it: 64 KiB.
const STACK: usize = 64 * 1024 / size_of::<usize>();

/// Stacks that are made before the server listens. may makes [`STACKS_KEPT`] by default, and needs
/// 10 ms for them.
const STACKS_AT_START: usize = 16;

/// Stacks of closed connections that are kept for the next ones, as by default.
const STACKS_KEPT: usize = 1000;

/// How long the server waits before it accepts again when descriptors have run out.
const BACK_OFF: Duration = Duration::from_millis(100);

static IN_FLIGHT: InFlight = InFlight::new();

/// Serves a fixed response, one coroutine per connection
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
    may::config()
        .set_workers(args.threads())
        .set_stack_size(STACK)
        .set_pool_capacity(STACKS_AT_START)
        // Pinned, the workers of two servers on one machine would share the first cores.
        .set_worker_pin(false);
    let listener = listener::bind(args)?;
    let address = listener.local_addr()?;
    let response: &'static Response = Box::leak(Box::new(Response::new(args.body())));
    let listener = CoIo::new(listener).map_err(io::Error::from)?;
    go!(move || accept(&listener, response));
    may::config().set_pool_capacity(STACKS_KEPT);
    let signal = shutdown::signal()?;
    common::ready(NAME, address, args.threads());
    shutdown::wait(signal)?;
    IN_FLIGHT.drain();
    Ok(())
}

fn accept(listener: &CoIo<TcpListener>, response: &'static Response) {
    while !IN_FLIGHT.is_stopping() {
        match listener.inner().accept() {
            Ok((stream, _)) => {
                go!(move || answer(stream, response));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                listener.wait_io();
            }
            Err(_) => coroutine::sleep(BACK_OFF),
        }
    }
}

/// An error of its socket ends a connection, and that is all there is to do about it.
fn answer(stream: TcpStream, response: &Response) -> io::Result<()> {
    let stream = CoIo::new(stream).map_err(io::Error::from)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut socket = Socket(stream);
    let result = blocking::serve(&mut socket, response, &IN_FLIGHT);
    // Dropped as it is, a `CoIo` closes its socket before it takes it out of the event loop, and
    // would take out the next connection, which has got the same descriptor.
    drop(socket.0.into_inner());
    result
}

/// A socket whose reads and writes block its coroutine.
struct Socket(CoIo<TcpStream>);

impl Stream for Socket {
    fn limit_reads(&self, timeout: Duration) -> io::Result<()> {
        self.0.set_read_timeout(Some(timeout))
    }

    fn shutdown_write(&self) -> io::Result<()> {
        self.0.inner().shutdown(Shutdown::Write)
    }
}

impl Read for Socket {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        self.0.read(space)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
