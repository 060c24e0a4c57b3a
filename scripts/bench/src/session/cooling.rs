//! `--cool-below`: a load begins when the servers' machine is cool enough.

use super::{RunError, Session};
use crate::candidate::Candidate;
use std::time::{Duration, Instant};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(200);
/// A machine that has not cooled down by then will not: the load begins all the same.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

impl Session<'_> {
    /// Waits until the machine is below the plan's temperature.
    pub(super) fn cool(&mut self, candidate: &Candidate) -> Result<(), RunError> {
        let Some(limit) = self.run.plan.cool_below_celsius else {
            return Ok(());
        };
        let Some(first) = self.too_hot(limit) else {
            return Ok(());
        };
        self.progress.warn(&format!(
            "{}: waits until {first:.1} °C are below {limit} °C",
            candidate.name
        ));
        let began = Instant::now();
        while let Some(celsius) = self.too_hot(limit) {
            self.stop_if_interrupted()?;
            if began.elapsed() > PATIENCE {
                self.warn(format!(
                    "{}: still {celsius:.1} °C after {PATIENCE:?}: measured all the same; cool it better, or raise --cool-below",
                    candidate.name
                ));
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    fn too_hot(&mut self, limit: f64) -> Option<f64> {
        self.executor.celsius().filter(|celsius| *celsius >= limit)
    }
}
