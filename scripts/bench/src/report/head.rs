//! Where a run comes from: machine, versions, commit, seed, command.

use crate::model::{GeneratorFacts, Run};
use crate::view::format;
use crate::view::results::way;
use serde::Serialize;

/// A line of the description.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// What.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The description of a run.
#[must_use]
pub fn head(run: &Run) -> Vec<Line> {
    let lines = [
        ("started", Some(run.started.clone())),
        (
            "finished",
            Some(
                run.finished
                    .clone()
                    .unwrap_or_else(|| "no: interrupted, or still running".into()),
            ),
        ),
        ("machine", Some(machine(run))),
        ("memory", run.machine.memory_bytes.map(format::bytes)),
        (
            "system",
            Some(format!(
                "{}, kernel {}, {}",
                run.machine.os, run.machine.kernel, run.machine.arch
            )),
        ),
        ("servers on", run.plan.on.clone()),
        ("load from", loaded_from(run)),
        ("CPUs", Some(cpus(run))),
        ("plan", Some(plan(run))),
        ("request", Some(request(run))),
        ("seed", Some(run.plan.seed.to_string())),
        (
            "generators",
            Some(list(run.generators.iter().map(generator))),
        ),
        ("commit", Some(commit(run))),
        ("toolchain", toolchain(run)),
        ("targets", run.plan.targets_file.clone()),
        ("preset", run.plan.preset.clone()),
    ];
    lines
        .into_iter()
        .filter_map(|(name, value)| {
            Some(Line {
                name,
                value: value?,
            })
        })
        .collect()
}

/// The machine in a few words.
#[must_use]
pub fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let parts = [
        machine.model.clone(),
        machine.cpu.clone(),
        Some(format::counted(machine.cpus_online as usize, "CPU")),
    ];
    list(parts.into_iter().flatten())
}

/// What made the load, where that was not the servers' machine.
fn loaded_from(run: &Run) -> Option<String> {
    let names = run
        .plan
        .generator_on
        .iter()
        .map(Some)
        .chain(std::iter::repeat(None));
    let machines = run
        .generator_machines
        .iter()
        .zip(names)
        .map(|(machine, name)| {
            let what = machine.model.as_deref().or(machine.cpu.as_deref());
            let what = format!(
                "{}, {}, {}, kernel {}",
                what.unwrap_or("unknown CPU"),
                format::counted(machine.cpus_online as usize, "CPU"),
                machine.os,
                machine.kernel
            );
            name.map_or(what.clone(), |name| format!("{name}: {what}"))
        });
    (!run.generator_machines.is_empty()).then(|| list(machines))
}

/// `one core each, loopback`, as every result must be headed.
#[must_use]
pub fn setup(run: &Run) -> String {
    let cores = |n: usize| {
        if n == 1 {
            "one core".to_owned()
        } else {
            format!("{n} cores")
        }
    };
    let (server, generator) = (run.cpus.server.len(), run.cpus.generator.len());
    let cpus = match (run.cpus.shared, server == generator) {
        (true, _) => format!("server and generator on the same {}", cores(server)),
        (false, true) => format!("{} each", cores(server)),
        (false, false) => format!(
            "{} for the server, {} for the generator",
            cores(server),
            cores(generator)
        ),
    };
    format!("{cpus}, {}", way(run))
}

fn cpus(run: &Run) -> String {
    let pinned = if run.cpus.pinned {
        "pinned"
    } else {
        "not pinned"
    };
    let ids = |cpus: &[u32]| list(cpus.iter().map(u32::to_string));
    format!(
        "server {}; generator {}; {pinned}: {}",
        ids(&run.cpus.server),
        ids(&run.cpus.generator),
        setup(run)
    )
}

fn plan(run: &Run) -> String {
    let plan = &run.plan;
    let sweep = if plan.sweep.is_empty() {
        String::new()
    } else {
        let counts = plan.sweep.iter().map(ToString::to_string);
        format!(", with keepalive also {}", list(counts))
    };
    let others = match plan.cross_check_every {
        1 => String::new(),
        every => {
            let others = plan.generators.iter().skip(1).map(ToString::to_string);
            format!(" ({} in one of {every})", list(others))
        }
    };
    format!(
        "{}{others} of {} s after {} s of warm-up; {}; connections: {}{sweep}; server threads: {}",
        format::counted(plan.rounds as usize, "round"),
        plan.duration_s,
        plan.warmup_s,
        list(plan.modes.iter().map(ToString::to_string)),
        list(plan.connections.iter().map(ToString::to_string)),
        list(plan.threads.iter().map(ToString::to_string)),
    )
}

fn request(run: &Run) -> String {
    use crate::model::RequestKind::{Browser, Minimal};
    let plan = &run.plan;
    let kind = match plan.request {
        Minimal => "minimal head",
        Browser => "a browser's head",
    };
    let body = plan
        .body_size
        .map(|bytes| format!(", bodies of {bytes} bytes"))
        .unwrap_or_default();
    let padded = plan
        .wire_size
        .map(|bytes| format!(", responses padded to {bytes} bytes"))
        .unwrap_or_default();
    format!(
        "GET {}, {kind}{body}{padded}; mode pipeline: {} deep",
        plan.path, plan.pipeline_depth
    )
}

fn generator(facts: &GeneratorFacts) -> String {
    format!("{} ({})", facts.name, facts.version)
}

fn commit(run: &Run) -> String {
    match &run.commit {
        Some(commit) if commit.dirty => {
            format!("{}, with changes that are not committed", commit.id)
        }
        Some(commit) => commit.id.clone(),
        None => "none: outside a checkout".into(),
    }
}

fn toolchain(run: &Run) -> Option<String> {
    let toolchain = run.toolchain.as_ref()?;
    let flags = if toolchain.rustflags.is_empty() {
        String::new()
    } else {
        format!("; RUSTFLAGS {}", toolchain.rustflags)
    };
    Some(format!(
        "{}; {}{flags}",
        toolchain.rustc,
        toolchain.profile.join(", ")
    ))
}

fn list(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}
