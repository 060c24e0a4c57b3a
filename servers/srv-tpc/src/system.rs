//! What only one system has.

#[cfg(target_os = "linux")]
#[path = "system/linux.rs"]
mod this;
#[cfg(not(target_os = "linux"))]
#[path = "system/other.rs"]
mod this;

pub use this::{ACCEPTS_AN_EVENT, send_last, unwatch, watch};
