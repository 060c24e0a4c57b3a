//! The reader against right, wrong and cut responses, however they are split.

use std::io::{self, ErrorKind, Read};

use super::{Framing, Response, read_response};

/// Gives its bytes one at a time.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(0);
        };
        into[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

fn read(bytes: &[u8], method: &str) -> io::Result<Option<Response>> {
    let mut whole = bytes;
    let at_once = read_response(&mut whole, &mut Vec::new(), method);
    let dripped = read_response(&mut Drip(bytes), &mut Vec::new(), method);
    match (&at_once, &dripped) {
        (Ok(at_once), Ok(dripped)) => assert_eq!(at_once, dripped),
        (Err(at_once), Err(dripped)) => assert_eq!(at_once.to_string(), dripped.to_string()),
        _ => panic!("at once {at_once:?}, dripped {dripped:?}"),
    }
    at_once
}

fn error(bytes: &[u8]) -> (ErrorKind, String) {
    let error = read(bytes, "GET").expect_err("this response is wrong");
    (error.kind(), error.to_string())
}

#[test]
fn reads_each_framing() {
    let sized = read(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "GET")
        .unwrap()
        .unwrap();
    assert_eq!(
        (sized.status, sized.framing, &sized.body[..]),
        (200, Framing::Length(2), &b"hi"[..])
    );
    assert_eq!(sized.wire_bytes, 40);
    assert!(sized.keeps_alive());

    let chunked =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nT: x\r\n\r\n";
    let response = read(chunked, "GET").unwrap().unwrap();
    assert_eq!(
        (response.framing, &response.body[..]),
        (Framing::Chunked, &b"hi"[..])
    );
    assert_eq!(response.wire_bytes, chunked.len());

    let until_close = read(b"HTTP/1.0 200 OK\r\n\r\nhi", "GET").unwrap().unwrap();
    assert_eq!(
        (until_close.framing, &until_close.body[..]),
        (Framing::UntilClose, &b"hi"[..])
    );
    assert!(!until_close.keeps_alive());

    let head = read(b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n", "HEAD")
        .unwrap()
        .unwrap();
    assert_eq!((head.framing, head.body.len()), (Framing::Empty, 0));
}

#[test]
fn what_comes_beyond_stays_in_the_buffer() {
    let mut stream =
        &b"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"[..];
    let mut buffer = Vec::new();
    let statuses: Vec<u16> =
        std::iter::from_fn(|| read_response(&mut stream, &mut buffer, "GET").unwrap())
            .map(|response| response.status)
            .collect();
    assert_eq!(statuses, [204, 200]);
}

#[test]
fn an_end_before_a_byte_is_no_response_and_one_in_the_middle_is_an_error() {
    assert_eq!(read(b"", "GET").unwrap(), None);
    assert_eq!(error(b"HTTP/1.1 2").0, ErrorKind::UnexpectedEof);
    let cut = error(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi");
    assert_eq!(
        cut,
        (
            ErrorKind::UnexpectedEof,
            "the connection ended 7 bytes before the body's end".into()
        )
    );
}

/// RFC 9110 5.5: obs-text.
#[test]
fn a_value_may_hold_bytes_that_are_no_utf_8() {
    let bytes = b"HTTP/1.1 200 OK\r\nServer: caf\xe9\r\nContent-Length: 2\r\n\r\nhi";
    let response = read(bytes, "GET").unwrap().unwrap();
    assert!(response.values("server").eq(["caf\u{fffd}"]));
    assert_eq!(response.body, b"hi");
    assert_eq!(response.wire_bytes, bytes.len());
}

#[test]
fn doubtful_responses_are_refused() {
    for bytes in [
        &b"HTTP/2 200 OK\r\n\r\n"[..],
        b"HTTP/1.1 999 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\nhi\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\nY: b\r\n\r\n",
        b"hello",
    ] {
        assert_eq!(
            error(bytes).0,
            ErrorKind::InvalidData,
            "{}",
            bytes.escape_ascii()
        );
    }
}
