//! Engine: tokio's `TcpListener` and `TcpStream`, a task per connection, no HTTP library.
//!
//! Run with `cargo run --release -p srv-tokio -- --port 8080`.

mod connection;

use std::os::unix::net::UnixStream as Signal;
use std::process::ExitCode;
use std::time::Duration;
use std::{io, net};

use clap::Parser;
use common::http1::Response;
use common::{Args, Error, listener, shutdown};
use tokio::net::{TcpListener, UnixStream};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time;

const NAME: &str = env!("CARGO_PKG_NAME");

/// How long the server waits before it accepts again when descriptors have run out.
const BACK_OFF: Duration = Duration::from_millis(100);

/// Serves a fixed response, one tokio task per connection
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let Cli { args } = Cli::parse();
    common::run(NAME, || start(&args))
}

fn start(args: &Args) -> Result<(), Error> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(args.threads())
        .enable_all()
        .build()?;
    let listener = listener::bind(args)?;
    let signal = shutdown::signal()?;
    let response = Box::leak(Box::new(Response::new(args.body())));
    common::ready(NAME, listener.local_addr()?, args.threads());
    // On a worker, not on this thread, which `--threads` does not count.
    let server = runtime.spawn(serve(listener, signal, response));
    Ok(runtime
        .block_on(server)
        .expect("accepting does not panic")?)
}

/// Accepts connections until the signal comes, then finishes what is in flight.
async fn serve(
    listener: net::TcpListener,
    signal: Signal,
    response: &'static Response,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let signal = UnixStream::from_std(signal)?;
    // Each connection holds a receiver: it is told to stop, and the sender learns when all have.
    let (stop, stopping) = watch::channel(false);
    tokio::select! {
        // In this order: who waits when the signal comes is served.
        biased;
        () = accept(&listener, response, &stopping) => {}
        _ = signal.readable() => {}
    }
    drop((listener, stopping));
    // Fails when there is no connection to tell.
    let _ = stop.send(true);
    let _ = time::timeout(shutdown::GRACE, stop.closed()).await;
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    response: &'static Response,
    stopping: &watch::Receiver<bool>,
) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(connection::serve(stream, response, stopping.clone()));
            }
            Err(_) => time::sleep(BACK_OFF).await,
        }
    }
}
