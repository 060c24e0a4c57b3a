//! Nothing that bench started outlives it, however it ends; what it measured is kept.

#![cfg(target_os = "linux")]

use crate::support::{Folder, left_over};
use bench::exit;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

fn start(folder: &Folder, command: &str) -> Child {
    let with = format!("honest={command}");
    Command::new(env!("CARGO_BIN_EXE_bench"))
        .current_dir(folder.path())
        .args([
            "run",
            "--name",
            "t",
            "--rounds",
            "50",
            "--duration",
            "200ms",
            "--warmup",
            "0",
            // Of an interrupted run, that says more than a file that cannot be written.
            "--export-markdown",
            "missing/t.md",
            "--with",
            &with,
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Ends a run with `signal` once it has measured something.
fn end_with(folder: &Folder, signal: Signal) -> ExitStatus {
    end_with_server(folder, signal, &crate::server::command("honest"))
}

fn end_with_server(folder: &Folder, signal: Signal, command: &str) -> ExitStatus {
    let mut child = start(folder, command);
    wait_until(|| samples(folder) > 0);
    // A server under load, not one that still is `env`.
    let serves = |line: &String| line.contains("server::serves") && !line.contains("SERVER_KIND");
    wait_until(|| left_over(folder).iter().any(serves));
    kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
    let status = child.wait().unwrap();
    wait_until(|| left_over(folder).is_empty());
    status
}

fn samples(folder: &Folder) -> usize {
    if !folder.path().join("results/t/run.json").exists() {
        return 0;
    }
    folder
        .results()
        .cells
        .iter()
        .map(|cell| cell.samples.len())
        .sum()
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "it did not come to pass"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn sigint_and_sigterm_end_the_servers_and_keep_the_results() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let folder = Folder::new();
        let status = end_with(&folder, signal);
        assert_eq!(status.code(), Some(i32::from(exit::INTERRUPTED)));
        assert!(samples(&folder) > 0);
        assert_eq!(folder.results().finished, None);
    }
}

#[test]
fn even_when_bench_is_killed_nothing_is_left() {
    let folder = Folder::new();
    end_with(&folder, Signal::SIGKILL);
    assert!(samples(&folder) > 0);
}

/// nginx writes its title over its environment, and with it the mark that bench put there.
#[test]
fn nor_a_server_that_has_lost_its_mark() {
    let command = crate::server::command_of_its_own("honest");
    end_with_server(&Folder::new(), Signal::SIGKILL, &command);
}

#[test]
fn resume_goes_on_where_it_ended() {
    let folder = Folder::new();
    end_with(&folder, Signal::SIGINT);
    let before = samples(&folder);
    let mut run = folder.results();
    run.plan.rounds =
        u32::try_from(run.cells[0].samples.len().max(run.cells[1].samples.len())).unwrap() + 1;
    let wanted = run.plan.rounds as usize * run.cells.len();
    let file = folder.path().join("results/t/run.json");
    bench::store::write_json(&file, &bench::model::Document::Run(Box::new(run))).unwrap();
    let output = folder.bench(&["run", "--resume"]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        crate::support::stderr(&output)
    );
    assert!(before < samples(&folder));
    assert_eq!(samples(&folder), wanted);
    assert!(folder.results().finished.is_some());
}
