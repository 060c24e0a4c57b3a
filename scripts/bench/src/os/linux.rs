//! Linux: pinning, /proc, /sys.

mod clock;
mod cpus;
mod facts;
mod listener;
mod memory;
mod process;
mod usage;

pub use clock::{busy_s, celsius, governor, mhz, stolen_s, throttle};
pub use cpus::{allowed, pin_this_thread, siblings};
pub use facts::{boot_id, facts, machine};
pub use listener::listeners;
pub use memory::pss;
pub use process::{adopt_orphans, kill_marked, processes};
pub use usage::{unwaited, usage};

/// Whether processes can be seen and sampled here.
pub const SAMPLES: bool = true;

/// Environment variable that names another folder in place of /sys, for temperature, clock and governor: what a machine
/// that grows hot does to a run is tested without one.
const SYS: &str = "BENCH_SYS";

/// Text of a file about heat, its path below /sys.
fn heat_file(path: &str) -> Option<String> {
    let sys = std::env::var(SYS).unwrap_or_else(|_| "/sys".into());
    text(&format!("{sys}/{path}"))
}

/// Text of a small file under /proc or /sys, trimmed; `None` where it is missing.
fn text(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
}
