//! A small exact reader of HTTP/1.x responses (RFC 9112), over any `Read`.
//!
//! It is strict: CRLF only, no doubled or doubtful framing. It never reads more of the stream than it has to
//! wait for, and keeps in the caller's buffer what came beyond the response.

use std::io::{self, Read};

/// The longest head that is accepted, in bytes.
const HEAD_LIMIT: usize = 64 * 1024;

/// How the end of a body is known (RFC 9112 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is no body: HEAD, 1xx, 204, 304, and a 2xx to CONNECT.
    Empty,
    /// `Content-Length`, in bytes.
    Length(usize),
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// It ends with the connection.
    UntilClose,
}

/// One response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The digit behind `HTTP/1.`.
    pub minor_version: u8,
    /// The three digits.
    pub status: u16,
    /// The head as it came, its empty line included.
    pub head: Vec<u8>,
    /// Field lines in order: names as they came, values without the blanks around them.
    pub fields: Vec<(String, String)>,
    /// How the body's end was known.
    pub framing: Framing,
    /// The body, without chunked framing.
    pub body: Vec<u8>,
    /// Bytes that the whole response took on the wire.
    pub wire_bytes: usize,
}

impl Response {
    /// The values of all field lines with this name, whatever its case.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields
            .iter()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Whether `Connection` holds this option (RFC 9110 7.6.1).
    pub fn connection_has(&self, option: &str) -> bool {
        self.values("connection")
            .flat_map(|value| value.split(','))
            .any(|token| token.trim().eq_ignore_ascii_case(option))
    }

    /// Whether the connection may carry another response (RFC 9112 9.3).
    pub fn keeps_alive(&self) -> bool {
        let promised = self.minor_version >= 1 || self.connection_has("keep-alive");
        promised && !self.connection_has("close") && self.framing != Framing::UntilClose
    }
}

/// Reads the next response to a request with `method`; what came beyond it stays in `buffer`.
///
/// `Ok(None)` is an end of stream before the first byte. A malformed head or body is `InvalidData` with a
/// one-line reason, an end of stream in the middle `UnexpectedEof`.
pub fn read_response(
    stream: &mut impl Read,
    buffer: &mut Vec<u8>,
    method: &str,
) -> io::Result<Option<Response>> {
    let Some(head) = read_head(stream, buffer)? else {
        return Ok(None);
    };
    let (minor_version, status, fields) = parse_head(&head)?;
    let framing = framing(method, status, &fields)?;
    let (body, body_bytes) = match framing {
        Framing::Empty => (Vec::new(), 0),
        Framing::Length(length) => (take(stream, buffer, length)?, length),
        Framing::Chunked => read_chunked(stream, buffer)?,
        Framing::UntilClose => {
            stream.read_to_end(buffer)?;
            let body = std::mem::take(buffer);
            let length = body.len();
            (body, length)
        }
    };
    let wire_bytes = head.len() + body_bytes;
    Ok(Some(Response {
        minor_version,
        status,
        head,
        fields,
        framing,
        body,
        wire_bytes,
    }))
}

fn read_head(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<Option<Vec<u8>>> {
    let mut searched = 0;
    loop {
        if !b"HTTP/1.".starts_with(&buffer[..buffer.len().min(7)]) {
            return Err(malformed("what came is no HTTP/1.x response"));
        }
        if let Some(at) = find(&buffer[searched..], b"\r\n\r\n") {
            return Ok(Some(buffer.drain(..searched + at + 4).collect()));
        }
        if buffer.len() > HEAD_LIMIT {
            return Err(malformed("the response's head does not end"));
        }
        searched = buffer.len().saturating_sub(3);
        if fill(stream, buffer)? == 0 {
            return if buffer.is_empty() {
                Ok(None)
            } else {
                Err(cut("in a response's head"))
            };
        }
    }
}

type Fields = Vec<(String, String)>;

fn parse_head(head: &[u8]) -> io::Result<(u8, u16, Fields)> {
    // A value, or a reason phrase, may hold bytes that are no UTF-8 (obs-text, RFC 9110 5.5).
    let text = String::from_utf8_lossy(head);
    let mut lines = text[..text.len() - 4].split("\r\n");
    let (minor_version, status) = parse_status_line(lines.next().unwrap_or_default())?;
    let fields = lines.map(parse_field).collect::<io::Result<_>>()?;
    Ok((minor_version, status, fields))
}

/// `HTTP/1.1 200 OK`; the reason phrase may be missing, with its blank or without (RFC 9112 4).
fn parse_status_line(line: &str) -> io::Result<(u8, u16)> {
    let bytes = line.as_bytes();
    let right = bytes.len() >= 12
        && bytes.starts_with(b"HTTP/1.")
        && matches!(bytes[7], b'0' | b'1')
        && bytes[8] == b' '
        && matches!(bytes[9], b'1'..=b'5')
        && bytes[9..12].iter().all(u8::is_ascii_digit)
        && (bytes.len() == 12 || bytes[12] == b' ')
        && !bytes.iter().any(u8::is_ascii_control);
    if !right {
        return Err(malformed(format!(
            "malformed status line `{}`",
            line.escape_debug()
        )));
    }
    let status = bytes[9..12]
        .iter()
        .fold(0, |status, digit| status * 10 + u16::from(digit - b'0'));
    Ok((bytes[7] - b'0', status))
}

fn parse_field(line: &str) -> io::Result<(String, String)> {
    let wrong = || malformed(format!("malformed field line `{}`", line.escape_debug()));
    let (name, value) = line.split_once(':').ok_or_else(wrong)?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(wrong());
    }
    let value = value.trim_matches([' ', '\t']);
    if value
        .bytes()
        .any(|byte| byte.is_ascii_control() && byte != b'\t')
    {
        return Err(wrong());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// RFC 9112 6.3, with everything refused that two readers could take differently.
fn framing(method: &str, status: u16, fields: &Fields) -> io::Result<Framing> {
    let values = |name: &str| -> Vec<&str> {
        let named = fields
            .iter()
            .filter(|(other, _)| other.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).collect()
    };
    let (lengths, encodings) = (values("content-length"), values("transfer-encoding"));
    let length = match lengths[..] {
        [] => None,
        [one] => Some(parse_length(one)?),
        _ => return Err(malformed("Content-Length is there more than once")),
    };
    let tunnel = method == "CONNECT" && (200..300).contains(&status);
    if method == "HEAD" || status < 200 || status == 204 || status == 304 || tunnel {
        return Ok(Framing::Empty);
    }
    match (&encodings[..], length) {
        ([], Some(length)) => Ok(Framing::Length(length)),
        ([], None) => Ok(Framing::UntilClose),
        ([one], None) if one.eq_ignore_ascii_case("chunked") => Ok(Framing::Chunked),
        (_, Some(_)) => Err(malformed("both Content-Length and Transfer-Encoding")),
        _ => Err(malformed(format!(
            "Transfer-Encoding `{}`",
            encodings.join(", ")
        ))),
    }
}

fn parse_length(value: &str) -> io::Result<usize> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let length = digits.then(|| value.parse().ok()).flatten();
    length.ok_or_else(|| malformed(format!("malformed Content-Length `{value}`")))
}

/// The body and the bytes that it took with its chunk lines and trailers (RFC 9112 7.1).
fn read_chunked(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<(Vec<u8>, usize)> {
    let (mut body, mut wire_bytes) = (Vec::new(), 0);
    loop {
        let line = read_line(stream, buffer)?;
        wire_bytes += line.len() + 2;
        let size = parse_chunk_size(&line)?;
        if size == 0 {
            break;
        }
        body.extend(take(stream, buffer, size)?);
        if take(stream, buffer, 2)? != b"\r\n" {
            return Err(malformed("a chunk is longer than its size says"));
        }
        wire_bytes += size + 2;
    }
    loop {
        let trailer = read_line(stream, buffer)?;
        wire_bytes += trailer.len() + 2;
        if trailer.is_empty() {
            return Ok((body, wire_bytes));
        }
    }
}

/// Hexadecimal digits, and whatever extensions behind `;` (RFC 9112 7.1.1).
fn parse_chunk_size(line: &str) -> io::Result<usize> {
    let digits = line
        .split(';')
        .next()
        .unwrap_or_default()
        .trim_end_matches([' ', '\t']);
    let wrong = || malformed(format!("malformed chunk size `{}`", line.escape_debug()));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    usize::from_str_radix(digits, 16).map_err(|_| wrong())
}

fn read_line(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<String> {
    loop {
        if let Some(at) = find(buffer, b"\r\n") {
            let line: Vec<u8> = buffer.drain(..at + 2).take(at).collect();
            return String::from_utf8(line)
                .map_err(|_| malformed("a line in a chunked body is not UTF-8"));
        }
        if buffer.len() > HEAD_LIMIT {
            return Err(malformed("a line in a chunked body does not end"));
        }
        if fill(stream, buffer)? == 0 {
            return Err(cut("in a chunked body"));
        }
    }
}

fn take(stream: &mut impl Read, buffer: &mut Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
    while buffer.len() < length {
        if fill(stream, buffer)? == 0 {
            return Err(cut(&format!(
                "{} bytes before the body's end",
                length - buffer.len()
            )));
        }
    }
    Ok(buffer.drain(..length).collect())
}

/// One read, appended to `buffer`; interrupted ones are repeated.
fn fill(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut piece = [0; 16 * 1024];
    loop {
        match stream.read(&mut piece) {
            Ok(count) => {
                buffer.extend_from_slice(&piece[..count]);
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes
        .windows(needle.len())
        .position(|window| window == needle)
}

fn malformed(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

fn cut(place: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        format!("the connection ended {place}"),
    )
}

#[cfg(test)]
mod tests;
