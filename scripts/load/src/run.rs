//! A run from its first request to its report.

use std::time::Duration;

use crate::{Config, Error, Report};

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since the first request.
    pub elapsed: Duration,
    /// Requests ended so far, one way or another.
    pub requests: u64,
    /// Of these, errors.
    pub errors: u64,
    /// Share of the run that is done, 0 to 1.
    pub done: f64,
}

/// Loads the target as told and reports what came of it. `progress` is called a few times a second.
///
/// An error means that nothing could be measured. Whatever goes wrong later is in the report.
pub fn run(config: &Config, progress: impl FnMut(Progress)) -> Result<Report, Error> {
    let _ = (config, progress);
    Err(Error::Config("this build cannot load yet".into()))
}
