//! Package `load`, in this process.

use super::{Generator, Load, Loaded, Site};
use crate::model::{Errors, GeneratorKind, Latency, LatencyKind, Mode, RequestKind};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a request may take: a stall of a busy machine is not an error of the server.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The embedded generator.
#[derive(Clone, Copy, Debug)]
pub struct Embedded;

impl Generator for Embedded {
    fn kind(&self) -> GeneratorKind {
        GeneratorKind::Embedded
    }

    fn version(&self) -> anyhow::Result<String> {
        Ok(format!("load {}", env!("CARGO_PKG_VERSION")))
    }

    fn cannot(&self, _load: &Load) -> Option<String> {
        None
    }

    fn run(
        &self,
        load: &Load,
        address: SocketAddr,
        duration: Duration,
        site: &Site,
    ) -> anyhow::Result<Loaded> {
        let report = load::run(&config(load, address, duration, site), |_| {})?;
        anyhow::ensure!(
            report.stopped.is_none() || report.responses > 0,
            "{}",
            report.stopped.unwrap_or_default()
        );
        Ok(loaded(&report))
    }
}

fn config(load: &Load, address: SocketAddr, duration: Duration, site: &Site) -> load::Config {
    let mut target = load::Target::new(address);
    target.path.clone_from(&load.path);
    let mut config = load::Config::new(target);
    config.connections = load.connections as usize;
    config.threads = site.cpus.len().min(config.connections);
    config.cpus = site.cpus.iter().map(|cpu| *cpu as usize).collect();
    config.mode = match load.mode {
        Mode::Keepalive => load::Mode::KeepAlive,
        Mode::Close => load::Mode::Close,
        Mode::Pipeline => {
            load::Mode::Pipeline(u16::try_from(load.pipeline_depth).unwrap_or(u16::MAX))
        }
    };
    config.request = match load.request {
        RequestKind::Minimal => load::RequestKind::Minimal,
        RequestKind::Browser => load::RequestKind::Browser,
    };
    config.amount = load::Amount::Time(duration);
    config.timeout = TIMEOUT;
    config.rate = load.rate;
    config.stop = site.interrupt.flag();
    config
}

fn loaded(report: &load::Report) -> Loaded {
    let kind = if report.settings.rate.is_some() {
        LatencyKind::AtRate
    } else {
        LatencyKind::AtSaturation
    };
    Loaded {
        elapsed_s: report.duration_seconds,
        responses: report.measured_responses,
        all_responses: report.responses,
        errors: errors(&report.errors),
        latency: report
            .latency
            .as_ref()
            .map_or(Latency::unknown(kind), |told| latency(kind, told)),
        histogram: report
            .latency
            .as_ref()
            .map(|told| told.histogram.clone())
            .unwrap_or_default(),
        read_bytes: Some(report.bytes_read),
        first_bodies: report
            .first_response
            .iter()
            .map(|first| first.body_bytes)
            .collect(),
        in_flight: Some(report.in_flight.mean),
        rate_sent: report.rate.as_ref().map(|rate| rate.reached),
        cpu_s: report.cpu.seconds(),
        cpus: u32::try_from(report.cpu.available).unwrap_or(1),
        stolen_s: report.cpu.stolen_seconds,
    }
}

fn errors(errors: &load::Errors) -> Errors {
    Errors {
        connect: errors.connect,
        reset: errors.reset,
        timeout: errors.timeout,
        short: errors.short,
        wrong_bytes: errors.wrong_bytes,
        non_2xx: errors.non_2xx,
        unexpected_close: errors.unexpected_close,
        extra: errors.extra,
    }
}

/// In the form of the results.
pub(super) fn latency(kind: LatencyKind, latency: &load::Latency) -> Latency {
    Latency {
        kind,
        mean_us: Some(latency.mean_us),
        p50_us: Some(latency.p50_us as f64),
        p75_us: Some(latency.p75_us as f64),
        p90_us: Some(latency.p90_us as f64),
        p99_us: Some(latency.p99_us as f64),
        p999_us: Some(latency.p99_9_us as f64),
        p9999_us: Some(latency.p99_99_us as f64),
        max_us: Some(latency.max_us as f64),
    }
}
