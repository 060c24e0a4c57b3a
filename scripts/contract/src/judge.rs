//! How strictly a server is judged, and what a right response is then.

use crate::date::parse_imf_fixdate;
use crate::http::{Framing, Response};

/// How strictly a server is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judge {
    /// One of our servers: `200` with exactly `Content-Type: text/plain`, `Content-Length`, `Date`
    /// (plus `Connection` where HTTP requires it) and this body.
    Ours {
        /// The body that every response carries.
        body: Vec<u8>,
        /// Field lines that the stack adds and that cannot be had otherwise, such as `Server: M`.
        extra_fields: Vec<String>,
        /// Engines have no library to blame: the answers and times that are theirs alone apply.
        engine: bool,
    },
    /// Any other server, as a client would judge: right framing, any status that RFC 9110 allows, survival.
    Foreign,
}

/// What a response has to say about its connection (RFC 9112 9.3, 9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connection {
    /// Nothing: HTTP/1.1 stays open by itself.
    Stays,
    /// `keep-alive`: the client speaks HTTP/1.0 and asked for it.
    KeepAlive,
    /// `close`: it is the last one, and the client speaks HTTP/1.1.
    Close,
    /// Nothing or `close`: it is the last one, and an HTTP/1.0 client expects no other.
    Last,
    /// Nothing or `close`: the server may choose.
    Any,
}

impl Judge {
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self, Self::Ours { .. })
    }

    pub(crate) fn is_engine(&self) -> bool {
        matches!(self, Self::Ours { engine: true, .. })
    }

    /// Whether `response` is right for a well-formed request with `method`.
    pub(crate) fn served(
        &self,
        response: &Response,
        method: &str,
        connection: Connection,
    ) -> Result<(), String> {
        match self {
            Self::Ours {
                body, extra_fields, ..
            } => {
                let body = if method == "HEAD" {
                    None
                } else {
                    Some(body.as_slice())
                };
                ours_head(response, extra_fields, self.body_length(), connection)?;
                ours_body(response, body)
            }
            Self::Foreign => foreign_served(response, method),
        }
    }

    /// Whether `response` refuses a request as it should; `statuses` are what our servers may answer.
    pub(crate) fn refused(&self, response: &Response, statuses: &[u16]) -> Result<(), String> {
        let allowed = match self {
            Self::Ours { .. } => statuses.contains(&response.status),
            Self::Foreign => response.status >= 400,
        };
        if !allowed {
            return Err(format!(
                "status {}, not {}",
                response.status,
                self.refusals(statuses)
            ));
        }
        Ok(())
    }

    /// The statuses of a refusal, in words.
    pub(crate) fn refusals(&self, statuses: &[u16]) -> String {
        match self {
            Self::Ours { .. } => statuses
                .iter()
                .map(u16::to_string)
                .collect::<Vec<_>>()
                .join(" or "),
            Self::Foreign => "4xx or 5xx".into(),
        }
    }

    fn body_length(&self) -> usize {
        match self {
            Self::Ours { body, .. } => body.len(),
            Self::Foreign => 0,
        }
    }
}

fn ours_head(
    response: &Response,
    extra: &[String],
    length: usize,
    connection: Connection,
) -> Result<(), String> {
    if response.status != 200 {
        return Err(format!("status {}, not 200", response.status));
    }
    // A server may answer an old client in the client's own version (RFC 9110 6.2).
    let old_client = matches!(connection, Connection::KeepAlive | Connection::Last);
    if response.minor_version == 0 && !old_client {
        return Err("an HTTP/1.0 response to an HTTP/1.1 request".into());
    }
    let length = length.to_string();
    required(response, "Content-Type", "text/plain", |value| {
        value == "text/plain"
    })?;
    required(response, "Content-Length", &length, |value| value == length)?;
    required(response, "Date", "an IMF-fixdate", |value| {
        parse_imf_fixdate(value).is_some()
    })?;
    said_about_connection(response, connection)?;
    only_known_fields(response, extra)?;
    plain_spelling(response)
}

/// The field is there once, and `is_right`.
fn required(
    response: &Response,
    name: &str,
    right: &str,
    is_right: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let values: Vec<&str> = response.values(name).collect();
    match values[..] {
        [value] if is_right(value) => Ok(()),
        [value] => Err(format!("`{name}: {value}`, not `{right}`")),
        [] => Err(format!("no `{name}`")),
        _ => Err(format!("`{name}` is there {} times", values.len())),
    }
}

/// All our servers send the same number of bytes: `200 OK`, and one blank behind each colon.
fn plain_spelling(response: &Response) -> Result<(), String> {
    let line = |(name, value): &(String, String)| format!("{name}: {value}\r\n").len();
    let fields: usize = response.fields.iter().map(line).sum();
    let right = "HTTP/1.1 200 OK\r\n".len() + fields + "\r\n".len();
    match response.head.len() {
        length if length == right => Ok(()),
        length => Err(format!(
            "the head takes {length} bytes, and {right} in plain spelling"
        )),
    }
}

fn said_about_connection(response: &Response, connection: Connection) -> Result<(), String> {
    let said: Vec<String> = response
        .values("connection")
        .map(str::to_ascii_lowercase)
        .collect();
    let said = said.join(", ");
    let right: &[&str] = match connection {
        Connection::Stays => &[""],
        Connection::KeepAlive => &["keep-alive"],
        Connection::Close => &["close"],
        Connection::Last | Connection::Any => &["", "close"],
    };
    match (right.contains(&&*said), said.as_str()) {
        (true, _) => Ok(()),
        (false, "") => Err(format!("no `Connection: {}`", right[0])),
        (false, said) => Err(format!(
            "`Connection: {said}` where HTTP does not require it"
        )),
    }
}

fn only_known_fields(response: &Response, extra: &[String]) -> Result<(), String> {
    let known = |name: &str| {
        ["content-type", "content-length", "date", "connection"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    };
    for (name, value) in response.fields.iter().filter(|(name, _)| !known(name)) {
        let line = format!("{name}: {value}");
        if !extra
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(&line))
        {
            return Err(format!("unexpected field `{line}`"));
        }
    }
    Ok(())
}

fn ours_body(response: &Response, body: Option<&[u8]>) -> Result<(), String> {
    let Some(body) = body else {
        return Ok(()); // what follows the head is read as the next response
    };
    if response.body != body {
        let start: Vec<u8> = response.body.iter().copied().take(40).collect();
        return Err(format!("the body is `{}`", start.escape_ascii()));
    }
    Ok(())
}

/// Any final status may answer, but those that say that a good request is bad, or that nothing works.
fn foreign_served(response: &Response, method: &str) -> Result<(), String> {
    let status = response.status;
    let wrong = match status {
        ..200 => true,
        // RFC 9110: a server need not know other methods than GET and HEAD, nor take their content.
        405 | 411 | 413 | 415 | 501 if method != "GET" => false,
        400 | 408 | 411 | 413 | 414 | 417 | 431 => true,
        500.. => true,
        _ => false,
    };
    if wrong {
        return Err(format!("status {status} to a well-formed request"));
    }
    if method != "HEAD"
        && response.framing == Framing::UntilClose
        && response.connection_has("keep-alive")
    {
        return Err("`Connection: keep-alive` on a response that only its close could end".into());
    }
    Ok(())
}
