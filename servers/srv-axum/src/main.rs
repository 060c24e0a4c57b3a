//! axum 0.8: a `Router` whose one handler answers every request.
//!
//! Run with `cargo run --release -p srv-axum -- --port 8080`

mod server;

use std::process::ExitCode;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, HOST, TRANSFER_ENCODING};
use axum::http::{HeaderValue, Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use clap::Parser;
use common::Args;
use http_body_util::BodyExt;

use server::Runtime;

const NAME: &str = "srv-axum";

/// Serves a fixed response, with axum 0.8
#[derive(Parser)]
#[command(name = NAME, version)]
struct Cli {
    #[command(flatten)]
    args: Args,

    /// One multi-threaded runtime, or one runtime and one listener for each thread
    #[arg(long, value_enum, default_value_t = Runtime::Multi)]
    runtime: Runtime,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let body = Bytes::from_static(cli.args.body());
    let http = server::http(&body);
    let app = app(body);
    common::run(NAME, || match cli.runtime {
        Runtime::Multi => server::multi(&cli.args, http, app),
        Runtime::PerCore => server::per_core(&cli.args, &http, &app),
    })
}

fn app(body: Bytes) -> Router {
    // A fallback takes every path and every method.
    Router::new().fallback(answer).with_state(body)
}

async fn answer(State(body): State<Bytes>, request: Request) -> Response {
    let version = request.version();
    if request.method() == Method::CONNECT {
        return refuse(StatusCode::NOT_IMPLEMENTED, version);
    }
    if !is_well_formed(&request) {
        return refuse(StatusCode::BAD_REQUEST, version);
    }
    // A body that nobody reads would make hyper close the connection.
    let mut incoming = request.into_body();
    while let Some(frame) = incoming.frame().await {
        if frame.is_err() {
            return refuse(StatusCode::BAD_REQUEST, version);
        }
    }
    let text = HeaderValue::from_static("text/plain");
    ([(CONTENT_TYPE, text)], body).into_response()
}

/// What axum and hyper leave to their user: one Host, which HTTP/1.0 may leave out (RFC 9112 3.2),
/// and no transfer coding but chunked, once (RFC 9112 6.1).
fn is_well_formed(request: &Request) -> bool {
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
fn refuse(status: StatusCode, version: Version) -> Response {
    let mut response = (status, [(CONNECTION, "close")]).into_response();
    *response.version_mut() = version;
    response
}
