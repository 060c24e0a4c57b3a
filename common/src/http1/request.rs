//! The head of a request: httparse, and the checks that it leaves to its caller.

use std::mem::MaybeUninit;

use httparse::{Error, Header, Status};

use super::response::{Answer, Persistence, Refusal};
use super::{MAX_FIELDS, MAX_HEAD, MAX_TARGET};

/// What is at the start of some input.
pub(super) enum Head {
    /// A part of a head.
    Incomplete,
    /// The head, so many bytes, of a GET in HTTP/1.1 that says nothing that matters: most are such,
    /// and a tenth of the work is saved by not looking at what they do not have.
    Plain(usize),
    /// Another head, so many bytes.
    Full(usize, Request),
}

/// What the head of a request says about the rest of the exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) answer: Answer,
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

/// Parses the head at the start of `input`.
///
/// The verdict is that of the shortest part of the input that has one, so bytes that arrive
/// together are judged as they are when they arrive one by one.
#[inline(always)]
pub(super) fn parse(input: &[u8]) -> Result<Head, Refusal> {
    let input = &input[..input.len().min(MAX_HEAD)];
    let mut fields = [const { MaybeUninit::<Header>::uninit() }; MAX_FIELDS];
    let mut head = httparse::Request::new(&mut []);
    match head.parse_with_uninit_headers(input, &mut fields) {
        Ok(Status::Complete(len)) => check(&input[..len], &head),
        Ok(Status::Partial) => incomplete(input).map(|()| Head::Incomplete),
        Err(error) => malformed(input, error),
    }
}

/// Judges a complete head.
#[inline(always)]
fn check(head: &[u8], parsed: &httparse::Request) -> Result<Head, Refusal> {
    let method = parsed.method.unwrap_or_default();
    if parsed.path.is_some_and(|target| target.len() > MAX_TARGET) {
        return Err(Refusal::UriTooLong);
    }
    let is_http10 = parsed.version == Some(0);
    let mut fields = Fields::default();
    fields.read(head, method, parsed.headers)?;
    if head.starts_with(b"GET ") && !is_http10 && fields.hosts == 1 && !fields.say_more {
        return Ok(Head::Plain(head.len()));
    }
    judge(method, is_http10, &fields).map(|request| Head::Full(head.len(), request))
}

/// What a request says that says more than most.
fn judge(method: &str, is_http10: bool, fields: &Fields) -> Result<Request, Refusal> {
    // RFC 9112 3.2: exactly one Host in HTTP/1.1; and never two.
    if fields.hosts != 1 && !(is_http10 && fields.hosts == 0) {
        return Err(Refusal::BadRequest);
    }
    if method == "CONNECT" {
        // A 2xx would open a tunnel (RFC 9110 9.3.6).
        return Err(Refusal::NotImplemented);
    }
    // RFC 9110 10.1.1: an expectation in HTTP/1.0 is ignored, one that is unknown may be refused.
    if fields.expects_unknown && !is_http10 {
        return Err(Refusal::ExpectationFailed);
    }
    let body = fields.body(is_http10)?;
    // RFC 9112 9.3.
    let persistence = match is_http10 {
        _ if fields.close => Persistence::Close,
        false => Persistence::Implied,
        true if fields.keep_alive => Persistence::KeepAlive,
        true => Persistence::Close,
    };
    Ok(Request {
        answer: Answer {
            persistence,
            is_head: method == "HEAD",
        },
        expects_continue: fields.expects_continue && !is_http10 && body != Body::Length(0),
        body,
    })
}

/// The fields that decide about framing and persistence.
#[derive(Default)]
struct Fields<'a> {
    hosts: usize,
    /// There is one that matters to a GET in HTTP/1.1.
    say_more: bool,
    length: Option<&'a [u8]>,
    coding: Option<&'a [u8]>,
    close: bool,
    keep_alive: bool,
    expects_continue: bool,
    expects_unknown: bool,
}

impl<'a> Fields<'a> {
    #[inline(always)]
    fn read(&mut self, head: &[u8], method: &str, headers: &[Header<'a>]) -> Result<(), Refusal> {
        let offset = |text: &str| text.as_ptr().addr() - head.as_ptr().addr();
        // httparse takes a bare LF for the end of a line, RFC 9112 2.2 lets us refuse it: two
        // parsers that disagree about where a line ends are how requests are smuggled. Each line
        // ends right before the next field's name, so that is where to look.
        let lead = &head[..offset(method)];
        let mut bare_lf = !leads_with_empty_lines(lead) || !head.ends_with(b"\r\n\r\n");
        for header in headers {
            bare_lf |= head[offset(header.name) - 2] != b'\r';
            self.note(header.name.as_bytes(), header.value)?;
        }
        if bare_lf {
            Err(Refusal::BadRequest)
        } else {
            Ok(())
        }
    }

    /// Most fields are told from those that matter by their first letter.
    #[inline(always)]
    fn note(&mut self, name: &[u8], value: &'a [u8]) -> Result<(), Refusal> {
        match name.first().map_or(0, |letter| letter | 0x20) {
            b'h' if is(name, b"Host") => self.hosts += 1,
            b'c' | b'e' | b't' => return self.note_more(name, value),
            _ => {}
        }
        Ok(())
    }

    fn note_more(&mut self, name: &[u8], value: &'a [u8]) -> Result<(), Refusal> {
        if is(name, b"Connection") {
            self.note_options(value);
        } else if is(name, b"Content-Length") {
            self.say_more = true;
            once(&mut self.length, value)?;
        } else if is(name, b"Transfer-Encoding") {
            self.say_more = true;
            once(&mut self.coding, value)?;
        } else if is(name, b"Expect") {
            self.say_more = true;
            let known = is(value, b"100-continue");
            self.expects_continue |= known;
            self.expects_unknown |= !known;
        }
        Ok(())
    }

    /// The options of a Connection field, a list (RFC 9110 7.6.1).
    fn note_options(&mut self, value: &[u8]) {
        if is(value, b"keep-alive") {
            self.keep_alive = true;
            return;
        }
        for option in value.split(|&byte| byte == b',') {
            let option = option.trim_ascii();
            self.close |= is(option, b"close");
            self.keep_alive |= is(option, b"keep-alive");
        }
        self.say_more |= self.close;
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

/// Whether `text` is `usual`, in any case: most often it is as written here, and one comparison.
#[inline(always)]
fn is(text: &[u8], usual: &[u8]) -> bool {
    text == usual || text.eq_ignore_ascii_case(usual)
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
    let is_chunked = |coding: &[u8]| is(coding.trim_ascii(), b"chunked");
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
    lead.is_empty() || lead.chunks(2).all(|line| line == b"\r\n")
}

/// Judges a head that is not complete: how much more of it may come?
#[cold]
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
#[cold]
fn malformed(input: &[u8], error: Error) -> Result<Head, Refusal> {
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
#[inline(never)]
fn other_version(input: &[u8], line: RequestLine) -> Result<Head, Refusal> {
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
