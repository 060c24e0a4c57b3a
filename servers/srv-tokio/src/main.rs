//! Engine: tokio's `TcpListener` and `TcpStream`, a task per connection, no HTTP library.
//!
//! Run with `cargo run --release -p srv-tokio -- --port 8080`.

mod connection;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use common::http1::Response;
use common::{Args, Error, listener, shutdown};
use tokio::net::{TcpListener, UnixStream};
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
    common::run(NAME, || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(args.threads())
            .enable_all()
            .build()?
            .block_on(serve(&args))
    })
}

async fn serve(args: &Args) -> Result<(), Error> {
    let listener = listener::bind(args)?;
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let signal = UnixStream::from_std(shutdown::signal()?)?;
    let response: &'static Response = Box::leak(Box::new(Response::new(args.body())));
    // Each connection holds a receiver: it is told to stop, and the sender learns when all have.
    let (stop, stopping) = watch::channel(false);

    common::ready(NAME, listener.local_addr()?, args.threads());
    tokio::select! {
        _ = signal.readable() => {}
        () = accept(&listener, response, &stopping) => {}
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
