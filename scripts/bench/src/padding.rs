//! `--wire-size`: the body with which a target's whole response has the wanted size. It is found by asking the target
//! itself, because only its response tells what its head takes.

/// The largest body, in bytes: as much as the servers of this suite send, 1 GiB.
pub const LARGEST_BODY: u64 = 1 << 30;

/// How often a target is asked at most: the head's size changes only with the digits of its Content-Length.
const TRIES: usize = 5;

/// A response as it came, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// All of it.
    pub whole: usize,
    /// Its body.
    pub body: usize,
}

/// The size of the body with which the whole response has `wanted` bytes; `ask` gives the response to a body size.
///
/// # Errors
/// When the head alone is larger, when no body makes it exactly that size, or when `ask` fails.
pub fn body_size(
    wanted: usize,
    mut ask: impl FnMut(usize) -> Result<Size, String>,
) -> Result<usize, String> {
    let mut body = wanted / 2;
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let size = ask(body)?;
        if size.whole == wanted {
            return Ok(body);
        }
        seen.push(format!("{body} give {}", size.whole));
        let head = size.whole - size.body;
        if head > wanted && body == 0 {
            return Err(format!(
                "its head alone has {head} bytes: its response cannot be {wanted} bytes"
            ));
        }
        body = wanted.saturating_sub(head);
    }
    Err(format!(
        "no body makes its response exactly {wanted} bytes: {}",
        seen.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server whose head has `fixed` bytes and the digits of its Content-Length.
    fn server(fixed: usize) -> impl FnMut(usize) -> Result<Size, String> {
        move |body| {
            Ok(Size {
                whole: fixed + body.to_string().len() + body,
                body,
            })
        }
    }

    #[test]
    fn the_body_fills_what_the_head_leaves() {
        assert_eq!(body_size(228, server(100)), Ok(125));
        assert_eq!(body_size(1000, server(100)), Ok(897));
        assert_eq!(body_size(101, server(100)), Ok(0));
    }

    #[test]
    fn a_head_that_is_larger_already_is_an_error() {
        let error = body_size(228, server(300)).unwrap_err();
        assert!(error.starts_with("its head alone has 301 bytes"), "{error}");
    }

    #[test]
    fn a_size_between_two_digits_cannot_be_had() {
        // 99 bytes of body give 201, 100 give 203.
        let error = body_size(202, server(100)).unwrap_err();
        assert!(
            error.starts_with("no body makes its response exactly 202 bytes"),
            "{error}"
        );
    }

    #[test]
    fn a_server_that_does_not_answer_is_told() {
        assert_eq!(body_size(228, |_| Err("gone".into())), Err("gone".into()));
    }
}
