//! SIGINT, SIGTERM and SIGHUP: the run stops where it is, ends its children and keeps its results.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by a signal; whatever waits looks at it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// One that the signals set from now on. A second call in one process fails.
    pub fn on_signals() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        ctrlc::set_handler(move || flag.set())?;
        Ok(interrupt)
    }

    /// As a signal does.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a signal came.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for the embedded generator.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
