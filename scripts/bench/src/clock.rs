//! The time of day, for what is written down.

/// Now, RFC 3339 in UTC, to a second.
#[must_use]
pub fn now() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

/// Name of a run by date and time, UTC: `2026-11-30-124500`.
#[must_use]
pub fn run_name() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%d-%H%M%S")
        .to_string()
}
