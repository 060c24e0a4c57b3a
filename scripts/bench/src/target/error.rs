//! Why a server is not there to be measured.

use contract::Target;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a server may take until it answers.
pub(super) const START_LIMIT: Duration = Duration::from_secs(10);
/// How long the first byte of its first response may take.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// Why a server is not there to be measured. One line each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum StartError {
    /// The program could not be started at all.
    #[error("cannot start `{program}`: {cause}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system says.
        cause: String,
    },
    /// It ended by itself.
    #[error("ended ({status}) before it answered on port {port}{told}")]
    Ended {
        /// How.
        status: String,
        /// The port it was given.
        port: u16,
        /// Its last line on stderr.
        told: String,
    },
    /// It ended by itself, and said that this machine cannot run it.
    #[error("this machine cannot run it{told}")]
    Unavailable {
        /// Its last line on stderr.
        told: String,
    },
    /// It does not listen.
    #[error(
        "does not listen on port {port} after {START_LIMIT:?}: does its command use {{port}}?{told}"
    )]
    NotListening {
        /// The port it was given.
        port: u16,
        /// Its last line on stderr.
        told: String,
    },
    /// It takes connections and does not answer.
    #[error("takes connections on port {port}, but does not answer a request: {cause}")]
    Silent {
        /// The port it was given.
        port: u16,
        /// What became of the first request.
        cause: String,
    },
    /// Something else has the port: the whole run stops.
    #[error(
        "port {port} is held by {owner}, which bench did not start: stop it, or choose another --port"
    )]
    Foreign {
        /// The port.
        port: u16,
        /// Who has it.
        owner: String,
    },
    /// It daemonised: what answers is not what was started. The whole run stops.
    #[error(
        "port {port} is held by {owner}, which detached itself from what bench started: run the server in the foreground"
    )]
    Detached {
        /// The port.
        port: u16,
        /// Who has it.
        owner: String,
    },
    /// It answers there, but not here.
    #[error(
        "answers on its own machine, but from here {address} cannot be reached ({cause}): is a firewall between?"
    )]
    Unreachable {
        /// Where it listens.
        address: SocketAddr,
        /// What the system says.
        cause: String,
    },
    /// The machine it runs on cannot be asked any more. The whole run stops.
    #[error("the connection to {host} was lost: {cause}")]
    Lost {
        /// The machine.
        host: String,
        /// What is known of why.
        cause: String,
    },
    /// A signal came.
    #[error("interrupted")]
    Interrupted,
}

impl StartError {
    /// Whether the run cannot go on: figures of another process would be measured.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Foreign { .. } | Self::Detached { .. } | Self::Lost { .. } | Self::Interrupted
        )
    }

    /// The same; or, where the target has told just that, that this machine cannot run it.
    #[must_use]
    pub fn of(self, target: &Target) -> Self {
        match self {
            Self::Ended { told, .. } if target.is_unavailable(&told) => Self::Unavailable { told },
            other => other,
        }
    }

    /// A program that the system does not start.
    pub(super) fn spawn(program: &str, cause: &str) -> Self {
        Self::Spawn {
            program: program.into(),
            cause: cause.into(),
        }
    }
}
