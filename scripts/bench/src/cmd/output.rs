//! What verbs write to stdout. A reader that has seen enough, as `head` has, is no error.

use anyhow::Context;
use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// Writes a text and ends its line.
///
/// # Errors
/// When stdout cannot take it, unless nobody reads it any more.
pub(super) fn line(text: impl Display) -> anyhow::Result<()> {
    write(format!("{text}\n"))
}

/// Writes a text as it is.
///
/// # Errors
/// As [`line`].
pub(super) fn write(text: impl AsRef<str>) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_ref().as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to stdout"),
    }
}
