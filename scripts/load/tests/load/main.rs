//! The load generator against real servers, right ones and liars.

mod cli;
mod counts;
mod liars;
mod many;
mod modes;
mod open_loop;
mod ports;
mod schema;
mod server;

use std::time::Duration;

use load::{Amount, Config, Mode, Report, Target};

/// A small load for `server`: two connections, 40 requests, timeout 400 ms.
fn config(server: &server::Server) -> Config {
    Config {
        connections: 2,
        amount: Amount::Requests(40),
        timeout: Duration::from_millis(400),
        ..Config::new(Target::new(server.address))
    }
}

/// The same in this mode.
fn in_mode(server: &server::Server, mode: Mode) -> Config {
    Config {
        mode,
        ..config(server)
    }
}

/// Runs, and checks what holds for every report.
fn run(config: &Config) -> Report {
    let report = load::run(config, |_| {}).expect("the run starts");
    assert_eq!(
        report.requests,
        report.responses + report.errors.total(),
        "every request ends in one way: {report:#?}"
    );
    report
}
