//! Who listens on a port: from socket inode to process.

use crate::os::Listener;
use procfs::net::{TcpState, tcp, tcp6};
use procfs::process::{FDTarget, Process, all_processes};

/// All sockets that listen on `port`, on any address, with the process that holds each. A socket shared by several
/// processes counts for the first of `ours` that has it.
#[must_use]
pub fn listeners(port: u16, ours: &[i32]) -> Vec<Listener> {
    sockets(port)
        .into_iter()
        .map(|(inode, uid)| find(inode, uid, ours))
        .collect()
}

fn sockets(port: u16) -> Vec<(u64, u32)> {
    let entries = tcp()
        .into_iter()
        .flatten()
        .chain(tcp6().into_iter().flatten());
    entries
        .filter(|entry| entry.state == TcpState::Listen && entry.local_address.port() == port)
        .map(|entry| (entry.inode, entry.uid))
        .collect()
}

fn find(inode: u64, uid: u32, ours: &[i32]) -> Listener {
    let in_tree = ours
        .iter()
        .find(|pid| Process::new(**pid).is_ok_and(|process| holds(&process, inode)));
    if let Some(pid) = in_tree {
        return Listener {
            pid: Some(*pid),
            owner: describe(*pid),
        };
    }
    let stranger = all_processes().ok().and_then(|all| {
        all.filter_map(Result::ok)
            .find(|process| holds(process, inode))
            .map(|process| process.pid())
    });
    match stranger {
        Some(pid) => Listener {
            pid: Some(pid),
            owner: describe(pid),
        },
        None => Listener {
            pid: None,
            owner: format!("a process of user id {uid} that cannot be seen from here"),
        },
    }
}

fn holds(process: &Process, inode: u64) -> bool {
    let Ok(descriptors) = process.fd() else {
        return false;
    };
    descriptors
        .filter_map(Result::ok)
        .any(|descriptor| descriptor.target == FDTarget::Socket(inode))
}

fn describe(pid: i32) -> String {
    let name = Process::new(pid)
        .and_then(|process| process.stat())
        .map_or_else(|_| "?".into(), |stat| stat.comm);
    format!("{name} (process {pid})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn this_process_is_found_as_the_owner() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let me = std::process::id().cast_signed();
        assert_eq!(listeners(port, &[]).first().unwrap().pid, Some(me));
        drop(listener);
        assert!(listeners(port, &[]).is_empty());
    }
}
