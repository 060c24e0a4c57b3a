//! Writes that the kernel takes in parts, and peers that break off in the middle of one.

use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

use contract::Target;
use rand::RngExt;

use super::visit::Visit;
use crate::client::{Client, GET, Received};
use crate::context::Context;
use crate::netns;
use crate::outcome::{Figures, Trouble};
use crate::server::{Options, Server};

/// Bytes of a large body, and the least of them that is more than a socket buffers: one response takes many writes.
const LARGE: (u64, u64) = (8_000_000, 3_000_000);

/// Item `short-writes`: a reader with the smallest receive buffer, of large responses, one of them behind another.
pub fn short_writes(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    let server = with_body(context, target, context.count(LARGE.0, LARGE.1) as usize)?;
    for pause in [Duration::ZERO, Duration::from_millis(200)] {
        context.go_on()?;
        transfer(&server, 2, pause, figures)?;
    }
    server.stop().map(drop)
}

/// Item `small-buffers`: in a network whose sockets buffer 4 KiB, what they hold is less than most that is sent.
pub fn small_buffers(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    let settings = [("ipv4/tcp_wmem", "4096 4096 4096")];
    netns::run(&settings, || {
        for (body_size, depth) in [(13, 64), (20_000, 4)] {
            context.go_on()?;
            let server = with_body(context, target, body_size)?;
            transfer(&server, depth, Duration::from_millis(50), figures)?;
            server.stop()?;
        }
        Ok(())
    })
}

fn with_body(context: &Context, target: &Target, body_size: usize) -> Result<Server, Trouble> {
    if !target.run.iter().any(|word| word.contains("{body_size}")) {
        let reason = "its command takes no {body_size}";
        return Err(Trouble::Inapplicable(reason.into()));
    }
    let options = Options {
        body_size,
        ..Options::default()
    };
    let server = Server::start_with(context, target, &options)?;
    match server.expected().body_len() {
        bytes if bytes == body_size => Ok(server),
        bytes => Err(Trouble::fail(format!(
            "told to send a body of {body_size} bytes, it sends {bytes}"
        ))),
    }
}

/// `depth` requests at once, and after `pause` their responses, through a receive buffer of 4 KiB.
fn transfer(
    server: &Server,
    depth: usize,
    pause: Duration,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    let broken = |reason: String| {
        Trouble::fail(reason).repeated_by(format!(
            "{depth} pipelined GET, SO_RCVBUF 4096, read after {pause:?}"
        ))
    };
    let start = Instant::now();
    let mut client = Client::connect_with_small_buffer(server.addr(), 4096)
        .map_err(|error| broken(error.to_string()))?;
    client
        .send(&GET.repeat(depth))
        .map_err(|error| broken(error.to_string()))?;
    thread::sleep(pause);
    for number in 1..=depth {
        match client.receive("GET").map_err(broken)? {
            Received::Response(response) if server.expected().matches(&response) => {
                figures.add("responses", 1);
                figures.add("bytes", response.wire_bytes as f64);
                if !response.keeps_alive() {
                    break;
                }
            }
            Received::Response(_) => return Err(broken(format!("response {number} is another"))),
            other => return Err(broken(format!("{other:?} in place of response {number}"))),
        }
    }
    figures.add("seconds", start.elapsed().as_secs_f64());
    match client.surplus(Duration::from_millis(20)).len() {
        0 => Ok(()),
        more => Err(broken(format!("{more} bytes more than were asked for"))),
    }
}

/// Item `resets`: RST in the middle of a response, and before it; beside it, good clients get all that they ask for.
pub fn resets(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let mut server = with_body(context, target, 1_000_000)?;
    let mut rng = context.rng("resets", &target.name);
    let before = server.usage()?.descriptors;
    let visit = Visit {
        addr: server.addr(),
        expected: server.expected(),
        connections: 5,
        requests: 4,
        patience: Duration::from_secs(5),
    };
    let seen = thread::scope(|scope| {
        let good = scope.spawn(|| visit.pay());
        for _ in 0..context.count(300, 50) {
            context.go_on()?;
            let depth = rng.random_range(1..4);
            let wanted = rng.random_range(0..300_000);
            if break_off(visit.addr, depth, wanted).is_ok() {
                figures.add("resets", 1);
            }
        }
        good.join().expect("a visit does not panic")
    })?;
    if seen.closed + seen.silent > 0 {
        return Err(Trouble::fail(format!(
            "a good client beside them: {seen:?}"
        )));
    }
    server.expect_service()?;
    descriptors_return_to(&mut server, before)?;
    server.stop().map(drop)
}

/// Asks, reads about `wanted` bytes and resets.
fn break_off(addr: std::net::SocketAddr, depth: usize, wanted: usize) -> std::io::Result<()> {
    let mut client = Client::connect(addr)?;
    client.send(&GET.repeat(depth))?;
    let mut bytes = [0; 16 * 1024];
    let mut read = 0;
    while read < wanted {
        match client.stream().read(&mut bytes)? {
            0 => break,
            count => read += count,
        }
    }
    client.reset();
    Ok(())
}

/// All connections that were reset are closed by now, or soon.
fn descriptors_return_to(server: &mut Server, before: u64) -> Result<(), Trouble> {
    /// Listeners' and runtimes' own, opened with the first connections.
    const OWN: u64 = 4;
    let end = Instant::now() + Duration::from_secs(3);
    loop {
        let now = server.usage()?.descriptors;
        match now {
            now if now <= before + OWN => return Ok(()),
            _ if Instant::now() < end => thread::sleep(Duration::from_millis(50)),
            now => {
                return Err(Trouble::fail(format!(
                    "{now} descriptors after the resets, {before} before"
                )));
            }
        }
    }
}
