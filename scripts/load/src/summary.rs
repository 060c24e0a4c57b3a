//! The report, from what was counted.

use crate::cpu::Cpus;
use crate::probe::Probe;
use crate::tally::Tally;
use crate::{Amount, Config, Cpu, InFlight, LatencyKind, Rate, Report, Sample, Settings, latency};

/// [`Report::schema_version`] of this version.
const SCHEMA_VERSION: u32 = 1;

/// Puts the report together.
pub(crate) fn report(config: &Config, probe: &Probe, tally: Tally) -> Report {
    let seconds = tally.measured as f64 / 1e9;
    let per_second = |count: u64| {
        if seconds > 0.0 {
            count as f64 / seconds
        } else {
            0.0
        }
    };
    let requests_per_second = per_second(tally.measured_responses);
    Report {
        schema_version: SCHEMA_VERSION,
        settings: settings(config, probe),
        requests: tally.requests,
        responses: tally.responses,
        errors: tally.errors,
        duration_seconds: seconds,
        measured_responses: tally.measured_responses,
        requests_per_second,
        latency: latency::of(kind(config), &tally.latency),
        rate: config
            .rate
            .map(|asked| rate(asked, per_second(tally.left_in_time), &tally)),
        in_flight: in_flight(config, &tally, requests_per_second),
        server_closes: probe.server_closes,
        first_response: probe.first_response.clone(),
        differing_heads: tally.differing,
        connections_opened: tally.connections_opened,
        connections_ended_by_server: tally.connections_ended_by_server,
        bytes_read: tally.bytes_read,
        cpu: Cpu {
            user_seconds: tally.cpu.iter().map(|thread| thread.user_seconds).sum(),
            system_seconds: tally.cpu.iter().map(|thread| thread.system_seconds).sum(),
            threads: tally.cpu,
            available: Cpus::new(config).available,
            stolen_seconds: tally.stolen_seconds,
        },
        stopped: tally.stopped,
        interrupted: tally.interrupted,
    }
}

fn settings(config: &Config, probe: &Probe) -> Settings {
    let (requests, duration_seconds) = match config.amount {
        Amount::Requests(count) => (Some(count), None),
        Amount::Time(time) => (None, Some(time.as_secs_f64())),
    };
    Settings {
        url: config.target.url(),
        address: probe.address.to_string(),
        connections: config.connections,
        threads: config.threads,
        mode: config.mode,
        requests,
        duration_seconds,
        warmup_seconds: config.warmup.as_secs_f64(),
        timeout_seconds: config.timeout.as_secs_f64(),
        rate: config.rate,
        request: config.request,
    }
}

fn kind(config: &Config) -> LatencyKind {
    match config.rate {
        None => LatencyKind::LatencyAtSaturation,
        Some(_) => LatencyKind::LatencyAtRate,
    }
}

fn rate(asked: f64, reached: f64, tally: &Tally) -> Rate {
    let late = &tally.late;
    Rate {
        asked,
        reached,
        unsent: tally.unsent,
        late_p50_us: late.value_at_quantile(0.5),
        late_p99_us: late.value_at_quantile(0.99),
        late_max_us: late.max(),
    }
}

/// Little's law: what is under way is the rate times the time that each takes.
fn in_flight(config: &Config, tally: &Tally, requests_per_second: f64) -> InFlight {
    let closed = config.rate.is_none();
    let samples = tally.samples.by_time();
    InFlight {
        possible: (config.connections * config.mode.depth()) as u64,
        mean: tally.samples.mean(),
        served_mean: closed.then(|| requests_per_second * tally.latency.mean() / 1e6),
        connections_unserved: tally.unserved,
        samples: samples
            .map(|(seconds, in_flight)| Sample { seconds, in_flight })
            .collect(),
    }
}
