//! Servers that would look good in a careless benchmark get the verdict that they deserve.

use crate::support::{Folder, cell, left_over, stderr};
use bench::exit;
use bench::model::{Errors, Verdict};

/// Runs one server; its verdict, reason and errors.
fn judged(kind: &str) -> (Verdict, String, Errors) {
    let folder = Folder::new();
    let output = folder.run(&[kind], &["--connections", "16"]);
    let run = folder.results();
    let cell = cell(&run, kind);
    let errors = cell
        .samples
        .first()
        .map(|sample| sample.errors)
        .unwrap_or_default();
    assert!(left_over(&folder).is_empty(), "{:?}", left_over(&folder));
    assert_ne!(
        output.status.code(),
        Some(i32::from(exit::ERROR)),
        "{}",
        stderr(&output)
    );
    (cell.verdict, cell.reason.clone(), errors)
}

#[test]
fn an_honest_one_is_measured() {
    let (verdict, reason, errors) = judged("honest");
    assert!(verdict.ranks_cpu(), "{verdict}: {reason}");
    assert_eq!(errors, Errors::default());
}

/// TechEmpower 9540: errors counted as success.
#[test]
fn a_wrong_body_is_wrong_bytes() {
    let (verdict, _, errors) = judged("wrong-body");
    assert_eq!(verdict, Verdict::WrongBytes);
    assert!(errors.wrong_bytes > 0);
}

/// the-benchmarker/web-frameworks 3484: 502s ranked high; wrk 363.
#[test]
fn answers_of_500_are_errors() {
    let (verdict, reason, _) = judged("always-500");
    assert_eq!(verdict, Verdict::Errors);
    assert!(reason.contains("500"), "{reason}");
    let (verdict, _, errors) = judged("sometimes-500");
    assert_eq!(verdict, Verdict::Errors);
    assert!(errors.non_2xx > 0);
}

/// zap's wrk folder: 1,356,427 read errors in 1,356,449 requests, in a table with servers that keep alive.
#[test]
fn one_that_closes_each_time_is_not_measured_as_keepalive() {
    let (verdict, reason, _) = judged("closes");
    assert_eq!(verdict, Verdict::Skipped);
    assert!(!reason.is_empty());
}

/// rust-web-benchmarks: 354 of 500 connections in service, ranked as normal.
#[test]
fn one_that_serves_half_its_connections_is_starved() {
    let (verdict, reason, _) = judged("half");
    assert_eq!(verdict, Verdict::Starved, "{reason}");
    assert!(reason.contains("of 16 requests in flight"), "{reason}");
}

#[test]
fn more_bytes_than_were_verified_are_wrong_bytes() {
    let (verdict, _, errors) = judged("more-bytes");
    assert_eq!(verdict, Verdict::WrongBytes);
    assert!(errors.extra + errors.wrong_bytes > 0);
}

#[test]
fn one_that_dies_in_the_middle_is_an_error_that_says_so() {
    let (verdict, reason, _) = judged("dies");
    assert_eq!(verdict, Verdict::Errors);
    assert!(reason.contains("exit status: 7"), "{reason}");
}

/// The connection is closed a moment before the process has ended: the reason is its end.
#[test]
fn one_that_fails_at_its_first_request_has_ended() {
    let (verdict, reason, _) = judged("fails-at-once");
    assert_eq!(verdict, Verdict::Errors);
    assert!(reason.contains("exit status: 9"), "{reason}");
}

#[test]
fn one_that_never_answers_is_an_error_and_does_not_hang_the_run() {
    let (verdict, reason, _) = judged("silent");
    assert_eq!(verdict, Verdict::Errors);
    assert!(reason.contains("does not answer a request"), "{reason}");
}

/// CWIST 63: an old worker still answering on the port.
#[test]
#[cfg(target_os = "linux")]
fn a_worker_left_on_the_port_is_ended_and_named() {
    let folder = Folder::new();
    folder.run(&["leaves-a-worker"], &["--connections", "16"]);
    let run = folder.results();
    assert!(
        run.warnings
            .iter()
            .any(|warning| warning.contains("left") && warning.contains("behind")),
        "{:?}",
        run.warnings
    );
    assert!(left_over(&folder).is_empty(), "{:?}", left_over(&folder));
    // The worker did the work, so its CPU time is the server's.
    let sample = &cell(&run, "leaves-a-worker").samples[0];
    assert!(
        sample.server.cpu_us_per_request.unwrap() > 0.5,
        "{:?}",
        sample.server
    );
    assert_eq!(sample.server.processes, Some(2));
}

#[test]
#[cfg(target_os = "linux")]
fn one_that_daemonises_is_refused() {
    let folder = Folder::new();
    let output = folder.run(&["daemonises"], &[]);
    assert_eq!(output.status.code(), Some(i32::from(exit::ERROR)));
    assert!(
        stderr(&output).contains("detached itself"),
        "{}",
        stderr(&output)
    );
    assert!(left_over(&folder).is_empty(), "{:?}", left_over(&folder));
}

#[test]
#[cfg(target_os = "linux")]
fn a_port_that_something_else_answers_stops_the_run_with_its_name() {
    let folder = Folder::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let output = folder.run(&["honest"], &["--port", &port]);
    assert_eq!(output.status.code(), Some(i32::from(exit::ERROR)));
    let me = format!("process {}", std::process::id());
    assert!(stderr(&output).contains(&me), "{}", stderr(&output));
}

/// Issue: neither side is busy, so requests per second tell nothing about the server's speed.
#[test]
fn one_connection_on_a_server_that_sleeps_is_latency_bound() {
    let folder = Folder::new();
    folder.run(&["slow"], &["--connections", "1"]);
    let run = folder.results();
    assert_eq!(
        cell(&run, "slow").verdict,
        Verdict::LatencyBound,
        "{}",
        cell(&run, "slow").reason
    );
}

#[test]
fn under_strict_what_is_skipped_fails_the_run() {
    let folder = Folder::new();
    let output = folder.run(&["closes"], &["--strict"]);
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit::SKIPPED)),
        "{}",
        stderr(&output)
    );
}
