//! wrk, with exact counts from `scripts/wrk/report.lua`: its own text has three digits.

use super::child::{self, Finished};
use super::{Generator, Load, Loaded, Site};
use crate::model::{Errors, GeneratorKind, Latency, LatencyKind, Mode};
use anyhow::Context;
use serde::Deserialize;
use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

/// The script, carried along so that bench works outside a checkout.
const SCRIPT: &str = include_str!("../../../wrk/report.lua");

/// wrk.
#[derive(Clone, Copy, Debug)]
pub struct Wrk;

impl Generator for Wrk {
    fn kind(&self) -> GeneratorKind {
        GeneratorKind::Wrk
    }

    fn version(&self) -> anyhow::Result<String> {
        let line = child::version("wrk", "--version", "sudo apt install wrk")?;
        Ok(line.split(" Copyright").next().unwrap_or(&line).to_owned())
    }

    fn cannot(&self, load: &Load) -> Option<String> {
        load.rate.map(|_| "wrk has no fixed rate".into())
    }

    fn run(
        &self,
        load: &Load,
        address: SocketAddr,
        duration: Duration,
        site: &Site,
    ) -> anyhow::Result<Loaded> {
        let mut script = tempfile::Builder::new()
            .prefix("bench-report-")
            .suffix(".lua")
            .tempfile()?;
        script.write_all(SCRIPT.as_bytes())?;
        let most = load
            .wrk_threads
            .map_or(site.cpus.len(), |most| most as usize);
        let threads = most.min(load.connections as usize);
        let whole = Duration::from_secs(duration.as_secs_f64().ceil() as u64);
        let mut command = Command::new("wrk");
        command.args([
            format!("-t{threads}"),
            format!("-c{}", load.connections),
            format!("-d{}", whole.as_secs()),
        ]);
        command
            .args(headers(load))
            .arg("-s")
            .arg(script.path())
            .arg(format!("http://{address}{}", load.path));
        if load.mode == Mode::Pipeline {
            command.args(["--", &load.pipeline_depth.to_string()]);
        }
        let finished = child::run(command, whole, site)?;
        let cpus = u32::try_from(threads.min(site.cpus.len())).unwrap_or(1);
        Ok(loaded(
            load.mode,
            &parse(&finished.stdout)?,
            &finished,
            cpus,
        ))
    }
}

fn headers(load: &Load) -> Vec<String> {
    let close = (load.mode == Mode::Close).then(|| "-HConnection: close".to_owned());
    close
        .into_iter()
        .chain(
            load.fields
                .iter()
                .map(|(name, value)| format!("-H{name}: {value}")),
        )
        .collect()
}

/// The line of report.lua.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    duration_us: u64,
    requests: u64,
    bytes: u64,
    connect: u64,
    read: u64,
    write: u64,
    status: u64,
    timeout: u64,
    mean_us: f64,
    #[serde(rename = "stdev_us")]
    _stdev_us: f64,
    max_us: f64,
    p50_us: f64,
    p75_us: f64,
    p90_us: f64,
    p99_us: f64,
    p999_us: f64,
    p9999_us: f64,
    #[serde(rename = "report")]
    _report: Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    Wrk,
}

fn parse(stdout: &str) -> anyhow::Result<Line> {
    let line = stdout.lines().find(|line| line.starts_with("{\"report\""));
    let line =
        line.context("wrk printed no line of report.lua: is this wrk 4, built with LuaJIT?")?;
    serde_json::from_str(line)
        .with_context(|| format!("report.lua's line is not as it should be: {line}"))
}

/// wrk gives 0 for a percentile that it could not find: no latency is.
fn told(figure: f64) -> Option<f64> {
    (figure > 0.0).then_some(figure)
}

/// Of batches wrk's latency tells nothing: `report.lua` says why.
fn latency(mode: Mode, line: &Line) -> Latency {
    let kind = LatencyKind::AtSaturation;
    if mode == Mode::Pipeline {
        return Latency::unknown(kind);
    }
    Latency {
        kind,
        mean_us: told(line.mean_us),
        p50_us: told(line.p50_us),
        p75_us: told(line.p75_us),
        p90_us: told(line.p90_us),
        p99_us: told(line.p99_us),
        p999_us: told(line.p999_us),
        p9999_us: told(line.p9999_us),
        max_us: told(line.max_us),
    }
}

fn loaded(mode: Mode, line: &Line, finished: &Finished, cpus: u32) -> Loaded {
    let responses = line.requests.saturating_sub(line.status);
    Loaded {
        elapsed_s: line.duration_us as f64 / 1e6,
        responses,
        all_responses: responses,
        errors: Errors {
            connect: line.connect,
            // wrk counts a server that closes, and a response cut short, as a failed read.
            unexpected_close: line.read,
            reset: line.write,
            non_2xx: line.status,
            timeout: line.timeout,
            ..Errors::default()
        },
        latency: latency(mode, line),
        read_bytes: Some(line.bytes),
        first_bodies: Vec::new(),
        histogram: Vec::new(),
        in_flight: None,
        rate_sent: None,
        cpu_s: finished.cpu_s,
        cpus,
        stolen_s: finished.stolen_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Running 1s test @ http://127.0.0.1:1/\nRequests/sec:   1709.83\n\
        {\"report\":\"wrk\",\"duration_us\":1099526,\"requests\":1880,\"bytes\":924960,\"connect\":1,\"read\":2,\"write\":3,\
        \"status\":4,\"timeout\":5,\"mean_us\":2289.653,\"stdev_us\":873.743,\"max_us\":11968,\"p50_us\":2100,\"p75_us\":2300,\
        \"p90_us\":2500,\"p99_us\":5116,\"p999_us\":9000,\"p9999_us\":11000}\n";

    #[test]
    fn counts_are_exact_and_every_error_keeps_its_kind() {
        let finished = Finished {
            stdout: String::new(),
            cpu_s: 0.5,
            stolen_s: None,
        };
        let loaded = loaded(Mode::Keepalive, &parse(TEXT).unwrap(), &finished, 1);
        assert_eq!((loaded.responses, loaded.read_bytes), (1876, Some(924_960)));
        let errors = Errors {
            connect: 1,
            unexpected_close: 2,
            reset: 3,
            non_2xx: 4,
            timeout: 5,
            ..Errors::default()
        };
        assert_eq!(loaded.errors, errors);
        assert_eq!(loaded.latency.p99_us, Some(5116.0));
    }

    #[test]
    fn a_percentile_of_0_is_none() {
        let text = TEXT.replace("\"p99_us\":5116", "\"p99_us\":0");
        let finished = Finished {
            stdout: String::new(),
            cpu_s: 0.5,
            stolen_s: None,
        };
        let latency = loaded(Mode::Keepalive, &parse(&text).unwrap(), &finished, 1).latency;
        assert_eq!((latency.p99_us, latency.p90_us), (None, Some(2500.0)));
    }

    /// wrk adds 15 shorter latencies, made up, to each batch of 16 that it measured.
    #[test]
    fn of_batches_there_is_no_latency() {
        let finished = Finished {
            stdout: String::new(),
            cpu_s: 0.5,
            stolen_s: None,
        };
        let loaded = loaded(Mode::Pipeline, &parse(TEXT).unwrap(), &finished, 1);
        assert_eq!(loaded.latency, Latency::unknown(LatencyKind::AtSaturation));
        assert_eq!(loaded.responses, 1876, "counts are right all the same");
    }

    #[test]
    fn a_changed_format_is_an_error_not_a_zero() {
        for changed in [
            "Requests/sec:   1709.83\n".to_owned(),
            TEXT.replace("\"timeout\":5,", ""),
            TEXT.replace("\"requests\":1880", "\"requests\":\"1.88k\""),
            TEXT.replace("\"connect\"", "\"connects\""),
        ] {
            assert!(parse(&changed).is_err(), "{changed}");
        }
    }
}
