//! The battery against a right server, which passes, and against liars, each of which is found out.
//!
//! Has a `main` of its own: the servers are this program again, and need its first thread for SIGTERM.

mod server;

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use server::{LIE, Lie};

/// The lies, and the item that each must fail.
const LIES: [(Lie, &str); 12] = [
    (Lie::DrainsNothing, "sigterm"),
    (Lie::ClosesOnInterrupts, "faults-read"),
    (Lie::ClosesOnInterrupts, "faults-write"),
    (Lie::NeedsIpv6, "no-ipv6"),
    (Lie::IgnoresBodySize, "short-writes"),
    (Lie::SpinsOnErrors, "few-descriptors"),
    (Lie::LosesSomeDescriptors, "mutants"),
    (Lie::CutsAtSigterm, "sigterm"),
    (Lie::DiesOfErrors, "few-descriptors"),
    (Lie::KeepsDescriptors, "resets"),
    (Lie::KeepsMemory, "storms"),
    (Lie::IgnoresSigterm, "restarts"),
];

/// A server whose program is not there.
const MISSING: &str = "missing";

fn main() {
    if let Ok(name) = std::env::var(LIE) {
        server::serve(&name);
    }
    let checkout = tempfile::tempdir().expect("a temporary folder");
    write_list(checkout.path(), &[]);
    a_right_server_passes(checkout.path());
    for (lie, item) in LIES {
        is_found_out(checkout.path(), lie, item);
    }
    known_failures_are_deviations();
    what_is_missing_is_skipped(checkout.path());
    a_command_line_without_sense_is_told(checkout.path());
    an_interrupt_keeps_what_was_found(checkout.path());
    println!("test result: ok. {} lies found out", LIES.len());
}

/// A list of targets with the right server and all liars; `known` are failures that it lists, with their words.
fn write_list(checkout: &Path, known: &[(Lie, &str, &str)]) {
    let program = std::env::current_exe().expect("this program has a path");
    let mut list = String::new();
    let mut lies = vec![Lie::None];
    lies.extend(LIES.map(|(lie, _)| lie));
    lies.dedup();
    for lie in lies {
        list += &format!(
            "[[target]]\nname = \"{lie:?}\"\nclass = \"engine\"\nlanguage = \"Rust\"\nstack = \"std\"\n\
             contract = \"exact\"\nsource = \"main.rs\"\nenv = {{ {LIE} = \"{lie:?}\" }}\n\
             run = [\"{}\", \"{{host}}\", \"{{port}}\", \"{{body_size}}\"]\n",
            program.display()
        );
        for (_, item, words) in known.iter().filter(|(other, ..)| *other == lie) {
            list += &format!(
                "[target.reliability]\n{item} = {{ fails_with = [\"{words}\"], why = \"upstream knows\" }}\n"
            );
        }
    }
    list += &format!(
        "[[target]]\nname = \"{MISSING}\"\nclass = \"library\"\nlanguage = \"Rust\"\nstack = \"std\"\n\
         source = \"main.rs\"\nrun = [\"{{bin}}/not-there\", \"{{port}}\"]\n"
    );
    std::fs::create_dir_all(checkout.join("servers")).expect("the folder can be made");
    std::fs::write(checkout.join("servers/targets.toml"), list).expect("the list can be written");
    let seeds = checkout.join("common/fuzz/seeds");
    std::fs::create_dir_all(&seeds).expect("the folder can be made");
    std::fs::write(seeds.join("get"), "GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("a seed");
}

/// Runs it on a little of everything, but on all errors of system calls; its exit code.
fn torture(checkout: &Path, arguments: &[&str]) -> (i32, String) {
    let is_faults = |argument: &&str| argument.starts_with("faults-");
    let minutes = match arguments.iter().any(is_faults) {
        true => "1",
        false => "0.01",
    };
    let output = Command::new(env!("CARGO_BIN_EXE_torture"))
        .current_dir(checkout)
        .args(["--no-build", "--minutes", minutes, "--seed", "7"])
        .args(arguments)
        .output()
        .expect("torture can be started");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

fn verdict(checkout: &Path, target: &str, item: &str) -> Value {
    entry(checkout, target, item)["verdict"].clone()
}

fn entry(checkout: &Path, target: &str, item: &str) -> Value {
    let file = checkout.join("target/reliability.json");
    let text = std::fs::read_to_string(file).expect("results are written");
    let results: Value = serde_json::from_str(&text).expect("results are JSON");
    results["targets"][target][item].clone()
}

fn a_right_server_passes(checkout: &Path) {
    let items: Vec<&str> = LIES.iter().map(|(_, item)| *item).collect();
    for item in &items {
        let (code, told) = torture(checkout, &["--servers", "None", "--only", item]);
        assert_eq!(code, 0, "{told}");
    }
    for item in items {
        let entry = entry(checkout, "None", item);
        match &entry["verdict"] {
            verdict if verdict == "skipped" => println!("skipped: {item}: {}", entry["reason"]),
            verdict => assert_eq!(verdict, "pass", "{item} is kept"),
        }
    }
}

fn is_found_out(checkout: &Path, lie: Lie, item: &str) {
    let name = format!("{lie:?}");
    let (code, told) = torture(checkout, &["--servers", &name, "--only", item]);
    if verdict(checkout, &name, item) == "skipped" {
        return;
    }
    println!("{name}: {item}: exit code {code}");
    assert_eq!(code, 3, "{told}");
    assert!(
        told.contains("--seed 7"),
        "what repeats it is not told: {told}"
    );
    assert_eq!(verdict(checkout, &name, item), "fail");
}

fn known_failures_are_deviations() {
    let checkout = tempfile::tempdir().expect("a temporary folder");
    let known = [
        (Lie::DiesOfErrors, "few-descriptors", "the server died"),
        (
            Lie::KeepsDescriptors,
            "few-descriptors",
            "of their throughput",
        ),
        (Lie::None, "few-descriptors", "the server died"),
    ];
    write_list(checkout.path(), &known);
    let only = |name| {
        torture(
            checkout.path(),
            &["--servers", name, "--only", "few-descriptors"],
        )
    };
    let (code, told) = only("DiesOfErrors");
    assert_eq!(code, 0, "{told}");
    assert_eq!(
        verdict(checkout.path(), "DiesOfErrors", "few-descriptors"),
        "deviation"
    );
    let (code, told) = only("KeepsDescriptors");
    assert_eq!(code, 3, "it is another failure: {told}");
    let (code, told) = only("None");
    assert_eq!(code, 3, "a listed failure that passes is one: {told}");
}

fn what_is_missing_is_skipped(checkout: &Path) {
    let only = ["--servers", MISSING, "--only", "restarts"];
    let (code, told) = torture(checkout, &only);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("1 skipped"), "{told}");
    let (code, told) = torture(checkout, &[&only[..], &["--strict"]].concat());
    assert_eq!(code, 4, "{told}");
}

fn a_command_line_without_sense_is_told(checkout: &Path) {
    for wrong in [
        ["--only", "nonsense"],
        ["--servers", "nonsense"],
        ["--out", "--readme"],
    ] {
        let (code, told) = torture(checkout, &wrong);
        assert_eq!(code, 2, "{wrong:?}: {told}");
    }
}

fn an_interrupt_keeps_what_was_found(checkout: &Path) {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_torture"))
        .current_dir(checkout)
        .args(["--no-build", "--servers", "None", "--only", "sigterm"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("torture can be started");
    sleep(Duration::from_millis(800));
    let pid = Pid::from_raw(child.id().cast_signed());
    kill(pid, Signal::SIGINT).expect("it still runs");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    assert_eq!(
        verdict(checkout, "None", "sigterm"),
        "pass",
        "of the run before"
    );
}
