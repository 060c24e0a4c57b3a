//! What went over a connection, kept short, for the report of a failed case.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Bytes that are kept of each run of bytes in one direction.
const KEPT: usize = 240;

/// Entries that are shown; the ones before the last are the least telling.
const SHOWN: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Sent,
    Received,
}

#[derive(Debug, Clone)]
enum Entry {
    Bytes {
        direction: Direction,
        start: Vec<u8>,
        total: usize,
    },
    Event(String),
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
        self.push(Entry::Event(what.into()));
    }

    fn push(&mut self, entry: Entry) {
        if self.entries.len() == SHOWN {
            self.entries.pop_front();
            self.hidden += 1;
        }
        self.entries.push_back(entry);
    }

    fn bytes(&mut self, towards: Direction, bytes: &[u8]) {
        if let Some(Entry::Bytes {
            direction,
            start,
            total,
        }) = self.entries.back_mut()
            && *direction == towards
        {
            start.extend(bytes.iter().take(KEPT.saturating_sub(start.len())));
            *total += bytes.len();
            return;
        }
        let start = bytes.iter().copied().take(KEPT).collect();
        self.push(Entry::Bytes {
            direction: towards,
            start,
            total: bytes.len(),
        });
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
                Entry::Bytes {
                    direction,
                    start,
                    total,
                } => {
                    let arrow = if *direction == Direction::Sent {
                        '>'
                    } else {
                        '<'
                    };
                    let rest = if *total > start.len() {
                        format!("… ({total} bytes)")
                    } else {
                        String::new()
                    };
                    writeln!(text, "{arrow} {}{rest}", start.escape_ascii())
                }
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
        exchange.event("end of stream");
        let long = "x".repeat(240);
        assert_eq!(
            exchange.render(),
            format!("> GET /\\r\\n\n< {long}… (1000 bytes)\n- end of stream\n")
        );
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
