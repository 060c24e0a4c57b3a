//! What the command line refuses, and with which exit code.

use crate::support::{Folder, stderr, stdout};
use bench::exit;

fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Folder::new().bench(arguments);
    (output.status.code(), stderr(&output))
}

#[test]
fn nonsense_is_a_usage_error() {
    for arguments in [
        &["run", "--mode", "sideways"][..],
        &["run", "--duration", "0"],
        &["run", "--rounds", "0"],
        &["run", "--rate", "0%"],
        &["run", "--generator", "siege"],
        &["run", "--port", "0"],
        &["run", "--on", "pi@"],
        &["run", "--on", "pi@board:0"],
        &["run", "--on=-oProxyCommand=x"],
        &["run", "--generator-on", "pi@board"],
        &["run", "--cool-below", "0"],
        &["run", "--body-size", "1073741825"],
        &["run", "--wire-size", "1073741825"],
        &["run", "--wire-size", "0"],
        &["run", "--path", "foo"],
        &["run", "--path", "/a b"],
        &["explode"],
    ] {
        assert_eq!(
            refused(arguments).0,
            Some(i32::from(exit::USAGE)),
            "{arguments:?}"
        );
    }
}

#[test]
fn what_cannot_be_measured_is_one_line_with_the_reason() {
    let (usage, error) = (exit::USAGE, exit::ERROR);
    for (expected, arguments, reason) in [
        (usage, &["run"][..], "no target is left"),
        (usage, &["run", "--with", "mine=server"], "no {port}"),
        (
            usage,
            &[
                "run",
                "--with",
                "mine=server {port}",
                "--only",
                "yours,nobody",
            ],
            "no target or group `nobody`",
        ),
        (error, &["run", "--targets", "missing.toml"], "missing.toml"),
        (
            usage,
            &["run", "--with", "mine=server {port}", "--name", "../x"],
            "name of a folder",
        ),
        (error, &["run", "--resume"], "no run"),
        (error, &["compare", "a", "b"], "no run `a`"),
    ] {
        let (code, stderr) = refused(arguments);
        assert_eq!(code, Some(i32::from(expected)), "{arguments:?}: {stderr}");
        assert!(stderr.contains(reason), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn a_program_that_does_not_exist_is_an_error_of_its_cell() {
    let folder = Folder::new();
    let output = folder.bench(&[
        "run",
        "--with",
        "mine=./no-such-server {port}",
        "--name",
        "t",
    ]);
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit::CHECK_FAILED)),
        "{}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("cannot start"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_dry_run_says_how_long_and_starts_nothing() {
    let folder = Folder::new();
    let arguments = [
        "run",
        "--with",
        "mine=server {port}",
        "--rounds",
        "10",
        "--mode",
        "keepalive,close",
        "--dry-run",
    ];
    let output = folder.bench(&arguments);
    assert_eq!(output.status.code(), Some(0));
    let said = stdout(&output);
    assert!(
        said.contains("About 2 min")
            && said.contains("mine (A/A)")
            && said.contains("close, 64 connections"),
        "{said}"
    );
    assert!(!folder.path().join("results").exists());
}

#[test]
fn without_ssh_there_is_no_other_host() {
    let folder = Folder::new();
    let output = assert_cmd::Command::cargo_bin("bench")
        .unwrap()
        .current_dir(folder.path())
        .env("PATH", "/nonexistent")
        .args(["run", "--with", "mine=server {port}", "--on", "pi@board"])
        .output()
        .unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(i32::from(exit::ERROR)), "{said}");
    assert!(said.starts_with("bench: cannot start ssh: "), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn help_tells_every_exit_code() {
    for arguments in [&["--help"][..], &["run", "--help"], &["compare", "--help"]] {
        let output = Folder::new().bench(arguments);
        let said = stdout(&output);
        let told = said
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let codes: Vec<u8> = told.filter_map(|word| word.parse().ok()).collect();
        let all = [
            exit::OK,
            exit::ERROR,
            exit::USAGE,
            exit::CHECK_FAILED,
            exit::SKIPPED,
            exit::CANNOT_TELL,
            exit::INTERRUPTED,
        ];
        assert!(codes.ends_with(&all), "{arguments:?}: {said}");
    }
}

#[test]
fn env_tells_facts_as_json() {
    let output = Folder::new().bench(&["env", "--json"]);
    let machine: bench::model::Machine = serde_json::from_slice(&output.stdout).unwrap();
    assert!(machine.cpus_online > 0);
}

/// the-benchmarker/web-frameworks: an option that silently does nothing.
#[test]
fn a_rate_needs_a_generator_that_has_one() {
    let arguments = [
        "run",
        "--with",
        "mine=server {port}",
        "--rate",
        "50%",
        "--generator",
        "wrk",
    ];
    let (code, stderr) = refused(&arguments);
    assert_eq!(code, Some(i32::from(exit::USAGE)));
    assert!(
        stderr.contains("--rate needs the embedded generator"),
        "{stderr}"
    );
}
