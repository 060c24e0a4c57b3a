//! Lying servers: the right class and count each time, and the run ends in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread::sleep;
use std::time::{Duration, Instant};

use load::{Amount, Config, Errors, Mode, Report};

use crate::server::{RIGHT, Server, Then, say};
use crate::{config, in_mode, run};

const MODES: [Mode; 3] = [Mode::KeepAlive, Mode::Close, Mode::Pipeline(4)];

/// Every request fails with this class only.
#[track_caller]
fn only(report: &Report, errors: Errors) {
    assert_eq!(
        (report.requests, report.responses, report.errors),
        (40, 0, errors)
    );
}

#[test]
fn wrong_body() {
    for mode in MODES {
        let lies = Arc::new(AtomicU64::new(0));
        let told = lies.clone();
        let server = Server::start(move |stream, number| {
            if number % 3 != 2 {
                return say(stream, RIGHT);
            }
            told.fetch_add(1, SeqCst);
            say(stream, &RIGHT.replace("World", "Wurld"))
        });
        let report = run(&in_mode(&server, mode));
        assert_eq!(report.errors.wrong_bytes, lies.load(SeqCst), "{mode:?}");
        assert_eq!(report.errors.total(), report.errors.wrong_bytes, "{mode:?}");
        assert_eq!(report.requests, 40);
    }
}

#[test]
fn no_http_at_all() {
    let server = Server::always("220 mail.example ESMTP\r\n\r\n");
    only(
        &run(&config(&server)),
        Errors {
            wrong_bytes: 40,
            ..Errors::default()
        },
    );
}

#[test]
fn longer_than_it_says() {
    for mode in MODES {
        let server = Server::always(RIGHT.replace("Content-Length: 13", "Content-Length: 12"));
        let report = run(&in_mode(&server, mode));
        // Pipelined, what is too long is the start of the next response, which is none then.
        let found = report.errors.extra + report.errors.wrong_bytes;
        assert_eq!(
            (report.errors.total(), report.requests),
            (found, 40),
            "{mode:?}"
        );
        assert!(
            mode == Mode::Pipeline(4) || report.errors.extra == 40,
            "{:?}",
            report.errors
        );
    }
}

#[test]
fn shorter_than_it_says_then_closes() {
    for mode in [Mode::KeepAlive, Mode::Close] {
        let server = Server::start(|stream, _| {
            say(
                stream,
                &RIGHT.replace("Content-Length: 13", "Content-Length: 14"),
            );
            Then::Close
        });
        only(
            &run(&in_mode(&server, mode)),
            Errors {
                short: 40,
                ..Errors::default()
            },
        );
    }
}

#[test]
fn always_500() {
    for mode in MODES {
        let server = Server::always(RIGHT.replace("200 OK", "500 Internal Server Error"));
        let report = run(&in_mode(&server, mode));
        only(
            &report,
            Errors {
                non_2xx: 40,
                ..Errors::default()
            },
        );
        assert_eq!(report.first_response.unwrap().status, 500);
    }
}

#[test]
fn some_500() {
    let server = Server::start(|stream, number| {
        let status = if number % 2 == 1 {
            "502 Bad Gateway"
        } else {
            "200 OK"
        };
        say(stream, &RIGHT.replace("200 OK", status))
    });
    let report = run(&config(&server));
    assert_eq!(
        report.errors,
        Errors {
            non_2xx: 20,
            ..Errors::default()
        }
    );
    assert_eq!(report.responses, 20);
}

#[test]
fn closes_early() {
    for mode in [Mode::KeepAlive, Mode::Close] {
        let server = Server::start(|_, _| Then::Close);
        only(
            &run(&in_mode(&server, mode)),
            Errors {
                unexpected_close: 40,
                ..Errors::default()
            },
        );
    }
}

#[test]
fn closes_within_a_response() {
    for mode in [Mode::KeepAlive, Mode::Close] {
        let server = Server::start(|stream, _| {
            say(stream, &RIGHT[..RIGHT.len() / 2]);
            Then::Close
        });
        only(
            &run(&in_mode(&server, mode)),
            Errors {
                short: 40,
                ..Errors::default()
            },
        );
    }
}

#[test]
fn half_a_response_and_then_silence() {
    for mode in MODES {
        let server = Server::start(|stream, number| {
            if number == 0 {
                return say(stream, RIGHT);
            }
            say(stream, &RIGHT[..RIGHT.len() / 2]);
            Then::Hang
        });
        let start = Instant::now();
        let report = run(&Config {
            amount: Amount::Requests(9),
            ..in_mode(&server, mode)
        });
        assert_eq!(
            (report.responses, report.errors.timeout),
            (1, 8),
            "{mode:?} {:?}",
            report.errors
        );
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn answers_twice() {
    for mode in [Mode::KeepAlive, Mode::Close] {
        let server = Server::always(RIGHT.repeat(2));
        only(
            &run(&in_mode(&server, mode)),
            Errors {
                extra: 40,
                ..Errors::default()
            },
        );
    }
}

#[test]
fn answers_twice_in_the_pipeline() {
    let server =
        Server::start(|stream, number| say(stream, &RIGHT.repeat(1 + usize::from(number > 0))));
    let report = run(&in_mode(&server, Mode::Pipeline(4)));
    assert_eq!(report.errors.total(), report.errors.extra);
    assert!(report.errors.extra > 0);
}

/// The second answer comes when nothing is under way any more.
#[test]
fn answers_twice_in_two_writes() {
    let server = Server::start(|stream, _| {
        say(stream, RIGHT);
        sleep(Duration::from_millis(20));
        say(stream, RIGHT)
    });
    let report = run(&Config {
        rate: Some(20.0),
        connections: 2,
        amount: Amount::Requests(8),
        ..config(&server)
    });
    assert!(
        report.errors.extra > 0 && report.errors.total() == report.errors.extra,
        "{report:#?}"
    );
}

#[test]
fn ignores_connection_close() {
    let server = Server::always(RIGHT);
    let report = run(&in_mode(&server, Mode::Close));
    assert_eq!((report.server_closes, report.responses), (Some(false), 40));

    let server = Server::start(|stream, _| {
        say(stream, RIGHT);
        Then::Close
    });
    let report = run(&in_mode(&server, Mode::Close));
    assert_eq!((report.server_closes, report.responses), (Some(true), 40));
}

#[test]
fn resets() {
    for mode in MODES {
        let server = Server::start(|_, _| Then::Reset);
        only(
            &run(&in_mode(&server, mode)),
            Errors {
                reset: 40,
                ..Errors::default()
            },
        );
    }
}

#[test]
fn resets_within_a_response() {
    let server = Server::start(|stream, _| {
        say(stream, &RIGHT[..RIGHT.len() / 2]);
        sleep(Duration::from_millis(5));
        Then::Reset
    });
    only(
        &run(&config(&server)),
        Errors {
            reset: 40,
            ..Errors::default()
        },
    );
}

#[test]
fn slow_drip() {
    let server = Server::start(|stream, number| {
        if number == 0 {
            return say(stream, RIGHT);
        }
        for at in 0..RIGHT.len() {
            if say(stream, &RIGHT[at..=at]) == Then::Close {
                return Then::Close;
            }
            sleep(Duration::from_millis(30));
        }
        Then::Go
    });
    let start = Instant::now();
    let report = run(&Config {
        amount: Amount::Requests(5),
        ..config(&server)
    });
    assert_eq!(
        (report.responses, report.errors.timeout),
        (1, 4),
        "{:?}",
        report.errors
    );
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn refuses_from_the_start() {
    let server = Server::always(RIGHT);
    server.refuse();
    sleep(Duration::from_millis(100));
    let report = run(&config(&server));
    assert_eq!(
        report.errors,
        Errors {
            connect: 1,
            ..Errors::default()
        }
    );
    assert!(
        report
            .stopped
            .unwrap()
            .contains("cannot connect to 127.0.0.1:")
    );
}

/// It answers and closes, and from the tenth request on it refuses connections.
fn refuses_later(mode: Mode, amount: Amount) -> (Report, Duration) {
    let server = Arc::new(std::sync::OnceLock::<Server>::new());
    let own = server.clone();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.get_or_init(|| {
        Server::on(listener, move |stream, number| {
            if number == 10 {
                own.get().unwrap().refuse();
            }
            say(
                stream,
                &RIGHT.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
            );
            Then::Close
        })
    });
    let start = Instant::now();
    let config = Config {
        amount,
        ..in_mode(server.get().unwrap(), mode)
    };
    let report = run(&config);
    assert!(server.get().unwrap().requests() <= report.requests - report.errors.connect);
    (report, start.elapsed())
}

#[test]
fn refuses_later_on() {
    for mode in [Mode::KeepAlive, Mode::Close] {
        let (report, _) = refuses_later(mode, Amount::Requests(40));
        assert_eq!(report.requests, 40);
        assert!(report.errors.connect >= 20, "{mode:?} {:?}", report.errors);
    }
}

#[test]
fn asks_a_refusing_server_now_and_then() {
    let (report, took) = refuses_later(Mode::KeepAlive, Amount::Time(Duration::from_secs(1)));
    // Two connections, a try each 25 ms at the end: 80 in a second, more at the beginning.
    assert!(
        (20..200).contains(&report.errors.connect),
        "{:?}",
        report.errors
    );
    assert!(took < Duration::from_secs(5));
}

#[test]
fn gives_up_when_nothing_answers() {
    let server = Server::start(|stream, number| match number {
        0 => say(stream, RIGHT),
        _ => Then::Hang,
    });
    let report = run(&Config {
        amount: Amount::Requests(1_000_000),
        timeout: Duration::from_millis(100),
        ..config(&server)
    });
    assert!(report.stopped.unwrap().contains("has not answered"));
    assert!(report.requests < 1000);
}
