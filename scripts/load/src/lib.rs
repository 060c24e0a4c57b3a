//! The embedded load generator: one event loop a thread, every response checked, latency recorded raw.
//!
//! [`run`] takes a [`Config`], loads its [`Target`] and returns a [`Report`]. The binary `load` is a
//! command line around it.
//!
//! What the counts mean: a request ends in exactly one way, as a right response or as one error, so
//! [`Report::requests`] is always [`Report::responses`] plus [`Errors::total`]. A request whose connection
//! could not be made is one of them ([`Errors::connect`]); all others have been sent, and a server that
//! counts sees exactly those. The first request of a run is sent alone and read in full: what it brings is
//! what every later response has to be. It and the requests of the warm-up are counted, but not timed.

mod alarm;
mod config;
mod cpu;
mod dialer;
mod error;
mod expected;
mod files;
mod inbox;
mod latency;
mod plan;
mod probe;
mod report;
mod request;
mod response;
mod run;
mod samples;
mod schedule;
mod slot;
mod summary;
mod tally;
mod target;
mod worker;

pub use config::{Amount, Config, Mode, RequestKind};
pub use error::Error;
pub use latency::merged;
pub use report::{
    Bucket, Cpu, Errors, Field, FirstResponse, InFlight, Latency, LatencyKind, Rate, Report,
    Sample, Settings, ThreadCpu,
};
pub use run::{Progress, run};
pub use target::Target;
