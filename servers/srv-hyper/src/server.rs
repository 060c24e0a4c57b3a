//! The runtimes, hyper's settings and the loop that accepts connections.

use std::os::unix::net::UnixStream as Signal;
use std::time::Duration;
use std::{io, net, thread};

use clap::ValueEnum;
use common::{Args, Error, listener, shutdown};
use hyper::body::Bytes;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, UnixStream};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::{NAME, answer};

/// Time for a whole head, counted from the last response.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Up to this many bytes a body is copied behind its head: one buffer to send costs less than two.
const COPIED_BODY_MAX: usize = 4096;

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Runtime {
    Multi,
    PerCore,
}

/// HTTP/1 with the settings that targets.toml explains.
pub(crate) fn http(body: &Bytes, pipeline_flush: bool) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .half_close(true)
        .writev(body.len() > COPIED_BODY_MAX)
        .pipeline_flush(pipeline_flush);
    http
}

/// One runtime, whose threads share the connections of one listener.
pub(crate) fn multi(args: &Args, http: http1::Builder, body: Bytes) -> Result<(), Error> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(args.threads())
        .enable_all()
        .build()?;
    let listener = listener::bind(args)?;
    let signal = shutdown::signal()?;
    common::ready(NAME, listener.local_addr()?, args.threads());
    // On a worker, not on this thread, which `--threads` does not count.
    let server = runtime.spawn(serve(listener, signal, http, body));
    Ok(runtime
        .block_on(server)
        .expect("accepting does not panic")?)
}

/// A runtime and a listener for each thread, with connections spread by the kernel. All that it takes
/// is there before the server says that it is ready.
pub(crate) fn per_core(args: &Args, http: &http1::Builder, body: &Bytes) -> Result<(), Error> {
    let runtimes = (0..args.threads())
        .map(|_| Builder::new_current_thread().enable_all().build())
        .collect::<io::Result<Vec<_>>>()?;
    let listeners = listener::bind_per_thread(args)?;
    let address = listeners[0].local_addr()?;
    let signal = shutdown::signal()?;
    let mut threads = Vec::new();
    for (runtime, listener) in runtimes.into_iter().zip(listeners) {
        let server = serve(listener, signal.try_clone()?, http.clone(), body.clone());
        let run = move || runtime.block_on(server);
        threads.push(thread::Builder::new().spawn(run)?);
    }
    common::ready(NAME, address, threads.len());
    common::join(threads)
}

/// Accepts connections until the signal comes, then finishes what is in flight.
async fn serve(
    listener: net::TcpListener,
    signal: Signal,
    http: http1::Builder,
    body: Bytes,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    let signal = UnixStream::from_std(signal)?;
    let connections = GracefulShutdown::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of descriptors, as a rule: serving goes on, and some will be closed.
                Err(_) => {
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
            _ = signal.readable() => break,
        };
        let body = body.clone();
        let service = service_fn(move |request| answer(request, body.clone()));
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connections.watch(connection));
    }
    drop(listener);
    // A client that does not finish its request must not hold the server.
    let _ = timeout(shutdown::GRACE, connections.shutdown()).await;
    Ok(())
}
