//! The run itself: rounds, targets, cells.

mod cooling;
mod inspection;
mod sample;

use crate::candidate::Candidate;
use crate::executor::{Executor, MeasureError};
use crate::generator::Load;
use crate::interrupt::Interrupt;
use crate::model::{Cell, CellKey, Run, Sample, Verdict};
use crate::plan;
use crate::preset::Preset;
use crate::progress::Progress;
use crate::ranking::rank;
use crate::stats::median;
use crate::summary::summarise;
use crate::target::StartError;
use std::collections::BTreeMap;

/// Why a run ended before its time. What was measured until then is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A signal came.
    #[error("interrupted: what was measured so far is kept")]
    Interrupted,
    /// Figures of another process would be measured, or the servers' machine is gone.
    #[error("{target}: {error}")]
    Port {
        /// The target of which it was noticed.
        target: String,
        /// What holds the port, or what became of the machine.
        error: StartError,
    },
    /// The results cannot be kept.
    #[error(transparent)]
    Store(#[from] anyhow::Error),
}

/// Where a run's state goes after every cell.
pub trait Keep {
    /// Keeps it.
    ///
    /// # Errors
    /// When it cannot.
    fn keep(&mut self, run: &Run) -> anyhow::Result<()>;
}

/// A run under way.
pub struct Session<'a> {
    /// What was asked for and what was measured.
    pub run: Run,
    /// The targets that can be measured.
    pub candidates: &'a [Candidate],
    /// What starts and loads them.
    pub executor: &'a mut dyn Executor,
    /// Where results go.
    pub keep: &'a mut dyn Keep,
    /// What the user sees meanwhile.
    pub progress: &'a Progress,
    /// Ends it.
    pub interrupt: Interrupt,
    /// Header fields of the request.
    pub fields: Vec<(String, String)>,
    /// What is wrong with each target's response; present once it was inspected.
    pub inspected: BTreeMap<String, Option<(Verdict, String)>>,
}

impl Session<'_> {
    /// Measures whatever the plan asks for and is not there yet.
    ///
    /// # Errors
    /// When it has to stop before its time.
    pub fn go(&mut self) -> Result<(), RunError> {
        let samples = self.run.cells.iter().flat_map(|cell| &cell.samples);
        self.executor
            .go_on_from(samples.map(|sample| sample.at_s).fold(0.0, f64::max));
        self.keep_results()?;
        for round in 1..=self.run.plan.rounds {
            for index in plan::order(self.run.plan.seed, round, self.candidates.len()) {
                for threads in self.run.plan.threads.clone() {
                    self.visit(round, &self.candidates[index], threads)?;
                }
            }
        }
        self.run.finished = Some(crate::clock::now());
        self.keep_results()
    }

    /// One fresh process of a target: all of its cells that this round lacks.
    fn visit(&mut self, round: u32, candidate: &Candidate, threads: u32) -> Result<(), RunError> {
        let mut pending = self.pending(round, candidate, threads);
        if pending.is_empty() || !self.start(round, candidate, threads, &pending)? {
            return Ok(());
        }
        if !self.inspected.contains_key(&candidate.name) {
            self.inspect(candidate);
            pending = self.pending(round, candidate, threads);
        }
        for (done, key) in pending.iter().enumerate() {
            if let Some(how) = self.executor.ended() {
                let rest = &pending[done..];
                let reason = format!("the server ended by itself ({how})");
                if !self.restart(round, candidate, threads, rest, &reason)? {
                    return Ok(());
                }
            }
            self.measure(round, candidate, key)?;
        }
        self.stop(candidate)
    }

    /// Whether it runs now; if it cannot, that is what `cells` (not empty) say of this round.
    fn start(
        &mut self,
        round: u32,
        candidate: &Candidate,
        threads: u32,
        cells: &[CellKey],
    ) -> Result<bool, RunError> {
        self.stop_if_interrupted()?;
        self.progress.step(round, &candidate.name, "start", 0.0);
        match self.executor.start(candidate, threads) {
            Ok(seconds) => {
                let target = self
                    .run
                    .targets
                    .iter_mut()
                    .find(|target| target.name == candidate.name);
                if let Some(target) = target {
                    target.start_to_first_byte_us.push(seconds * 1e6);
                }
                Ok(true)
            }
            Err(error) if error.is_fatal() => self
                .lose(round, candidate, &cells[0], error)
                .map(|()| false),
            Err(error @ StartError::Unavailable { .. }) => {
                self.run.leave_out(&candidate.name, &error.to_string());
                self.keep_results()?;
                Ok(false)
            }
            Err(error) => {
                self.progress.warn(&format!("{}: {error}", candidate.name));
                for key in cells {
                    self.add(
                        key,
                        sample::failed(round, self.executor.now_s(), error.to_string()),
                    )?;
                }
                Ok(false)
            }
        }
    }

    /// After a server has ended by itself: a new process for the cells that are left.
    fn restart(
        &mut self,
        round: u32,
        candidate: &Candidate,
        threads: u32,
        rest: &[CellKey],
        reason: &str,
    ) -> Result<bool, RunError> {
        self.warn(format!("{}: {reason}", candidate.name));
        self.stop(candidate)?;
        self.start(round, candidate, threads, rest)
    }

    fn measure(
        &mut self,
        round: u32,
        candidate: &Candidate,
        key: &CellKey,
    ) -> Result<(), RunError> {
        self.stop_if_interrupted()?;
        self.cool(candidate)?;
        self.progress.step(
            round,
            &candidate.name,
            &describe(key),
            plan::cell_s(&self.run.plan, key),
        );
        let sample = match self.load(key) {
            Err(reason) => sample::failed(round, self.executor.now_s(), reason),
            Ok(load) => match self.executor.measure(&load, key.generator) {
                Ok(measured) => sample::of(&self.run, key, &load, round, &measured),
                Err(MeasureError::Fatal(error)) => {
                    return self.lose(round, candidate, key, error);
                }
                Err(MeasureError::Failed(reason)) => {
                    sample::failed(round, self.executor.now_s(), reason)
                }
            },
        };
        // An interrupted load is no sample.
        self.stop_if_interrupted()?;
        let sample = self.with_what_else_is_wrong(&candidate.name, sample);
        self.add(key, sample)
    }

    /// The run ends in this cell, which failed when its machine is gone.
    fn lose(
        &mut self,
        round: u32,
        candidate: &Candidate,
        key: &CellKey,
        error: StartError,
    ) -> Result<(), RunError> {
        if matches!(error, StartError::Lost { .. }) && !self.interrupt.is_set() {
            let sample = sample::failed(round, self.executor.now_s(), error.to_string());
            self.add(key, sample)?;
        }
        Err(self.fatal(candidate, error))
    }

    /// Why the run ends: a signal also ends what bench has started, which is no fault then.
    fn fatal(&self, candidate: &Candidate, error: StartError) -> RunError {
        if self.interrupt.is_set() || error == StartError::Interrupted {
            return RunError::Interrupted;
        }
        RunError::Port {
            target: candidate.name.clone(),
            error,
        }
    }

    /// A wrong first response, or a server that is gone, says more than what the generator could see.
    fn with_what_else_is_wrong(&mut self, target: &str, mut sample: Sample) -> Sample {
        if let Some(Some((verdict, reason))) = self.inspected.get(target) {
            (sample.verdict, sample.reason) = (*verdict, reason.clone());
        }
        if let Some(how) = self.executor.ended() {
            sample.verdict = Verdict::Errors;
            sample.reason = format!(
                "the server ended during the load ({how}); {}",
                sample.reason
            );
        }
        sample
    }

    fn load(&self, key: &CellKey) -> Result<Load, String> {
        let rate = match key.rate_percent {
            None => None,
            Some(percent) => {
                let capacity = self
                    .capacity(key)
                    .ok_or("its own capacity could not be measured")?;
                Some(capacity * percent / 100.0)
            }
        };
        let plan = &self.run.plan;
        let preset = Preset::of(plan.preset.as_deref());
        Ok(Load {
            mode: key.mode,
            pipeline_depth: plan.pipeline_depth,
            connections: key.connections,
            rate,
            wrk_threads: preset.map(Preset::wrk_threads),
            requests: preset.and_then(Preset::requests),
            request: plan.request,
            fields: self.fields.clone(),
            path: plan.path.clone(),
        })
    }

    /// Requests per second that the closed loop reached so far.
    fn capacity(&self, key: &CellKey) -> Option<f64> {
        let closed = CellKey {
            rate_percent: None,
            ..key.clone()
        };
        let cell = self.run.cells.iter().find(|cell| cell.key == closed)?;
        let reached: Vec<f64> = cell
            .samples
            .iter()
            .map(|sample| sample.requests_per_second)
            .collect();
        median(&reached).filter(|rate| *rate > 0.0)
    }

    fn add(&mut self, key: &CellKey, sample: Sample) -> Result<(), RunError> {
        if let Some(cell) = self.run.cells.iter_mut().find(|cell| cell.key == *key) {
            cell.samples.push(sample);
            summarise(cell);
        }
        self.keep_results()
    }

    fn stop(&mut self, candidate: &Candidate) -> Result<(), RunError> {
        match self.executor.stop() {
            Ok(remarks) => {
                for remark in remarks {
                    self.warn(format!("{} {remark}", candidate.name));
                }
                Ok(())
            }
            Err(error) => Err(self.fatal(candidate, error)),
        }
    }

    fn pending(&self, round: u32, candidate: &Candidate, threads: u32) -> Vec<CellKey> {
        let lacks = |cell: &&Cell| {
            let mine = cell.key.target == candidate.name && cell.key.threads == threads;
            let open = cell.verdict != Verdict::Skipped || cell.reason == PLANNED;
            let takes_part = plan::takes_part(&self.run.plan, cell.key.generator, round);
            mine && open && takes_part && !cell.samples.iter().any(|sample| sample.round == round)
        };
        self.run
            .cells
            .iter()
            .filter(lacks)
            .map(|cell| cell.key.clone())
            .collect()
    }

    fn stop_if_interrupted(&mut self) -> Result<(), RunError> {
        if !self.interrupt.is_set() {
            return Ok(());
        }
        let _ = self.executor.stop();
        Err(RunError::Interrupted)
    }

    fn warn(&mut self, warning: String) {
        self.progress.warn(&warning);
        if !self.run.warnings.contains(&warning) {
            self.run.warnings.push(warning);
        }
    }

    fn keep_results(&mut self) -> Result<(), RunError> {
        rank(&mut self.run);
        Ok(self.keep.keep(&self.run)?)
    }
}

/// Reason of a cell whose turn has not come.
const PLANNED: &str = "not measured yet";

/// A cell of the plan, not measured yet.
#[must_use]
pub fn planned(key: CellKey) -> Cell {
    Cell::skipped(key, PLANNED)
}

fn describe(key: &CellKey) -> String {
    let rate = key
        .rate_percent
        .map(|percent| format!(" at {percent} %"))
        .unwrap_or_default();
    format!("{} x{} {}{rate}", key.mode, key.connections, key.generator)
}

#[cfg(test)]
pub(crate) mod tests;
