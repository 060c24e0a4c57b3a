//! What goes over the wire: the request as the generator really sends it, the response as it really comes.

use crate::model::{Field, RequestKind, WireRequest, WireResponse};
use anyhow::{Context, ensure};
use contract::http::{Response, read_response};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// How long a single exchange may take.
const LIMIT: Duration = Duration::from_secs(5);

/// The bytes of one request of the embedded generator, recorded from its socket; `Host` names `address`.
///
/// # Errors
/// When the generator refuses `path`.
pub fn request(kind: RequestKind, path: &str, address: SocketAddr) -> anyhow::Result<Vec<u8>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let recorder = listener.local_addr()?;
    let recording = std::thread::spawn(move || record(&listener));
    let mut target = load::Target::new(recorder);
    target.path = path.into();
    target.host = address.to_string();
    let mut config = load::Config::new(target);
    config.connections = 1;
    config.amount = load::Amount::Requests(1);
    config.request = match kind {
        RequestKind::Minimal => load::RequestKind::Minimal,
        RequestKind::Browser => load::RequestKind::Browser,
    };
    let sent = load::run(&config, |_| {});
    // Frees the recorder where nothing was sent.
    drop(TcpStream::connect(recorder));
    let recorded = recording.join().unwrap_or_default();
    sent?;
    ensure!(
        recorded.ends_with(b"\r\n\r\n"),
        "the generator sent no request"
    );
    Ok(recorded)
}

fn record(listener: &TcpListener) -> Vec<u8> {
    let mut request = Vec::new();
    let Ok((mut stream, _)) = listener.accept() else {
        return request;
    };
    let _ = stream.set_read_timeout(Some(LIMIT));
    let mut buffer = [0; 4096];
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => request.extend_from_slice(&buffer[..count]),
            _ => return request,
        }
    }
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let _ = stream.read(&mut buffer);
    request
}

/// The fields of a recorded request, `Host` and `Connection` apart.
#[must_use]
pub fn own_fields(request: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(request);
    let fields = text
        .split("\r\n")
        .skip(1)
        .filter_map(|line| line.split_once(": "));
    fields
        .filter(|(name, _)| !["host", "connection"].contains(&name.to_ascii_lowercase().as_str()))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// One exchange: what came back for `request`.
///
/// # Errors
/// When no whole response comes within five seconds.
pub fn exchange(address: SocketAddr, request: &[u8]) -> anyhow::Result<Response> {
    let mut stream = TcpStream::connect_timeout(&address, LIMIT)?;
    stream.set_read_timeout(Some(LIMIT))?;
    stream.write_all(request)?;
    read_response(&mut stream, &mut Vec::new(), "GET")?
        .context("the connection ended before the first byte of a response")
}

/// A request in the form of the results.
#[must_use]
pub fn describe_request(request: &[u8]) -> WireRequest {
    WireRequest {
        bytes: request.len() as u64,
        text: String::from_utf8_lossy(request).into_owned(),
    }
}

/// A response in the form of the results.
#[must_use]
pub fn describe_response(response: &Response) -> WireResponse {
    let head = String::from_utf8_lossy(&response.head);
    WireResponse {
        bytes: response.wire_bytes as u64,
        head_bytes: response.head.len() as u64,
        body_bytes: response.body.len() as u64,
        status_line: head.lines().next().unwrap_or_default().to_owned(),
        fields: response
            .fields
            .iter()
            .map(|(name, value)| Field {
                name: name.clone(),
                value: value.clone(),
            })
            .collect(),
        body_sha256: sha256(&response.body),
    }
}

/// SHA-256 in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
