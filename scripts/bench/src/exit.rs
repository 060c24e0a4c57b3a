//! Exit codes. Scripts and CI rely on them.

/// All well.
pub const OK: u8 = 0;
/// Something went wrong; stderr says what.
pub const ERROR: u8 = 1;
/// The command line makes no sense.
pub const USAGE: u8 = 2;
/// A contract check failed, or a gate found the head slower.
pub const CHECK_FAILED: u8 = 3;
/// Something was skipped under `--strict`.
pub const SKIPPED: u8 = 4;
/// The gate cannot tell.
pub const CANNOT_TELL: u8 = 5;
/// Interrupted: children have ended, results so far are kept.
pub const INTERRUPTED: u8 = 130;

/// What `--help` says of them.
pub const HELP: &str = "\
Exit codes:
  0    all well
  1    error: stderr says what
  2    the command line makes no sense
  3    a check failed, a response was wrong, or a gate found the head slower
  4    something was skipped, under --strict
  5    the gate cannot tell
  130  interrupted: what was started has ended, what was measured is kept";

/// A command line that makes no sense, in a way that its parser cannot see: ends with [`USAGE`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// The code that an error ends with.
#[must_use]
pub fn of(error: &anyhow::Error) -> u8 {
    if error.is::<Usage>() { USAGE } else { ERROR }
}
