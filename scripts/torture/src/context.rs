//! What an item may use, and how much of everything it shall do.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::outcome::Trouble;

/// Given to every item.
#[derive(Clone, Debug)]
pub struct Context {
    /// From which all chance comes; the same seed does the same.
    pub seed: u64,
    /// Share of the whole battery that is to be done, above 0 and at most 1 (`--minutes`).
    pub scale: f64,
    /// Root of the checkout.
    pub root: PathBuf,
    /// Folder of the compiled binaries.
    pub bin: PathBuf,
    /// Set by SIGINT, SIGTERM or SIGHUP; also what stops the load generator.
    pub interrupt: Arc<AtomicBool>,
}

impl Context {
    /// `full` scaled, but at least `least`.
    pub fn count(&self, full: u64, least: u64) -> u64 {
        ((full as f64 * self.scale) as u64).max(least)
    }

    /// `full` scaled, but at least `least`.
    pub fn time(&self, full: Duration, least: Duration) -> Duration {
        full.mul_f64(self.scale).max(least)
    }

    /// Chance for one item on one target: the same for the same seed, whatever else is run.
    pub fn rng(&self, item: &str, target: &str) -> StdRng {
        let mut hasher = DefaultHasher::new();
        (self.seed, item, target).hash(&mut hasher);
        StdRng::seed_from_u64(hasher.finish())
    }

    /// To be asked in every loop.
    ///
    /// # Errors
    /// When a signal came.
    pub fn go_on(&self) -> Result<(), Trouble> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Trouble::Interrupted),
            false => Ok(()),
        }
    }

    /// Sleeps, but no longer than until a signal comes.
    ///
    /// # Errors
    /// When a signal came.
    pub fn sleep(&self, time: Duration) -> Result<(), Trouble> {
        let end = std::time::Instant::now() + time;
        while let Some(left) = end.checked_duration_since(std::time::Instant::now()) {
            self.go_on()?;
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
        self.go_on()
    }
}
