//! Where the requests go.

use std::net::{SocketAddr, ToSocketAddrs};

use crate::Error;

/// An address to load and how requests name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Addresses to try in turn; the first that takes a connection is loaded.
    pub addresses: Vec<SocketAddr>,
    /// Value of the Host field.
    pub host: String,
    /// Request target in origin form, beginning with a slash.
    pub path: String,
}

impl Target {
    /// One address, named by itself, with path `/`.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            addresses: vec![address],
            host: address.to_string(),
            path: "/".into(),
        }
    }

    /// From `http://HOST[:PORT][/PATH]`; the scheme may be left out, a name is resolved.
    pub fn parse(url: &str) -> Result<Self, Error> {
        let wrong = |reason| Error::Url {
            url: url.into(),
            reason,
        };
        let rest = match url.split_once("://") {
            Some(("http", rest)) => rest,
            Some(_) => return Err(wrong("only http is spoken")),
            None => url,
        };
        let rest = rest.split('#').next().unwrap_or(rest);
        let (host, path) = match rest.find(['/', '?']) {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        if host.is_empty() || host.contains('@') {
            return Err(wrong("it names no host"));
        }
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong(
                "spaces and other than ASCII letters must be percent-encoded",
            ));
        }
        let path = if path.starts_with('?') {
            format!("/{path}")
        } else {
            path.into()
        };
        Ok(Self {
            addresses: resolve(host)?,
            host: host.into(),
            path,
        })
    }

    /// The target as a URL.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.host, self.path)
    }
}

/// All addresses of `HOST[:PORT]`, port 80 unless given.
fn resolve(host: &str) -> Result<Vec<SocketAddr>, Error> {
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| !port.contains(']'));
    let with_port = if has_port {
        host.into()
    } else {
        format!("{host}:80")
    };
    let failed = |source| Error::Resolve {
        host: with_port.clone(),
        source,
    };
    let addresses: Vec<_> = with_port.to_socket_addrs().map_err(failed)?.collect();
    if addresses.is_empty() {
        return Err(failed(std::io::ErrorKind::NotFound.into()));
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let target = Target::parse("http://127.0.0.1:8080/a?b=c#d").unwrap();
        assert_eq!(target.addresses, ["127.0.0.1:8080".parse().unwrap()]);
        assert_eq!(target.host, "127.0.0.1:8080");
        assert_eq!(target.path, "/a?b=c");
        assert_eq!(target.url(), "http://127.0.0.1:8080/a?b=c");

        let target = Target::parse("[::1]").unwrap();
        assert_eq!(target.addresses, ["[::1]:80".parse().unwrap()]);
        assert_eq!(target.host, "[::1]");
        assert_eq!(Target::parse("127.0.0.1:1?x").unwrap().path, "/?x");
        assert_eq!(Target::parse("localhost:1").unwrap().addresses[0].port(), 1);
    }

    #[test]
    fn not_urls() {
        for url in [
            "",
            "http://",
            "https://127.0.0.1/",
            "http://a b/",
            "http://u@127.0.0.1/",
            "127.0.0.1:x",
        ] {
            let error = Target::parse(url).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
