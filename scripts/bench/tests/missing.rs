//! A target whose toolchain is not there: `list` and `run` say which and how to get it, and go on with the others.

use assert_cmd::Command;
use std::path::Path;
use std::process::Output;

const TARGETS: &str = r#"
[[target]]
name = "no-program"
class = "library"
language = "Other"
stack = "a program that is not there"
source = "x"
run = ["no-such-program-here", "{port}"]
version = ["no-such-program-here", "--version"]
needs = ["no-such-program-here"]
install = "apt install it"

[[target]]
name = "no-module"
class = "library"
language = "Other"
stack = "an interpreter without its module"
source = "x"
run = ["sh", "-c", "exit 1"]
version = ["sh", "-c", "echo 'no module Some::Thing' >&2; exit 2"]
needs = ["sh"]
install = "apt install the module"
"#;

fn bench(folder: &Path, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("targets.toml"), TARGETS).unwrap();
    Command::cargo_bin("bench")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .args(["--targets", "targets.toml"])
        .output()
        .unwrap()
}

/// Words of a table, wherever its cells were wrapped.
fn words(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output).replace('│', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn list_says_what_is_missing_and_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = bench(folder.path(), &["list"]);
    assert!(output.status.success());
    let told = words(&output.stdout);
    for expected in [
        "no-such-program-here is not installed: apt install it",
        "no module Some::Thing: apt install the module",
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn run_says_it_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let output = bench(folder.path(), &["run"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains(
            "no target can be measured: no-such-program-here is not installed: apt install it"
        ),
        "{told}"
    );
}
