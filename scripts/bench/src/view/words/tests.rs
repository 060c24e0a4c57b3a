use super::*;
use crate::executor::mock::measured;
use crate::model::Verdict;
use crate::session::tests::{play, run_of};

#[test]
fn who_leads_by_how_much_and_who_cannot_be_told_apart() {
    let told = summary(&play(1.05, &[])).join("\n");
    assert!(
        told.contains(
            "a needs the least CPU per request (7.52 µs); b needs 1.05 ± 0.01 times as much"
        ),
        "{told}"
    );
    assert!(
        told.contains("a serves the most requests per second"),
        "{told}"
    );
    let tie = summary(&play(1.0, &[])).join("\n");
    assert!(
        tie.contains(
            "need the least CPU per request and cannot be told apart (7.50 µs to 7.52 µs)"
        ),
        "{tie}"
    );
}

#[test]
fn noise_and_a_missing_control_are_said() {
    let told = summary(&play(1.05, &[])).join("\n");
    assert!(
        told.contains("noisy: the intervals of 3 of 3 cells are wider than 5 %"),
        "{told}"
    );
    assert!(told.contains("srv-floor was not measured"), "{told}");
}

#[test]
fn what_was_not_measured_is_said_with_its_reason() {
    let mut run = play(1.0, &[]);
    run.targets[1].skipped = Some("go is not installed: sudo apt install golang-go".into());
    let told = summary(&run).join("\n");
    assert!(
        told.contains("skipped: b: go is not installed: sudo apt install golang-go"),
        "{told}"
    );
}

#[test]
fn a_crowded_machine_is_said() {
    let mut run = play(1.0, &[]);
    assert!(!summary(&run).join("\n").contains("crowded"));
    run.cells[0].samples[0].server.others_utilisation = Some(0.4);
    assert!(
        summary(&run)
            .join("\n")
            .contains("up to 40 % of the server's CPUs, in 1 of 3 cells")
    );
}

/// close, wrk: node "served the most", while 21 others, whose server was not the limit, had more.
#[test]
fn those_that_are_faster_without_a_rank_are_said() {
    let mut run = run_of(&[
        ("a", measured(11_070.0, 10.0)),
        ("b", measured(23_600.0, 10.0)),
        ("c", measured(16_600.0, 10.0)),
        ("d", measured(9_000.0, 10.0)),
    ]);
    for cell in &mut run.cells[1..3] {
        cell.verdict = Verdict::GeneratorBound;
    }
    crate::ranking::rank(&mut run);
    let told = summary(&run).join("\n");
    assert!(
        told.contains(
            "; among the 2 whose server was the limit, a serves the most requests per second (11,070); 2 others were not \
             ranked, the fastest had 23,600 (b)."
        ),
        "{told}"
    );
    let table = &crate::view::tables(&run)[0];
    let order: Vec<&str> = table.rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(
        order,
        ["b", "c", "a", "d", "(a (A/A))"],
        "by what was measured"
    );
    assert_eq!(table.rows[2][0], "3 / 1");
}

#[test]
fn without_a_twin_nobody_leads_and_the_table_says_why() {
    let mut run = play(1.05, &[]);
    run.cells.retain(|cell| cell.key.target != "a (A/A)");
    crate::ranking::rank(&mut run);
    let told = summary(&run).join("\n");
    assert!(
        told.contains("keepalive, 64 connections, embedded: nobody can be told apart, because no target was measured twice"),
        "{told}"
    );
    let notes = crate::view::tables(&run)[0].notes.join("\n");
    assert!(notes.contains("Noise floor: not known here"), "{notes}");
}

#[test]
fn one_noise_floor_of_two_is_said() {
    let mut run = play(1.05, &[]);
    for cell in run
        .cells
        .iter_mut()
        .filter(|cell| cell.key.target == "a (A/A)")
    {
        for sample in &mut cell.samples {
            sample.server.cpu_us_per_request = None;
        }
    }
    crate::ranking::rank(&mut run);
    let notes = crate::view::tables(&run)[0].notes.join("\n");
    assert!(
        notes.contains("of requests/s, that of CPU is not known here, so all are a tie"),
        "{notes}"
    );
}

#[test]
fn many_that_tie_are_counted() {
    let names = ["a", "b", "c", "d", "e"];
    let run = run_of(&names.map(|name| (name, measured(1000.0, 10.0))));
    let told = summary(&run).join("\n");
    assert!(
        told.contains("5 targets, from a to e, need the least CPU per request and cannot be told apart (10.0 µs)"),
        "{told}"
    );
}

#[test]
fn trouble_is_told_once_for_each_target() {
    let mut run = play(1.0, &[]);
    let mut more = run.cells[1].clone();
    more.key.connections = 8;
    run.cells.push(more);
    for (index, in_flight) in [(1, 6.4), (3, 2.0)] {
        let cell = &mut run.cells[index];
        cell.verdict = Verdict::Starved;
        cell.reason = format!("{in_flight} in flight");
        let summary = cell.summary.as_mut().unwrap();
        summary.latency.mean_us = Some(in_flight * 1e6 / summary.requests_per_second.median);
    }
    let told = summary(&run).join("\n");
    assert!(
        told.contains(
            "starved: b: in 2 cells: rate x mean latency is 10 % to 25 % of the requests in flight"
        ),
        "{told}"
    );
    for (index, timeouts) in [(1, 3), (3, 40)] {
        let cell = &mut run.cells[index];
        cell.verdict = Verdict::Errors;
        cell.samples[0].errors.timeout = timeouts;
    }
    let told = summary(&run).join("\n");
    assert!(
        told.contains("errors: b: in 2 cells, 3 to 40 failed requests in each: 43 timeout"),
        "{told}"
    );
}

#[test]
fn at_a_fixed_rate_tables_show_how_well_it_was_kept() {
    let mut run = play(1.05, &[]);
    for cell in &mut run.cells {
        cell.key.rate_percent = Some(50.0);
        for sample in &mut cell.samples {
            (sample.rate_wanted, sample.rate_sent) = (Some(10_000.0), Some(9_990.0));
        }
    }
    crate::ranking::rank(&mut run);
    let told = summary(&run).join("\n");
    assert!(
        told.contains("at 50 %: a needs") && told.contains("those asked for, so they rank nobody"),
        "{told}"
    );
    let table = &crate::view::tables(&run)[0];
    assert_eq!(table.header[3..5], ["sent/s of those wanted", "requests/s"]);
    assert_eq!(table.rows[0][3], "9,990 of 10,000");
}
