//! Pauses near 40 ms: Linux delays an acknowledgement for that long (TCP_DELACK_MIN), and Nagle's algorithm (RFC 9293
//! 3.7.4) waits for it with what is left to send.

use super::Seen;
use crate::view::format::{count, time};
use std::ops::RangeInclusive;

/// Seconds that pass for a delayed acknowledgement: 40 ms, a clock tick early or some ticks late.
const DELAYED_ACK_S: RangeInclusive<f64> = 0.036..=0.060;
/// Share of requests from which on chance on a busy machine is no explanation any more; and how many at least.
const RULE: (f64, usize) = (0.02, 3);

/// What stalled where; or that nothing did.
pub(super) fn stalls(seen: &Seen) -> Vec<String> {
    let exchanges = &seen.phase.exchanges;
    if exchanges.is_empty() {
        return Vec::new();
    }
    let begins = stalled(exchanges.iter().map(|exchange| exchange.waited_s));
    let parts = stalled(exchanges.iter().map(|exchange| exchange.spread_s));
    let enough =
        |number: usize| number >= RULE.1 && number as f64 >= RULE.0 * exchanges.len() as f64;
    let of = |number: usize| {
        format!(
            "{} of {}",
            count(number as f64),
            count(exchanges.len() as f64)
        )
    };
    let mut lines = Vec::new();
    if enough(parts) {
        lines.push(format!(
            "Stalls: {} times about 40 ms passed between the parts of what came: {}",
            of(parts),
            between(seen, parts)
        ));
    }
    if enough(begins) {
        lines.push(format!(
            "Stalls: {} times about 40 ms passed before the first byte came: {}",
            of(begins),
            before(seen, begins)
        ));
    }
    if lines.is_empty() {
        let slowest = exchanges
            .iter()
            .map(|exchange| exchange.waited_s + exchange.spread_s)
            .fold(0.0, f64::max);
        lines.push(match begins + parts {
            0 => format!(
                "No stalls near 40 ms; the slowest response was there after {}.",
                time(slowest * 1e6)
            ),
            few => format!(
                "Near 40 ms passed {} times: too few to be more than chance.",
                of(few)
            ),
        });
    }
    lines
}

fn stalled(seconds: impl Iterator<Item = f64>) -> usize {
    seconds
        .filter(|seconds| DELAYED_ACK_S.contains(seconds))
        .count()
}

/// The rest came late: the server wrote it late, or the kernel sent it late.
fn between(seen: &Seen, parts: usize) -> &'static str {
    let paused = stalled(seen.turns.iter().map(|turn| turn.paused_s()));
    if paused * 2 > parts {
        "the server itself pauses between its writes. Does it wait for something there?"
    } else {
        "the server wrote without a pause, but the kernel kept the rest until the client had acknowledged the first part \
         (Nagle's algorithm waits for a delayed ACK). Set TCP_NODELAY, or send head and body in one write."
    }
}

/// All of it came late: the server wrote it late, or saw the request late.
fn before(seen: &Seen, begins: usize) -> &'static str {
    let thought = stalled(seen.turns.iter().map(|turn| turn.thought_s()));
    if thought * 2 > begins {
        "so long the server takes from its read to its first write. A timer, a lock, a sleep?"
    } else if seen.is_io_uring() {
        "where, strace cannot see."
    } else {
        "the server read the request late, or it waited for an acknowledgement of what it had sent before."
    }
}
