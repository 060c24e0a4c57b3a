//! actix-web 4: an `App` whose default service answers every request.
//!
//! Run with `cargo run --release -p srv-actix -- --port 8080`

use std::convert::Infallible;
use std::os::unix::net::UnixStream as Signal;
use std::process::ExitCode;

use actix_web::body::BodyStream;
use actix_web::dev::Server;
use actix_web::http::Method;
use actix_web::http::header::UPGRADE;
use actix_web::rt::net::UnixStream;
use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, rt};
use clap::Parser;
use common::{Args, Error, listener, shutdown};
use futures_util::{StreamExt, stream};
use socket2::SockRef;

const NAME: &str = "srv-actix";

/// What the kernel holds of a connection's requests, in bytes.
const RECEIVE_BUFFER: usize = 3072;

/// Serves a fixed response, with actix-web 4
#[derive(Parser)]
#[command(name = NAME, version)]
struct Cli {
    #[command(flatten)]
    args: Args,
}

fn main() -> ExitCode {
    let Cli { args } = Cli::parse();
    common::run(NAME, || {
        rt::System::new().block_on(async { Ok(server(&args)?.await?) })
    })
}

fn server(args: &Args) -> Result<Server, Error> {
    let body = Bytes::from_static(args.body());
    let listener = listener::bind(args)?;
    // Accepted sockets inherit it. actix-http decodes all that it has read before it answers, 6 KiB
    // of memory a request: a client that pipelines and never reads would cost 30 MiB.
    SockRef::from(&listener).set_recv_buffer_size(RECEIVE_BUFFER)?;
    let address = listener.local_addr()?;
    let signal = shutdown::signal()?;
    let server = HttpServer::new(move || {
        App::new()
            .app_data(Data::new(body.clone()))
            .default_service(web::to(answer))
    })
    .workers(args.threads())
    .shutdown_signal(stop(signal))
    .shutdown_timeout(shutdown::GRACE.as_secs())
    .listen(listener)?
    .run();
    common::ready(NAME, address, args.threads());
    Ok(server)
}

/// Resolves with the first SIGINT or SIGTERM; actix-web alone would drop connections on SIGINT.
async fn stop(signal: Signal) {
    let signal = UnixStream::from_std(signal).expect("the runtime takes a socket");
    let _ = signal.readable().await;
}

async fn answer(request: HttpRequest, mut payload: Payload, body: Data<Bytes>) -> HttpResponse {
    if request.method() == Method::CONNECT {
        return HttpResponse::NotImplemented().force_close().finish();
    }
    let mut response = HttpResponse::Ok();
    response.content_type("text/plain");
    if request.headers().contains_key(UPGRADE) {
        // actix-web takes all that may follow for the body, and would answer "Connection: upgrade".
        response.force_close();
    } else {
        // A body that nobody reads would make actix-web close the connection.
        while let Some(chunk) = payload.next().await {
            if chunk.is_err() {
                return HttpResponse::BadRequest().force_close().finish();
            }
        }
    }
    if request.method() == Method::HEAD {
        // Given the body, actix-web would send it where the HEAD is pipelined behind a GET.
        let nothing = BodyStream::new(stream::empty::<Result<Bytes, Infallible>>());
        return response.no_chunking(body.len() as u64).body(nothing);
    }
    response.body(Bytes::clone(&body))
}
