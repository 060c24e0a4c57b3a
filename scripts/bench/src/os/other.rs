//! Systems without /proc: no pinning, no samples of processes. Tables say so.

use super::{Listener, Process, Throttle, Usage};
use crate::model::{Fact, Machine};

/// Whether processes can be seen and sampled here.
pub const SAMPLES: bool = false;

/// All CPUs: which of them a process may use cannot be asked.
#[must_use]
pub fn allowed() -> Vec<u32> {
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (0..u32::try_from(count).unwrap_or(1)).collect()
}

/// Not known.
#[must_use]
pub fn siblings(cpu: u32) -> Vec<u32> {
    vec![cpu]
}

/// Not possible.
#[must_use]
pub fn pin_this_thread(_cpus: &[u32]) -> bool {
    false
}

/// None can be seen.
#[must_use]
pub fn processes() -> Vec<Process> {
    Vec::new()
}

/// Not possible: what daemonises is found by its port.
pub fn adopt_orphans() {}

/// Not possible.
pub fn kill_marked(_name: &str, _value: &str) {}

/// Not known.
#[must_use]
pub fn usage(_pids: &[i32]) -> Usage {
    Usage::default()
}

/// Not known.
#[must_use]
pub fn unwaited(_pids: &[i32]) -> Vec<i32> {
    Vec::new()
}

/// Not known.
#[must_use]
pub fn pss(_pids: &[i32]) -> Option<u64> {
    None
}

/// Not known.
#[must_use]
pub fn listeners(_port: u16, _ours: &[i32]) -> Vec<Listener> {
    Vec::new()
}

/// Not known.
#[must_use]
pub fn stolen_s(_cpus: &[u32]) -> Option<f64> {
    None
}

/// Not known.
#[must_use]
pub fn busy_s(_cpus: &[u32]) -> Option<f64> {
    None
}

/// Not known.
#[must_use]
pub fn celsius() -> Option<f64> {
    None
}

/// Not known.
#[must_use]
pub fn mhz(_cpu: u32) -> Option<f64> {
    None
}

/// Not known.
#[must_use]
pub fn governor(_cpu: u32) -> Option<String> {
    None
}

/// Not known.
#[must_use]
pub fn throttle(_cpu: u32) -> Option<Throttle> {
    None
}

/// What the standard library tells.
#[must_use]
pub fn machine() -> Machine {
    let cpus_allowed = allowed();
    Machine {
        os: std::env::consts::OS.into(),
        arch: std::env::consts::ARCH.into(),
        cpus_online: u32::try_from(cpus_allowed.len()).unwrap_or(1),
        cpus_allowed,
        ..Machine::default()
    }
}

/// Not known.
#[must_use]
pub fn boot_id() -> Option<String> {
    None
}

/// None.
#[must_use]
pub fn facts() -> Vec<Fact> {
    Vec::new()
}
