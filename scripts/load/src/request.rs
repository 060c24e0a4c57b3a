//! The bytes of a request.

use crate::{Config, Error, Mode, RequestKind};

/// What Chrome sends with a page's request, `Host` and `Connection` apart.
const BROWSER: [(&str, &str); 13] = [
    ("Cache-Control", "max-age=0"),
    (
        "sec-ch-ua",
        "\"Chromium\";v=\"142\", \"Google Chrome\";v=\"142\", \"Not_A Brand\";v=\"99\"",
    ),
    ("sec-ch-ua-mobile", "?0"),
    ("sec-ch-ua-platform", "\"Linux\""),
    ("Upgrade-Insecure-Requests", "1"),
    (
        "User-Agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    ),
    (
        "Accept",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
    ),
    ("Sec-Fetch-Site", "none"),
    ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-User", "?1"),
    ("Sec-Fetch-Dest", "document"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Accept-Language", "en-US,en;q=0.9"),
];

/// One request as the run sends it. A field of [`Config::headers`] takes the place of one that the run
/// would send by itself.
pub(crate) fn bytes(config: &Config) -> Result<Vec<u8>, Error> {
    for (name, value) in &config.headers {
        check(name, value)?;
    }
    let given = |name: &str| {
        config
            .headers
            .iter()
            .any(|(own, _)| own.eq_ignore_ascii_case(name))
    };
    let own = own_fields(config)
        .into_iter()
        .filter(|(name, _)| !given(name));
    let theirs = config
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));

    let mut text = format!("GET {} HTTP/1.1\r\n", config.target.path);
    for (name, value) in own.chain(theirs) {
        text.extend([name, ": ", value, "\r\n"]);
    }
    text.push_str("\r\n");
    Ok(text.into_bytes())
}

/// The fields that the run sends by itself.
fn own_fields(config: &Config) -> Vec<(&str, &str)> {
    let mut fields = vec![("Host", config.target.host.as_str())];
    match (config.mode, config.request) {
        (Mode::Close, _) => fields.push(("Connection", "close")),
        (_, RequestKind::Browser) => fields.push(("Connection", "keep-alive")),
        (_, RequestKind::Minimal) => {}
    }
    if config.request == RequestKind::Browser {
        fields.extend(BROWSER);
    }
    fields
}

/// RFC 9110 section 5: a name is a token, a value holds no control characters but the tab.
fn check(name: &str, value: &str) -> Result<(), Error> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(token) {
        return Err(Error::Config(format!(
            "{name:?} is not the name of a header field"
        )));
    }
    if value
        .bytes()
        .any(|byte| byte.is_ascii_control() && byte != b'\t')
    {
        return Err(Error::Config(format!(
            "the value of {name} holds control characters: leave them out"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn config() -> Config {
        Config::new(Target::new("127.0.0.1:80".parse().unwrap()))
    }

    fn text(config: &Config) -> String {
        String::from_utf8(bytes(config).unwrap()).unwrap()
    }

    #[test]
    fn minimal_is_what_wrk_sends() {
        assert_eq!(
            text(&config()),
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"
        );
    }

    #[test]
    fn browser_has_15_fields() {
        let config = Config {
            request: RequestKind::Browser,
            ..config()
        };
        assert_eq!(text(&config).matches("\r\n").count(), 1 + 15 + 1);
    }

    #[test]
    fn close_says_so() {
        let config = Config {
            mode: Mode::Close,
            ..config()
        };
        assert!(text(&config).contains("\r\nConnection: close\r\n"));
    }

    #[test]
    fn given_fields_win() {
        let config = Config {
            headers: vec![("host".into(), "x".into()), ("A".into(), "b".into())],
            ..config()
        };
        assert_eq!(text(&config), "GET / HTTP/1.1\r\nhost: x\r\nA: b\r\n\r\n");
    }

    #[test]
    fn fields_cannot_smuggle() {
        for (name, value) in [("a b", "c"), ("", "c"), ("a", "b\r\nc: d")] {
            let config = Config {
                headers: vec![(name.into(), value.into())],
                ..config()
            };
            assert!(bytes(&config).is_err());
        }
    }
}
