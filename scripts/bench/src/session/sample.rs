//! From a measurement to a sample with its verdict.

use crate::executor::Measured;
use crate::generator::Load;
use crate::model::{
    CellKey, Errors, GeneratorCost, GeneratorKind, Heat, Latency, LatencyKind, Mode, Run, Sample,
    ServerCost, Verdict,
};
use crate::verdict::{Evidence, judge_sample};

/// The sample of a measurement.
pub(super) fn of(run: &Run, key: &CellKey, load: &Load, round: u32, measured: &Measured) -> Sample {
    let loaded = &measured.loaded;
    let generator = generator_cost(measured);
    let rate = if loaded.elapsed_s > 0.0 {
        loaded.responses as f64 / loaded.elapsed_s
    } else {
        0.0
    };
    let errors = with_unverified_bytes(run, key, load, measured);
    let (verdict, reason) = judge_sample(&Evidence {
        errors: &errors,
        responses: loaded.responses,
        rate,
        latency: &loaded.latency,
        always_busy: load.rate.is_none() && tells_starvation(key, &generator, &measured.server),
        offered: key.offered(load.pipeline_depth),
        generator: &generator,
        server: &measured.server,
        shared_cpus: run.cpus.shared,
        heat: &measured.heat,
    });
    Sample {
        round,
        at_s: measured.at_s,
        elapsed_s: loaded.elapsed_s,
        responses: loaded.responses,
        requests_per_second: rate,
        read_bytes: loaded.read_bytes,
        errors,
        latency: loaded.latency,
        in_flight: loaded.in_flight,
        rate_wanted: load.rate,
        rate_sent: loaded.rate_sent,
        generator,
        server: measured.server,
        heat: measured.heat.clone(),
        verdict,
        reason,
    }
}

/// Whether latency covers all the time that a connection spends.
///
/// wrk's begins when a request is written, which it does one turn of its loop after the last response: connecting (mode
/// close) is not in it, and where wrk is the busier side, up to half of the time is missing because of wrk itself. Of
/// batches (mode pipeline) its latency tells nothing: see `scripts/wrk/report.lua`.
fn tells_starvation(key: &CellKey, generator: &GeneratorCost, server: &ServerCost) -> bool {
    match (key.generator, key.mode) {
        (GeneratorKind::Wrk, Mode::Close | Mode::Pipeline) => false,
        (GeneratorKind::Wrk, _) => generator.utilisation <= server.utilisation.unwrap_or(0.0),
        _ => true,
    }
}

fn generator_cost(measured: &Measured) -> GeneratorCost {
    let loaded = &measured.loaded;
    let available = loaded.elapsed_s * f64::from(loaded.cpus) - loaded.stolen_s.unwrap_or(0.0);
    GeneratorCost {
        cpu_s: loaded.cpu_s,
        cpus: loaded.cpus,
        stolen_s: loaded.stolen_s,
        utilisation: if available > 0.0 {
            loaded.cpu_s / available
        } else {
            0.0
        },
    }
}

/// wrk and ab do not look at bytes; but they count them. More than the verified response has, by more than the last
/// reads explain, is more than was asked for.
fn with_unverified_bytes(run: &Run, key: &CellKey, load: &Load, measured: &Measured) -> Errors {
    let errors = measured.loaded.errors;
    let counts_only = key.generator == GeneratorKind::Wrk && key.mode != Mode::Close;
    let verified = run
        .target(&key.target)
        .and_then(|target| target.response.as_ref());
    let (true, Some(response), Some(read)) = (counts_only, verified, measured.loaded.read_bytes)
    else {
        return errors;
    };
    let responses = measured.loaded.responses + key.offered(load.pipeline_depth) as u64;
    let surplus = read.saturating_sub(responses * response.bytes);
    Errors {
        extra: errors.extra + surplus.div_ceil(response.bytes.max(1)),
        ..errors
    }
}

/// A round in which nothing could be measured.
pub(super) fn failed(round: u32, at_s: f64, reason: String) -> Sample {
    Sample {
        round,
        at_s,
        elapsed_s: 0.0,
        responses: 0,
        requests_per_second: 0.0,
        read_bytes: None,
        errors: Errors::default(),
        latency: Latency::unknown(LatencyKind::AtSaturation),
        in_flight: None,
        rate_wanted: None,
        rate_sent: None,
        generator: GeneratorCost {
            cpu_s: 0.0,
            cpus: 0,
            stolen_s: None,
            utilisation: 0.0,
        },
        server: ServerCost::default(),
        heat: Heat::default(),
        verdict: Verdict::Errors,
        reason,
    }
}
