//! Where a run took place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine. Null: it does not tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Operating system and its version.
    pub os: String,
    /// Kernel release.
    pub kernel: String,
    /// Architecture.
    pub arch: String,
    /// Name of the board or product.
    pub model: Option<String>,
    /// Name of the CPU.
    pub cpu: Option<String>,
    /// Logical CPUs online.
    pub cpus_online: u32,
    /// Logical CPUs that this process may use.
    pub cpus_allowed: Vec<u32>,
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// What `bench env` says of it.
    pub facts: Vec<Fact>,
}

/// One thing about a machine that matters to measurements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Short name: `governor`, `somaxconn`, ...
    pub name: String,
    /// What was found.
    pub value: String,
    /// Whether it spoils measurements.
    pub severity: Severity,
    /// What to do about it; null when nothing is wrong.
    pub remedy: Option<String>,
}

/// What a fact means for measurements.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// As it should be.
    Good,
    /// Could not be found out.
    Unknown,
    /// Makes figures noisier or lower; they stay comparable with one another.
    Warning,
    /// Can make figures wrong.
    Bad,
}

/// Which CPUs did what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuPlan {
    /// CPUs of the server.
    pub server: Vec<u32>,
    /// CPUs of the generator; with several hosts those of each, one after the other.
    pub generator: Vec<u32>,
    /// Whether the two were really held apart.
    pub pinned: bool,
    /// Whether both share CPUs, because there is only one or because the system cannot pin.
    pub shared: bool,
}
