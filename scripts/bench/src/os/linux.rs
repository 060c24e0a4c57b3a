//! Linux: pinning, /proc, /sys.

mod clock;
mod cpus;
mod facts;
mod listener;
mod memory;
mod process;
mod usage;

pub use clock::{busy_s, celsius, mhz, stolen_s, throttle};
pub use cpus::{allowed, pin_this_thread, siblings};
pub use facts::{facts, machine};
pub use listener::listeners;
pub use memory::pss;
pub use process::{adopt_orphans, kill_marked, processes};
pub use usage::usage;

/// Whether processes can be seen and sampled here.
pub const SAMPLES: bool = true;

/// Text of a small file under /proc or /sys, trimmed; `None` where it is missing.
fn text(path: &str) -> Option<String> {
    Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
}
