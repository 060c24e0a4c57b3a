//! Goes through the items, shows what came of them and keeps it.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use comfy_table::Table;
use contract::Target;
use contract::targets::Contract;

use crate::context::Context;
use crate::items::{Answer, Ask, Item};
use crate::outcome::{Figures, Outcome, Trouble, Verdict, round};
use crate::results::{Entry, Results};
use crate::target::Checkout;

/// What is to be done.
#[derive(Debug)]
pub struct Battery<'a> {
    /// Where the servers are.
    pub checkout: &'a Checkout,
    /// The servers.
    pub targets: Vec<&'a Target>,
    /// The items.
    pub items: Vec<&'static Item>,
    /// What the items are given.
    pub context: Context,
    /// The file that keeps the results.
    pub out: PathBuf,
    /// What is in it.
    pub results: Results,
    /// What was found in this run, by target and item.
    pub found: BTreeMap<(String, &'static str), Verdict>,
}

/// Outcomes of a run, by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// As it should be.
    pub pass: usize,
    /// Not so.
    pub fail: usize,
    /// Not so, and known.
    pub deviation: usize,
    /// Not tried, though they apply.
    pub skipped: usize,
    /// Nothing to try.
    pub inapplicable: usize,
}

impl Battery<'_> {
    /// Runs it, until the end or a signal.
    ///
    /// # Errors
    /// When results cannot be written.
    pub fn run(&mut self) -> anyhow::Result<()> {
        let mut present = Vec::new();
        for target in self.targets.clone() {
            match self.checkout.missing(target) {
                Some(reason) => {
                    eprintln!("torture: {} skipped: {reason}", target.name);
                    for item in &self.items {
                        let what = (target.name.clone(), item.id);
                        self.found.insert(what, Verdict::Skipped);
                    }
                }
                None => present.push(target),
            }
        }
        for item in self.items.clone() {
            say(format_args!("\n{}: {}", item.id, item.title));
            self.ask(item, &present)?;
            if self.context.go_on().is_err() {
                break;
            }
        }
        Ok(())
    }

    fn ask(&mut self, item: &'static Item, targets: &[&Target]) -> anyhow::Result<()> {
        match item.ask {
            Ask::Each(ask) => {
                for target in targets {
                    let (start, mut figures) = (Instant::now(), Figures::default());
                    let result = ask(&self.context, target, &mut figures);
                    self.keep(item, target, (figures, result), start.elapsed())?;
                }
            }
            Ask::Together(ask) => {
                let start = Instant::now();
                let answers = ask(&self.context, targets);
                for (target, answer) in targets.iter().zip(answers) {
                    self.keep(item, target, answer, start.elapsed())?;
                }
            }
        }
        Ok(())
    }

    /// Shows and writes one outcome; what a signal has cut short is neither.
    fn keep(
        &mut self,
        item: &'static Item,
        target: &Target,
        (figures, result): Answer,
        took: Duration,
    ) -> anyhow::Result<()> {
        if result == Err(Trouble::Interrupted) {
            return Ok(());
        }
        let known = target.reliability.get(item.id);
        let strict = target.contract != Contract::Foreign;
        let outcome = Outcome::of(result, figures, known, strict);
        let what = (target.name.clone(), item.id);
        self.found.insert(what, outcome.verdict);
        show(&target.name, &outcome, took, self.context.seed);
        let entry = Entry {
            outcome,
            seconds: round(took.as_secs_f64()),
            seed: self.context.seed,
            scale: self.context.scale,
            commit: self.results.commit.clone(),
        };
        self.results.put(&target.name, item.id, entry);
        self.results.write(&self.out)
    }

    /// How many of each verdict there are.
    pub fn counts(&self) -> Counts {
        let of = |wanted| {
            self.found
                .values()
                .filter(|found| **found == wanted)
                .count()
        };
        Counts {
            pass: of(Verdict::Pass),
            fail: of(Verdict::Fail),
            deviation: of(Verdict::Deviation),
            skipped: of(Verdict::Skipped),
            inapplicable: of(Verdict::Inapplicable),
        }
    }

    /// The table of what this run was about: servers down, items across.
    pub fn table(&self) -> String {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::UTF8_BORDERS_ONLY);
        table.set_header(
            ["server"]
                .into_iter()
                .chain(self.items.iter().map(|item| item.id)),
        );
        for target in &self.targets {
            let words = self.items.iter().map(|item| {
                let found = self.found.get(&(target.name.clone(), item.id));
                found.map_or("–", |verdict| word(*verdict))
            });
            table.add_row([target.name.as_str()].into_iter().chain(words));
        }
        table.to_string()
    }
}

/// A verdict as tables have it.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "FAIL",
        Verdict::Deviation => "deviates",
        Verdict::Skipped => "skipped",
        // In tables as what has no place: nothing is to be done about it.
        Verdict::Inapplicable => "n/a",
    }
}

/// One outcome in one line, and below it what repeats a failure.
fn show(name: &str, outcome: &Outcome, took: Duration, seed: u64) {
    let figures: Vec<String> = outcome
        .figures
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let reason = outcome.reason.as_deref().unwrap_or_default();
    let told = [reason, &figures.join(", ")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ");
    let verdict = word(outcome.verdict);
    let seconds = took.as_secs_f64();
    say(format_args!("  {verdict:8} {name}, {seconds:.1} s: {told}"));
    if outcome.verdict == Verdict::Fail {
        let repeat = outcome.repeat.as_deref().unwrap_or_default();
        say(format_args!(
            "           repeat: --seed {seed} --servers {name} {repeat}"
        ));
    }
}

/// A line to stdout; whoever has closed it does not want to know.
pub fn say(line: Arguments) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
