//! The documents under `results/`: what every table, picture and page is made from.
//!
//! `results/<name>/run.json` is a [`Document::Run`], `results/seeds/*.json` are [`Document::Published`].
//! `results/schema.json` is generated from these types; a test keeps the two equal.
//! Units are in the names: `_s` seconds, `_us` microseconds, `_bytes` bytes. `null` means not known, never zero.

mod cell;
mod contract;
mod machine;
mod published;
mod run;
mod sample;
mod target;

pub use cell::{Cell, CellKey, Estimate, GeneratorKind, Mode, Summary, Verdict};
pub use contract::{Capabilities, Capability, CaseResult, Level, Outcome};
pub use machine::{CpuPlan, Fact, Machine, Severity};
pub use published::{
    AbFigures, ConnectionTimes, Figures, MeanSpread, MinMeanMedianMax, Percentile, Published,
    PublishedMachine, PublishedRow, SocketErrors, WrkFigures,
};
pub use run::{
    Commit, Controls, FloorControl, GeneratorFacts, NoiseFloor, Plan, RequestKind, Run, Toolchain,
};
pub use sample::{Errors, GeneratorCost, Heat, Latency, LatencyKind, Sample, ServerCost};
pub use target::{Class, Field, Target, WireRequest, WireResponse};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of these types. A reader refuses any other.
pub const SCHEMA_VERSION: u32 = 1;

/// One JSON document below `results/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Document {
    /// A run of `bench`, with every sample.
    Run(Box<Run>),
    /// Figures that someone published elsewhere.
    Published(Box<Published>),
}
