//! What good clients get, and what that costs the server.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use load::{Amount, Config};

use crate::context::Context;
use crate::outcome::Trouble;
use crate::server::Server;

/// Good clients, each with one request under way.
const CONNECTIONS: usize = 64;

/// Less of the machine's CPU time than this is none left.
const NONE_IDLE: f64 = 0.1;

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) requests_per_second: f64,
    pub(super) cpu_us_per_request: f64,
    /// Share of the machine's CPU time that nobody used.
    idle: f64,
    pub(super) errors: u64,
}

/// Loads the server for `time`.
pub(super) fn measure(
    context: &Context,
    server: &mut Server,
    time: Duration,
) -> Result<Sample, Trouble> {
    let config = Config {
        connections: CONNECTIONS,
        amount: Amount::Time(time),
        timeout: Duration::from_secs(2),
        stop: Arc::clone(&context.interrupt),
        ..Config::new(load::Target::new(server.addr()))
    };
    let (cpu, machine) = (server.usage()?.cpu, Cpu::now());
    let report = load::run(&config, |_| ())
        .map_err(|error| Trouble::Skip(format!("cannot load it: {error}")))?;
    context.go_on()?;
    let cpu = server.usage()?.cpu.saturating_sub(cpu);
    Ok(Sample {
        requests_per_second: report.requests_per_second,
        cpu_us_per_request: cpu.as_secs_f64() * 1e6 / report.responses.max(1) as f64,
        idle: Cpu::now().idle_share_since(machine),
        errors: report.errors.total(),
    })
}

impl Sample {
    /// The share of `before`'s throughput that is left. Where the machine has no CPU time left, the generator was a
    /// limit as well, and what a request costs the server tells the truth.
    pub(super) fn kept_of(&self, before: &Self) -> f64 {
        if self.idle < NONE_IDLE {
            before.cpu_us_per_request / self.cpu_us_per_request.max(f64::MIN_POSITIVE)
        } else {
            self.requests_per_second / before.requests_per_second.max(f64::MIN_POSITIVE)
        }
    }
}

/// The machine's CPU time so far, in clock ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    all: u64,
    idle: u64,
}

impl Cpu {
    fn now() -> Self {
        Self::parse(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// proc_stat(5): `cpu user nice system idle iowait …`
    fn parse(stat: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let ticks = line.split_ascii_whitespace().skip(1).take(8);
        let ticks: Vec<u64> = ticks.filter_map(|ticks| ticks.parse().ok()).collect();
        Self {
            all: ticks.iter().sum(),
            idle: ticks.iter().skip(3).take(2).sum(),
        }
    }

    fn idle_share_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        self.idle.saturating_sub(before.idle) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(requests_per_second: f64, cpu_us_per_request: f64, idle: f64) -> Sample {
        Sample {
            requests_per_second,
            cpu_us_per_request,
            idle,
            errors: 0,
        }
    }

    #[test]
    fn cpu_counts_where_none_is_left() {
        let before = sample(1000.0, 5.0, 0.0);
        assert_eq!(
            sample(500.0, 5.0, 0.0).kept_of(&before),
            1.0,
            "the generator was slower"
        );
        assert_eq!(
            sample(500.0, 10.0, 0.0).kept_of(&before),
            0.5,
            "the server was"
        );
        assert_eq!(
            sample(500.0, 5.0, 0.4).kept_of(&before),
            0.5,
            "the server waited"
        );
    }

    #[test]
    fn idle_is_idle_and_waiting_for_disks() {
        let before = Cpu::parse("cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 1 1 1\n");
        let after = Cpu::parse("cpu  20 0 20 120 10 0 0 50 7 7\n");
        assert_eq!(after.idle_share_since(before), 0.3);
    }
}
