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

/// Digits of a number in a head, such as `Keep-Alive: max=9`, that a right response may have less than the verified one.
const DIGITS: u64 = 2;

/// What was verified before the load is what must come in it. A generator compares with its own first response, which
/// may be another one already; and wrk does not look at bytes at all, but it counts them.
fn with_unverified_bytes(run: &Run, key: &CellKey, load: &Load, measured: &Measured) -> Errors {
    let (errors, loaded) = (measured.loaded.errors, &measured.loaded);
    let verified = run
        .target(&key.target)
        .and_then(|target| target.response.as_ref());
    let Some(verified) = verified else {
        return errors;
    };
    let is_other = |body: &u64| *body != verified.body_bytes;
    if loaded.first_bodies.iter().any(is_other) {
        return Errors {
            wrong_bytes: errors.wrong_bytes + loaded.all_responses,
            ..errors
        };
    }
    // In mode close heads have other fields than in the verified response.
    match loaded.read_bytes {
        Some(read) if key.generator == GeneratorKind::Wrk && key.mode != Mode::Close => {
            let last = key.offered(load.pipeline_depth) as u64;
            counted_bytes(errors, loaded.responses, read, verified.bytes, last)
        }
        _ => errors,
    }
}

/// Bytes that `responses` of `bytes` each do not explain: too many, the `last` ones apart, which were read and not
/// counted; or too few, cut or otherwise.
fn counted_bytes(errors: Errors, responses: u64, read: u64, bytes: u64, last: u64) -> Errors {
    let surplus = read.saturating_sub((responses + last) * bytes);
    let deficit = (responses * bytes).saturating_sub(read);
    let lacks = deficit > responses * DIGITS;
    Errors {
        extra: errors.extra + surplus.div_ceil(bytes.max(1)),
        wrong_bytes: errors.wrong_bytes + if lacks { responses } else { 0 },
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

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 responses of 120 bytes, and 64 that may have been under way at the end.
    fn errors(read: u64) -> (u64, u64) {
        let errors = counted_bytes(Errors::default(), 1000, read, 120, 64);
        (errors.extra, errors.wrong_bytes)
    }

    #[test]
    fn bytes_that_wrk_counts_are_those_of_the_verified_response() {
        assert_eq!(errors(120_000), (0, 0));
        assert_eq!(errors(120_000 + 64 * 120), (0, 0), "read, and not counted");
        assert_eq!(errors(120_001 + 64 * 120), (1, 0));
        assert_eq!(errors(118_500), (0, 0), "a digit less in each second head");
        assert_eq!(
            errors(108_000),
            (0, 1000),
            "13 bytes of body were verified, 1 came"
        );
    }
}
