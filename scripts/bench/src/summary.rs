//! A cell's figures over all rounds.

use crate::model::{Cell, Latency, Sample, Summary};
use crate::stats::{interval, median};
use crate::verdict::judge_cell;

/// A cell whose interval is wider than this is `noisy`.
pub const NOISY: f64 = 0.05;

/// Derives verdict, reason and summary of a measured cell from its samples.
pub fn summarise(cell: &mut Cell) {
    let Some((verdict, reason)) = judge_cell(&cell.samples) else {
        return;
    };
    cell.verdict = verdict;
    cell.reason = reason;
    cell.summary = summary(&cell.samples);
}

fn summary(samples: &[Sample]) -> Option<Summary> {
    let all = |figure: fn(&Sample) -> Option<f64>| -> Vec<f64> {
        samples.iter().filter_map(figure).collect()
    };
    let middle = |figure: fn(&Sample) -> Option<f64>| median(&all(figure));
    let requests_per_second = interval(&all(|sample| Some(sample.requests_per_second)))?;
    let cpu_us_per_request = interval(&all(|sample| sample.server.cpu_us_per_request));
    let decisive = [Some(requests_per_second), cpu_us_per_request];
    let noisy = decisive
        .iter()
        .flatten()
        .filter_map(|figure| figure.relative_width())
        .any(|width| width > NOISY);
    Some(Summary {
        requests_per_second,
        cpu_us_per_request,
        user_us_per_request: middle(|sample| per_request(sample, sample.server.user_s)),
        system_us_per_request: middle(|sample| per_request(sample, sample.server.system_s)),
        server_utilisation: middle(|sample| sample.server.utilisation),
        generator_utilisation: middle(|sample| Some(sample.generator.utilisation)),
        context_switches_per_request: middle(switches_per_request),
        latency: latency(samples)?,
        pss_idle_bytes: middle(|sample| as_f64(sample.server.pss_idle_bytes)).map(whole),
        pss_load_bytes: middle(|sample| as_f64(sample.server.pss_load_bytes)).map(whole),
        pss_after_bytes: middle(|sample| as_f64(sample.server.pss_after_bytes)).map(whole),
        server_threads: middle(|sample| as_f64(sample.server.threads)).map(whole),
        noisy,
        requests_per_second_rank: None,
        cpu_per_request_rank: None,
    })
}

/// Microseconds for each right response of the whole load: the ratio that `cpu_us_per_request` has.
fn per_request(sample: &Sample, seconds: Option<f64>) -> Option<f64> {
    let share = seconds? / sample.server.cpu_s?;
    Some(share * sample.server.cpu_us_per_request?).filter(|figure| figure.is_finite())
}

fn switches_per_request(sample: &Sample) -> Option<f64> {
    let switches = sample.server.voluntary_switches? + sample.server.involuntary_switches?;
    (sample.responses > 0).then(|| switches as f64 / sample.responses as f64)
}

fn latency(samples: &[Sample]) -> Option<Latency> {
    let middle = |figure: fn(&Latency) -> Option<f64>| {
        median(
            &samples
                .iter()
                .filter_map(|sample| figure(&sample.latency))
                .collect::<Vec<_>>(),
        )
    };
    Some(Latency {
        kind: samples.first()?.latency.kind,
        mean_us: middle(|latency| latency.mean_us),
        p50_us: middle(|latency| latency.p50_us),
        p75_us: middle(|latency| latency.p75_us),
        p90_us: middle(|latency| latency.p90_us),
        p99_us: middle(|latency| latency.p99_us),
        p999_us: middle(|latency| latency.p999_us),
        p9999_us: middle(|latency| latency.p9999_us),
        max_us: middle(|latency| latency.max_us),
    })
}

fn as_f64(bytes: Option<u64>) -> Option<f64> {
    bytes.map(|bytes| bytes as f64)
}

fn whole(figure: f64) -> u64 {
    figure.round() as u64
}
