//! Makes targets ready to be started: what they need, their build, their version, their binary.

use crate::candidate::Candidate;
use crate::checkout::first_line;
use crate::model;
use crate::wire::sha256;
use contract::{Target, Values};
use std::path::Path;
use std::process::{Command, Stdio};

/// Why a target cannot be measured, and how that is remedied.
pub type Missing = String;

/// Builds all that can be built; for each candidate why it cannot be measured, if so.
///
/// Plain `cargo build --release -p NAME` commands become a single one, so that what they share is built once.
#[must_use]
pub fn build(candidates: &[Candidate], values: &Values) -> Vec<Option<Missing>> {
    let together = cargo_packages(candidates);
    let built_together = together.len() > 1 && cargo_build(&together, candidates, values);
    let mut done: Vec<(Vec<String>, Option<Missing>)> = Vec::new();
    candidates
        .iter()
        .map(|candidate| ready(&candidate.target, values, built_together, &mut done))
        .collect()
}

/// What is missing to measure a target, without building anything.
#[must_use]
pub fn needs(target: &Target) -> Option<Missing> {
    let missing: Vec<&str> = target
        .needs
        .iter()
        .map(String::as_str)
        .filter(|program| !is_on_path(program))
        .collect();
    let reason = if missing.is_empty() {
        version_fails(target)?
    } else {
        format!("{} is not installed", missing.join(", "))
    };
    Some(with_remedy(target, &reason))
}

/// An interpreter may be there without the module that a target needs: the command for the module's version tells.
fn version_fails(target: &Target) -> Option<String> {
    if target.needs.is_empty() {
        return None;
    }
    let argv = target.fill(&target.version, &Values::new("")).ok()?;
    let (program, arguments) = argv.split_first()?;
    let output = Command::new(program)
        .args(arguments)
        .current_dir(&target.dir)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| !output.status.success())?;
    let told = String::from_utf8_lossy(&output.stderr);
    let told = told.lines().next().unwrap_or("its version is not told");
    Some(told.split(" (@INC").next().unwrap_or(told).to_owned())
}

/// Whether one target is ready once its commands have run.
pub fn ready_alone(target: &Target, values: &Values) -> Option<Missing> {
    ready(target, values, false, &mut Vec::new())
}

fn ready(
    target: &Target,
    values: &Values,
    built_together: bool,
    done: &mut Vec<(Vec<String>, Option<Missing>)>,
) -> Option<Missing> {
    if let Some(missing) = needs(target) {
        return Some(missing);
    }
    for command in &target.build {
        if built_together && package_of(command).is_some() {
            continue;
        }
        let filled = match target.fill(command, values) {
            Ok(filled) => filled,
            Err(error) => return Some(error.to_string()),
        };
        let known = done
            .iter()
            .find(|(other, _)| *other == filled)
            .map(|(_, outcome)| outcome.clone());
        let outcome = known.unwrap_or_else(|| run_build(target, &filled).err());
        done.push((filled, outcome.clone()));
        if let Some(reason) = outcome {
            return Some(with_remedy(target, &reason));
        }
    }
    None
}

fn with_remedy(target: &Target, reason: &str) -> Missing {
    match &target.install {
        Some(install) => format!("{reason}: {install}"),
        None => reason.to_owned(),
    }
}

/// The package of a plain `cargo build --release -p NAME`.
fn package_of(command: &[String]) -> Option<&str> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    match words[..] {
        ["cargo", "build", "--release", "-p", package] => Some(package),
        _ => None,
    }
}

fn cargo_packages(candidates: &[Candidate]) -> Vec<&str> {
    let mut packages: Vec<&str> = candidates
        .iter()
        .flat_map(|candidate| &candidate.target.build)
        .filter_map(|command| package_of(command))
        .collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn cargo_build(packages: &[&str], candidates: &[Candidate], values: &Values) -> bool {
    let Some(dir) = candidates.first().map(|candidate| &candidate.target.dir) else {
        return false;
    };
    let mut command = Command::new("cargo");
    command
        .args(["build", "--release"])
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", target_dir(values));
    for package in packages {
        command.args(["-p", package]);
    }
    // Cargo's own progress goes to stderr; where this fails, the packages are built one by one to find out which does.
    command
        .stdin(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// `{bin}` is `release` below cargo's target folder.
fn target_dir(values: &Values) -> &Path {
    values.bin.parent().unwrap_or(&values.bin)
}

fn run_build(target: &Target, argv: &[String]) -> Result<(), String> {
    let Some((program, arguments)) = argv.split_first() else {
        return Ok(());
    };
    let output = Command::new(program)
        .args(arguments)
        .current_dir(&target.dir)
        .envs(&target.env)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot be built: {program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let told = text
        .lines()
        .map(str::trim)
        .find(|line| line.contains("rror"))
        .or(text.lines().next_back());
    Err(format!(
        "cannot be built: {}",
        told.unwrap_or("its build does not say why").trim()
    ))
}

/// Whether a program can be found.
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    program.contains('/') && Path::new(program).exists()
        || std::env::split_paths(&path)
            // Debian's servers are here, which is on root's PATH alone.
            .chain(["/usr/sbin".into()])
            .any(|folder| folder.join(program).is_file())
}

/// Adds version, command and binary to a target's entry in the results.
pub fn describe(candidate: &Candidate, values: &Values, entry: &mut model::Target) {
    entry.version = version(&candidate.target, values);
    describe_program(&candidate.target, values, entry);
}

/// Adds the command and the binary.
pub fn describe_program(target: &Target, values: &Values, entry: &mut model::Target) {
    if let Ok(run) = target.fill(&target.run, values) {
        entry.run = run;
    }
    let program = Path::new(entry.run.first().map_or("", String::as_str));
    if program.components().count() > 1
        && let Ok(bytes) = std::fs::read(target.dir.join(program))
        && !bytes.starts_with(b"#!")
    {
        entry.binary_bytes = Some(bytes.len() as u64);
    }
    let files = files(target, &entry.run);
    entry.binary_sha256 = (!files.is_empty()).then(|| sha256(&files.concat()));
    // Where the checkout stands on this machine is nobody's business.
    let bin = values.bin.display().to_string();
    for word in &mut entry.run {
        *word = word.replace(&bin, "target/release");
    }
}

/// Larger than any script or archive of a program: data, which is not read at each start.
const DATA: u64 = 64 << 20;

/// Contents of the files that a command names: what an interpreter is given is the program as well. A program without a
/// path is the system's.
fn files(target: &Target, command: &[String]) -> Vec<Vec<u8>> {
    let words = command.iter().enumerate();
    let named = words.filter(|(index, word)| *index > 0 || word.contains('/'));
    let is_read = |index: usize, file: &Path| {
        let about = file.metadata();
        about.is_ok_and(|about| about.is_file() && (index == 0 || about.len() <= DATA))
    };
    named
        .map(|(index, word)| (index, target.dir.join(word)))
        .filter(|(index, file)| is_read(*index, file))
        .filter_map(|(_, file)| std::fs::read(file).ok())
        .collect()
}

/// What its version command says.
#[must_use]
pub fn version(target: &Target, values: &Values) -> Option<String> {
    let argv = target.fill(&target.version, values).ok()?;
    let (program, arguments) = argv.split_first()?;
    first_line(
        Command::new(program)
            .args(arguments)
            .current_dir(&target.dir)
            .envs(&target.env)
            .stdin(Stdio::null()),
    )
}
