//! A server that may have few open files: full service again as soon as there are some.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use contract::Target;

use crate::client::PATIENCE;
use crate::context::Context;
use crate::outcome::{Figures, Trouble};
use crate::server::{Options, Server};

/// The shell lowers both limits before it becomes the server: ours raise the soft one to the hard one.
const FEW: [&str; 4] = ["sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"];

/// How long they are held.
const HELD: Duration = Duration::from_millis(500);

/// What it may use of a CPU meanwhile, accepting and refusing included: one that asks again at once takes all of it.
const CPU: f64 = 0.3;

/// Item `few-descriptors`: 100 connections at once, of which it can have no more than 64; ten times over.
pub fn few(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let options = Options {
        wrapper: &FEW,
        ..Options::default()
    };
    let mut server = Server::start_with(context, target, &options)?;
    let (mut used, mut held_for) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..context.count(10, 3) {
        context.go_on()?;
        let (start, before) = (Instant::now(), server.usage()?.cpu);
        let held: Vec<_> = (0..100)
            .filter_map(|_| TcpStream::connect_timeout(&server.addr(), PATIENCE).ok())
            .collect();
        figures.raise("connections", held.len() as u32);
        context.sleep(HELD)?;
        used += server.usage()?.cpu.saturating_sub(before);
        held_for += start.elapsed();
        drop(held);
        server.expect_service_within(Duration::from_secs(3))?;
        figures.raise("descriptors_after", server.usage()?.descriptors as f64);
    }
    let share = used.as_secs_f64() / held_for.as_secs_f64();
    figures.set("cpu_share", share);
    if share > CPU {
        let percent = share * 100.0;
        return Err(Trouble::fail(format!(
            "it takes {percent:.0} % of a CPU while no descriptor is left"
        )));
    }
    server.stop().map(drop)
}
