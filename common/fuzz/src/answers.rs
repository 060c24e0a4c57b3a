//! The responses in an output, read as a client reads them.

/// A final response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// An interim `100 Continue` came before it.
    pub continued: bool,
    /// A body follows its head, or is left out as for HEAD.
    pub has_body: bool,
    /// It says that it is the last one on its connection (RFC 9112 9.3).
    pub closes: bool,
}

/// Reads all responses in `output`; those with a body have `body`.
///
/// # Panics
/// When a client could not read them: that is a finding.
pub fn answers(mut output: &[u8], body: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    let mut continued = false;
    while !output.is_empty() {
        let (status, closes, rest) = head(output);
        output = rest;
        if status == 100 {
            assert!(!continued, "100 Continue twice");
            continued = true;
            continue;
        }
        // Only a response of 200 has a body, and a body never starts as a head does.
        let has_body = status == 200 && !body.is_empty() && output.starts_with(body);
        output = if has_body {
            &output[body.len()..]
        } else {
            output
        };
        answers.push(Answer {
            status,
            continued: std::mem::take(&mut continued),
            has_body,
            closes,
        });
    }
    answers
}

/// The status of the head at the start of `output`, whether it says that the connection closes, and
/// what follows it.
fn head(output: &[u8]) -> (u16, bool, &[u8]) {
    let mut fields = [httparse::EMPTY_HEADER; 8];
    let mut head = httparse::Response::new(&mut fields);
    let Ok(httparse::Status::Complete(len)) = head.parse(output) else {
        panic!("no response: {}", output.escape_ascii());
    };
    let mut closes = head.version == Some(0);
    for field in head.headers.iter() {
        if field.name.eq_ignore_ascii_case("connection") {
            closes = match field.value {
                b"close" => true,
                b"keep-alive" => false,
                other => panic!("Connection: {}", other.escape_ascii()),
            };
        }
    }
    (head.code.unwrap_or_default(), closes, &output[len..])
}
