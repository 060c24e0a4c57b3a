//! Errors that end a server before it serves, each one line that names the thing and the cause.

use std::{fmt, io};

/// Why a server could not start or go on.
#[derive(Debug)]
pub struct Error(String);

impl Error {
    /// An error whose text is `message`, one line.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// `what` could not be done because of `cause`.
    pub fn io(what: impl fmt::Display, cause: &io::Error) -> Self {
        Self(format!("{what}: {}", plain(cause)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self(plain(&error))
    }
}

/// The text of `error` without Rust's `(os error 98)`, which says nothing to a user.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
