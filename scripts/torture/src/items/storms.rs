//! Connections that come and go in great numbers, at every point of an exchange.

mod visit;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use contract::Target;

use self::visit::Visit;
use super::growth::{Tolerance, none_lost, settle};
use crate::client::Expected;
use crate::context::Context;
use crate::outcome::{Figures, Trouble};
use crate::server::Server;

/// Connections in full.
const CONNECTIONS: u64 = 100_000;

/// What a server keeps for later ones is allocated after so many.
const WARM_UP: u64 = 10_000;

/// Storms, at most. What is kept for later connections, such as stacks, may still grow in the first; what is lost is
/// lost in each.
const STORMS: u32 = 3;

/// Clients at the same time.
const CLIENTS: usize = 8;

/// Item `storms`: 100,000 connects and closes, half of them by RST.
pub fn storms(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let mut server = Server::start(context, target)?;
    let idle = server.usage()?.descriptors;
    let storm = Storm {
        addr: server.addr(),
        expected: server.expected().clone(),
        next: AtomicU64::new(0),
    };
    storm.blow(context, context.count(WARM_UP, 2000))?;
    let mut before = settle(context, target, &mut server, idle)?;
    for number in 1..=STORMS {
        let (start, count) = (Instant::now(), context.count(CONNECTIONS, 4000));
        storm.blow(context, count)?;
        figures.add("connections", count as f64);
        figures.add("seconds", start.elapsed().as_secs_f64());

        let after = settle(context, target, &mut server, idle)?;
        figures.set("rss_before_bytes", before.rss as f64);
        figures.set("rss_after_bytes", after.rss as f64);
        figures.set("descriptors_before", before.descriptors as f64);
        figures.set("descriptors_after", after.descriptors as f64);
        none_lost(before.descriptors.max(idle), after.descriptors)?;
        match Tolerance::of(target).judge(before.rss, after.rss) {
            Ok(()) => break,
            Err(trouble) if number == STORMS => return Err(trouble),
            Err(_) => before = after,
        }
    }
    server.expect_service()?;
    server.stop().map(drop)
}

/// Clients that visit a server again and again.
struct Storm {
    addr: SocketAddr,
    expected: Expected,
    /// The number of the next visit, which decides what happens in it.
    next: AtomicU64,
}

impl Storm {
    /// Makes `count` more visits; ends with the first that goes wrong.
    fn blow(&self, context: &Context, count: u64) -> Result<(), Trouble> {
        let end = self.next.load(Ordering::Relaxed) + count;
        let result = thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|_| scope.spawn(|| self.visit_until(context, end)))
                .collect();
            (clients.into_iter())
                .map(|client| client.join().expect("no client panics"))
                .fold(Ok(()), Result::and)
        });
        self.next.store(end, Ordering::Relaxed);
        result
    }

    fn visit_until(&self, context: &Context, end: u64) -> Result<(), Trouble> {
        loop {
            context.go_on()?;
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= end {
                return Ok(());
            }
            let visit = Visit::new(number);
            if let Err(reason) = visit.pay(self.addr, &self.expected) {
                // The others need not go on.
                self.next.store(end, Ordering::Relaxed);
                let situation = format!("connection {number}, {visit}");
                return Err(Trouble::fail(reason).in_context(&situation));
            }
        }
    }
}
