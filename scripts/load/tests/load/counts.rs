//! Counts agree with those of a server that counts.

use std::time::Duration;

use load::{Amount, Config, Mode};

use crate::server::{RIGHT, Server, Then, say};
use crate::{config, in_mode, run};

const MODES: [Mode; 3] = [Mode::KeepAlive, Mode::Close, Mode::Pipeline(7)];

#[test]
fn by_number() {
    for mode in MODES {
        for (connections, threads, count) in [(1, 1, 1), (3, 2, 100), (8, 3, 5), (5, 1, 1001)] {
            let server = Server::always(RIGHT);
            let report = run(&Config {
                connections,
                threads,
                amount: Amount::Requests(count),
                timeout: Duration::from_secs(10),
                ..in_mode(&server, mode)
            });
            let counts = (report.requests, report.responses, server.requests());
            assert_eq!(
                counts,
                (count, count, count),
                "{mode:?} {connections} {threads}"
            );
        }
    }
}

#[test]
fn by_time_with_warm_up() {
    for mode in MODES {
        let server = Server::always(RIGHT);
        let report = run(&Config {
            connections: 8,
            threads: 2,
            amount: Amount::Time(Duration::from_millis(300)),
            warmup: Duration::from_millis(100),
            timeout: Duration::from_secs(10),
            ..in_mode(&server, mode)
        });
        assert_eq!(
            (report.requests, report.responses),
            (server.requests(), server.requests()),
            "{mode:?}"
        );
        assert!(report.latency.unwrap().count < report.responses);
    }
}

#[test]
fn a_number_is_counted_after_the_warm_up() {
    let server = Server::always(RIGHT);
    let report = run(&Config {
        warmup: Duration::from_millis(100),
        ..config(&server)
    });
    assert_eq!(
        (report.requests, report.responses),
        (server.requests(), server.requests())
    );
    assert_eq!(report.latency.unwrap().count, 40);
}

#[test]
fn with_errors_of_many_kinds() {
    for mode in MODES {
        let server = Server::start(|stream, number| match number % 11 {
            3 => Then::Close,
            5 => say(stream, &RIGHT.replace("200 OK", "404 Not Found")),
            7 => say(stream, &RIGHT.replace("World", "Wurld")),
            9 => {
                say(stream, &RIGHT[..20]);
                Then::Close
            }
            _ => say(stream, RIGHT),
        });
        let report = run(&Config {
            connections: 4,
            amount: Amount::Requests(330),
            ..in_mode(&server, mode)
        });
        assert_eq!(report.requests, 330, "{mode:?}");
        assert!(report.errors.non_2xx > 0 && report.errors.wrong_bytes > 0);
        if mode != Mode::Pipeline(7) {
            assert_eq!(server.requests(), 330, "{mode:?}");
            assert_eq!(
                (report.errors.unexpected_close, report.errors.short),
                (30, 30)
            );
            assert_eq!((report.errors.non_2xx, report.errors.wrong_bytes), (30, 30));
        }
    }
}

#[test]
fn in_an_open_loop() {
    for mode in MODES {
        let server = Server::always(RIGHT);
        let report = run(&Config {
            connections: 4,
            threads: 2,
            rate: Some(1000.0),
            amount: Amount::Requests(301),
            timeout: Duration::from_secs(10),
            ..in_mode(&server, mode)
        });
        assert_eq!(
            (report.requests, report.responses, server.requests()),
            (301, 301, 301),
            "{mode:?}"
        );
    }
}
