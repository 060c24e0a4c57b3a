//! ApacheBench 2.3: runs it and reads its text, strictly: a line that is not known is an error, not a zero.

mod text;

pub use text::parse;

use super::child;
use super::{Generator, Load, Loaded, Site};
use crate::model::{AbFigures, Errors, GeneratorKind, Latency, LatencyKind, Mode};
use anyhow::Context;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

/// ab has one thread; it keeps memory for every request that it may send, so there is a limit to set.
const MOST_PER_SECOND: u64 = 200_000;

/// ApacheBench.
#[derive(Clone, Copy, Debug)]
pub struct Ab;

impl Generator for Ab {
    fn kind(&self) -> GeneratorKind {
        GeneratorKind::Ab
    }

    fn version(&self) -> anyhow::Result<String> {
        let line = child::version("ab", "-V", "sudo apt install apache2-utils")?;
        Ok(line.trim_start_matches("This is ").to_owned())
    }

    fn cannot(&self, load: &Load) -> Option<String> {
        match load {
            Load {
                mode: Mode::Pipeline,
                ..
            } => Some("ab cannot pipeline".into()),
            Load { rate: Some(_), .. } => Some("ab has no fixed rate".into()),
            _ => None,
        }
    }

    fn run(
        &self,
        load: &Load,
        address: SocketAddr,
        duration: Duration,
        site: &Site,
    ) -> anyhow::Result<Loaded> {
        let percentiles = tempfile::NamedTempFile::new()?;
        let seconds = duration.as_secs_f64().ceil() as u64;
        let most = seconds * MOST_PER_SECOND;
        let requests = load.requests.map_or(most, |requests| requests.min(most));
        let mut command = Command::new("ab");
        command.args([
            "-q",
            "-r",
            "-s",
            "2",
            "-t",
            &seconds.to_string(),
            "-n",
            &requests.to_string(),
        ]);
        command
            .args(["-c", &load.connections.to_string()])
            .arg("-e")
            .arg(percentiles.path());
        if load.mode == Mode::Keepalive {
            command.arg("-k");
        }
        command.args(
            load.fields
                .iter()
                .map(|(name, value)| format!("-H{name}: {value}")),
        );
        command.arg(format!("http://{address}{}", load.path));
        let finished = child::run(command, Duration::from_secs(seconds), site)?;
        let figures = parse(&finished.stdout)?;
        let table =
            std::fs::read_to_string(percentiles.path()).context("ab wrote no percentiles (-e)")?;
        Ok(Loaded {
            cpu_s: finished.cpu_s,
            stolen_s: finished.stolen_s,
            ..loaded(&figures, latency(&table)?)
        })
    }
}

fn loaded(figures: &AbFigures, latency: Latency) -> Loaded {
    let errors = errors(figures);
    let responses = figures
        .complete
        .saturating_sub(errors.wrong_bytes + errors.non_2xx);
    Loaded {
        elapsed_s: figures.elapsed_s,
        responses,
        all_responses: responses,
        errors,
        latency,
        read_bytes: Some(figures.transferred_bytes),
        first_bodies: figures.document_bytes.into_iter().collect(),
        histogram: Vec::new(),
        in_flight: None,
        rate_sent: None,
        cpu_s: 0.0,
        cpus: 1,
        stolen_s: None,
    }
}

fn errors(figures: &AbFigures) -> Errors {
    let count = |kind: Option<u64>| kind.unwrap_or(0);
    Errors {
        connect: count(figures.failed_connect),
        reset: count(figures.failed_receive)
            + count(figures.failed_exceptions)
            + count(figures.write_errors),
        // ab compares the length of each body with the first one's.
        wrong_bytes: count(figures.failed_length),
        non_2xx: count(figures.non_2xx),
        // With -k, a connection that was not kept.
        unexpected_close: figures
            .keepalive
            .map_or(0, |kept| figures.complete.saturating_sub(kept)),
        ..Errors::default()
    }
}

/// The file that `-e` writes: the time within which each whole percentage of requests was served, in milliseconds with
/// three decimals, where ab's text has none. The mean is that of the percentiles.
fn latency(table: &str) -> anyhow::Result<Latency> {
    let unusable = || {
        format!(
            "ab's percentiles (-e) are not as they should be: {:?}",
            table.lines().nth(1)
        )
    };
    let mut percentiles_us = Vec::with_capacity(100);
    for (percent, line) in table.lines().skip(1).enumerate() {
        let (served, milliseconds) = line.split_once(',').with_context(unusable)?;
        anyhow::ensure!(served.parse() == Ok(percent), unusable());
        percentiles_us.push(1000.0 * milliseconds.parse::<f64>().with_context(unusable)?);
    }
    anyhow::ensure!((100..=101).contains(&percentiles_us.len()), unusable());
    let mean = percentiles_us.iter().sum::<f64>() / percentiles_us.len() as f64;
    Ok(Latency {
        mean_us: Some(mean),
        p50_us: Some(percentiles_us[50]),
        p75_us: Some(percentiles_us[75]),
        p90_us: Some(percentiles_us[90]),
        p99_us: Some(percentiles_us[99]),
        ..Latency::unknown(LatencyKind::AtSaturation)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_have_microseconds() {
        let table: String = (0..100)
            .map(|percent| format!("{percent},{}.5\n", percent / 10))
            .collect();
        let latency = latency(&format!("Percentage served,Time in ms\n{table}")).unwrap();
        assert_eq!(
            (latency.p50_us, latency.p99_us, latency.mean_us),
            (Some(5500.0), Some(9500.0), Some(5000.0))
        );
    }

    #[test]
    fn percentiles_of_another_format_are_an_error() {
        assert!(latency("").is_err());
        assert!(latency("Percentage served,Time in ms\n50,1.0\n").is_err());
    }
}
