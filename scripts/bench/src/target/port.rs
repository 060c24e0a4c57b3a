//! Who listens on the port under test.

use super::StartError;
use crate::os::{self, Listener};
use socket2::{Domain, Socket, Type};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

/// A port that is free now on loopback.
pub fn free_port() -> std::io::Result<u16> {
    free_port_on(Ipv4Addr::LOCALHOST.into())
}

/// A port that is free now on one of this machine's addresses; and on all of them, for a server that listens on all.
///
/// Without SO_REUSEADDR, which std sets and not every server does: connections in TIME_WAIT take a port from such a one.
pub fn free_port_on(address: IpAddr) -> std::io::Result<u16> {
    let port = free_everywhere()?;
    TcpListener::bind((address, port)).map(|_| port)
}

fn free_everywhere() -> std::io::Result<u16> {
    let bound = |domain, address: SocketAddr| {
        let socket = Socket::new(domain, Type::STREAM, None)?;
        if address.is_ipv6() {
            socket.set_only_v6(false)?;
        }
        socket.bind(&address.into())?;
        socket.local_addr()
    };
    let both = bound(Domain::IPV6, (Ipv6Addr::UNSPECIFIED, 0).into());
    // IPv6 may be off.
    let address = both.or_else(|_| bound(Domain::IPV4, (Ipv4Addr::UNSPECIFIED, 0).into()))?;
    let address = address.as_socket().ok_or(std::io::ErrorKind::Unsupported)?;
    Ok(address.port())
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::TcpStream;

    /// A server that binds all addresses without SO_REUSEADDR, on a machine that has just closed many connections.
    #[test]
    fn a_free_port_is_free_for_a_server_that_does_not_reuse_addresses() {
        for _ in 0..2_000 {
            let listener = TcpListener::bind("127.0.0.2:0").unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            // The side that closes first keeps the port in TIME_WAIT.
            drop(listener.accept().unwrap());
            drop(client);
        }
        let taken = (0..500).filter(|_| {
            let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, free_port().unwrap()));
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.bind(&any.into()).is_err()
        });
        // Another program may be quicker, once.
        let taken = taken.count();
        assert!(taken < 5, "{taken} of 500");
    }
}
