//! Whether a server holds more memory or descriptors than it did.

use std::time::{Duration, Instant};

use contract::Target;
use contract::sample::Usage;
use contract::targets::Contract;

use crate::context::Context;
use crate::outcome::Trouble;
use crate::server::Server;

/// How long our servers may take to close what their clients have left: their own deadline, and some.
const SETTLING: Duration = Duration::from_secs(15);

/// And others, whose deadlines are a minute by default (nginx).
const SETTLING_OF_OTHERS: Duration = Duration::from_secs(75);

/// Waits until the server has no more descriptors than when it was idle, or long enough.
pub(super) fn settle(
    context: &Context,
    target: &Target,
    server: &mut Server,
    idle: u64,
) -> Result<Usage, Trouble> {
    let settling = match target.contract {
        Contract::Foreign => SETTLING_OF_OTHERS,
        Contract::Exact | Contract::Exempt => SETTLING,
    };
    let end = Instant::now() + settling;
    loop {
        context.sleep(Duration::from_millis(200))?;
        let usage = server.usage()?;
        if usage.descriptors <= idle || Instant::now() >= end {
            server.expect_service()?;
            return Ok(usage);
        }
    }
}

/// No more descriptors are open `after` than `before`.
pub(super) fn none_lost(before: u64, after: u64) -> Result<(), Trouble> {
    if after <= before {
        return Ok(());
    }
    let reason = format!("{after} descriptors are open, and {before} were before");
    Err(Trouble::fail(reason))
}

/// By how much it may hold more than when it had settled: so many bytes or percent, whatever is more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    bytes: u64,
    percent: u64,
}

impl Tolerance {
    pub(super) const OURS: Self = Self {
        bytes: 1 << 20,
        percent: 2,
    };

    /// A garbage collector lets memory grow far beyond what is in use before it looks.
    const FOREIGN: Self = Self {
        bytes: 16 << 20,
        percent: 25,
    };

    pub(super) fn of(target: &Target) -> Self {
        match target.contract {
            Contract::Foreign => Self::FOREIGN,
            Contract::Exact | Contract::Exempt => Self::OURS,
        }
    }

    /// Memory has not grown from `before` to `after`, bytes both.
    pub(super) fn judge(self, before: u64, after: u64) -> Result<(), Trouble> {
        if after <= before + self.bytes.max(before / 100 * self.percent) {
            return Ok(());
        }
        Err(Trouble::fail(format!(
            "memory grew from {} to {} KiB",
            before >> 10,
            after >> 10
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mebibyte_or_two_percent() {
        let grown = |before: u64, after: u64| Tolerance::OURS.judge(before, after).is_err();
        assert!(!grown(5 << 20, 6 << 20));
        assert!(grown(5 << 20, (6 << 20) + 1));
        assert!(!grown(200 << 20, 203 << 20));
        assert!(grown(200 << 20, 205 << 20));
        assert!(!grown(5 << 20, 1 << 20));
    }
}
