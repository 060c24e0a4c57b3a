//! What a run will do: its cells, the order of its rounds, and how long it takes.

use crate::candidate::Candidate;
use crate::model::{CellKey, GeneratorKind, Mode, Plan};
use crate::preset::Preset;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// What one start, its checks apart, and one stop of a server take, in seconds.
const START_S: f64 = 0.15;
/// What the checks of the first round take.
const INSPECT_S: f64 = 1.2;
/// What a cell takes beyond warm-up and load: connecting, closing, sampling.
const CELL_S: f64 = 0.15;

/// Keys of the cells of one visit to a target: closed loops first, because rates are shares of what they reach.
#[must_use]
pub fn cells_of(plan: &Plan, target: &str, threads: u32) -> Vec<CellKey> {
    let rates = std::iter::once(None).chain(plan.rates_percent.iter().copied().map(Some));
    let mut cells = Vec::new();
    for rate_percent in rates {
        for &generator in &plan.generators {
            for &mode in &plan.modes {
                for connections in connections_of(plan, mode) {
                    let target = target.to_owned();
                    cells.push(CellKey {
                        target,
                        mode,
                        connections,
                        threads,
                        generator,
                        rate_percent,
                    });
                }
            }
        }
    }
    // Only the embedded generator has an open loop.
    cells.retain(|key| key.rate_percent.is_none() || key.generator == GeneratorKind::Embedded);
    if let Some(preset) = Preset::of(plan.preset.as_deref()) {
        cells.retain(|key| preset.measures(key));
    }
    cells
}

/// Whether a generator takes part in a round: the first in all, the others in the first of every
/// [`Plan::cross_check_every`].
#[must_use]
pub fn takes_part(plan: &Plan, generator: GeneratorKind, round: u32) -> bool {
    plan.generators.first() == Some(&generator)
        || (round - 1).is_multiple_of(plan.cross_check_every)
}

/// The connection counts of a mode.
fn connections_of(plan: &Plan, mode: Mode) -> Vec<u32> {
    match mode {
        Mode::Keepalive => unique(&[&plan.connections[..], &plan.sweep].concat()),
        Mode::Close | Mode::Pipeline => plan.connections.clone(),
    }
}

/// The values without those that stand before, in their order.
#[must_use]
pub fn unique<T: Copy + PartialEq>(values: &[T]) -> Vec<T> {
    let mut unique: Vec<T> = Vec::new();
    for value in values {
        if !unique.contains(value) {
            unique.push(*value);
        }
    }
    unique
}

/// The order in which a round visits the targets: as indices, drawn from the run's seed and the round's number.
#[must_use]
pub fn order(seed: u64, round: u32, targets: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..targets).collect();
    let mut random = StdRng::seed_from_u64(seed.wrapping_add(u64::from(round)));
    order.shuffle(&mut random);
    order
}

/// Seconds that the whole run takes.
#[must_use]
pub fn duration_s(plan: &Plan, candidates: &[Candidate]) -> f64 {
    let visits = f64::from(plan.rounds) * candidates.len() as f64 * plan.threads.len() as f64;
    let cells: f64 = candidates
        .iter()
        .flat_map(|candidate| {
            plan.threads
                .iter()
                .map(|threads| (&candidate.name, *threads))
        })
        .flat_map(|(name, threads)| cells_of(plan, name, threads))
        .map(|key| {
            let takes_part = |round: &u32| takes_part(plan, key.generator, *round);
            (1..=plan.rounds).filter(takes_part).count() as f64 * cell_s(plan, &key)
        })
        .sum();
    visits * START_S + cells + candidates.len() as f64 * INSPECT_S
}

/// Seconds of one cell. wrk and ab know whole seconds only, so less is warmed up by the embedded generator.
#[must_use]
pub fn cell_s(plan: &Plan, key: &CellKey) -> f64 {
    let is_embedded = key.generator == GeneratorKind::Embedded;
    let load = if is_embedded {
        plan.duration_s
    } else {
        plan.duration_s.ceil()
    };
    // In mode close the embedded generator first waits whether the server closes.
    let probe = |is_embedded: bool| match key.mode {
        Mode::Close if is_embedded => 0.5,
        _ => 0.0,
    };
    let warmup = match plan.warmup_s {
        0.0 => 0.0,
        seconds => seconds + probe(is_embedded || seconds.fract() != 0.0),
    };
    warmup + load + probe(is_embedded) + CELL_S
}

/// `1 min 40 s`.
#[must_use]
pub fn describe_s(seconds: f64) -> String {
    let whole = seconds.round().max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_orders_and_rounds_differ() {
        assert_eq!(order(7, 1, 12), order(7, 1, 12));
        assert_ne!(order(7, 1, 12), order(7, 2, 12));
        let mut all = order(7, 3, 12);
        all.sort_unstable();
        assert_eq!(all, (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn a_cross_check_takes_part_in_the_first_of_every_so_many_rounds() {
        let plan = Plan {
            generators: vec![GeneratorKind::Wrk, GeneratorKind::Embedded],
            cross_check_every: 3,
            ..crate::preset::fixture::plan(None)
        };
        let rounds = |generator| -> Vec<u32> {
            (1..=7)
                .filter(|round| takes_part(&plan, generator, *round))
                .collect()
        };
        assert_eq!(rounds(GeneratorKind::Wrk), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(rounds(GeneratorKind::Embedded), [1, 4, 7]);
    }

    #[test]
    fn a_sweep_is_of_kept_connections() {
        let plan = Plan {
            modes: vec![Mode::Close, Mode::Keepalive],
            connections: vec![64],
            sweep: vec![1, 64],
            ..crate::preset::fixture::plan(None)
        };
        let cells = cells_of(&plan, "a", 1);
        let counts: Vec<_> = cells
            .iter()
            .map(|key| (key.mode, key.connections))
            .collect();
        let wanted = [
            (Mode::Close, 64),
            (Mode::Keepalive, 64),
            (Mode::Keepalive, 1),
        ];
        assert_eq!(counts, wanted);
    }

    #[test]
    fn durations_in_words() {
        assert_eq!(describe_s(9.6), "10 s");
        assert_eq!(describe_s(100.0), "1 min 40 s");
        assert_eq!(describe_s(7260.0), "2 h 1 min");
    }
}
