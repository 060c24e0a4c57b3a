//! What may_minihttp does not read in a head: how the body is framed, and who closes.

use may_minihttp::Request;

/// A status code and its reason phrase.
pub(crate) type Status = (usize, &'static str);

const BAD_REQUEST: Status = (400, "Bad Request");
const NOT_IMPLEMENTED: Status = (501, "Not Implemented");

/// What becomes of the connection after the response.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Persistence {
    /// Stays open, as HTTP/1.1 has it.
    Implied,
    /// Stays open because an HTTP/1.0 client asked for it, which the response must confirm.
    Confirmed,
    /// Closes.
    Close,
    /// Closes before the body, which the client withholds.
    CloseUnread,
}

/// What the request says of the connection, or the status with which it is refused.
pub(crate) fn check(request: &Request) -> Result<Persistence, Status> {
    let http_1_1 = request.version() == 1;
    let hosts = values(request, "host").count();
    // RFC 9112 3.2
    if hosts > 1 || (hosts == 0 && http_1_1) {
        return Err(BAD_REQUEST);
    }
    // The crate knows no transfer codings, and a tunnel (RFC 9110 9.3.6) is not to be had here.
    if request.method() == "CONNECT" || values(request, "transfer-encoding").next().is_some() {
        return Err(NOT_IMPLEMENTED);
    }
    // The crate cannot send an interim response. A final one spares the client the body (RFC 9110
    // 10.1.1).
    if content_length(request)? > 0 && values(request, "expect").next().is_some() {
        return Ok(Persistence::CloseUnread);
    }
    Ok(persistence(request, http_1_1))
}

/// RFC 9112 6.3: digits, and the same in every field; the crate would panic on others.
fn content_length(request: &Request) -> Result<usize, Status> {
    let mut lengths = values(request, "content-length").map(|value| {
        let digits = value.iter().all(u8::is_ascii_digit);
        let length = std::str::from_utf8(value).ok().filter(|_| digits);
        length.and_then(|length| length.parse().ok())
    });
    let first = lengths.next().unwrap_or(Some(0)).ok_or(BAD_REQUEST)?;
    if lengths.all(|length| length == Some(first)) {
        Ok(first)
    } else {
        Err(BAD_REQUEST)
    }
}

/// RFC 9112 9.3
fn persistence(request: &Request, http_1_1: bool) -> Persistence {
    let has = |option: &[u8]| {
        values(request, "connection")
            .flat_map(|value| value.split(|&byte| byte == b','))
            .any(|listed| listed.trim_ascii().eq_ignore_ascii_case(option))
    };
    if has(b"close") {
        Persistence::Close
    } else if http_1_1 {
        Persistence::Implied
    } else if has(b"keep-alive") {
        Persistence::Confirmed
    } else {
        Persistence::Close
    }
}

fn values<'a>(request: &'a Request, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let fields = request.headers().iter();
    fields
        .filter(move |field| field.name.eq_ignore_ascii_case(name))
        .map(|field| field.value)
}
