//! What runs: servers and loads. Behind a trait, so that everything above it is tested without time passing.

mod host;
mod local;
#[cfg(test)]
pub(crate) mod mock;
mod real;
mod sampling;

pub use host::{Host, Order, Started};
pub use local::Local;
pub use real::{Real, Setting};

use crate::candidate::Candidate;
use crate::generator::{Load, Loaded};
use crate::model::{
    Capabilities, CaseResult, GeneratorKind, Heat, ServerCost, Verdict, WireRequest, WireResponse,
};
use crate::target::StartError;

/// Starts, inspects, loads and stops one server at a time.
pub trait Executor {
    /// Seconds since the run began.
    fn now_s(&self) -> f64;

    /// Goes on with a run that had come to `at_s`: its time is counted from there.
    fn go_on_from(&mut self, at_s: f64);

    /// Starts a fresh process and waits until it answers: the seconds from its start to the first byte.
    ///
    /// # Errors
    /// When it does not answer, or something else does.
    fn start(&mut self, candidate: &Candidate, threads: u32) -> Result<f64, StartError>;

    /// Looks at the running server: what it sends, what it can do, how it conforms.
    fn inspect(&mut self, candidate: &Candidate) -> Inspection;

    /// Warm-up, load, sample.
    ///
    /// # Errors
    /// When nothing could be measured, or something else has the port.
    fn measure(&mut self, load: &Load, generator: GeneratorKind) -> Result<Measured, MeasureError>;

    /// Degrees Celsius of the servers' machine now, where it tells.
    fn celsius(&mut self) -> Option<f64>;

    /// How the server ended, if it did by itself.
    fn ended(&mut self) -> Option<String>;

    /// Stops it and waits until its port is free. Returns what a reader should know of how it went.
    ///
    /// # Errors
    /// When something else has the port.
    fn stop(&mut self) -> Result<Vec<String>, StartError>;
}

/// What a look at the running server found.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The request of the embedded generator.
    pub request: Option<WireRequest>,
    /// The response to it, or why there was none.
    pub response: Result<WireResponse, String>,
    /// What is wrong with that response: the verdict on all cells; `None` when nothing is.
    pub wrong: Option<(Verdict, String)>,
    /// What the server can do.
    pub capabilities: Capabilities,
    /// The wire cases that need no waiting.
    pub contract: Vec<CaseResult>,
}

/// One load and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// When it began, seconds since the run began.
    pub at_s: f64,
    /// What the generator tells.
    pub loaded: Loaded,
    /// What the server used.
    pub server: ServerCost,
    /// Temperature and clock.
    pub heat: Heat,
}

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The port is not the server's, or its machine is gone: the whole run stops.
    #[error(transparent)]
    Fatal(#[from] StartError),
    /// This cell failed.
    #[error("{0}")]
    Failed(String),
}
