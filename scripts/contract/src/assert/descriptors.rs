//! Few descriptors: a server starts whole, or not at all.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::{command, is_skipped, target};
use crate::{Running, ServerCommand};

/// More than the first number lets start, and fewer than the last one needs.
const LIMITS: std::ops::Range<u32> = 9..40;

const PATIENCE: Duration = Duration::from_secs(20);

/// Panics unless the server, at each of a row of low limits of open files, either says in one line why it cannot
/// start, with exit code 1, or says that it is ready and nothing else until it is told to stop.
pub fn assert_starts_whole(bin: &str, name: &str) {
    let target = target(name);
    if is_skipped(bin, &target) {
        return;
    }
    let mut command = command(bin, &target);
    command.values.threads = 4;
    let starts: Vec<_> = LIMITS.map(|limit| starts(&command, limit)).collect();
    assert!(
        starts.contains(&true) && starts.contains(&false),
        "{name}: the limits must let some start and some not: {starts:?}"
    );
}

/// Whether it started.
fn starts(command: &ServerCommand, limit: u32) -> bool {
    let shell = format!("ulimit -n {limit}; exec \"$0\" \"$@\"");
    let mut running = command
        .spawn(&["sh", "-c", &shell])
        .unwrap_or_else(|error| panic!("{error}"));
    let is_ready = |running: &Running| running.stderr().contains(" listening on ");
    let mut exit = None;
    let end = Instant::now() + PATIENCE;
    while exit.is_none() && !is_ready(&running) && Instant::now() < end {
        exit = running.wait(Duration::from_millis(10));
    }
    let started = is_ready(&running);
    if started {
        running.signal(Signal::SIGTERM);
        exit = running.wait(PATIENCE);
    }
    let said = running.stderr();
    let code = exit.and_then(|exit| exit.code());
    assert_eq!(
        code,
        Some(if started { 0 } else { 1 }),
        "ulimit -n {limit}: {said}"
    );
    assert_eq!(said.lines().count(), 1, "ulimit -n {limit}: {said}");
    started
}
