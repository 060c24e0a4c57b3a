//! Who listens on the port under test.

use super::StartError;
use crate::os::{self, Listener};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

/// A port that is free now on loopback.
pub fn free_port() -> std::io::Result<u16> {
    free_port_on(Ipv4Addr::LOCALHOST.into())
}

/// A port that is free now on one of this machine's addresses.
pub fn free_port_on(address: IpAddr) -> std::io::Result<u16> {
    Ok(TcpListener::bind((address, 0))?.local_addr()?.port())
}

/// Every listener on `port` must belong to `tree`, the processes that descend from what was started.
///
/// `adopted` are processes that detached themselves from it: then the started one is not the one that answers.
pub fn check_owner(port: u16, tree: &[i32], adopted: &[i32]) -> Result<(), StartError> {
    let all: Vec<i32> = tree.iter().chain(adopted).copied().collect();
    let stranger = |listener: &Listener| !listener.pid.is_some_and(|pid| tree.contains(&pid));
    match os::listeners(port, &all).into_iter().find(stranger) {
        None => Ok(()),
        Some(Listener {
            pid: Some(pid),
            owner,
        }) if adopted.contains(&pid) => Err(StartError::Detached { port, owner }),
        Some(Listener { owner, .. }) => Err(StartError::Foreign { port, owner }),
    }
}

/// Waits until nothing listens on `port`; else says who does.
pub fn wait_until_free(port: u16, limit: Duration) -> Result<(), Listener> {
    let start = Instant::now();
    loop {
        let Some(listener) = os::listeners(port, &[]).into_iter().next() else {
            return Ok(());
        };
        if start.elapsed() > limit {
            return Err(listener);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
