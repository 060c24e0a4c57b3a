//! hyper 1 with hyper-util: HTTP/1.1 on tokio, the way hyper's guide to servers builds it.
//!
//! Run with `cargo run --release -p srv-hyper -- --port 8080`

mod server;

use std::convert::Infallible;
use std::process::ExitCode;

use clap::Parser;
use common::Args;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue, TRANSFER_ENCODING,
};
use hyper::{Method, Request, Response, StatusCode, Version};

use server::Runtime;

const NAME: &str = "srv-hyper";

/// Serves a fixed response, with hyper 1 and hyper-util
#[derive(Parser)]
#[command(name = NAME, version)]
struct Cli {
    #[command(flatten)]
    args: Args,

    /// One multi-threaded runtime, or one runtime and one listener for each thread
    #[arg(long, value_enum, default_value_t = Runtime::Multi)]
    runtime: Runtime,

    /// Collect the responses to pipelined requests into one write. It costs: a malformed request
    /// gets no 400, a finished response waits while the next request is half read, and a client
    /// that never reads its responses takes memory without limit
    #[arg(long)]
    pipeline_flush: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let body = Bytes::from_static(cli.args.body());
    let http = server::http(&body, cli.pipeline_flush);
    common::run(NAME, || match cli.runtime {
        Runtime::Multi => server::multi(&cli.args, http, body),
        Runtime::PerCore => server::per_core(&cli.args, &http, &body),
    })
}

async fn answer(
    request: Request<Incoming>,
    body: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let version = request.version();
    if request.method() == Method::CONNECT {
        return Ok(refuse(StatusCode::NOT_IMPLEMENTED, version));
    }
    if !is_well_formed(&request) {
        return Ok(refuse(StatusCode::BAD_REQUEST, version));
    }
    let is_head = request.method() == Method::HEAD;
    // A body that nobody reads would make hyper close the connection.
    let mut incoming = request.into_body();
    while let Some(frame) = incoming.frame().await {
        if frame.is_err() {
            return Ok(refuse(StatusCode::BAD_REQUEST, version));
        }
    }
    let length = body.len();
    let mut response = Response::new(Full::new(body));
    let text = HeaderValue::from_static("text/plain");
    response.headers_mut().insert(CONTENT_TYPE, text);
    if is_head {
        // hyper would leave out the length of an empty body.
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    Ok(response)
}

/// What hyper leaves to its user: one Host, which HTTP/1.0 may leave out (RFC 9112 3.2), and no
/// transfer coding but chunked, once (RFC 9112 6.1).
fn is_well_formed(request: &Request<Incoming>) -> bool {
    let has_host = match request.headers().get_all(HOST).iter().count() {
        0 => request.version() == Version::HTTP_10,
        hosts => hosts == 1,
    };
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    has_host && codings.next().is_none_or(is_chunked) && codings.next().is_none()
}

/// A response with no body, after which hyper closes the connection. It has the version of the
/// request: to one in HTTP/1.1 hyper would add the keep-alive that an HTTP/1.0 client asked for.
fn refuse(status: StatusCode, version: Version) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    *response.version_mut() = version;
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}
