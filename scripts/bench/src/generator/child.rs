//! wrk and ab as child processes on the generator's CPUs.

use super::Site;
use crate::guard::MARK;
use crate::os;
use anyhow::{Context, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a generator process printed and used.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    /// Its stdout.
    pub(super) stdout: String,
    /// Its CPU time.
    pub(super) cpu_s: f64,
    /// Time that the hypervisor took from its CPUs.
    pub(super) stolen_s: Option<f64>,
}

/// Runs `command` to its end; kills it when interrupted, or well after `duration`.
///
/// # Errors
/// When it cannot be started, fails, or never ends.
pub(super) fn run(
    mut command: Command,
    duration: Duration,
    site: &Site,
) -> anyhow::Result<Finished> {
    let program = command.get_program().to_string_lossy().into_owned();
    let stolen = os::stolen_s(&site.cpus);
    let cpu = children_cpu_s();
    let mut child = command
        .env(MARK, &site.mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let ended = wait(&mut child, duration + Duration::from_secs(10), site);
    let (stdout, stderr) = (
        stdout.join().unwrap_or_default(),
        stderr.join().unwrap_or_default(),
    );
    match ended {
        None => bail!("{program} was ended before it was done"),
        Some(false) => bail!(
            "{program} failed: {}",
            stderr.lines().next_back().unwrap_or("it did not say why")
        ),
        Some(true) => Ok(Finished {
            stdout,
            // Exact: nothing else is waited for meanwhile.
            cpu_s: children_cpu_s() - cpu,
            stolen_s: os::stolen_s(&site.cpus)
                .zip(stolen)
                .map(|(after, before)| after - before),
        }),
    }
}

/// Whether it succeeded; `None` when it had to be killed.
fn wait(child: &mut Child, limit: Duration, site: &Site) -> Option<bool> {
    let start = Instant::now();
    while start.elapsed() < limit && !site.interrupt.is_set() {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status.success());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// CPU time of all children that were waited for.
fn children_cpu_s() -> f64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
    })
}

/// First line that `program` prints with `argument`.
///
/// # Errors
/// When it is not there, with the command that installs it.
pub(super) fn version(program: &str, argument: &str, install: &str) -> anyhow::Result<String> {
    let output = Command::new(program)
        .arg(argument)
        .output()
        .map_err(|error| anyhow::anyhow!("{program} cannot be started ({error}): {install}"))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&text)
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned())
}
