//! A whole run: what was asked, where it ran, and all that was measured.

use super::{Cell, CellKey, CpuPlan, GeneratorKind, Machine, Mode, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One run of `bench`, written anew after every cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// [`super::SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Name of the folder under `results/`.
    pub name: String,
    /// When it started, RFC 3339 in UTC.
    pub started: String,
    /// When the last planned cell was done, RFC 3339 in UTC; null while it runs or when it was interrupted.
    pub finished: Option<String>,
    /// The exact command, program first, that repeats it.
    pub command: Vec<String>,
    /// What was asked for.
    pub plan: Plan,
    /// Where the servers ran.
    pub machine: Machine,
    /// What made the load, where that was not the same machine.
    #[serde(default)]
    pub generator_machines: Vec<Machine>,
    /// Which CPUs did what.
    pub cpus: CpuPlan,
    /// The sources measured; null outside a checkout.
    pub commit: Option<Commit>,
    /// What built them; null outside a checkout.
    pub toolchain: Option<Toolchain>,
    /// The load generators used.
    pub generators: Vec<GeneratorFacts>,
    /// All targets, in the order of the target list; skipped ones with their reason.
    pub targets: Vec<Target>,
    /// One entry for each (target, mode, connections, threads, generator, rate).
    pub cells: Vec<Cell>,
    /// What the controls say about the figures.
    pub controls: Controls,
    /// What a reader must know, one sentence each.
    pub warnings: Vec<String>,
}

impl Run {
    /// A target that is not measured, for this reason: what it has no samples of is skipped, in all rounds.
    pub fn leave_out(&mut self, target: &str, reason: &str) {
        for entry in self.targets.iter_mut().filter(|entry| entry.name == target) {
            entry.skipped = Some(reason.to_owned());
        }
        self.skip(target, |_| Some(reason.to_owned()));
    }

    /// Cells of a target without samples for which there is a reason are skipped with it, in all rounds.
    pub fn skip(&mut self, target: &str, reason: impl Fn(&CellKey) -> Option<String>) {
        let cells = self.cells.iter_mut();
        for cell in cells.filter(|cell| cell.key.target == target && cell.samples.is_empty()) {
            if let Some(reason) = reason(&cell.key) {
                *cell = Cell::skipped(cell.key.clone(), reason);
            }
        }
    }
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Seed of the order in which each round visits the targets.
    pub seed: u64,
    /// Rounds asked for.
    pub rounds: u32,
    /// Warm-up before each sample.
    pub warmup_s: f64,
    /// Length of each sample.
    pub duration_s: f64,
    /// Modes, in the order measured.
    pub modes: Vec<Mode>,
    /// Connection counts, in the order measured.
    pub connections: Vec<u32>,
    /// Connection counts of mode `keepalive` beside those (`--sweep`).
    #[serde(default)]
    pub sweep: Vec<u32>,
    /// Server threads.
    pub threads: Vec<u32>,
    /// Generators, in the order measured.
    pub generators: Vec<GeneratorKind>,
    /// All generators but the first take part in one of so many rounds (`--cross-check-every`).
    #[serde(default = "every_round")]
    pub cross_check_every: u32,
    /// Rates in percent of each server's own measured capacity; empty: closed loop only.
    pub rates_percent: Vec<f64>,
    /// Requests in flight on each connection in mode `pipeline`.
    pub pipeline_depth: u32,
    /// What is requested.
    pub request: RequestKind,
    /// Request target.
    pub path: String,
    /// Bytes of the body that the servers were asked for; null: their default.
    pub body_size: Option<u64>,
    /// Bytes that each whole response was padded to (`--wire-size`); null: not padded.
    pub wire_size: Option<u64>,
    /// The preset that set these, by name.
    pub preset: Option<String>,
    /// The target list: a path relative to the checkout, or null when only `--with` was given.
    pub targets_file: Option<String>,
    /// The host that the servers ran on, as it was given (`--on`); null: the machine that bench ran on.
    pub on: Option<String>,
    /// The hosts that made the load (`--generator-on`); empty: the machine that bench ran on.
    #[serde(default)]
    pub generator_on: Vec<String>,
    /// A load waited until the servers' machine was below this temperature; null: it did not wait.
    pub cool_below_celsius: Option<f64>,
}

fn every_round() -> u32 {
    1
}

/// Which request is sent.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// The bare head that wrk sends.
    Minimal,
    /// The fields that a browser sends.
    Browser,
}

/// A git commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Full hash.
    pub id: String,
    /// Whether tracked files differed from it.
    pub dirty: bool,
}

/// What built the Rust targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Toolchain {
    /// `rustc --version`.
    pub rustc: String,
    /// Cargo profile and its settings, one `key = value` each.
    pub profile: Vec<String>,
    /// `RUSTFLAGS`, empty when unset.
    pub rustflags: String,
}

/// A load generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorFacts {
    /// Which one.
    pub name: GeneratorKind,
    /// What it says of its version.
    pub version: String,
}

/// The controls of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Controls {
    /// The A/A control, one for each group of cells that are compared with one another.
    pub noise_floors: Vec<NoiseFloor>,
    /// srv-floor: what generator and kernel can do, one for each group.
    pub floors: Vec<FloorControl>,
}

/// How far two measurements of the same target differ: what is smaller is a tie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseFloor {
    /// Key of the group; its `target` is the one measured twice.
    pub key: super::CellKey,
    /// Name of the second measurement.
    pub twin: String,
    /// Twin's requests per second over the target's, from per-round pairs.
    pub requests_per_second_ratio: Option<super::Estimate>,
    /// The same for CPU per request.
    pub cpu_per_request_ratio: Option<super::Estimate>,
    /// Smallest relative difference in requests per second that this run can tell (0.03 = 3 %).
    pub requests_per_second: Option<f64>,
    /// The same for CPU per request.
    pub cpu_per_request: Option<f64>,
}

/// What the cheapest possible responder reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FloorControl {
    /// Key of the group; its `target` is the control.
    pub key: super::CellKey,
    /// Requests per second.
    pub requests_per_second: Option<super::Estimate>,
    /// Server CPU per request.
    pub cpu_us_per_request: Option<super::Estimate>,
}
