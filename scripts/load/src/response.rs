//! A response parsed in full: the first one of a run, and each that differs from it.

use std::borrow::Cow;

use httparse::{Header, Status};

/// Header fields of a response, at most.
const MAX_FIELDS: usize = 100;

/// A whole response at the start of some bytes.
#[derive(Debug)]
pub(crate) struct Response<'a> {
    /// Status code of the final response.
    pub(crate) status: u16,
    /// Header fields of the final response.
    pub(crate) fields: Vec<(&'a str, &'a [u8])>,
    /// The body, decoded.
    pub(crate) body: Cow<'a, [u8]>,
    /// Bytes of all of it, interim responses included.
    pub(crate) length: usize,
    /// The server will not answer another request on this connection.
    pub(crate) last: bool,
    /// The body ends with the connection.
    pub(crate) until_close: bool,
}

/// What some bytes are.
#[derive(Debug)]
pub(crate) enum Parsed<'a> {
    /// They begin with a whole response.
    Whole(Response<'a>),
    /// They begin like a response; it has this many bytes at least.
    Partial(usize),
    /// They are no HTTP response.
    Invalid,
}

/// Reads the response to a GET at the start of `bytes`. `ended` says that no more will come.
pub(crate) fn parse(bytes: &[u8], ended: bool) -> Parsed<'_> {
    let mut start = 0;
    loop {
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut head = httparse::Response::new(&mut fields);
        let length = match head.parse(&bytes[start..]) {
            Ok(Status::Complete(length)) => length,
            Ok(Status::Partial) => return Parsed::Partial(bytes.len() + 1),
            Err(_) => return Parsed::Invalid,
        };
        start += length;
        let (Some(status), Some(version)) = (head.code, head.version) else {
            return Parsed::Invalid;
        };
        // RFC 9110 section 15.2: interim responses come before the final one; 101 is final.
        if (100..200).contains(&status) && status != 101 {
            continue;
        }
        return with_body(bytes, start, status, version, head.headers, ended);
    }
}

/// RFC 9112 section 6.3: where the body that starts at `start` ends.
fn with_body<'a>(
    bytes: &'a [u8],
    start: usize,
    status: u16,
    version: u8,
    fields: &[Header<'a>],
    ended: bool,
) -> Parsed<'a> {
    let rest = &bytes[start..];
    let Ok(framing) = framing(status, fields) else {
        return Parsed::Invalid;
    };
    let (body, length) = match framing {
        Framing::Length(length) if length <= rest.len() => (Cow::Borrowed(&rest[..length]), length),
        Framing::Length(length) => return Parsed::Partial(start.saturating_add(length)),
        Framing::Chunked => match dechunk(rest) {
            Chunks::Whole(body, length) => (Cow::Owned(body), length),
            Chunks::Partial(length) => return Parsed::Partial(start.saturating_add(length)),
            Chunks::Invalid => return Parsed::Invalid,
        },
        Framing::UntilClose if ended => (Cow::Borrowed(rest), rest.len()),
        Framing::UntilClose => return Parsed::Partial(bytes.len() + 1),
    };
    let until_close = matches!(framing, Framing::UntilClose);
    Parsed::Whole(Response {
        status,
        fields: fields
            .iter()
            .map(|field| (field.name, field.value))
            .collect(),
        body,
        length: start + length,
        last: until_close || closes(version, fields),
        until_close,
    })
}

/// How the end of a body is found.
enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

fn framing(status: u16, fields: &[Header]) -> Result<Framing, ()> {
    if matches!(status, 101 | 204 | 304) {
        return Ok(Framing::Length(0));
    }
    if values(fields, "transfer-encoding").next().is_some() {
        return Ok(if has_token(fields, "transfer-encoding", "chunked") {
            Framing::Chunked
        } else {
            Framing::UntilClose
        });
    }
    let mut lengths = values(fields, "content-length").map(length);
    let Some(first) = lengths.next() else {
        return Ok(Framing::UntilClose);
    };
    match first {
        Some(length) if lengths.all(|other| other == first) => Ok(Framing::Length(length)),
        _ => Err(()),
    }
}

/// A Content-Length: digits only.
fn length(value: &[u8]) -> Option<usize> {
    let digits = value.trim_ascii();
    let all_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    all_digits.then(|| std::str::from_utf8(digits).ok()?.parse().ok())?
}

/// RFC 9112 section 9.3: whether the connection ends with this response.
fn closes(version: u8, fields: &[Header]) -> bool {
    has_token(fields, "connection", "close")
        || (version == 0 && !has_token(fields, "connection", "keep-alive"))
}

fn values<'a>(fields: &'a [Header], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    fields
        .iter()
        .filter(move |field| field.name.eq_ignore_ascii_case(name))
        .map(|field| field.value)
}

fn has_token(fields: &[Header], name: &str, token: &str) -> bool {
    values(fields, name)
        .flat_map(|value| value.split(|byte| *byte == b','))
        .any(|part| part.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

/// What some bytes are as a chunked body.
enum Chunks {
    /// The decoded body and its bytes on the wire.
    Whole(Vec<u8>, usize),
    /// It has this many bytes at least.
    Partial(usize),
    Invalid,
}

/// RFC 9112 section 7.1.
fn dechunk(bytes: &[u8]) -> Chunks {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let size = match httparse::parse_chunk_size(&bytes[at..]) {
            Ok(Status::Complete((line, size))) => {
                at += line;
                size
            }
            Ok(Status::Partial) => return Chunks::Partial(bytes.len() + 1),
            Err(_) => return Chunks::Invalid,
        };
        if size == 0 {
            return after_trailers(bytes, at, body);
        }
        let Some(end) = usize::try_from(size)
            .ok()
            .and_then(|size| at.checked_add(size))
        else {
            return Chunks::Invalid;
        };
        let line_end = end.saturating_add(2);
        if bytes.len() < line_end {
            return Chunks::Partial(line_end);
        }
        if &bytes[end..line_end] != b"\r\n" {
            return Chunks::Invalid;
        }
        body.extend_from_slice(&bytes[at..end]);
        at = line_end;
    }
}

fn after_trailers(bytes: &[u8], at: usize, body: Vec<u8>) -> Chunks {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    match httparse::parse_headers(&bytes[at..], &mut fields) {
        Ok(Status::Complete((length, _))) => Chunks::Whole(body, at + length),
        Ok(Status::Partial) => Chunks::Partial(bytes.len() + 1),
        Err(_) => Chunks::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str, ended: bool) -> (u16, String, usize, bool) {
        match parse(text.as_bytes(), ended) {
            Parsed::Whole(found) => {
                let body = String::from_utf8(found.body.into_owned()).unwrap();
                (found.status, body, found.length, found.last)
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }

    #[test]
    fn length() {
        let text = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhiHTTP";
        assert_eq!(
            whole(text, false),
            (200, "hi".into(), text.len() - 4, false)
        );
        assert!(matches!(
            parse(&text.as_bytes()[..39], false),
            Parsed::Partial(40)
        ));
        assert!(matches!(
            parse(&text.as_bytes()[..10], false),
            Parsed::Partial(11)
        ));
    }

    #[test]
    fn chunked() {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n";
        assert_eq!(whole(text, false), (200, "hi!".into(), text.len(), false));
        for end in 0..text.len() {
            let part = &text.as_bytes()[..end];
            match parse(part, false) {
                Parsed::Partial(needs) => assert!(needs > end && needs <= text.len(), "{end}"),
                other => panic!("{end}: {other:?}"),
            }
        }
    }

    #[test]
    fn until_close() {
        let text = "HTTP/1.0 200 OK\r\n\r\nhi";
        assert!(matches!(parse(text.as_bytes(), false), Parsed::Partial(_)));
        assert_eq!(whole(text, true), (200, "hi".into(), text.len(), true));
    }

    #[test]
    fn no_body() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: x, Close\r\n\r\nrest";
        assert_eq!(
            whole(text, false),
            (204, String::new(), text.len() - 4, true)
        );
    }

    #[test]
    fn connection() {
        let head = |version, connection| {
            whole(
                &format!("HTTP/1.{version} 200 OK\r\n{connection}Content-Length: 0\r\n\r\n"),
                false,
            )
            .3
        };
        assert!(!head(1, ""));
        assert!(head(0, ""));
        assert!(!head(0, "Connection: Keep-Alive\r\n"));
        assert!(head(1, "Connection: close\r\n"));
    }

    #[test]
    fn invalid() {
        for text in [
            "nonsense",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabcd",
        ] {
            assert!(
                matches!(parse(text.as_bytes(), true), Parsed::Invalid),
                "{text:?}"
            );
        }
    }
}
