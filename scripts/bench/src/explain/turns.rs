//! Requests and responses as the server's system calls show them.

use super::strace::{Call, Kind};
use std::collections::BTreeMap;

/// What happens on a connection from the first read of a request to the last write of its response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// When the last read that found something had returned: seconds since 1970.
    pub read_s: f64,
    /// The writes that moved something.
    pub writes: Vec<Write>,
}

/// A write that moved something.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// Name of the call.
    pub call: String,
    /// When it was entered: seconds since 1970.
    pub at_s: f64,
    /// When it had returned.
    pub done_s: f64,
    /// Bytes that it moved.
    pub bytes: u64,
}

impl Turn {
    /// Seconds from the request to the first write.
    #[must_use]
    pub fn thought_s(&self) -> f64 {
        self.writes
            .first()
            .map_or(0.0, |write| write.at_s - self.read_s)
    }

    /// Seconds between two writes, at most.
    #[must_use]
    pub fn paused_s(&self) -> f64 {
        let pauses = self
            .writes
            .windows(2)
            .map(|pair| pair[1].at_s - pair[0].done_s);
        pauses.fold(0.0, f64::max)
    }

    /// Bytes of its writes.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        self.writes.iter().map(|write| write.bytes).collect()
    }
}

/// The calls in `all` on each connection that was accepted in `some`, in order of the sockets' numbers.
#[must_use]
pub fn connections<'a>(some: &[&'a Call], all: &'a [Call]) -> Vec<Vec<&'a Call>> {
    let accepted = some.iter().filter(|call| call.kind() == Kind::Accept);
    let mut on: BTreeMap<&str, Vec<&'a Call>> = accepted
        .filter_map(|call| Some((call.opened.as_deref()?, Vec::new())))
        .collect();
    for call in all {
        if let Some(connection) = call.object().and_then(|object| on.get_mut(object)) {
            connection.push(call);
        }
    }
    on.into_values().collect()
}

/// The turns of one connection. A turn without a write is left out.
#[must_use]
pub fn turns(calls: &[&Call]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    let mut turn = Turn::default();
    for call in calls {
        match (call.kind(), call.moved()) {
            (Kind::Read, Some(_)) => {
                if !turn.writes.is_empty() {
                    turns.push(std::mem::take(&mut turn));
                }
                turn.read_s = call.returned_s();
            }
            (Kind::Write, Some(bytes)) => turn.writes.push(Write {
                call: call.name.clone(),
                at_s: call.at_s,
                done_s: call.returned_s(),
                bytes,
            }),
            _ => {}
        }
    }
    turns.extend((!turn.writes.is_empty()).then_some(turn));
    turns
}

/// How a connection ended, from the last write on: `shutdown, recvfrom, close`. Reads that find nothing are left out.
#[must_use]
pub fn ending(calls: &[&Call]) -> Vec<String> {
    let after = calls
        .iter()
        .rposition(|call| call.kind() == Kind::Write)
        .map_or(0, |at| at + 1);
    let ends = calls[after..].iter().filter(|call| {
        call.kind() == Kind::Close || (call.kind() == Kind::Read && call.value == Some(0))
    });
    ends.map(|call| call.name.clone()).collect()
}

/// The value that is there most often, and how often.
#[must_use]
pub fn most_common<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::strace::parse;

    /// Two requests on one connection: the response in one write, then in two with 41 ms between them.
    const LOG: &str = r#"5 1.000000 accept(3<socket:[1]>, NULL, NULL) = 4<socket:[2]> <0.000010>
5 1.001000 read(4<socket:[2]>, "GET"..., 99) = 40 <0.000010>
5 1.001500 write(4<socket:[2]>, "HTTP/1.1 200"..., 111) = 111 <0.000010>
5 1.001600 write(2</dev/null>, "log line", 8) = 8 <0.000010>
5 1.002000 read(4<socket:[2]>, 0x1, 99) = -1 EAGAIN (Resource temporarily unavailable) <0.000010>
5 1.003000 read(4<socket:[2]>, "GET"..., 99) = 40 <0.000010>
5 1.004000 write(4<socket:[2]>, "HTTP/1.1 200"..., 98) = 98 <0.000010>
5 1.045010 write(4<socket:[2]>, "Hello, World!", 13) = 13 <0.000010>
5 1.050000 read(4<socket:[2]>, "", 99) = 0 <0.000010>
5 1.051000 shutdown(4<socket:[2]>, SHUT_WR) = 0 <0.000010>
5 1.052000 close(4<socket:[2]>) = 0 <0.000010>"#;

    fn all(calls: &[Call]) -> Vec<Vec<&Call>> {
        connections(&calls.iter().collect::<Vec<_>>(), calls)
    }

    #[test]
    fn a_response_is_what_is_written_between_two_requests() {
        let calls = parse(LOG);
        let connections = all(&calls);
        assert_eq!(connections.len(), 1);
        let turns = turns(&connections[0]);
        assert_eq!(
            turns.iter().map(Turn::sizes).collect::<Vec<_>>(),
            [vec![111], vec![98, 13]]
        );
        assert!((turns[1].paused_s() - 0.041).abs() < 1e-4 && turns[0].paused_s() == 0.0);
        assert!((turns[1].thought_s() - 0.00099).abs() < 1e-4);
    }

    #[test]
    fn an_ending_begins_behind_the_last_write() {
        let calls = parse(LOG);
        let connections = all(&calls);
        assert_eq!(ending(&connections[0]), ["read", "shutdown", "close"]);
    }

    #[test]
    fn a_connection_from_before_is_not_looked_at() {
        let calls = parse(LOG);
        assert!(all(&calls[1..]).is_empty());
    }

    #[test]
    fn the_most_common_is_counted() {
        assert_eq!(most_common([1, 2, 2, 3]), Some((2, 2)));
        assert_eq!(most_common::<u8>([]), None);
    }
}
