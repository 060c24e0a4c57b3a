//! Why nothing could be measured.

use nix::sys::resource::rlim_t;
use std::io;

/// What was asked for is wrong, or this machine cannot do it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The text is not an address that this generator can load.
    #[error("`{url}` is not a target: {reason}; write http://HOST[:PORT][/PATH]")]
    Url {
        /// The text as given.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },

    /// The name has no address.
    #[error("cannot resolve {host}: {source}")]
    Resolve {
        /// The name, with its port.
        host: String,
        /// What the resolver says.
        source: io::Error,
    },

    /// Two settings do not go together, or one is out of range.
    #[error("{0}")]
    Config(String),

    /// More connections than files that this process may open.
    #[error(
        "{connections} connections need {needed} open files, but the hard limit is {limit}: raise it (`ulimit -Hn {needed}` as root, or LimitNOFILE in the service) or ask for fewer connections"
    )]
    OpenFiles {
        /// Connections asked for.
        connections: usize,
        /// Open files that they need.
        needed: rlim_t,
        /// The hard limit of this process.
        limit: rlim_t,
    },

    /// The system refused a thread, an event queue or a CPU.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}
