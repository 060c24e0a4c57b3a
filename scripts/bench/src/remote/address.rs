//! `USER@HOST[:PORT]`.

use std::fmt;
use std::str::FromStr;

/// A host as ssh is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `USER@HOST`, or a name of ssh's config.
    pub name: String,
    /// Port, where it is not ssh's own default.
    pub port: Option<u16>,
}

impl Address {
    /// As the arguments of ssh, for the commands that a user is told.
    #[must_use]
    pub fn arguments(&self) -> String {
        let port = self.port.map(|port| format!("-p {port} "));
        format!("{}{}", port.unwrap_or_default(), self.name)
    }
}

impl FromStr for Address {
    type Err = String;

    /// An IPv6 address with a port stands in brackets: `pi@[::1]:22`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') || name.ends_with(']') => {
                let port = port.parse().ok().filter(|port| *port > 0);
                (
                    name,
                    Some(port.ok_or_else(|| format!("`{text}`: the port is no port"))?),
                )
            }
            _ => (text, None),
        };
        let name = name.replace(['[', ']'], "");
        let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic());
        // A leading dash would be an option of ssh's.
        if !plain || name.starts_with('-') || name.ends_with('@') {
            return Err(format!("`{text}` is no USER@HOST[:PORT]"));
        }
        Ok(Self { name, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => f.pad(&self.name),
            Some(port) if self.name.contains(':') => match self.name.split_once('@') {
                Some((user, host)) => write!(f, "{user}@[{host}]:{port}"),
                None => write!(f, "[{}]:{port}", self.name),
            },
            Some(port) => write!(f, "{}:{port}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_users_write_them() {
        for (text, name, port) in [
            ("pi@raspberrypi.local", "pi@raspberrypi.local", None),
            ("pi@10.0.0.7:2222", "pi@10.0.0.7", Some(2222)),
            ("board", "board", None),
            ("pi@fe80::1", "pi@fe80::1", None),
            ("pi@[fe80::1]:22", "pi@fe80::1", Some(22)),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.name.as_str(), address.port), (name, port));
            assert_eq!(address.to_string(), text);
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            "pi@",
            "-oProxyCommand=x",
            "pi@a b",
            "pi@a:0",
            "pi@a:x",
            ":22",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
