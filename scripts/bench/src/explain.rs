//! What a server does for a request, told in words: 1,000 requests under strace, outside of any measured cell.
//!
//! [`trace`] starts the server, [`client`] asks it, [`strace`] reads what strace wrote, [`turns`] finds the responses
//! in it, and [`findings`] says what that means. [`idle`] is about connections on which nothing happens.

pub mod client;
pub mod findings;
pub mod idle;
mod link;
pub mod strace;
pub mod table;
pub mod trace;
pub mod turns;

use client::Phase;
use strace::Call;

/// What was seen of one server.
#[derive(Debug)]
pub struct Explanation {
    /// Its name.
    pub name: String,
    /// Everything it called, in the order of return, from its start to its end.
    pub calls: Vec<Call>,
    /// What was asked of it, in order.
    pub phases: Vec<Phase>,
    /// What a reader should know of how it was stopped.
    pub remarks: Vec<String>,
}

impl Explanation {
    /// The calls that returned while a phase lasted.
    pub fn calls_of(&self, phase: &Phase) -> Vec<&Call> {
        let during = phase.began_s..=phase.ended_s;
        self.calls
            .iter()
            .filter(|call| during.contains(&call.returned_s()))
            .collect()
    }
}
