//! The head of a request: httparse, and the checks that it leaves to its caller.

use std::mem::MaybeUninit;

use httparse::{Error, Header, Status};

use super::response::Refusal;
use super::{MAX_FIELDS, MAX_HEAD, MAX_TARGET};

/// What the head of a request says about the rest of the exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Request {
    pub(super) is_http10: bool,
    pub(super) is_head: bool,
    /// The connection is to be closed behind the response (RFC 9112 9.3).
    pub(super) closes: bool,
    pub(super) expects_continue: bool,
    pub(super) body: Body,
}

/// How the body of a request is framed (RFC 9112 6.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Body {
    /// A body of so many bytes; 0 where there is none.
    Length(u64),
    Chunked,
}

/// Parses the head at the start of `input`: its length and what it says, or `None` while it is
/// incomplete.
///
/// The verdict is that of the shortest part of the input that has one, so bytes that arrive
/// together are judged as they are when they arrive one by one.
pub(super) fn parse(input: &[u8]) -> Result<Option<(usize, Request)>, Refusal> {
    let input = &input[..input.len().min(MAX_HEAD)];
    let mut fields = [const { MaybeUninit::<Header>::uninit() }; MAX_FIELDS];
    let mut head = httparse::Request::new(&mut []);
    match head.parse_with_uninit_headers(input, &mut fields) {
        Ok(Status::Complete(len)) => {
            check(&input[..len], &head).map(|request| Some((len, request)))
        }
        Ok(Status::Partial) => incomplete(input).map(|()| None),
        Err(error) => malformed(input, error),
    }
}

/// Judges a complete head.
fn check(head: &[u8], parsed: &httparse::Request) -> Result<Request, Refusal> {
    let method = parsed.method.unwrap_or_default();
    let target = parsed.path.unwrap_or_default();
    if target.len() > MAX_TARGET {
        return Err(Refusal::UriTooLong);
    }
    let is_http10 = parsed.version == Some(0);
    let fields = Fields::read(head, method, parsed.headers)?;
    if method == "CONNECT" {
        // A 2xx would open a tunnel (RFC 9110 9.3.6).
        return Err(Refusal::NotImplemented);
    }
    // RFC 9112 3.2: exactly one Host in HTTP/1.1; and never two.
    if fields.hosts != 1 && !(is_http10 && fields.hosts == 0) {
        return Err(Refusal::BadRequest);
    }
    // RFC 9110 10.1.1: an expectation in HTTP/1.0 is ignored, one that is unknown may be refused.
    if fields.expects_unknown && !is_http10 {
        return Err(Refusal::ExpectationFailed);
    }
    let body = fields.body(is_http10)?;
    Ok(Request {
        is_http10,
        is_head: method == "HEAD",
        closes: fields.close || (is_http10 && !fields.keep_alive),
        expects_continue: fields.expects_continue && !is_http10 && body != Body::Length(0),
        body,
    })
}

/// The fields that decide about framing and persistence.
#[derive(Default)]
struct Fields<'a> {
    hosts: usize,
    length: Option<&'a [u8]>,
    coding: Option<&'a [u8]>,
    close: bool,
    keep_alive: bool,
    expects_continue: bool,
    expects_unknown: bool,
}

impl<'a> Fields<'a> {
    fn read(head: &[u8], method: &str, headers: &[Header<'a>]) -> Result<Self, Refusal> {
        let offset = |text: &str| text.as_ptr().addr() - head.as_ptr().addr();
        // httparse takes a bare LF for the end of a line, RFC 9112 2.2 lets us refuse it: two
        // parsers that disagree about where a line ends are how requests are smuggled. Each line
        // ends right before the next field's name, so that is where to look.
        let mut bare_lf =
            !leads_with_empty_lines(&head[..offset(method)]) || !head.ends_with(b"\r\n\r\n");
        let mut fields = Self::default();
        for header in headers {
            bare_lf |= head[offset(header.name) - 2] != b'\r';
            fields.note(header.name.as_bytes(), header.value)?;
        }
        if bare_lf {
            Err(Refusal::BadRequest)
        } else {
            Ok(fields)
        }
    }

    fn note(&mut self, name: &[u8], value: &'a [u8]) -> Result<(), Refusal> {
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => self.hosts += 1,
            6 if name.eq_ignore_ascii_case(b"expect") => {
                let known = value.eq_ignore_ascii_case(b"100-continue");
                self.expects_continue |= known;
                self.expects_unknown |= !known;
            }
            10 if name.eq_ignore_ascii_case(b"connection") => self.note_options(value),
            14 if name.eq_ignore_ascii_case(b"content-length") => once(&mut self.length, value)?,
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => once(&mut self.coding, value)?,
            _ => {}
        }
        Ok(())
    }

    /// The options of a Connection field, a list (RFC 9110 7.6.1).
    fn note_options(&mut self, value: &[u8]) {
        for option in value.split(|&byte| byte == b',') {
            let option = option.trim_ascii();
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// The framing of the body (RFC 9112 6.3), strictly: what could be read in two ways is refused.
    fn body(&self, is_http10: bool) -> Result<Body, Refusal> {
        match (self.length, self.coding) {
            (None, None) => Ok(Body::Length(0)),
            (Some(length), None) => content_length(length).map(Body::Length),
            (None, Some(coding)) if !is_http10 => transfer_coding(coding).map(|()| Body::Chunked),
            _ => Err(Refusal::BadRequest),
        }
    }
}

/// Keeps the value of a field that may stand once.
fn once<'a>(field: &mut Option<&'a [u8]>, value: &'a [u8]) -> Result<(), Refusal> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(Refusal::BadRequest),
    }
}

/// RFC 9110 8.6: digits, nothing else. A list of equal numbers could be read as one; it is refused.
fn content_length(value: &[u8]) -> Result<u64, Refusal> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(Refusal::BadRequest);
    }
    let digits = std::str::from_utf8(value).map_err(|_| Refusal::BadRequest)?;
    digits.parse().map_err(|_| Refusal::BadRequest)
}

/// RFC 9112 6.1 and 6.3: `chunked` must be the last coding and stand once (else 400), and is the
/// only one that is implemented (else 501).
fn transfer_coding(value: &[u8]) -> Result<(), Refusal> {
    let is_chunked = |coding: &[u8]| coding.trim_ascii().eq_ignore_ascii_case(b"chunked");
    let mut codings = value.rsplit(|&byte| byte == b',');
    if !codings.next().is_some_and(is_chunked) {
        return Err(Refusal::BadRequest);
    }
    let mut others = codings.peekable();
    if others.peek().is_none() {
        return Ok(());
    }
    Err(if others.any(is_chunked) {
        Refusal::BadRequest
    } else {
        Refusal::NotImplemented
    })
}

/// Whether `lead`, which httparse has skipped, is nothing but empty lines (RFC 9112 2.2).
fn leads_with_empty_lines(lead: &[u8]) -> bool {
    lead.chunks(2).all(|line| line == b"\r\n")
}

/// Judges a head that is not complete: how much more of it may come?
fn incomplete(input: &[u8]) -> Result<(), Refusal> {
    let line = RequestLine::read(input);
    if line.target.is_some_and(|(_, len)| len > MAX_TARGET) {
        return Err(Refusal::UriTooLong);
    }
    if input.len() < MAX_HEAD {
        return Ok(());
    }
    // A method that never ends is one that is not implemented (RFC 9112 3).
    Err(match line.target {
        None if line.starts < MAX_HEAD => Refusal::NotImplemented,
        _ => Refusal::FieldsTooLarge,
    })
}

/// Judges what httparse refuses.
fn malformed(input: &[u8], error: Error) -> Result<Option<(usize, Request)>, Refusal> {
    let line = RequestLine::read(input);
    if let Some((starts, len)) = line.target
        && len > MAX_TARGET
    {
        // Too long is known one byte behind the limit; was it malformed before that?
        let known = &input[..=starts + MAX_TARGET];
        let mut head = httparse::Request::new(&mut []);
        if head.parse_with_uninit_headers(known, &mut []).is_ok() {
            return Err(Refusal::UriTooLong);
        }
    }
    match error {
        Error::TooManyHeaders => Err(Refusal::FieldsTooLarge),
        Error::Version => other_version(input, line),
        _ => Err(Refusal::BadRequest),
    }
}

/// RFC 9110 2.5 and 6.2: a higher minor version is served as the highest that is known, another
/// major version is not.
fn other_version(input: &[u8], line: RequestLine) -> Result<Option<(usize, Request)>, Refusal> {
    let Some((starts, len)) = line.target else {
        return Err(Refusal::BadRequest);
    };
    let version = starts + len + 1;
    match input.get(version..).unwrap_or_default() {
        [b'H', b'T', b'T', b'P', b'/', b'1', b'.', b'2'..=b'9', ..] => {
            let mut as_http11 = input.to_vec();
            as_http11[version + 7] = b'1';
            parse(&as_http11)
        }
        [b'H', b'T', b'T', b'P', b'/', b'0' | b'2'..=b'9', ..] => Err(Refusal::VersionNotSupported),
        _ => Err(Refusal::BadRequest),
    }
}

/// Where the parts of a request line stand that is incomplete or malformed.
struct RequestLine {
    /// Where it starts, behind empty lines.
    starts: usize,
    /// Where the target starts and how long it is so far.
    target: Option<(usize, usize)>,
}

impl RequestLine {
    fn read(input: &[u8]) -> Self {
        let is_end = |byte: &u8| matches!(byte, b' ' | b'\r' | b'\n');
        let starts = input
            .iter()
            .position(|byte| !matches!(byte, b'\r' | b'\n'))
            .unwrap_or(input.len());
        let method = input[starts..].iter().position(is_end);
        let target = method
            .filter(|&len| input[starts + len] == b' ')
            .map(|len| {
                let target = starts + len + 1;
                let rest = &input[target..];
                (target, rest.iter().position(is_end).unwrap_or(rest.len()))
            });
        Self { starts, target }
    }
}
