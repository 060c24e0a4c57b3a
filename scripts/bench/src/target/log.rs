//! What a server says on stderr: its last lines explain why it did not start.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex};

/// Lines kept.
const LINES: usize = 20;

/// The last lines of a stream, read by a thread of its own so that a talkative server never blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Reads `stream` until it ends.
    pub(crate) fn of(stream: impl Read + Send + 'static) -> Self {
        let log = Self::default();
        let lines = log.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
        });
        log
    }

    fn push(&self, line: String) {
        let mut lines = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !line.is_empty() {
            lines.push(line);
        }
        if lines.len() > LINES {
            lines.remove(0);
        }
    }

    /// The last line so far.
    pub(crate) fn last(&self) -> Option<String> {
        let lines = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        lines.last().cloned()
    }

    /// The last line so far, as `: line`, or nothing.
    pub(crate) fn told(&self) -> String {
        self.last()
            .map(|line| format!(": {line}"))
            .unwrap_or_default()
    }
}
