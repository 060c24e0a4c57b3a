//! Latency at a given rate shows what a closed loop hides (coordinated omission).

use std::thread::sleep;
use std::time::{Duration, Instant};

use load::{Amount, Config, LatencyKind, Report};

use crate::server::{RIGHT, Server, say};
use crate::{config, run};

const STALL: Duration = Duration::from_millis(200);

/// Every response takes 1 ms, and once a second nothing is answered for 200 ms.
fn stalling() -> Server {
    let start = Instant::now();
    Server::start(move |stream, _| {
        sleep(Duration::from_millis(1));
        let within = Duration::from_nanos((start.elapsed().as_nanos() % 1_000_000_000) as u64);
        sleep(STALL.saturating_sub(within));
        say(stream, RIGHT)
    })
}

fn load(server: &Server, connections: usize, rate: Option<f64>) -> Report {
    run(&Config {
        connections,
        rate,
        amount: Amount::Time(Duration::from_secs(2)),
        timeout: Duration::from_secs(10),
        ..config(server)
    })
}

#[test]
fn a_stall_shows_at_a_rate_and_hides_in_a_closed_loop() {
    let server = stalling();
    let capacity = load(&server, 8, None).requests_per_second;

    let open = load(&server, 8, Some(capacity / 2.0));
    let closed = load(&server, 4, None);

    assert_eq!(open.in_flight.served_mean, None);
    let latency = open.latency.unwrap();
    assert_eq!(
        (latency.kind, open.errors.total()),
        (LatencyKind::LatencyAtRate, 0)
    );
    // A fifth of all requests wants to leave in a stall, so the slowest hundredth waits nearly all of it.
    assert!(latency.p99_us > 120_000, "{latency:?}");
    assert!(
        closed.latency.as_ref().unwrap().p99_us < 80_000,
        "{:?}",
        closed.latency
    );

    // What wants to leave in a stall at the end leaves after the measured time.
    let rate = open.rate.unwrap();
    assert!(
        (0.7..1.1).contains(&(rate.reached / rate.asked)),
        "{rate:?}"
    );
    assert_eq!(rate.unsent, 0);
    assert!(rate.late_p50_us <= rate.late_p99_us && rate.late_p99_us <= rate.late_max_us);
}

/// More than the server can do: the schedule is not stretched, the run ends, and it says what never left.
#[test]
fn too_high_a_rate() {
    let server = Server::start(|stream, _| {
        sleep(Duration::from_millis(20));
        say(stream, RIGHT)
    });
    let start = Instant::now();
    let report = run(&Config {
        rate: Some(1000.0),
        amount: Amount::Time(Duration::from_secs(1)),
        ..config(&server)
    });
    let rate = report.rate.unwrap();
    assert!(rate.reached < 200.0 && rate.unsent > 500, "{rate:?}");
    assert!(report.latency.unwrap().max_us > 500_000);
    assert_eq!(server.requests(), report.requests);
    assert!(start.elapsed() < Duration::from_secs(10));
}
