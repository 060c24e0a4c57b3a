//! What went over a connection, kept short, for the report of a failed case.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Bytes that are kept of the start and of the end of each run of bytes in one direction.
const KEPT: usize = 160;

/// Entries that are shown; the ones before the last are the least telling.
const SHOWN: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sent,
    Received,
}

#[derive(Debug, Clone)]
enum Entry {
    Bytes(Direction, Run),
    Event(String),
}

/// Bytes that followed one another in one direction.
#[derive(Debug, Clone, Default)]
struct Run {
    start: Vec<u8>,
    /// The last bytes behind `start`.
    end: Vec<u8>,
    total: usize,
}

impl Run {
    fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len();
        let (start, rest) = bytes.split_at(bytes.len().min(KEPT - self.start.len()));
        self.start.extend_from_slice(start);
        let rest = &rest[rest.len().saturating_sub(KEPT)..];
        self.end.drain(
            ..(self.end.len() + rest.len())
                .saturating_sub(KEPT)
                .min(self.end.len()),
        );
        self.end.extend_from_slice(rest);
    }

    fn render(&self) -> String {
        let (start, end) = (self.start.escape_ascii(), self.end.escape_ascii());
        match self.total - self.start.len() - self.end.len() {
            0 => format!("{start}{end}"),
            left_out => format!("{start} … {left_out} bytes … {end}"),
        }
    }
}

/// The record of one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange {
    /// The last [`SHOWN`] entries.
    entries: VecDeque<Entry>,
    /// How many came before them.
    hidden: usize,
}

impl Exchange {
    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        self.bytes(Direction::Sent, bytes);
    }

    pub(crate) fn received(&mut self, bytes: &[u8]) {
        self.bytes(Direction::Received, bytes);
    }

    /// Something that is not bytes: an end, a reset, silence.
    pub(crate) fn event(&mut self, what: impl Into<String>) {
        let what = what.into();
        let is_repeated = matches!(self.entries.back(), Some(Entry::Event(last)) if *last == what);
        if !is_repeated {
            self.push(Entry::Event(what));
        }
    }

    fn push(&mut self, entry: Entry) {
        if self.entries.len() == SHOWN {
            self.entries.pop_front();
            self.hidden += 1;
        }
        self.entries.push_back(entry);
    }

    fn bytes(&mut self, towards: Direction, bytes: &[u8]) {
        match self.entries.back_mut() {
            Some(Entry::Bytes(direction, run)) if *direction == towards => run.add(bytes),
            _ => {
                let mut run = Run::default();
                run.add(bytes);
                self.push(Entry::Bytes(towards, run));
            }
        }
    }

    /// `> ` sent, `< ` received, one line each, escaped; abbreviated ones with their number of bytes.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        if self.hidden > 0 {
            let _ = writeln!(text, "… {} entries before", self.hidden);
        }
        for entry in &self.entries {
            let _ = match entry {
                Entry::Event(what) => writeln!(text, "- {what}"),
                Entry::Bytes(Direction::Sent, run) => writeln!(text, "> {}", run.render()),
                Entry::Bytes(Direction::Received, run) => writeln!(text, "< {}", run.render()),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Exchange;

    #[test]
    fn bytes_are_joined_escaped_and_abbreviated() {
        let mut exchange = Exchange::default();
        exchange.sent(b"GET ");
        exchange.sent(b"/\r\n");
        exchange.received(&[b'x'; 1000]);
        exchange.received(b"the end");
        exchange.event("end of stream");
        exchange.event("end of stream");
        let (start, end) = ("x".repeat(160), "x".repeat(153));
        let right =
            format!("> GET /\\r\\n\n< {start} … 687 bytes … {end}the end\n- end of stream\n");
        assert_eq!(exchange.render(), right);
    }

    #[test]
    fn only_the_last_entries_are_shown() {
        let mut exchange = Exchange::default();
        (0..30).for_each(|number| exchange.event(format!("event {number}")));
        let text = exchange.render();
        assert!(
            text.starts_with("… 18 entries before\n- event 18\n"),
            "{text}"
        );
    }
}
