//! `{host}`, `{port}` and the other words in braces that a command may hold.

use std::path::PathBuf;

use super::TargetError;

/// What the placeholders of a command stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// `{bin}`: the folder of the compiled binaries.
    pub bin: PathBuf,
    /// `{dir}`: the target's own folder; set by [`Target::command`](super::Target::command).
    pub dir: PathBuf,
    /// `{host}`: the address to listen on.
    pub host: String,
    /// `{port}`: the port to listen on.
    pub port: u16,
    /// `{threads}`: how many serve.
    pub threads: usize,
    /// The body as text, before it is cut or continued to `body_size`.
    pub body_text: String,
    /// `{body_size}`: bytes of the body.
    pub body_size: usize,
}

impl Values {
    /// The binaries' folder, and for the rest what the contract starts servers with: 127.0.0.1, any free
    /// port, one thread, `Hello, World!`.
    pub fn new(bin: impl Into<PathBuf>) -> Self {
        Self {
            bin: bin.into(),
            dir: PathBuf::from("."),
            host: "127.0.0.1".into(),
            port: 0,
            threads: 1,
            body_text: "Hello, World!".into(),
            body_size: 13,
        }
    }

    /// `{body}`: the text, cut or continued with `0123456789…` to `body_size` bytes (ASCII).
    pub fn body(&self) -> String {
        let filler = ('0'..='9').cycle();
        self.body_text
            .chars()
            .chain(filler)
            .take(self.body_size)
            .collect()
    }

    fn get(&self, word: &str) -> Option<String> {
        Some(match word {
            "bin" => self.bin.display().to_string(),
            "dir" => self.dir.display().to_string(),
            "host" => self.host.clone(),
            "port" => self.port.to_string(),
            "threads" => self.threads.to_string(),
            "body_size" => self.body_size.to_string(),
            "body" => self.body(),
            _ => return None,
        })
    }
}

/// Replaces the placeholders in `text`.
///
/// Braces around anything else than lower-case letters and `_` are kept (`{}`, `{ return 200; }`); an unknown
/// word in braces is an error.
pub fn substitute(text: &str, values: &Values) -> Result<String, TargetError> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        let Some(word) = word_in_braces(rest) else {
            filled.push('{');
            rest = &rest[1..];
            continue;
        };
        filled.push_str(&values.get(word).ok_or_else(|| unknown(word, text))?);
        rest = &rest[word.len() + 2..];
    }
    filled.push_str(rest);
    Ok(filled)
}

fn word_in_braces(text: &str) -> Option<&str> {
    let (word, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_word = !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_word.then_some(word)
}

fn unknown(word: &str, text: &str) -> TargetError {
    TargetError(format!(
        "unknown placeholder {{{word}}} in `{text}`; there are {{bin}}, {{dir}}, {{host}}, {{port}}, {{threads}}, {{body_size}} and {{body}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_and_other_braces_kept() {
        let values = Values {
            port: 81,
            body_size: 3,
            ..Values::new("/b")
        };
        let filled = substitute("{bin}/x {port} {} { a } {body} {{port}} {", &values);
        assert_eq!(filled.unwrap(), "/b/x 81 {} { a } Hel {81} {");
    }

    #[test]
    fn an_unknown_word_is_named() {
        let error = substitute("--n {ports}", &Values::new(""))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("unknown placeholder {ports} in `--n {ports}`"),
            "{error}"
        );
    }

    #[test]
    fn the_body_is_cut_or_continued() {
        let body = |size| {
            Values {
                body_size: size,
                ..Values::new("")
            }
            .body()
        };
        assert_eq!(body(0), "");
        assert_eq!(body(4), "Hell");
        assert_eq!(body(15), "Hello, World!01");
    }
}
