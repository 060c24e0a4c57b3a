//! What a connection costs on which nothing happens.

use super::link::Link;
use crate::interrupt::Interrupt;
use crate::os;
use crate::target::{Launch, Server, StartError};
use anyhow::{Context, bail, ensure};
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// How long a server may go on with what a first request set off.
const SETTLE: Duration = Duration::from_millis(300);
/// Descriptors that bench has open beside the connections.
const ANYWAY: rlim_t = 64;

/// Memory of a server with idle connections, each of which has had one response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Idle {
    /// Connections that were open at the end.
    pub open: u32,
    /// Connections that the server had closed by then.
    pub closed: u32,
    /// Proportional set size of the process tree before, in bytes.
    pub before: u64,
    /// The same with the connections.
    pub with: u64,
    /// Seconds that it took to open them.
    pub took_s: f64,
}

impl Idle {
    /// Bytes of user-space memory for each open connection. What the kernel needs for them is not in it.
    #[must_use]
    pub fn bytes_each(&self) -> f64 {
        self.with.saturating_sub(self.before) as f64 / f64::from(self.open.max(1))
    }
}

/// Starts the server, opens `count` connections with one request each, and compares its memory.
///
/// # Errors
/// When the server does not start, does not answer on one of the connections, or memory cannot be read here.
pub fn measure(
    launch: &Launch,
    port: u16,
    count: u32,
    mark: &str,
    interrupt: &Interrupt,
) -> anyhow::Result<Idle> {
    make_room(count)?;
    let mut server = Server::start(launch, (Ipv4Addr::LOCALHOST, port).into(), mark, interrupt)?;
    server.wait_until_it_answers("/")?;
    open(&server, 1, interrupt)?;
    std::thread::sleep(SETTLE);
    let before = memory(&server)?;
    let began = Instant::now();
    let mut links = open(&server, count, interrupt)?;
    let took_s = began.elapsed().as_secs_f64();
    let with = memory(&server)?;
    let open = links
        .iter_mut()
        .map(Link::is_open)
        .filter(|open| *open)
        .count();
    let open = u32::try_from(open).unwrap_or(count);
    server.check_owner()?;
    drop(links);
    server.stop()?;
    Ok(Idle {
        open,
        closed: count - open,
        before,
        with,
        took_s,
    })
}

fn open(server: &Server, count: u32, interrupt: &Interrupt) -> anyhow::Result<Vec<Link>> {
    let mut links = Vec::new();
    for number in 1..=count {
        if interrupt.is_set() {
            return Err(StartError::Interrupted.into());
        }
        let mut link =
            Link::open(server.address()).with_context(|| format!("connection {number}"))?;
        if let (None, lost) = link.exchange(1, false) {
            bail!(
                "connection {number} got no response while the others were open: {}",
                lost.map_or_else(String::new, |lost| lost.to_string())
            );
        }
        links.push(link);
    }
    Ok(links)
}

fn memory(server: &Server) -> anyhow::Result<u64> {
    os::pss(&server.processes())
        .context("this system does not tell how much memory a process has to itself")
}

/// Raises the soft limit of open files to the hard one; the server inherits it.
fn make_room(count: u32) -> anyhow::Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    let needed = rlim_t::from(count) + ANYWAY;
    ensure!(
        needed <= hard,
        "{count} connections need {needed} open files, but the limit is {hard}: raise it (ulimit -Hn) or ask for fewer"
    );
    if soft < needed {
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    }
    Ok(())
}
