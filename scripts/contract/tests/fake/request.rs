//! Takes requests from the front of a buffer, strictly unless it is to lie.

use super::Lie;

/// What is at the front of the buffer.
pub enum Parsed {
    Incomplete,
    Request(Request),
    /// Refused with this status.
    Refused(u16),
}

pub struct Request {
    pub head_request: bool,
    pub http10: bool,
    pub close: bool,
    pub keep_alive: bool,
    pub expects_continue: bool,
    pub body: Body,
    /// Bytes of the head.
    pub length: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Body {
    Length(usize),
    Chunked,
}

pub fn parse(buffer: &mut Vec<u8>, lie: Lie) -> Parsed {
    if lie != Lie::NoEmptyLine {
        while buffer.starts_with(b"\r\n") {
            buffer.drain(..2);
        }
    }
    let end = buffer.windows(4).position(|window| window == b"\r\n\r\n");
    let head = &buffer[..end.map_or(buffer.len(), |end| end + 2)];
    if let Some(status) = refuse_bytes(head, lie) {
        return Parsed::Refused(status);
    }
    match end {
        None => Parsed::Incomplete,
        Some(end) => match parse_head(&buffer[..end], lie) {
            Ok(request) => Parsed::Request(Request {
                length: end + 4,
                ..request
            }),
            Err(status) => Parsed::Refused(status),
        },
    }
}

/// What may be said before the head is whole.
fn refuse_bytes(head: &[u8], lie: Lie) -> Option<u16> {
    let line = head
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(head.len());
    if line > 8 * 1024 {
        return Some(414);
    }
    if head.len() > 16 * 1024 {
        return Some(431);
    }
    if lie == Lie::TakesAnyField && head.starts_with(b"GET ") {
        return None;
    }
    let bare_lf = (0..head.len()).any(|at| head[at] == b'\n' && (at == 0 || head[at - 1] != b'\r'));
    let control = head
        .iter()
        .any(|byte| byte.is_ascii_control() && !b"\r\n\t".contains(byte));
    (bare_lf || control || head.iter().any(|byte| *byte > 0x7f)).then_some(400)
}

fn parse_head(head: &[u8], lie: Lie) -> Result<Request, u16> {
    let text = String::from_utf8_lossy(head).into_owned();
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target, version) = (words.next().unwrap_or_default(), words.next(), words.next());
    let http10 = match version {
        Some("HTTP/1.0") => true,
        Some("HTTP/1.1") => false,
        _ if lie == Lie::TakesAnyVersion => false,
        Some("HTTP/2.0") => return Err(505),
        _ => return Err(400),
    };
    if method == "CONNECT" && lie != Lie::OpensTunnels {
        return Err(501);
    }
    if lie == Lie::OriginFormOnly && !target.is_some_and(|target| target.starts_with('/')) {
        return Err(400);
    }
    let fields = fields(lines, lie)?;
    let all = |name: &str| -> Vec<&str> {
        fields
            .iter()
            .filter(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
            .collect()
    };
    if !http10 && all("host").len() != 1 && lie != Lie::ChecksNoHost {
        return Err(400);
    }
    let connection = all("connection").join(",").to_ascii_lowercase();
    let has = |option: &str| connection.split(',').any(|token| token.trim() == option);
    Ok(Request {
        head_request: method == "HEAD",
        http10,
        close: has("close"),
        keep_alive: has("keep-alive"),
        expects_continue: all("expect").contains(&"100-continue") && !http10,
        body: body(
            &all("content-length"),
            &all("transfer-encoding"),
            http10,
            lie,
        )?,
        length: 0,
    })
}

fn fields<'a>(
    lines: impl Iterator<Item = &'a str>,
    lie: Lie,
) -> Result<Vec<(String, String)>, u16> {
    let mut fields = Vec::new();
    for line in lines {
        let (name, value) = line.split_once(':').unwrap_or_default();
        let token = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let wrong = !token || value.contains('\r');
        if wrong && lie != Lie::TakesAnyField {
            return Err(400);
        }
        fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let limit = if lie == Lie::SixteenFields { 16 } else { 100 };
    if fields.len() > limit {
        Err(431)
    } else {
        Ok(fields)
    }
}

fn body(lengths: &[&str], encodings: &[&str], http10: bool, lie: Lie) -> Result<Body, u16> {
    let both = !lengths.is_empty() && !encodings.is_empty();
    match encodings {
        [] => {}
        _ if lie == Lie::TakesAnyEncoding => return Ok(Body::Length(0)),
        _ if both && lie != Lie::TrustsBothLengths => return Err(400),
        _ if http10 => return Err(400),
        ["chunked"] => return Ok(Body::Chunked),
        _ => return Err(501),
    }
    match lengths {
        [] => Ok(Body::Length(0)),
        [one]
            if one.len() < 16
                && !one.is_empty()
                && one.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            Ok(Body::Length(one.parse().map_err(|_| 400_u16)?))
        }
        _ if lie == Lie::TakesAnyLength => Ok(Body::Length(5)),
        _ => Err(400),
    }
}

/// How many bytes the chunked body at the front takes; `Ok(None)`: more must come.
pub fn chunked_length(bytes: &[u8], lie: Lie) -> Result<Option<usize>, ()> {
    let mut at = 0;
    loop {
        let Some(end) = bytes[at..].windows(2).position(|window| window == b"\r\n") else {
            return if bytes[at..].contains(&b'\n') {
                Err(())
            } else {
                Ok(None)
            };
        };
        let line = String::from_utf8_lossy(&bytes[at..at + end]).into_owned();
        let digits = line.split(';').next().unwrap_or_default();
        let size = size(digits, lie)?;
        at += end + 2;
        if size == 0 {
            let trailers = &bytes[at - 2..];
            return Ok(trailers
                .windows(4)
                .position(|window| window == b"\r\n\r\n")
                .map(|end| at + end + 2));
        }
        let Some(chunk_end) =
            bytes.get(at.saturating_add(size)..at.saturating_add(size).saturating_add(2))
        else {
            return Ok(None);
        };
        if chunk_end != b"\r\n" {
            return Err(());
        }
        at += size + 2;
    }
}

fn size(digits: &str, lie: Lie) -> Result<usize, ()> {
    if lie == Lie::TakesAnyChunk {
        // As C's strtoul would: a sign, a prefix, and wrapping around.
        let digits = digits.trim_start_matches('+').trim_start_matches("0x");
        let digits = &digits[digits.len().saturating_sub(16)..];
        return u64::from_str_radix(digits, 16)
            .map_err(|_| ())?
            .try_into()
            .map_err(|_| ());
    }
    let right = !digits.is_empty()
        && digits.len() < 9
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if right {
        usize::from_str_radix(digits, 16).map_err(|_| ())
    } else {
        Err(())
    }
}
