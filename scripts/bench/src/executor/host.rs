//! Where servers run: this machine, or another one. Everything that has to be done on that machine, and nothing else.

use crate::candidate::Candidate;
use crate::model::{Heat, ServerCost, Target};
use crate::prepare::Missing;
use crate::target::StartError;
use contract::Values;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::Duration;

/// A machine that starts, watches and stops one server at a time.
pub trait Host {
    /// Makes targets ready to be started; for each why it cannot be measured, if so.
    ///
    /// # Errors
    /// When the machine cannot be asked.
    fn prepare(
        &mut self,
        candidates: &[Candidate],
        values: &Values,
    ) -> anyhow::Result<Vec<Option<Missing>>>;

    /// Adds version, command and binary of a target that was made ready to its entry in the results.
    fn describe(&mut self, candidate: &Candidate, values: &Values, entry: &mut Target);

    /// Starts a fresh process and waits until it answers.
    ///
    /// # Errors
    /// When it does not answer, or something else does.
    fn start(&mut self, order: &Order) -> Result<Started, StartError>;

    /// The server's port must be its own.
    ///
    /// # Errors
    /// With the name of what holds it instead.
    fn check_owner(&mut self) -> Result<(), StartError>;

    /// Watches the server from now on, with a closer look after `middle`.
    ///
    /// # Errors
    /// When the machine cannot be asked.
    fn watch(&mut self, middle: Duration) -> Result<(), StartError>;

    /// What the server used since [`Host::watch`], for so many responses, which at the measured rate take `elapsed_s`
    /// seconds.
    ///
    /// # Errors
    /// When the machine cannot be asked, or something else has the port.
    fn seen(
        &mut self,
        elapsed_s: f64,
        all_responses: u64,
    ) -> Result<(ServerCost, Heat), StartError>;

    /// Degrees Celsius now, where the machine tells.
    fn celsius(&mut self) -> Option<f64>;

    /// How the server ended, if it did by itself.
    fn ended(&mut self) -> Option<String>;

    /// Stops it and waits until its port is free. Returns what a reader should know of how it went.
    ///
    /// # Errors
    /// When something else has the port.
    fn stop(&mut self) -> Result<Vec<String>, StartError>;
}

/// What to start, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The target; its command has placeholders.
    pub target: contract::Target,
    /// Threads that it is told to use.
    pub threads: u32,
    /// CPUs that it is bound to.
    pub cpus: Vec<u32>,
    /// Port; `None`: a free one.
    pub port: Option<u16>,
    /// Size of its body.
    pub body_size: usize,
    /// Request target of the first request.
    pub path: String,
}

/// A server that answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Where it listens.
    pub address: SocketAddr,
    /// From its start to the first byte of its first response.
    pub seconds: f64,
}
