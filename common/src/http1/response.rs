//! The one response, prebuilt but for its date, and the refusals.

use crate::date;

/// The response of a server, prebuilt: status line and fields, the date's place, the body.
#[derive(Clone, Debug)]
pub struct Response {
    /// Up to the value of Date.
    start: Vec<u8>,
    /// Behind the value of Date, with the body, for each [`Persistence`].
    ends: [Vec<u8>; 3],
    body: usize,
}

/// What a response says of its connection (RFC 9112 9.3).
#[derive(Clone, Copy, Debug)]
pub(super) enum Persistence {
    /// HTTP/1.1 stays open without a word.
    Implied,
    /// An HTTP/1.0 client asked for it and wants to be told.
    KeepAlive,
    Close,
}

impl Response {
    /// A `200` with `body` as `text/plain`. Starts the clock of its Date.
    pub fn new(body: &[u8]) -> Self {
        date::start();
        let length = body.len();
        let start = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nDate: "
        );
        let end = |connection: &str| [b"\r\n", connection.as_bytes(), b"\r\n", body].concat();
        Self {
            start: start.into_bytes(),
            ends: [
                end(""),
                end("Connection: keep-alive\r\n"),
                end("Connection: close\r\n"),
            ],
            body: length,
        }
    }

    /// Appends the response, without its body for HEAD (RFC 9110 9.3.2).
    pub(super) fn append(&self, out: &mut Vec<u8>, persistence: Persistence, is_head: bool) {
        let end = &self.ends[persistence as usize];
        let end = if is_head {
            &end[..end.len() - self.body]
        } else {
            end
        };
        out.reserve(self.start.len() + date::LEN + end.len());
        out.extend_from_slice(&self.start);
        out.extend_from_slice(&date::now());
        out.extend_from_slice(end);
    }
}

/// Why a request is refused, and its connection closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refusal {
    BadRequest,
    UriTooLong,
    ExpectationFailed,
    FieldsTooLarge,
    NotImplemented,
    VersionNotSupported,
}

impl Refusal {
    /// RFC 9110 15.5 and 15.6, RFC 6585 5.
    fn status(self) -> &'static str {
        match self {
            Self::BadRequest => "400 Bad Request",
            Self::UriTooLong => "414 URI Too Long",
            Self::ExpectationFailed => "417 Expectation Failed",
            Self::FieldsTooLarge => "431 Request Header Fields Too Large",
            Self::NotImplemented => "501 Not Implemented",
            Self::VersionNotSupported => "505 HTTP Version Not Supported",
        }
    }

    /// Appends the last response of a connection.
    #[cold]
    pub(super) fn append(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"HTTP/1.1 ");
        out.extend_from_slice(self.status().as_bytes());
        out.extend_from_slice(b"\r\nContent-Length: 0\r\nDate: ");
        out.extend_from_slice(&date::now());
        out.extend_from_slice(b"\r\nConnection: close\r\n\r\n");
    }
}

/// Asks for the body that a client withholds (RFC 9110 15.2.1).
pub(super) const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
