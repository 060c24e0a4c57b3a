//! The battery's items: the only list there is.

use std::time::Duration;

use contract::Target;

use crate::context::Context;
use crate::outcome::{Figures, Trouble};

mod crowd;
mod descriptors;
mod environment;
mod faults;
mod growth;
mod mutants;
mod sigterm;
mod slow;
mod soak;
mod storms;
mod transfers;
mod visit;

/// One question about a server.
#[derive(Debug)]
pub struct Item {
    /// Its name on the command line and in the results.
    pub id: &'static str,
    /// The column of README's table that counts it; also a name on the command line.
    pub group: &'static str,
    /// What is done and what is asked, in one line.
    pub title: &'static str,
    /// How long it takes in full, for each server (for all of them, where they are asked together).
    pub length: Duration,
    /// How it is asked.
    pub ask: Ask,
}

/// What came of one server.
pub type Answer = (Figures, Result<(), Trouble>);

/// How an item is asked.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    /// One server after the other.
    Each(fn(&Context, &Target, &mut Figures) -> Result<(), Trouble>),
    /// All at once; an answer for each, in their order.
    Together(fn(&Context, &[&Target]) -> Vec<Answer>),
}

#[rustfmt::skip] // a line each
/// All items, in the order in which they are asked.
pub const ITEMS: &[Item] = &[
    item("mutants", "fuzzing", 30, mutants::mutants, "100,000 mutations of what the contract sends: alive, memory bounded, no descriptor lost, the next good request answered"),
    item("faults-accept", "faults", 8, faults::accept, "accept fails with EINTR, EAGAIN, ECONNABORTED, EMFILE, ENOMEM, …: every connection is served"),
    item("faults-read", "faults", 4, faults::read, "reads fail with EINTR, EAGAIN, ECONNRESET, ENOBUFS, ENOMEM: responses are whole, or the connection is closed (by an engine not for EINTR)"),
    item("faults-write", "faults", 5, faults::write, "writes fail with EINTR, EAGAIN, ECONNRESET, EPIPE, ENOBUFS, ENOMEM: responses are whole, or the connection is closed (by an engine not for EINTR and EAGAIN)"),
    item("faults-epoll", "faults", 3, faults::epoll, "epoll_wait fails with EINTR, epoll_ctl with ENOMEM and ENOSPC: it serves on"),
    item("faults-uring", "faults", 4, faults::uring, "io_uring_enter fails with EINTR, EAGAIN, EBUSY, ENOMEM: every connection is served"),
    item("short-writes", "faults", 2, transfers::short_writes, "8 MB to a reader with a receive buffer of 4 KiB, one response behind another: each is whole"),
    item("small-buffers", "faults", 2, transfers::small_buffers, "sockets that buffer 4 KiB, in a network of their own: pipelined responses are whole"),
    item("resets", "faults", 2, transfers::resets, "300 clients that reset at any point of a response: beside them, others get all that they ask for"),
    item("sigterm", "sigterm", 65, sigterm::under_load, "SIGTERM under full load, 100 times, and in the middle of 8 MB, 20 times: no response is cut, exit 0 within 6 s"),
    item("restarts", "sigterm", 10, sigterm::restarts, "20 restarts in a row on one port under load: each serves, each exits with 0"),
    item("unprivileged", "environment", 1, environment::unprivileged, "as a user without any right: full service"),
    item("privileged-port", "environment", 1, environment::privileged_port, "port 80 without the right to it: one clear line, exit 1"),
    item("no-proc", "environment", 2, environment::no_proc, "/proc missing, and read-only: full service"),
    item("no-ipv6", "environment", 2, environment::no_ipv6, "IPv6 switched off, and unknown to the kernel: our default host serves, others may say why not in one line"),
    item("no-io-uring", "environment", 2, environment::no_io_uring, "io_uring_setup fails with EPERM, ENOSYS, ENOMEM, EMFILE: full service; srv-uring says why not in one clear line"),
    item("half-a-cpu", "environment", 3, environment::half_a_cpu, "a cgroup with half a CPU: full service"),
    item("few-descriptors", "environment", 7, descriptors::few, "100 connections at `ulimit -n 64`: it does not spin, and serves again as soon as they are gone"),
    Item { id: slow::ID, group: "slow-clients", title: "5,000 clients that drip a byte a second and 500 that never read, beside 64 good ones: those keep 80 % of their throughput, memory is bounded; our HTTP servers close the slow ones, others may leave them open", length: slow::LENGTH, ask: Ask::Together(slow::all) },
    item("storms", "storms", 25, storms::storms, "100,000 connects and closes, half of them by RST, at every point of an exchange: no descriptor and no memory is lost"),
    Item { id: "soak", group: "soak", title: "20 minutes of mixed load with 1 % hostile requests, all servers at once: memory and descriptors stay the same, no error", length: soak::LENGTH, ask: Ask::Together(soak::all) },
];

/// An item that is asked of one server after the other.
const fn item(
    id: &'static str,
    group: &'static str,
    seconds: u64,
    ask: fn(&Context, &Target, &mut Figures) -> Result<(), Trouble>,
    title: &'static str,
) -> Item {
    Item {
        id,
        group,
        title,
        length: Duration::from_secs(seconds),
        ask: Ask::Each(ask),
    }
}

/// A failure that a target lists of an item that there is not: the target's name, and the item's.
pub fn unknown(targets: &[Target]) -> Option<(&str, &str)> {
    let listed = targets.iter().flat_map(|target| {
        let ids = target.reliability.keys();
        ids.map(|id| (target.name.as_str(), id.as_str()))
    });
    let is_unknown = |(_, id): &(&str, &str)| !ITEMS.iter().any(|item| item.id == *id);
    listed.into_iter().find(is_unknown)
}

/// The items that `names` (ids or groups) mean; all where there are none.
///
/// # Errors
/// With the name that is neither.
pub fn select(names: &[String]) -> Result<Vec<&'static Item>, String> {
    let is = |item: &Item, name: &String| item.id == name || item.group == name;
    if let Some(name) = names
        .iter()
        .find(|name| !ITEMS.iter().any(|item| is(item, name)))
    {
        let all: Vec<&str> = ITEMS.iter().map(|item| item.id).collect();
        return Err(format!(
            "there is no item `{name}`; items are {}",
            all.join(", ")
        ));
    }
    let wanted = |item: &&Item| names.is_empty() || names.iter().any(|name| is(item, name));
    Ok(ITEMS.iter().filter(wanted).collect())
}
