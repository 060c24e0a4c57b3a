//! Runs cases: which ones, side by side or one after the other.

use std::net::SocketAddr;

use crate::{Judge, Outcome, ServerCommand};

/// Which cases to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// All of the kind.
    All,
    /// Those that need no waiting: under a second against a good server.
    Quick,
    /// Those that need waiting.
    Waiting,
    /// These ids; see [`Selection::ids`].
    Ids(Vec<&'static str>),
}

/// A case that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown case `{0}`")]
pub struct UnknownCase(pub String);

impl Selection {
    /// Selects by id; an id that does not exist is an error.
    pub fn ids<'a>(ids: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownCase> {
        let known = |id: &str| {
            crate::cases()
                .iter()
                .find(|case| case.id == id)
                .map(|case| case.id)
                .ok_or_else(|| UnknownCase(id.to_owned()))
        };
        ids.into_iter()
            .map(known)
            .collect::<Result<_, _>>()
            .map(Self::Ids)
    }
}

/// Runs the selected wire cases against a server that listens on `addr`; outcomes in the list's order.
pub fn check_wire(addr: SocketAddr, judge: &Judge, selection: &Selection) -> Vec<Outcome> {
    let _ = (addr, judge, selection);
    Vec::new()
}

/// Runs the selected process cases on servers that it starts with `command`; outcomes in the list's order.
pub fn check_process(
    command: &ServerCommand,
    judge: &Judge,
    selection: &Selection,
) -> Vec<Outcome> {
    let _ = (command, judge, selection);
    Vec::new()
}
