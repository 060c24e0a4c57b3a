//! The one response, prebuilt but for its date, and the refusals.

use crate::date;

/// The response of a server, prebuilt for each way to end or keep a connection: it is copied,
/// and its date set.
#[derive(Clone, Debug)]
pub struct Response {
    whole: [Vec<u8>; 3],
    /// Where the value of Date stands.
    date: usize,
    /// Bytes of the body.
    body: usize,
}

/// What a response says of its connection (RFC 9112 9.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Persistence {
    /// HTTP/1.1 stays open without a word.
    Implied,
    /// An HTTP/1.0 client asked for it and wants to be told.
    KeepAlive,
    Close,
}

/// What the response to a request depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) persistence: Persistence,
    pub(super) is_head: bool,
}

impl Answer {
    /// The answer to a GET in HTTP/1.1.
    pub(super) const PLAIN: Self = Self {
        persistence: Persistence::Implied,
        is_head: false,
    };
}

impl Response {
    /// A `200` with `body` as `text/plain`. Starts the clock of its Date.
    pub fn new(body: &[u8]) -> Self {
        date::start();
        let length = body.len();
        let start = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nDate: "
        );
        let whole = |connection: &str| {
            [
                start.as_bytes(),
                &[b' '; date::LEN],
                b"\r\n",
                connection.as_bytes(),
                b"\r\n",
                body,
            ]
            .concat()
        };
        Self {
            whole: [
                whole(""),
                whole("Connection: keep-alive\r\n"),
                whole("Connection: close\r\n"),
            ],
            date: start.len(),
            body: length,
        }
    }

    /// Appends the response, without its body for HEAD (RFC 9110 9.3.2).
    #[inline(always)]
    pub(super) fn append(&self, out: &mut Vec<u8>, answer: Answer) {
        let whole = &self.whole[answer.persistence as usize];
        let body = if answer.is_head { self.body } else { 0 };
        let len = whole.len() - body;
        let date = out.len() + self.date;
        out.extend_from_slice(&whole[..len]);
        out[date..][..date::LEN].copy_from_slice(&date::now());
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
