//! SIGTERM under full load: the server ends by itself, in time, and cuts no response.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use contract::Target;
use contract::targets::Contract;
use load::{Amount, Config, Report};
use rand::RngExt;

use super::crowd::{Crowd, Seen, Style};
use crate::client::{Client, GET, Received};
use crate::context::Context;
use crate::outcome::{Figures, Trouble};
use crate::server::{Options, Server};

/// The clients that look at every byte.
const STYLES: [Style; 6] = [
    Style::KeepAlive,
    Style::KeepAlive,
    Style::Close,
    Style::Close,
    Style::Pipeline(16),
    Style::Pipeline(64),
];

/// Ours stop accepting, so that nothing is in flight soon; what is may take 5 s. Between the two there is room.
const NOTHING_IN_FLIGHT: Duration = Duration::from_millis(4500);

/// Bytes of the response that SIGTERM finds in the middle: more than sockets buffer.
const LARGE: usize = 8_000_000;

/// So many rounds of load to one in the middle of a large response.
const EVERY: u64 = 5;

/// Item `sigterm`.
pub fn under_load(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    let mut rng = context.rng("sigterm", &target.name);
    let options = Options {
        threads: 2,
        ..Options::default()
    };
    for round in 1..=context.count(100, 3) {
        context.go_on()?;
        // Others do not promise to finish what is in flight.
        if round % EVERY == 1 && target.contract != Contract::Foreign {
            in_the_middle(context, target)?;
            figures.add("large_responses", 1);
        }
        let server = Server::start_with(context, target, &options)?;
        let loaded_for = Duration::from_millis(rng.random_range(20..200));
        let told = format!("round {round}, SIGTERM after {loaded_for:?} of load");
        let (addr, expected) = (server.addr(), server.expected().clone());
        let load = Load::begin(addr);
        let crowd = Crowd::gather(addr, &expected, &STYLES);
        thread::sleep(loaded_for);
        let exit = server.stop();
        let seen = crowd.disperse();
        let loaded = load.end();
        let told = |trouble: Trouble| trouble.in_context(&told);
        let exit = exit.map_err(told)?;
        figures.raise("exit_max_seconds", exit.as_secs_f64());
        if target.contract != Contract::Foreign && exit > NOTHING_IN_FLIGHT {
            let reason = format!(
                "it ended after {exit:?}, though nothing was in flight: it goes on accepting"
            );
            return Err(told(Trouble::fail(reason)));
        }
        count(seen.map_err(told)?, figures);
        figures.add("responses", loaded.map_err(told)?.responses as f64);
        figures.add("rounds", 1);
    }
    Ok(())
}

/// One client that takes a large response slowly, and SIGTERM when it has begun: the rest of it comes, too.
fn in_the_middle(context: &Context, target: &Target) -> Result<(), Trouble> {
    let options = Options {
        threads: 2,
        body_size: LARGE,
        ..Options::default()
    };
    let mut server = Server::start_with(context, target, &options)?;
    let told = |reason: String| {
        Trouble::fail(reason)
            .in_context("SIGTERM in the middle of a response")
            .repeated_by(format!("a body of {LARGE} bytes, one GET, SO_RCVBUF 4096"))
    };
    let ask = || -> io::Result<Client> {
        let mut client = Client::connect_with_small_buffer(server.addr(), 4096)?;
        client.send(GET)?;
        client.stream().peek(&mut [0])?;
        Ok(client)
    };
    let mut client = ask().map_err(|error| told(error.to_string()))?;
    server.terminate();
    // It has heard of it before the rest is taken.
    context.sleep(Duration::from_millis(50))?;
    match client.receive("GET").map_err(told)? {
        Received::Response(response)
            if response.body.len() == LARGE && server.expected().matches(&response) => {}
        Received::Response(response) => {
            let bytes = response.body.len();
            return Err(told(format!("another response, of {bytes} bytes")));
        }
        other => return Err(told(format!("{other:?} in place of the response"))),
    }
    server.expect_exit().map(drop)
}

/// Item `restarts`: its clients stay, and find the next server on the same port.
pub fn restarts(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let mut server = Server::start(context, target)?;
    let (addr, expected) = (server.addr(), server.expected().clone());
    let options = Options {
        port: addr.port(),
        ..Options::default()
    };
    let crowd = Crowd::gather(addr, &expected, &STYLES);
    for restart in 1..=context.count(20, 3) {
        context.go_on()?;
        thread::sleep(Duration::from_millis(100));
        let situation = format!("restart {restart}");
        let told = |trouble: Trouble| trouble.in_context(&situation);
        let exit = server.stop().map_err(told)?;
        figures.raise("exit_max_seconds", exit.as_secs_f64());
        server = Server::start_with(context, target, &options).map_err(told)?;
        server.expect_service().map_err(told)?;
        figures.add("restarts", 1);
    }
    count(crowd.disperse()?, figures);
    server.stop().map(drop)
}

fn count(seen: Seen, figures: &mut Figures) {
    figures.add("responses", seen.responses as f64);
    figures.add("closed", seen.closed as f64);
}

/// The load generator at full speed, beside the crowd: 64 connections.
struct Load {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Result<Report, load::Error>>,
}

impl Load {
    fn begin(addr: SocketAddr) -> Self {
        let mut config = Config::new(load::Target::new(addr));
        config.amount = Amount::Time(Duration::from_secs(20));
        let over = Arc::clone(&config.stop);
        let thread = thread::spawn(move || load::run(&config, |_| {}));
        Self { over, thread }
    }

    /// Connections that ended are as they should be; responses that were cut are not.
    fn end(self) -> Result<Report, Trouble> {
        self.over.store(true, Ordering::Relaxed);
        let report = self.thread.join().expect("the generator does not panic");
        let report = report.map_err(|error| Trouble::Skip(format!("no load: {error}")))?;
        let errors = report.errors;
        let bad = [
            ("short", errors.short),
            ("wrong_bytes", errors.wrong_bytes),
            ("extra", errors.extra),
        ];
        match bad.iter().find(|(_, count)| *count > 0) {
            Some((class, count)) => Err(Trouble::fail(format!(
                "the load generator saw {count} errors `{class}`"
            ))),
            None => Ok(report),
        }
    }
}
