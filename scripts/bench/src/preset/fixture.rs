//! Small runs for tests of what is made from a run.

use crate::model::{
    Cell, CellKey, Controls, CpuPlan, Estimate, GeneratorKind, Latency, LatencyKind, Machine, Mode,
    Plan, RequestKind, Run, SCHEMA_VERSION, Summary, Verdict,
};

/// A cell: target, connections, server threads, requests per second, verdict.
pub(crate) type Given = (&'static str, u32, u32, f64, Verdict);

/// A run with these cells; a skipped one has no figures.
pub(crate) fn run(preset: Option<&str>, cells: &[Given]) -> Run {
    Run {
        schema_version: SCHEMA_VERSION,
        name: "test".into(),
        started: String::new(),
        finished: None,
        command: Vec::new(),
        plan: plan(preset),
        machine: Machine::default(),
        generator_machines: Vec::new(),
        cpus: CpuPlan::default(),
        commit: None,
        toolchain: None,
        generators: Vec::new(),
        targets: Vec::new(),
        cells: cells.iter().map(cell).collect(),
        controls: Controls::default(),
        warnings: Vec::new(),
    }
}

pub(crate) fn plan(preset: Option<&str>) -> Plan {
    Plan {
        seed: 1,
        rounds: 1,
        warmup_s: 0.0,
        duration_s: 1.0,
        modes: vec![Mode::Keepalive],
        connections: Vec::new(),
        threads: vec![1],
        generators: vec![GeneratorKind::Wrk],
        sweep: Vec::new(),
        cross_check_every: 1,
        rates_percent: Vec::new(),
        pipeline_depth: 16,
        request: RequestKind::Minimal,
        path: "/".into(),
        body_size: None,
        wire_size: None,
        preset: preset.map(str::to_owned),
        targets_file: None,
        on: None,
        generator_on: Vec::new(),
        cool_below_celsius: None,
    }
}

fn cell((target, connections, threads, rate, verdict): &Given) -> Cell {
    let key = CellKey {
        target: (*target).into(),
        mode: Mode::Keepalive,
        connections: *connections,
        threads: *threads,
        generator: GeneratorKind::Wrk,
        rate_percent: None,
    };
    let skipped = Cell::skipped(key, "it cannot");
    if *verdict == Verdict::Skipped {
        return skipped;
    }
    Cell {
        verdict: *verdict,
        summary: Some(summary(*rate)),
        ..skipped
    }
}

fn summary(rate: f64) -> Summary {
    let requests_per_second = Estimate {
        median: rate,
        low: None,
        high: None,
        confidence: None,
    };
    Summary {
        requests_per_second,
        cpu_us_per_request: None,
        user_us_per_request: None,
        system_us_per_request: None,
        server_utilisation: None,
        generator_utilisation: None,
        context_switches_per_request: None,
        latency: Latency::unknown(LatencyKind::AtSaturation),
        pss_idle_bytes: None,
        pss_load_bytes: None,
        pss_after_bytes: None,
        server_threads: None,
        noisy: false,
        requests_per_second_rank: None,
        cpu_per_request_rank: None,
    }
}
