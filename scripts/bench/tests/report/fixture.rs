//! Runs that nobody measured, with every kind of cell.

use bench::model::*;
use bench::{ranking, summary};

/// How large a run is.
pub(crate) struct Size {
    pub(crate) targets: u32,
    pub(crate) connections: Vec<u32>,
    pub(crate) rounds: u32,
}

/// A run of this size in all three modes, with controls.
pub(crate) fn run(size: &Size) -> Run {
    let modes = vec![Mode::Keepalive, Mode::Close, Mode::Pipeline];
    let mut run = empty(size, &modes);
    run.targets = (0..size.targets).map(target).collect();
    for (index, target) in run.targets.iter().enumerate() {
        for mode in &modes {
            for connections in &size.connections {
                run.cells
                    .push(cell(target, index as u32, *mode, *connections, size.rounds));
            }
        }
    }
    judge(&mut run);
    run
}

/// Verdicts, summaries, controls and ranks, as a real run gets them.
pub(crate) fn judge(run: &mut Run) {
    run.cells.iter_mut().for_each(summary::summarise);
    ranking::rank(run);
}

/// A run with a cell of each kind that is not simply right.
pub(crate) fn troubled() -> Run {
    let mut run = run(&Size {
        targets: 10,
        connections: vec![8, 64],
        rounds: 6,
    });
    let kinds = [
        (
            2,
            Verdict::Starved,
            "rate x mean latency is 20 of 64 requests in flight",
        ),
        (3, Verdict::Errors, "3 timeout, 1 reset"),
        (4, Verdict::WrongBytes, "7 wrong bytes"),
        (
            5,
            Verdict::Throttled,
            "the machine lowered its clock during the load",
        ),
        (
            6,
            Verdict::GeneratorBound,
            "server 80 %, generator 100 % of its CPUs",
        ),
        (
            7,
            Verdict::LatencyBound,
            "server 30 %, generator 20 % of its CPUs",
        ),
    ];
    for (index, verdict, reason) in kinds {
        let name = run.targets[index].name.clone();
        for sample in run
            .cells
            .iter_mut()
            .filter(|cell| cell.key.target == name)
            .flat_map(|cell| &mut cell.samples)
        {
            (sample.verdict, sample.reason) = (verdict, reason.into());
        }
    }
    noisy(&mut run, 1);
    skip(
        &mut run,
        8,
        "Go is not installed: run <scripts/peers.sh> & try `again`",
    );
    judge(&mut run);
    run
}

fn noisy(run: &mut Run, index: usize) {
    let name = run.targets[index].name.clone();
    for cell in run.cells.iter_mut().filter(|cell| cell.key.target == name) {
        for sample in &mut cell.samples {
            sample.requests_per_second *= 1.0 + 0.1 * f64::from(sample.round % 4);
        }
    }
}

fn skip(run: &mut Run, index: usize, reason: &str) {
    let target = &mut run.targets[index];
    (
        target.skipped,
        target.version,
        target.request,
        target.response,
    ) = (Some(reason.into()), None, None, None);
    target.contract.clear();
    for cell in run
        .cells
        .iter_mut()
        .filter(|cell| cell.key.target == target.name)
    {
        *cell = Cell::skipped(cell.key.clone(), reason);
    }
}

/// A run of which nothing was measured.
pub(crate) fn empty(size: &Size, modes: &[Mode]) -> Run {
    Run {
        schema_version: SCHEMA_VERSION,
        name: "made-up".into(),
        started: "2026-01-02T03:04:05Z".into(),
        finished: Some("2026-01-02T04:05:06Z".into()),
        command: ["bench", "run", "--with", "mine=./my server {port}"]
            .map(str::to_owned)
            .into(),
        plan: plan(size, modes),
        machine: machine(),
        generator_machines: Vec::new(),
        cpus: CpuPlan {
            server: vec![0],
            generator: vec![1],
            pinned: true,
            shared: false,
        },
        commit: Some(Commit {
            id: "0123456789abcdef0123456789abcdef01234567".into(),
            dirty: false,
        }),
        toolchain: Some(Toolchain {
            rustc: "rustc 1.89.0".into(),
            profile: vec!["lto = \"fat\"".into()],
            rustflags: String::new(),
        }),
        generators: vec![GeneratorFacts {
            name: GeneratorKind::Embedded,
            version: "load 0.1.0".into(),
        }],
        targets: Vec::new(),
        cells: Vec::new(),
        controls: Controls::default(),
        warnings: vec!["one CPU was <busy>".into()],
    }
}

fn plan(size: &Size, modes: &[Mode]) -> Plan {
    Plan {
        seed: 7,
        rounds: size.rounds,
        warmup_s: 0.5,
        duration_s: 2.0,
        modes: modes.to_vec(),
        connections: size.connections.clone(),
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
        targets_file: Some("servers/targets.toml".into()),
        on: None,
        generator_on: Vec::new(),
        cool_below_celsius: None,
    }
}

fn machine() -> Machine {
    let fact = Fact {
        name: "turbo".into(),
        value: "on".into(),
        severity: Severity::Warning,
        remedy: Some("turn it off".into()),
    };
    Machine {
        os: "Some OS 1".into(),
        kernel: "6.1".into(),
        arch: "aarch64".into(),
        model: Some("Some Board".into()),
        cpu: None,
        cpus_online: 2,
        cpus_allowed: vec![0, 1],
        memory_bytes: Some(1 << 30),
        facts: vec![fact],
    }
}

/// The first is the control, the last the second measurement of the second.
fn target(index: u32) -> Target {
    const CLASSES: [Class; 5] = [
        Class::Control,
        Class::Engine,
        Class::Library,
        Class::Framework,
        Class::Server,
    ];
    let class = if index == 0 {
        Class::Control
    } else {
        CLASSES[1 + (index as usize - 1) % 4]
    };
    let twin = index == 9;
    let name = if twin {
        "srv-number-1 (A/A)".to_owned()
    } else {
        format!("srv-number-{index}")
    };
    Target {
        class: if twin { Class::Engine } else { class },
        language: ["Rust", "Go", "C"][index as usize % 3].into(),
        stack: format!("stack {index} | of <many>"),
        source: (index % 4 != 3).then(|| format!("{name}/src/main.rs")),
        variant_of: None,
        twin_of: twin.then(|| "srv-number-1".into()),
        skipped: None,
        version: Some(format!("{name} 1.{index}")),
        run: vec![format!("./{name}"), "--port".into(), "8080".into()],
        build: Vec::new(),
        settings: (0..index % 3)
            .map(|n| format!("setting {n} of {name}: `on` in place of off"))
            .collect(),
        binary_bytes: Some(800_000 + u64::from(index)),
        binary_sha256: None,
        start_to_first_byte_us: vec![3_000.0, 2_500.5, 2_600.25],
        request: Some(WireRequest {
            bytes: 41,
            text: "GET / HTTP/1.1\r\n\r\n".into(),
        }),
        response: Some(response()),
        capabilities: None,
        contract: (0..40).map(|case| case_result(case, index)).collect(),
        name,
    }
}

fn response() -> WireResponse {
    let field = |name: &str, value: &str| Field {
        name: name.into(),
        value: value.into(),
    };
    WireResponse {
        bytes: 115,
        head_bytes: 102,
        body_bytes: 13,
        status_line: "HTTP/1.1 200 OK".into(),
        fields: vec![
            field("Content-Type", "text/plain"),
            field("Content-Length", "13"),
            field("Date", "Fri, 02 Jan 2026 03:04:05 GMT"),
        ],
        body_sha256: "00".into(),
    }
}

fn case_result(case: u32, index: u32) -> CaseResult {
    let known = case == 7 && index % 5 == 4;
    CaseResult {
        case: format!("case-number-{case}"),
        level: if case.is_multiple_of(2) {
            Level::Must
        } else {
            Level::Should
        },
        outcome: if known {
            Outcome::Deviation
        } else {
            Outcome::Pass
        },
        detail: known.then(|| "it answers 400 <upstream issue>".into()),
    }
}

fn cell(target: &Target, index: u32, mode: Mode, connections: u32, rounds: u32) -> Cell {
    let key = CellKey {
        target: target.name.clone(),
        mode,
        connections,
        threads: 1,
        generator: GeneratorKind::Embedded,
        rate_percent: None,
    };
    Cell {
        samples: (1..=rounds)
            .map(|round| sample(index, &key, round))
            .collect(),
        key,
        verdict: Verdict::Ok,
        reason: String::new(),
        summary: None,
    }
}

/// Rounds differ by less than one percent, targets by more.
fn sample(index: u32, key: &CellKey, round: u32) -> Sample {
    let slower = if index == 9 {
        2.0
    } else {
        1.0 + f64::from(index)
    };
    let mode = [1.0, 3.7, 0.21][key.mode as usize];
    let jitter = 1.0 + f64::from((round * 7 + index) % 5) / 700.0;
    let cpu_us =
        4.137 * mode * slower.powf(1.3) * jitter * (1.0 + 1.0 / f64::from(key.connections));
    let rate = 983_000.7 / cpu_us;
    let in_flight = f64::from(key.connections);
    Sample {
        round,
        at_s: f64::from(round) * 100.123 + f64::from(index),
        elapsed_s: 2.000_417,
        responses: (rate * 2.0) as u64,
        requests_per_second: rate,
        read_bytes: Some((rate * 230.0) as u64),
        errors: Errors::default(),
        latency: latency(1e6 * in_flight / rate),
        in_flight: Some(in_flight),
        rate_wanted: None,
        rate_sent: None,
        generator: GeneratorCost {
            cpu_s: 1.4,
            cpus: 1,
            stolen_s: Some(0.0),
            utilisation: 0.7,
        },
        server: server(cpu_us, rate),
        heat: Heat::default(),
        verdict: Verdict::Ok,
        reason: "server 98 %, generator 70 % of its CPUs".into(),
    }
}

fn latency(mean_us: f64) -> Latency {
    Latency {
        mean_us: Some(mean_us),
        p50_us: Some((mean_us * 0.9).round()),
        p75_us: Some((mean_us * 1.1).round()),
        p90_us: Some((mean_us * 1.4).round()),
        p99_us: Some((mean_us * 2.2).round()),
        p999_us: Some((mean_us * 5.0).round()),
        p9999_us: None,
        max_us: Some((mean_us * 9.0).round()),
        kind: LatencyKind::AtSaturation,
    }
}

fn server(cpu_us: f64, rate: f64) -> ServerCost {
    let cpu_s = cpu_us * rate * 2.0 / 1e6;
    ServerCost {
        others_utilisation: None,
        children_lost: false,
        cpu_s: Some(cpu_s),
        user_s: Some(cpu_s * 0.23),
        system_s: Some(cpu_s * 0.77),
        cpus: 1,
        stolen_s: Some(0.0),
        utilisation: Some(0.983),
        cpu_us_per_request: Some(cpu_us),
        voluntary_switches: Some(1_234),
        involuntary_switches: Some(56),
        processes: Some(1),
        threads: Some(3),
        pss_idle_bytes: Some(1_009_664),
        pss_load_bytes: Some(2_110_688),
        pss_after_bytes: None,
    }
}
