//! Why a case did not pass.

/// Why a case did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The server did wrong.
    Fail {
        /// One line.
        reason: String,
        /// What went over the connection.
        exchange: String,
    },
    /// It cannot be judged here; one line.
    Skip(String),
}

impl Fault {
    /// A failure that no single connection shows.
    pub(crate) fn plain(reason: impl Into<String>) -> Self {
        Self::Fail {
            reason: reason.into(),
            exchange: String::new(),
        }
    }

    /// The same, with `context` before its reason.
    pub(crate) fn in_context(self, context: &str) -> Self {
        match self {
            Self::Fail { reason, exchange } => Self::Fail {
                reason: format!("{context}: {reason}"),
                exchange,
            },
            Self::Skip(reason) => Self::Skip(format!("{context}: {reason}")),
        }
    }

    /// One of several: all reasons, and the first one's bytes. A failure outweighs what cannot be judged.
    pub(crate) fn join(faults: impl IntoIterator<Item = Self>) -> Result<(), Self> {
        let joined = faults
            .into_iter()
            .reduce(|joined, fault| match (joined, fault) {
                (Self::Fail { reason, exchange }, Self::Fail { reason: next, .. }) => Self::Fail {
                    reason: format!("{reason}; {next}"),
                    exchange,
                },
                (Self::Skip(_), failed @ Self::Fail { .. }) => failed,
                (joined, _) => joined,
            });
        joined.map_or(Ok(()), Err)
    }
}
