//! What a run writes, and what is made of it.

use crate::support::{Folder, cell, stderr};
use bench::model::{GeneratorKind, Mode};

#[test]
fn a_run_tells_all_that_a_reader_needs() {
    let folder = Folder::new();
    let output = folder.run(
        &["honest"],
        &[
            "--export-json",
            "out.json",
            "--export-markdown",
            "out.md",
            "--seed",
            "7",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = folder.results();
    assert_eq!((run.plan.seed, run.plan.rounds), (7, 1));
    assert_eq!(run.command[0], "bench");
    let target = run.target("honest").unwrap();
    assert_eq!(target.response.as_ref().unwrap().body_bytes, 5);
    assert!(
        target
            .request
            .as_ref()
            .unwrap()
            .text
            .starts_with("GET / HTTP/1.1\r\n")
    );
    assert_eq!(target.start_to_first_byte_us.len(), 1);
    assert!(!target.contract.is_empty());
    let sample = &cell(&run, "honest").samples[0];
    assert!(sample.responses > 0 && sample.latency.p50_us.is_some());
    let markdown = std::fs::read_to_string(folder.path().join("out.md")).unwrap();
    assert!(markdown.contains("| rank | target |"), "{markdown}");
    assert_eq!(
        bench::store::read(&folder.path().join("out.json")).unwrap(),
        bench::model::Document::Run(Box::new(run))
    );
}

#[test]
#[cfg(target_os = "linux")]
fn the_servers_cost_is_sampled() {
    let folder = Folder::new();
    folder.run(&["honest"], &[]);
    let run = folder.results();
    let server = cell(&run, "honest").samples[0].server;
    assert!(server.cpu_us_per_request.unwrap() > 0.5, "{server:?}");
    assert!(
        server.threads.unwrap() > 64,
        "one thread a connection: {server:?}"
    );
    assert!(server.pss_load_bytes.unwrap() > 100_000, "{server:?}");
    assert!(server.voluntary_switches.unwrap() > 0, "{server:?}");
}

#[test]
fn modes_and_a_rate_are_cells_of_their_own() {
    let folder = Folder::new();
    folder.run(
        &["honest"],
        &[
            "--mode",
            "keepalive,close,pipeline",
            "--rate",
            "50%",
            "--connections",
            "4",
        ],
    );
    let run = folder.results();
    let of = |mode, rate: Option<f64>| {
        run.cells.iter().find(|cell| {
            cell.key.target == "honest" && cell.key.mode == mode && cell.key.rate_percent == rate
        })
    };
    for mode in [Mode::Keepalive, Mode::Close, Mode::Pipeline] {
        assert!(of(mode, None).unwrap().samples.len() == 1, "{mode}");
        let sample = &of(mode, Some(50.0)).unwrap().samples[0];
        let capacity = of(mode, None).unwrap().samples[0].requests_per_second;
        assert!(
            (sample.rate_wanted.unwrap() / capacity - 0.5).abs() < 0.01,
            "{mode}"
        );
    }
}

#[test]
fn wrk_and_ab_measure_the_same_server() {
    for (program, kind) in [("wrk", GeneratorKind::Wrk), ("ab", GeneratorKind::Ab)] {
        if std::process::Command::new(program)
            .arg("-h")
            .output()
            .is_err()
        {
            println!("skipped: {program} is not installed");
            continue;
        }
        let folder = Folder::new();
        let output = folder.run(&["honest"], &["--generator", program, "--connections", "4"]);
        let run = folder.results();
        let cell = cell(&run, "honest");
        assert_eq!(cell.key.generator, kind);
        // The server knows no HTTP/1.0, so ab is refused in words; wrk measures.
        if kind == GeneratorKind::Wrk {
            assert!(
                cell.samples[0].responses > 100,
                "{}: {}",
                cell.reason,
                stderr(&output)
            );
            assert!(cell.samples[0].generator.cpu_s > 0.01);
        } else {
            assert!(!cell.reason.is_empty());
        }
    }
}

/// Edited by hand, or damaged: one line, and no panic, whatever it is read for.
#[test]
fn figures_that_nobody_measured_are_refused_with_their_place() {
    let folder = Folder::new();
    folder.run(&["honest"], &[]);
    let file = folder.path().join("results/t/run.json");
    let whole: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    for (place, figure, told) in [
        ("/plan/warmup_s", -1.0, "warmup_s is below 0"),
        ("/plan/duration_s", 0.0, "duration_s is not above 0"),
        (
            "/cells/0/samples/0/requests_per_second",
            1e308,
            "requests_per_second: 1e+308",
        ),
    ] {
        let mut edited = whole.clone();
        *edited.pointer_mut(place).unwrap() = figure.into();
        std::fs::write(&file, edited.to_string()).unwrap();
        for arguments in [&["run", "--resume", "--name", "t"][..], &["report", "t"]] {
            let output = folder.bench(arguments);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
            assert!(said.contains(told), "{arguments:?}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
}

/// What an interpreter runs is the server, and not the interpreter.
#[test]
fn rounds_of_a_script_that_was_edited_are_not_mixed() {
    let folder = Folder::new();
    let script = folder.path().join("server.sh");
    let command = crate::server::command("honest").replace("{port}", "$1");
    std::fs::write(&script, format!("exec {command}\n")).unwrap();
    let short = ["--rounds=1", "--duration", "100ms", "--warmup", "0"];
    let begin = [
        &["run", "--name", "t", "--with", "mine=sh server.sh {port}"],
        &short[..],
    ];
    let output = folder.bench(&begin.concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let more = |rounds| folder.bench(&["run", "--resume", "--name", "t", "--rounds", rounds]);
    assert_eq!(more("2").status.code(), Some(0));
    let run = folder.results();
    assert_eq!(cell(&run, "mine").samples.len(), 2);
    assert!(
        run.command.ends_with(&["--rounds".into(), "2".into()]),
        "{:?}",
        run.command
    );
    assert!(!run.command.contains(&"--rounds=1".into()));
    std::fs::write(&script, format!("exec {command} # edited\n")).unwrap();
    let output = more("3");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("mine was built anew"),
        "{}",
        stderr(&output)
    );
}
