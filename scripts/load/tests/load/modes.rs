//! Right servers in every mode.

use std::net::TcpListener;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use load::{Amount, Config, LatencyKind, Mode, RequestKind, Target};

use crate::server::{RIGHT, Server, Then, say};
use crate::{config, in_mode, run};

#[test]
fn report_of_a_plain_run() {
    let server = Server::always(RIGHT);
    let report = run(&Config {
        amount: Amount::Time(Duration::from_millis(500)),
        warmup: Duration::from_millis(200),
        ..config(&server)
    });
    assert_eq!(report.errors.total(), 0);
    assert_eq!(report.requests, server.requests());
    let latency = report.latency.as_ref().unwrap();
    assert_eq!(latency.kind, LatencyKind::LatencyAtSaturation);
    assert_eq!(latency.kind.label(), "latency at saturation");
    assert!(latency.count < report.requests && latency.p50_us <= latency.p99_us);
    assert!(latency.p99_99_us <= latency.max_us);
    assert!((0.5..2.0).contains(&report.duration_seconds));
    let rate = report.measured_responses as f64 / report.duration_seconds;
    assert!((report.requests_per_second - rate).abs() < 1e-6);
    assert_eq!(report.in_flight.possible, 2);
    assert!(
        (1.0..=2.0).contains(&report.in_flight.mean),
        "{:?}",
        report.in_flight
    );
    assert!(
        (0.5..=2.5).contains(&report.in_flight.served_mean.unwrap()),
        "{:?}",
        report.in_flight
    );
    assert!(report.in_flight.samples.len() > 10 && report.in_flight.connections_unserved == 0);
    assert_eq!(report.cpu.threads.len(), 1);
    assert!(report.cpu.seconds() > 0.0 && report.cpu.share(report.duration_seconds) <= 1.1);
    assert_eq!(
        report.cpu.stolen_seconds.is_some(),
        cfg!(target_os = "linux")
    );
    assert_eq!(report.bytes_read, report.requests * RIGHT.len() as u64);
    assert_eq!(
        (report.connections_opened, report.rate.is_none()),
        (3, true)
    );
}

#[test]
fn first_response_is_described() {
    let server = Server::always(RIGHT);
    let first = run(&config(&server)).first_response.unwrap();
    let names: Vec<_> = first
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(names, ["Content-Type", "Date", "Content-Length"]);
    assert_eq!(first.fields[0].value, "text/plain");
    assert_eq!((first.status, first.body_bytes), (200, 13));
    assert_eq!(first.response_bytes, RIGHT.len() as u64);
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    assert_eq!(first.request_bytes, request.len() as u64);
}

#[test]
fn any_framing() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n";
    let server = Server::always(chunked);
    assert_eq!(run(&config(&server)).responses, 40);

    for mode in [Mode::KeepAlive, Mode::Close] {
        let server = Server::start(|stream, _| {
            say(stream, "HTTP/1.0 200 OK\r\n\r\nHello");
            Then::Close
        });
        let report = run(&in_mode(&server, mode));
        assert_eq!(
            (report.responses, report.requests),
            (40, 40),
            "{mode:?} {report:#?}"
        );
    }
}

/// A head that changes costs time, but is right.
#[test]
fn heads_may_differ() {
    let server = Server::start(|stream, number| {
        say(
            stream,
            &RIGHT.replace("\r\n\r\n", &format!("\r\nX-Request: {number}\r\n\r\n")),
        )
    });
    let report = run(&in_mode(&server, Mode::Pipeline(3)));
    assert_eq!((report.responses, report.differing_heads), (40, 39));
}

#[test]
fn large_bodies_in_small_pieces() {
    let body = "0123456789".repeat(50_000);
    let response = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let server = Server::always(response);
    let report = run(&Config {
        timeout: Duration::from_secs(10),
        ..in_mode(&server, Mode::Pipeline(2))
    });
    assert_eq!((report.responses, report.differing_heads), (40, 0));
}

/// The server keeps a connection for five requests and announces the end, as HTTP allows.
#[test]
fn announced_ends_are_no_errors() {
    let server = Server::start(|stream, number| {
        if number % 5 != 4 {
            return say(stream, RIGHT);
        }
        say(
            stream,
            &RIGHT.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
        );
        Then::Close
    });
    let report = run(&config(&server));
    assert_eq!(
        (report.responses, report.requests),
        (40, 40),
        "{:?}",
        report.errors
    );
    assert!(report.connections_ended_by_server >= 7);
}

/// One connection is served, the other one waits for ever: it counts as under way, and shows.
#[test]
fn starvation_shows() {
    let taken = std::sync::atomic::AtomicU64::new(0);
    let server = Server::start(move |stream, number| {
        let port = u64::from(stream.peer_addr().unwrap().port());
        if number == 0
            || taken.compare_exchange(0, port, SeqCst, SeqCst).is_ok()
            || taken.load(SeqCst) == port
        {
            return say(stream, RIGHT);
        }
        Then::Hang
    });
    let report = run(&Config {
        connections: 4,
        amount: Amount::Time(Duration::from_millis(500)),
        timeout: Duration::from_secs(1),
        ..config(&server)
    });
    assert_eq!((report.errors.timeout, report.errors.total()), (3, 3));
    assert_eq!(report.in_flight.connections_unserved, 3);
    assert!(
        report.in_flight.mean > 3.0 && report.in_flight.served_mean.unwrap() < 1.5,
        "{:?}",
        report.in_flight
    );
}

#[test]
fn first_address_that_connects() {
    let server = Server::always(RIGHT);
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let target = Target {
        addresses: vec![nobody, server.address],
        ..Target::new(nobody)
    };
    let report = run(&Config {
        target,
        ..config(&server)
    });
    assert_eq!(
        (report.responses, report.settings.address),
        (40, server.address.to_string())
    );
}

#[test]
fn ipv6() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else {
        return println!("skipped: this machine has no IPv6");
    };
    let server = Server::on(listener, |stream, _| say(stream, RIGHT));
    for mode in [Mode::KeepAlive, Mode::Close] {
        assert_eq!(run(&in_mode(&server, mode)).responses, 40);
    }
    let named = Target::parse(&format!("http://localhost:{}/", server.address.port())).unwrap();
    if named.addresses.contains(&server.address) {
        assert_eq!(
            run(&Config {
                target: named,
                ..config(&server)
            })
            .responses,
            40
        );
    }
}

#[test]
fn browsers_request() {
    let server = Server::always(RIGHT);
    let report = run(&Config {
        request: RequestKind::Browser,
        headers: vec![("X-Test".into(), "yes".into())],
        ..in_mode(&server, Mode::Pipeline(16))
    });
    assert_eq!(report.responses, 40);
    assert!(report.first_response.unwrap().request_bytes > 600);
}

/// More than the socket's buffers hold: requests are written in pieces, and none is lost or torn.
#[test]
fn requests_that_do_not_fit_into_one_write() {
    let server = Server::start(|stream, number| {
        if number % 5000 == 0 {
            thread::sleep(Duration::from_millis(50));
        }
        say(stream, RIGHT)
    });
    let report = run(&Config {
        connections: 1,
        amount: Amount::Requests(20_001),
        request: RequestKind::Browser,
        timeout: Duration::from_secs(20),
        ..in_mode(&server, Mode::Pipeline(20_000))
    });
    assert_eq!(
        (report.responses, server.requests()),
        (20_001, 20_001),
        "{:?}",
        report.errors
    );
}

#[test]
fn a_set_stop_flag_ends_the_run() {
    let server = Server::always(RIGHT);
    let config = config(&server);
    let stop = config.stop.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        stop.store(true, SeqCst);
    });
    let start = Instant::now();
    let report = run(&Config {
        amount: Amount::Time(Duration::from_secs(60)),
        ..config
    });
    assert!(report.interrupted && report.responses > 0 && report.latency.is_some());
    assert_eq!(report.requests, server.requests());
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn settings_that_do_not_go_together() {
    let server = Server::always(RIGHT);
    let wrong = [
        Config {
            threads: 3,
            ..config(&server)
        },
        Config {
            connections: 0,
            ..config(&server)
        },
        Config {
            amount: Amount::Requests(0),
            ..config(&server)
        },
        Config {
            timeout: Duration::ZERO,
            ..config(&server)
        },
        Config {
            rate: Some(f64::NAN),
            ..config(&server)
        },
        Config {
            mode: Mode::Pipeline(0),
            ..config(&server)
        },
        Config {
            headers: vec![("a b".into(), String::new())],
            ..config(&server)
        },
    ];
    for config in wrong {
        let error = load::run(&config, |_| {}).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_cpu_that_is_not_there() {
    let server = Server::always(RIGHT);
    let start = Instant::now();
    let config = Config {
        threads: 2,
        cpus: vec![0, 1000],
        amount: Amount::Time(Duration::from_secs(60)),
        ..config(&server)
    };
    let error = load::run(&config, |_| {}).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot pin a thread to its CPU: "),
        "{error}"
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "the other thread ends as well"
    );
}

#[test]
fn pinned_threads() {
    let server = Server::always(RIGHT);
    let report = run(&Config {
        threads: 2,
        cpus: vec![0],
        ..config(&server)
    });
    assert_eq!(
        (
            report.responses,
            report.cpu.available,
            report.cpu.threads.len()
        ),
        (40, 1, 2)
    );
}

/// The server has no room for the connection at first: the kernel asks again after a second, and that is a wait that the
/// client has.
#[test]
#[cfg(target_os = "linux")]
fn in_mode_close_latency_begins_with_the_connection() {
    use std::io::Read;
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    socket.bind(&any.into()).unwrap();
    socket.listen(0).unwrap(); // room for one that waits to be accepted
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut probe, _) = listener.accept().unwrap();
        let _ = probe.read(&mut [0; 1024]);
        say(&mut probe, RIGHT);
        let waits = TcpStream::connect(address).unwrap();
        drop(probe);
        thread::sleep(Duration::from_millis(300));
        drop(waits);
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 1024]);
            say(&mut stream, RIGHT);
        }
    });
    let report = run(&Config {
        connections: 1,
        mode: Mode::Close,
        amount: Amount::Requests(2),
        timeout: Duration::from_secs(10),
        ..Config::new(Target::new(address))
    });
    assert_eq!(report.responses, 2, "{:?}", report.errors);
    let longest = report.latency.unwrap().max_us;
    assert!(longest > 700_000, "{longest} µs");
}

#[test]
fn the_warm_up_is_no_part_of_the_measured_time() {
    let server = Server::always(RIGHT);
    let report = run(&Config {
        amount: Amount::Time(Duration::from_millis(100)),
        warmup: Duration::from_secs(1),
        ..config(&server)
    });
    let measured = report.duration_seconds;
    assert!((0.1..0.9).contains(&measured), "{measured} s");
    assert!(report.measured_responses < report.responses);
}
