//! Counts the empty lines of a stream, also across reads.

use memchr::memmem::Finder;

const EMPTY_LINE: &[u8] = b"\r\n\r\n";

/// What ends a request's head.
pub struct EmptyLines(Finder<'static>);

impl EmptyLines {
    pub fn new() -> Self {
        Self(Finder::new(EMPTY_LINE))
    }

    /// How many empty lines `input` ends. `matched` says how many bytes of one the reads before
    /// ended with, and then how many this one does.
    pub fn count(&self, matched: &mut usize, mut input: &[u8]) -> usize {
        let mut lines = 0;
        if *matched > 0 {
            let missing = &EMPTY_LINE[*matched..];
            if input.len() < missing.len() && missing.starts_with(input) {
                *matched += input.len();
                return 0;
            }
            if let Some(rest) = input.strip_prefix(missing) {
                lines = 1;
                input = rest;
            }
        }
        while let Some(at) = self.0.find(input) {
            lines += 1;
            input = &input[at + EMPTY_LINE.len()..];
        }
        *matched = (1..EMPTY_LINE.len())
            .rev()
            .find(|&len| input.ends_with(&EMPTY_LINE[..len]))
            .unwrap_or(0);
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_counts_the_same() {
        let stream = b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n\r\n\r\nx\r\n";
        let counter = EmptyLines::new();
        assert_eq!(counter.count(&mut 0, stream), 3);
        for size in 1..stream.len() {
            let mut matched = 0;
            let reads = stream.chunks(size);
            let lines: usize = reads.map(|read| counter.count(&mut matched, read)).sum();
            assert_eq!(lines, 3, "in reads of {size}");
        }
    }
}
