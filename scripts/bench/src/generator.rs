//! Load generators behind one trait: the embedded one, wrk and ab.

mod ab;
mod child;
mod embedded;
mod merge;
mod wrk;

pub use ab::{Ab, parse as parse_ab};
pub use embedded::Embedded;
pub use merge::merge;
pub use wrk::Wrk;

use crate::interrupt::Interrupt;
use crate::model::{Errors, GeneratorKind, Latency, Mode, RequestKind};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::Duration;

/// What to send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// How connections are used.
    pub mode: Mode,
    /// Requests in flight on each connection in mode `pipeline`.
    pub pipeline_depth: u32,
    /// Open connections.
    pub connections: u32,
    /// Requests per second of an open loop.
    pub rate: Option<f64>,
    /// Most threads of wrk; `None`: one for each of its CPUs.
    pub wrk_threads: Option<u32>,
    /// Requests after which ab ends before its time.
    pub requests: Option<u64>,
    /// Which request.
    pub request: RequestKind,
    /// The header fields of that request, `Host` and `Connection` apart, for generators that have to be told.
    pub fields: Vec<(String, String)>,
    /// Request target.
    pub path: String,
}

/// What a load gave, as this generator tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// Measured time in seconds.
    pub elapsed_s: f64,
    /// Right responses in the measured time.
    pub responses: u64,
    /// Right responses over the whole load: what the server's CPU time is divided by.
    pub all_responses: u64,
    /// Failed requests.
    pub errors: Errors,
    /// Latency.
    pub latency: Latency,
    /// What its percentiles are taken from; empty where the generator does not tell.
    pub histogram: Vec<load::Bucket>,
    /// Bytes read.
    pub read_bytes: Option<u64>,
    /// Bytes of the body of the first response, which it compares all others with; one for each host that it ran on,
    /// none where it does not tell.
    pub first_bodies: Vec<u64>,
    /// Mean number of requests in flight.
    pub in_flight: Option<f64>,
    /// Open loop: requests per second that were sent.
    pub rate_sent: Option<f64>,
    /// CPU time that the generator used.
    pub cpu_s: f64,
    /// CPUs that it could use at once.
    pub cpus: u32,
    /// Time that the hypervisor took from those CPUs.
    pub stolen_s: Option<f64>,
}

/// Something that makes load.
pub trait Generator {
    /// Which one it is.
    fn kind(&self) -> GeneratorKind;

    /// What it says of its version.
    ///
    /// # Errors
    /// When it is not installed: with the command that installs it.
    fn version(&self) -> anyhow::Result<String>;

    /// Why it cannot make this load; `None` when it can.
    fn cannot(&self, load: &Load) -> Option<String>;

    /// Loads `address` for `duration`.
    ///
    /// # Errors
    /// When it did not run, or its text is not what it should be. Failed requests are no error.
    fn run(
        &self,
        load: &Load,
        address: SocketAddr,
        duration: Duration,
        site: &Site,
    ) -> anyhow::Result<Loaded>;
}

/// Where and under which conditions a generator works.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its CPUs.
    pub cpus: Vec<u32>,
    /// Mark of this run for child processes.
    pub mark: String,
    /// Ends the load early.
    pub interrupt: Interrupt,
}

/// Where the generators of a run are: on this machine, or on others.
pub trait Generators {
    /// The generator of a kind.
    fn of_kind(&self, kind: GeneratorKind) -> Box<dyn Generator + '_>;
}

/// The generators of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Generators for Here {
    fn of_kind(&self, kind: GeneratorKind) -> Box<dyn Generator + '_> {
        of_kind(kind)
    }
}

/// The generator of a kind, on this machine.
#[must_use]
pub fn of_kind(kind: GeneratorKind) -> Box<dyn Generator> {
    match kind {
        GeneratorKind::Embedded => Box::new(Embedded),
        GeneratorKind::Wrk => Box::new(Wrk),
        GeneratorKind::Ab => Box::new(Ab),
    }
}
