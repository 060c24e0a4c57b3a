//! Whole runs through the mock executor.

use super::*;
use crate::candidate::{Choice, choose, with_twin};
use crate::executor::mock::{Mock, measured};
use crate::model::{CpuPlan, GeneratorKind, Machine, Mode, Plan, RequestKind, SCHEMA_VERSION};
use std::cell::RefCell;

#[derive(Default)]
struct Kept(RefCell<Vec<Run>>);

impl Keep for Kept {
    fn keep(&mut self, run: &Run) -> anyhow::Result<()> {
        self.0.borrow_mut().push(run.clone());
        Ok(())
    }
}

fn candidates(names: &[&str]) -> Vec<Candidate> {
    let with = names
        .iter()
        .map(|name| format!("{name}=server {{port}}"))
        .collect();
    with_twin(
        choose(
            None,
            &Choice {
                with,
                ..Choice::default()
            },
        )
        .unwrap(),
    )
}

fn plan(rounds: u32) -> Plan {
    Plan {
        seed: 1,
        rounds,
        warmup_s: 0.5,
        duration_s: 2.0,
        modes: vec![Mode::Keepalive],
        connections: vec![64],
        threads: vec![1],
        generators: vec![GeneratorKind::Embedded],
        sweep: Vec::new(),
        cross_check_every: 1,
        rates_percent: Vec::new(),
        pipeline_depth: 16,
        request: RequestKind::Minimal,
        path: "/".into(),
        body_size: None,
        wire_size: None,
        preset: None,
        targets_file: None,
        on: None,
        generator_on: Vec::new(),
        cool_below_celsius: None,
    }
}

fn empty_run(plan: Plan, candidates: &[Candidate]) -> Run {
    let names = candidates.iter().map(|candidate| candidate.name.as_str());
    let cells = names.flat_map(|name| plan.threads.iter().map(move |threads| (name, *threads)));
    Run {
        schema_version: SCHEMA_VERSION,
        name: "test".into(),
        started: String::new(),
        finished: None,
        command: Vec::new(),
        machine: Machine::default(),
        generator_machines: Vec::new(),
        cpus: CpuPlan::default(),
        commit: None,
        toolchain: None,
        generators: Vec::new(),
        targets: candidates.iter().map(Candidate::describe).collect(),
        cells: cells
            .flat_map(|(name, threads)| plan::cells_of(&plan, name, threads))
            .map(planned)
            .collect(),
        controls: crate::model::Controls::default(),
        warnings: Vec::new(),
        plan,
    }
}

fn go(
    run: Run,
    candidates: &[Candidate],
    mock: &mut Mock,
    interrupt: Interrupt,
) -> (Run, Result<(), RunError>) {
    let progress = Progress::silent();
    let mut kept = Kept::default();
    let mut session = Session {
        run,
        candidates,
        executor: mock,
        keep: &mut kept,
        progress: &progress,
        interrupt,
        fields: Vec::new(),
        inspected: BTreeMap::new(),
    };
    let result = session.go();
    let last = kept.0.borrow().last().unwrap().clone();
    (last, result)
}

fn cell<'a>(run: &'a Run, target: &str) -> &'a Cell {
    run.cells
        .iter()
        .find(|cell| cell.key.target == target)
        .unwrap()
}

fn rank_of(run: &Run, target: &str) -> (Option<u32>, Option<u32>) {
    let summary = cell(run, target).summary.as_ref().unwrap();
    (
        summary.requests_per_second_rank,
        summary.cpu_per_request_rank,
    )
}

/// A run of three rounds of targets that do the same in each, and of the first one's twin.
pub(crate) fn run_of(loads: &[(&str, crate::executor::Measured)]) -> Run {
    let names: Vec<&str> = loads.iter().map(|(name, _)| *name).collect();
    let candidates = candidates(&names);
    let mut mock = Mock::default();
    for (name, load) in loads {
        mock.loads.insert((*name).into(), vec![Ok(load.clone())]);
    }
    let twin = format!("{} (A/A)", names[0]);
    mock.loads.insert(twin, vec![Ok(loads[0].1.clone())]);
    let run = empty_run(plan(3), &candidates);
    let (run, result) = go(run, &candidates, &mut mock, Interrupt::default());
    result.unwrap();
    run
}

/// CPU per request of seven rounds on a shared machine whose speed drifts: recorded pairs of one server with itself.
const RECORDED: [(f64, f64); 7] = [
    (7.41, 7.46),
    (7.52, 7.49),
    (9.88, 9.95),
    (9.71, 9.66),
    (7.38, 7.43),
    (7.60, 7.55),
    (7.47, 7.50),
];

/// A run of `a`, of `b`, `dearer` times as dear, and of `a` once more; in some rounds `a` and `b` are swapped.
pub(crate) fn play(dearer: f64, swapped: &[usize]) -> Run {
    let candidates = candidates(&["a", "b"]);
    let mut mock = Mock::default();
    let figure = |cpu: f64| Ok(measured(1e6 / cpu, cpu));
    let pair = |index: usize| {
        let (first, second) = (RECORDED[index].0, RECORDED[index].1 * dearer);
        if swapped.contains(&index) {
            (second, first)
        } else {
            (first, second)
        }
    };
    mock.loads.insert(
        "a".into(),
        (0..7).map(|index| figure(pair(index).0)).collect(),
    );
    mock.loads.insert(
        "b".into(),
        (0..7).map(|index| figure(pair(index).1)).collect(),
    );
    mock.loads.insert(
        "a (A/A)".into(),
        RECORDED.iter().map(|(_, second)| figure(*second)).collect(),
    );
    let (run, result) = go(
        empty_run(plan(7), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    result.unwrap();
    run
}

#[test]
fn a_twin_five_percent_dearer_ranks_below() {
    let run = play(1.05, &[]);
    assert_eq!(rank_of(&run, "a"), (Some(1), Some(1)));
    assert_eq!(rank_of(&run, "b"), (Some(2), Some(2)));
}

#[test]
fn the_same_samples_shuffled_are_a_tie() {
    let run = play(1.05, &[1, 3, 5]);
    assert_eq!(rank_of(&run, "a"), (Some(1), Some(1)));
    assert_eq!(rank_of(&run, "b"), (Some(1), Some(1)));
}

#[test]
fn a_difference_below_the_noise_floor_is_a_tie() {
    // Dearer in every round, but by less than the twin differs from itself.
    let run = play(1.003, &[]);
    assert_eq!(rank_of(&run, "a"), rank_of(&run, "b"));
    let floor = run.controls.noise_floors.first().unwrap();
    assert!(
        floor.cpu_per_request.unwrap() > 0.003 && floor.cpu_per_request.unwrap() < 0.01,
        "{floor:?}"
    );
}

#[test]
fn the_twin_is_a_control_and_never_ranked() {
    assert_eq!(rank_of(&play(1.0, &[]), "a (A/A)"), (None, None));
}

#[test]
fn a_generator_bound_cell_is_ranked_by_cpu_only() {
    let candidates = candidates(&["a", "b"]);
    let mut mock = Mock::default();
    let mut bound = measured(1000.0, 10.0);
    (bound.loaded.cpu_s, bound.server.utilisation) = (1.98, Some(0.7));
    mock.loads.insert("a".into(), vec![Ok(bound)]);
    let (run, _) = go(
        empty_run(plan(3), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    assert_eq!(cell(&run, "a").verdict, Verdict::GeneratorBound);
    assert_eq!(rank_of(&run, "a"), (None, Some(1)));
    assert_eq!(rank_of(&run, "b"), (Some(1), Some(1)));
}

/// A load by wrk in which half of the connections are in service, as its latency has it.
fn half_in_service(generator: f64, server: f64) -> Verdict {
    by_wrk(Mode::Keepalive, 1000.0, 32_000.0, generator, server)
}

/// A load by wrk of 64 connections, with this mean latency.
fn by_wrk(mode: Mode, rate: f64, mean_us: f64, generator: f64, server: f64) -> Verdict {
    let candidates = candidates(&["a"]);
    let mut half = measured(rate, 10.0);
    half.loaded.latency.mean_us = Some(mean_us);
    half.loaded.cpu_s = 2.0 * generator;
    half.server.utilisation = Some(server);
    let mut mock = Mock::default();
    mock.loads.insert("a".into(), vec![Ok(half)]);
    let plan = Plan {
        modes: vec![mode],
        generators: vec![GeneratorKind::Wrk],
        ..plan(1)
    };
    let (run, _) = go(
        empty_run(plan, &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    cell(&run, "a").verdict
}

/// srv-hyper, all of whose connections were served: 637 of 1,024 in flight, as wrk's latency has it, but 49 of 64 one
/// deep. wrk makes up 15 of 16 latencies of a batch.
#[test]
fn batches_that_wrk_measured_are_not_starved() {
    let of = |mode, in_flight: f64| by_wrk(mode, 400_000.0, in_flight / 0.4, 0.5, 0.99);
    assert_eq!(of(Mode::Pipeline, 637.0), Verdict::Ok);
    assert_eq!(of(Mode::Keepalive, 49.0), Verdict::Ok);
}

#[test]
fn wrk_at_its_limit_is_generator_bound_and_not_starved() {
    assert_eq!(half_in_service(0.99, 0.8), Verdict::GeneratorBound);
    assert_eq!(half_in_service(0.5, 0.99), Verdict::Starved);
}

/// When the loads began, one second each.
fn times(run: &Run) -> Vec<u64> {
    let samples = run.cells.iter().flat_map(|cell| &cell.samples);
    let mut times: Vec<u64> = samples.map(|sample| sample.at_s as u64).collect();
    times.sort_unstable();
    times
}

/// The server has changed its mind between the look at it and the load: the generator saw nothing else.
#[test]
fn another_body_than_the_verified_one_is_wrong_bytes() {
    let load = |body| {
        let mut load = measured(1000.0, 10.0);
        load.loaded.first_bodies = vec![13, body];
        load
    };
    let run = run_of(&[("a", load(13)), ("b", load(1))]);
    assert_eq!(cell(&run, "a").verdict, Verdict::Ok);
    assert_eq!(cell(&run, "b").verdict, Verdict::WrongBytes);
    assert_eq!(cell(&run, "b").samples[0].errors.wrong_bytes, 2000);
}

#[test]
fn fewer_bytes_than_wrk_should_have_counted_are_wrong_bytes() {
    let candidates = candidates(&["a"]);
    let mut short = measured(1000.0, 10.0);
    short.loaded.read_bytes = Some(2000 * (120 - 12));
    let mut mock = Mock::default();
    mock.loads.insert("a".into(), vec![Ok(short)]);
    let plan = Plan {
        generators: vec![GeneratorKind::Wrk],
        ..plan(1)
    };
    let run = empty_run(plan, &candidates);
    let (run, _) = go(run, &candidates, &mut mock, Interrupt::default());
    assert_eq!(cell(&run, "a").verdict, Verdict::WrongBytes);
}

#[test]
fn interrupted_after_any_cell_the_rest_is_done_by_resume() {
    let candidates = candidates(&["a", "b"]);
    let whole = {
        let mut mock = Mock::default();
        go(
            empty_run(plan(3), &candidates),
            &candidates,
            &mut mock,
            Interrupt::default(),
        )
        .0
    };
    for at in 1..=9 {
        let interrupt = Interrupt::default();
        let mut mock = Mock {
            interrupt_at: Some((at, interrupt.clone())),
            ..Mock::default()
        };
        let (part, result) = go(
            empty_run(plan(3), &candidates),
            &candidates,
            &mut mock,
            interrupt,
        );
        assert!(matches!(result, Err(RunError::Interrupted)));
        assert_eq!(part.finished, None);
        assert_eq!(
            part.cells
                .iter()
                .map(|cell| cell.samples.len())
                .sum::<usize>(),
            at - 1
        );
        let (resumed, result) = go(
            part,
            &candidates,
            &mut Mock::default(),
            Interrupt::default(),
        );
        result.unwrap();
        let counts = |run: &Run| {
            run.cells
                .iter()
                .map(|cell| cell.samples.len())
                .collect::<Vec<_>>()
        };
        assert_eq!(counts(&resumed), counts(&whole));
        assert_eq!(
            times(&resumed),
            (1..=9).collect::<Vec<_>>(),
            "one after the other"
        );
        assert!(resumed.finished.is_some());
    }
}

#[test]
fn more_rounds_are_added_to_what_is_there() {
    let candidates = candidates(&["a"]);
    let (mut run, _) = go(
        empty_run(plan(3), &candidates),
        &candidates,
        &mut Mock::default(),
        Interrupt::default(),
    );
    run.plan.rounds = 5;
    let mut mock = Mock::default();
    let (run, _) = go(run, &candidates, &mut mock, Interrupt::default());
    assert_eq!(cell(&run, "a").samples.len(), 5);
    assert_eq!(
        mock.log
            .iter()
            .filter(|line| line.starts_with("start"))
            .count(),
        4
    );
}

#[test]
fn a_machine_that_is_gone_when_a_server_starts_is_an_error_of_its_cell() {
    let candidates = candidates(&["a"]);
    let mut mock = Mock::default();
    let lost = StartError::Lost {
        host: "pi@board".into(),
        cause: "Broken pipe".into(),
    };
    mock.broken.insert("a".into(), lost);
    let run = empty_run(plan(3), &candidates[..1]);
    let (run, result) = go(run, &candidates[..1], &mut mock, Interrupt::default());
    assert!(matches!(result, Err(RunError::Port { .. })));
    let cell = cell(&run, "a");
    assert_eq!((cell.verdict, cell.samples.len()), (Verdict::Errors, 1));
    assert!(cell.reason.contains("pi@board was lost"), "{}", cell.reason);
}

#[test]
fn what_this_machine_cannot_run_is_skipped_and_started_once() {
    let candidates = candidates(&["a", "b"]);
    let mut mock = Mock::default();
    let told = ": b: cannot use io_uring".to_owned();
    mock.broken
        .insert("b".into(), StartError::Unavailable { told });
    let (run, result) = go(
        empty_run(plan(3), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    result.unwrap();
    let reason = "this machine cannot run it: b: cannot use io_uring";
    assert_eq!(cell(&run, "b").verdict, Verdict::Skipped);
    assert_eq!(cell(&run, "b").reason, reason);
    assert_eq!(run.target("b").unwrap().skipped.as_deref(), Some(reason));
    let starts = mock.log.iter().filter(|line| *line == "start b 1");
    assert_eq!(starts.count(), 1);
    assert_eq!(cell(&run, "a").verdict, Verdict::Ok);
}

#[test]
fn a_server_that_does_not_start_is_an_error_and_the_others_go_on() {
    let candidates = candidates(&["a", "b"]);
    let mut mock = Mock::default();
    mock.broken.insert(
        "b".into(),
        StartError::Silent {
            port: 1,
            cause: "it closed the connection".into(),
        },
    );
    let (run, result) = go(
        empty_run(plan(3), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    result.unwrap();
    assert_eq!(cell(&run, "b").verdict, Verdict::Errors);
    assert!(
        cell(&run, "b")
            .reason
            .contains("does not answer a request: it closed"),
        "{}",
        cell(&run, "b").reason
    );
    assert_eq!(cell(&run, "a").verdict, Verdict::Ok);
}

#[test]
fn a_port_held_by_something_else_ends_the_run_with_its_name() {
    let candidates = candidates(&["a"]);
    let mut mock = Mock::default();
    mock.broken.insert(
        "a".into(),
        StartError::Foreign {
            port: 80,
            owner: "nginx (process 7)".into(),
        },
    );
    let (_, result) = go(
        empty_run(plan(3), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    assert!(
        result
            .unwrap_err()
            .to_string()
            .contains("nginx (process 7)")
    );
}

#[test]
fn rates_are_shares_of_the_targets_own_capacity() {
    let candidates = candidates(&["a"]);
    let mut mock = Mock::default();
    mock.loads
        .insert("a".into(), vec![Ok(measured(2000.0, 10.0))]);
    let plan = Plan {
        rates_percent: vec![50.0],
        ..plan(1)
    };
    go(
        empty_run(plan, &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    )
    .1
    .unwrap();
    assert!(
        mock.log
            .contains(&"load a keepalive Some(1000.0)".to_owned()),
        "{:?}",
        mock.log
    );
}

#[test]
fn every_round_visits_all_targets_in_its_own_order() {
    let candidates = candidates(&["a", "b", "c", "d", "e"]);
    let mut mock = Mock::default();
    go(
        empty_run(plan(3), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    )
    .1
    .unwrap();
    let starts: Vec<&String> = mock
        .log
        .iter()
        .filter(|line| line.starts_with("start"))
        .collect();
    let rounds: Vec<&[&String]> = starts.chunks(6).collect();
    assert_ne!(rounds[0], rounds[1]);
    let sorted = |round: &[&String]| {
        let mut names: Vec<String> = round.iter().map(|name| (*name).clone()).collect();
        names.sort();
        names
    };
    assert_eq!(sorted(rounds[0]), sorted(rounds[2]));
}

#[test]
fn a_machine_that_is_gone_spoils_its_cell_and_ends_the_run_with_its_results() {
    let candidates = candidates(&["a", "b"]);
    let mut mock = Mock {
        lost_at: Some(2),
        ..Mock::default()
    };
    let (run, result) = go(
        empty_run(plan(2), &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    let error = result.unwrap_err().to_string();
    assert!(
        error.ends_with("the connection to pi@board was lost: Broken pipe"),
        "{error}"
    );
    let samples: Vec<&Sample> = run.cells.iter().flat_map(|cell| &cell.samples).collect();
    let errors = samples
        .iter()
        .filter(|sample| sample.verdict == Verdict::Errors);
    assert_eq!((samples.len(), errors.count()), (2, 1));
    assert_eq!((mock.measured, run.finished), (2, None));
}

/// Ctrl-C ends ssh as well, which is no fault of the machine.
#[test]
fn an_interrupt_that_ends_the_connection_is_an_interrupt() {
    let candidates = candidates(&["a"]);
    let interrupt = Interrupt::default();
    let mut mock = Mock {
        lost_at: Some(1),
        interrupt_at: Some((1, interrupt.clone())),
        ..Mock::default()
    };
    let (run, result) = go(
        empty_run(plan(1), &candidates),
        &candidates,
        &mut mock,
        interrupt,
    );
    assert!(matches!(result, Err(RunError::Interrupted)), "{result:?}");
    assert!(run.cells.iter().all(|cell| cell.samples.is_empty()));
}

#[test]
fn a_load_waits_until_the_machine_is_cool() {
    let candidates = candidates(&["a"]);
    let mut plan = plan(1);
    plan.cool_below_celsius = Some(60.0);
    let mut mock = Mock {
        celsius: vec![71.0, 70.0, 66.0, 60.0, 59.9],
        ..Mock::default()
    };
    let (run, result) = go(
        empty_run(plan, &candidates),
        &candidates,
        &mut mock,
        Interrupt::default(),
    );
    result.unwrap();
    assert_eq!(mock.celsius, [59.9], "it looked until that was told");
    assert!(run.cells.iter().all(|cell| cell.samples.len() == 1));
}
