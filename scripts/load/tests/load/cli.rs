//! The binary: exit codes and what it prints where.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command as Program;
use assert_cmd::cargo::{cargo_bin, cargo_bin_cmd};
use load::Report;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::server::{RIGHT, Server};

fn load(args: &str, server: &Server) -> Program {
    let mut program = cargo_bin_cmd!("load");
    program
        .args(args.split_whitespace())
        .arg(format!("http://{}/", server.address));
    program
}

fn stderr(run: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

#[test]
fn all_right() {
    let server = Server::always(RIGHT);
    let run = load("-c 2 -t 1 -n 40", &server).assert().success();
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    for part in [
        "2 connections, 1 thread, keep-alive",
        "responses        40\n",
        "errors           0\n",
        "latency at saturation:\n",
        "p99.99",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert_eq!(
        stderr(&run),
        "",
        "no progress bar where there is no terminal"
    );
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn errors() {
    let server = Server::always(RIGHT.replace("200 OK", "503 Busy"));
    let run = load("-c 2 -n 40 --json", &server).assert().code(3);
    let report: Report = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!((report.requests, report.errors.non_2xx), (40, 40));
    let run = load("-c 2 -n 40 --close", &server).assert().code(3);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("errors           40 (non_2xx 40)\n"),
        "{text}"
    );
}

#[test]
fn open_loop() {
    let server = Server::always(RIGHT);
    let run = load(
        "-c 2 -d 0.5 --warmup 0.1 --rate 200 -H X:y --request browser",
        &server,
    )
    .assert()
    .success();
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    for part in [
        "latency at the given rate:\n",
        "of 200.0 requests/s left in time\n",
        "late by          p50",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn cannot_start() {
    let server = Server::always(RIGHT);
    server.refuse();
    sleep(Duration::from_millis(100));
    let run = load("-n 40", &server).assert().code(1).stdout("");
    let text = stderr(&run);
    assert!(
        text.starts_with("load: cannot connect to 127.0.0.1:") && text.lines().count() == 1,
        "{text}"
    );
    let run = load("-n 40 --json", &server).assert().code(1);
    let report: Report = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!((report.requests, report.errors.connect), (1, 1));

    let run = cargo_bin_cmd!("load")
        .arg("http://no-such-name.invalid/")
        .assert()
        .code(1)
        .stdout("");
    assert_eq!(stderr(&run).lines().count(), 1);
}

#[test]
fn usage() {
    for args in [
        "",
        "https://127.0.0.1/",
        "--close --pipeline 4 http://127.0.0.1/",
        "-n 0 http://127.0.0.1/",
        "-n 5 -d 5 http://127.0.0.1/",
        "-c 0 http://127.0.0.1/",
        "-d -1 http://127.0.0.1/",
        "-d nan http://127.0.0.1/",
        "--rate 0 http://127.0.0.1/",
        "-H nothing http://127.0.0.1/",
        "-c 1 -t 2 http://127.0.0.1/",
    ] {
        cargo_bin_cmd!("load")
            .args(args.split_whitespace())
            .assert()
            .code(2)
            .stdout("");
    }
}

#[test]
fn help_tells_exit_codes() {
    let run = cargo_bin_cmd!("load").arg("--help").assert().success();
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(text.contains("Exit status"), "{text}");
}

#[test]
fn an_interrupted_run_reports() {
    let server = Server::always(RIGHT);
    let child = Command::new(cargo_bin("load"))
        .args([
            "-c",
            "2",
            "-d",
            "60",
            "--json",
            &format!("http://{}/", server.address),
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while server.requests() < 100 {
        sleep(Duration::from_millis(10));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report.interrupted && report.responses > 0);
    assert_eq!(report.requests, server.requests());
}

#[test]
fn too_few_open_files() {
    let server = Server::always(RIGHT);
    let script = format!(
        "ulimit -n 200 && exec \"$0\" -c 1000 -n 1000 http://{}/",
        server.address
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(cargo_bin("load"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.starts_with("load: 1000 connections need ") && text.contains("hard limit is 200"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 1);
}

/// Whoever merges the percentiles of several generators needs what they are taken from.
#[test]
fn the_histogram_comes_only_when_asked_for() {
    let server = Server::always(RIGHT);
    for (more, wanted) in [("--json", false), ("--json --histogram", true)] {
        let run = load(&format!("-c 2 -n 40 {more}"), &server)
            .assert()
            .success();
        let report: Report = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let latency = report.latency.unwrap();
        let counted: u64 = latency.histogram.iter().map(|bucket| bucket.count).sum();
        assert_eq!(counted, if wanted { latency.count } else { 0 });
    }
    load("-n 40 --histogram", &server).assert().code(2);
}
