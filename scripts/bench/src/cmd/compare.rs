//! `compare`: two runs, or two targets of one run; and the gate for CI.

mod gate;

use super::output;
use crate::checkout::Place;
use crate::cli::CompareArgs;
use crate::exit::Usage;
use crate::model::{Cell, CellKey, Estimate, Run};
use crate::ranking::{Metric, differs, noise_floor, ratio};
use crate::view::{Table, format};
use crate::{exit, stats, store};
use anyhow::{bail, ensure};

/// What two runs, or two targets, have in common, and what they have not.
struct Comparison<'a> {
    pairs: Vec<Pair<'a>>,
    /// Cells of the base that the head has not.
    missing: Vec<&'a CellKey>,
}

/// Two cells side by side.
struct Pair<'a> {
    base: &'a Cell,
    head: &'a Cell,
    /// Noise floor of each metric, the larger one where there are two runs.
    floors: [Option<f64>; 2],
    /// Whether rounds belong together: only within one run were they measured next to each other.
    paired: bool,
}

/// Compares, and judges when there is a threshold.
///
/// # Errors
/// When the runs cannot be read or must not be compared.
pub fn run(args: &CompareArgs) -> anyhow::Result<u8> {
    let place = Place::find(None)?;
    let a = store::read_run(&place.results, &args.a)?;
    let b = args
        .b
        .as_ref()
        .map(|name| store::read_run(&place.results, name))
        .transpose()?;
    if let Some(b) = &b {
        comparable(&a, b, args.force)?;
    }
    let comparison = pairs(args, &a, b.as_ref())?;
    output::line(table(&comparison).to_text())?;
    let Some(percent) = args.fail_above else {
        return Ok(exit::OK);
    };
    let (lines, code) = gate::judge(&comparison, percent / 100.0);
    for line in lines {
        output::line(line)?;
    }
    Ok(code)
}

/// Rows of two machines, or of two settings, are not comparable.
fn comparable(a: &Run, b: &Run, force: bool) -> anyhow::Result<()> {
    let machine = |run: &Run| {
        (
            run.machine.cpu.clone(),
            run.machine.model.clone(),
            run.machine.kernel.clone(),
        )
    };
    let (one, two) = (&a.plan, &b.plan);
    let settings = [
        ("request", one.request == two.request),
        ("path", one.path == two.path),
        ("body size", one.body_size == two.body_size),
        ("wire size", one.wire_size == two.wire_size),
        ("pipeline depth", one.pipeline_depth == two.pipeline_depth),
        ("duration", one.duration_s == two.duration_s),
        ("warm-up", one.warmup_s == two.warmup_s),
        ("CPUs", a.cpus == b.cpus),
    ];
    let different: Vec<&str> = settings
        .iter()
        .filter(|(_, same)| !same)
        .map(|(name, _)| *name)
        .collect();
    ensure!(
        force || machine(a) == machine(b),
        "{} and {} come from different machines: --force compares them all the same",
        a.name,
        b.name
    );
    ensure!(
        force || different.is_empty(),
        "{} and {} were measured with different settings ({}): --force compares them all the same",
        a.name,
        b.name,
        different.join(", ")
    );
    Ok(())
}

fn pairs<'a>(args: &CompareArgs, a: &'a Run, b: Option<&'a Run>) -> anyhow::Result<Comparison<'a>> {
    let name = |name: &Option<String>, cell: &Cell| {
        name.clone().unwrap_or_else(|| cell.key.target.clone())
    };
    let other = b.unwrap_or(a);
    if b.is_none() {
        ensure!(
            args.base.is_some() && args.head.is_some(),
            Usage("one run: name two of its targets with --base and --head".into())
        );
    }
    for (run, name) in [(a, &args.base), (other, &args.head)] {
        if let Some(name) = name.as_ref().filter(|name| run.target(name).is_none()) {
            bail!("run {} has no target `{name}`", run.name);
        }
    }
    let (mut pairs, mut missing) = (Vec::new(), Vec::new());
    for base in a
        .cells
        .iter()
        .filter(|cell| name(&args.base, cell) == cell.key.target)
    {
        let wanted = args.head.clone().unwrap_or_else(|| base.key.target.clone());
        let Some(head) = other
            .cells
            .iter()
            .find(|cell| cell.key.target == wanted && cell.key.same_table(&base.key))
        else {
            missing.push(&base.key);
            continue;
        };
        let floors = Metric::ALL.map(|metric| {
            let floor = |run: &Run| noise_floor(&run.controls, &base.key, metric);
            floor(a).zip(floor(other)).map(|(one, two)| one.max(two))
        });
        pairs.push(Pair {
            base,
            head,
            floors,
            paired: b.is_none(),
        });
    }
    ensure!(
        !pairs.is_empty(),
        "they have no cell in common: the same mode, connections, threads, generator and rate"
    );
    Ok(Comparison { pairs, missing })
}

impl Pair<'_> {
    /// `head / base`, when both may be ranked by the metric.
    fn ratio(&self, metric: Metric) -> Option<Estimate> {
        if !metric.ranks(self.base) || !metric.ranks(self.head) {
            return None;
        }
        if self.paired {
            ratio(metric, self.base, self.head)
        } else {
            unpaired(metric, self.base, self.head)
        }
    }

    fn floor(&self, metric: Metric) -> Option<f64> {
        self.floors[usize::from(metric == Metric::CpuPerRequest)]
    }

    /// Smallest relative difference that could have been seen.
    fn smallest(&self, metric: Metric) -> Option<f64> {
        let spread = self.ratio(metric)?.half_width()?;
        Some(spread.max(self.floor(metric).unwrap_or(0.0)))
    }
}

/// Of two runs every round is set against every other: none was measured next to another.
fn unpaired(metric: Metric, base: &Cell, head: &Cell) -> Option<Estimate> {
    let middle = |cell: &Cell| {
        stats::interval(
            &metric
                .rounds(cell)
                .into_iter()
                .map(|(_, figure)| figure)
                .collect::<Vec<_>>(),
        )
    };
    let (base, head) = (middle(base)?, middle(head)?);
    Some(Estimate {
        median: head.median / base.median,
        low: head.low.zip(base.high).map(|(head, base)| head / base),
        high: head.high.zip(base.low).map(|(head, base)| head / base),
        confidence: head
            .confidence
            .zip(base.confidence)
            .map(|(one, two)| one * two),
    })
}

fn table(comparison: &Comparison<'_>) -> Table {
    let header = [
        "base",
        "head",
        "cell",
        "requests/s",
        "could see",
        "CPU per request",
        "could see",
    ];
    let mut table = Table::new("head / base", &header);
    for pair in &comparison.pairs {
        let key = &pair.base.key;
        let mut row = vec![
            key.target.clone(),
            pair.head.key.target.clone(),
            cell_name(key),
        ];
        for metric in Metric::ALL {
            row.push(describe(pair, metric));
            row.push(pair.smallest(metric).map_or("–".into(), format::percent));
        }
        table.rows.push(row);
    }
    for key in &comparison.missing {
        let note = format!("The head has no {}, {}.", key.target, cell_name(key));
        table.notes.push(note);
    }
    table.notes.push(
        "`could see`: the smallest difference that these rounds could have told from noise.".into(),
    );
    table
}

fn cell_name(key: &CellKey) -> String {
    format!("{} x{} {}", key.mode, key.connections, key.generator)
}

fn describe(pair: &Pair<'_>, metric: Metric) -> String {
    match pair.ratio(metric) {
        None => format!(
            "not comparable ({}, {})",
            pair.base.verdict, pair.head.verdict
        ),
        Some(ratio) if differs(&ratio, pair.floor(metric)) => {
            format!("{} times", format::ratio(&ratio))
        }
        Some(_) => "indistinguishable".into(),
    }
}

#[cfg(test)]
mod tests;
