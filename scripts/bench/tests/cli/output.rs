//! Whoever stops reading, or has no room, takes nothing from what was measured.

use crate::support::{Folder, stderr, stdout};
use bench::exit;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs bench with this as its stdout.
fn bench(folder: &Path, arguments: &[&str], stdout: impl Into<Stdio>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench"))
        .current_dir(folder)
        .args(arguments)
        .stdout(stdout)
        .output()
        .unwrap()
}

fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

const QUICK: [&str; 7] = [
    "run",
    "--rounds",
    "1",
    "--duration",
    "100ms",
    "--warmup",
    "0",
];

#[test]
fn a_reader_that_has_gone_is_a_quiet_end() {
    let folder = Folder::new();
    let with = ["--with", "mine=server {port}"];
    for arguments in [
        &["list", with[0], with[1]][..],
        &["run", with[0], with[1], "--dry-run"],
        &["env"],
    ] {
        let output = bench(folder.path(), arguments, closed());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(stderr(&output), "");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_line() {
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = bench(Folder::new().path(), &["env"], full);
    assert_eq!(output.status.code(), Some(i32::from(exit::ERROR)));
    let said = stderr(&output);
    assert!(
        said.starts_with("bench: cannot write to stdout: "),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn exports_are_there_whether_or_not_the_tables_are_read() {
    let folder = Folder::new();
    let with = format!("honest={}", crate::server::command("honest"));
    let more = [
        "--with",
        &with,
        "--export-json",
        "o.json",
        "--export-markdown",
        "o.md",
    ];
    let output = bench(folder.path(), &[&QUICK[..], &more].concat(), closed());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let markdown = std::fs::read_to_string(folder.path().join("o.md")).unwrap();
    assert!(markdown.contains("| honest |"), "{markdown}");
    assert!(bench::store::read(&folder.path().join("o.json")).is_ok());
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_the_tables_are_shown() {
    let output = Folder::new().run(&["honest"], &["--export-markdown", "missing/o.md"]);
    assert_eq!(output.status.code(), Some(i32::from(exit::ERROR)));
    let said = stderr(&output);
    assert!(said.contains("cannot write missing/o.md: "), "{said}");
    assert!(stdout(&output).contains("Results: "), "{}", stdout(&output));
}
