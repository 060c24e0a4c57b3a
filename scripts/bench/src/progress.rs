//! What the user sees while a run goes on: on a terminal a line with the time left, elsewhere only warnings.

use indicatif::{ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;

/// Progress on stderr.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    total_s: f64,
    done_s: Cell<f64>,
}

impl Progress {
    /// Of a run that takes `total_s`; shown only on a terminal.
    #[must_use]
    pub fn new(total_s: f64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total_s.ceil() as u64);
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            total_s,
            done_s: Cell::new(0.0),
        }
    }

    /// Shows nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self {
            bar: None,
            total_s: 0.0,
            done_s: Cell::new(0.0),
        }
    }

    /// Something begins that takes `seconds`.
    pub fn step(&self, round: u32, target: &str, what: &str, seconds: f64) {
        let Some(bar) = &self.bar else { return };
        let left = crate::plan::describe_s(self.total_s - self.done_s.get());
        bar.set_position(self.done_s.get() as u64);
        bar.set_message(format!("round {round}  {target}  {what}  {left} left"));
        self.done_s
            .set((self.done_s.get() + seconds).min(self.total_s));
    }

    /// A line on stderr that does not disturb the bar.
    pub fn warn(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("bench: {text}")),
            None => eprintln!("bench: {text}"),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
