//! How a response leaves the server.

use super::Seen;
use crate::explain::client::Use;
use crate::explain::turns::most_common;
use crate::view::format::{count, list};

/// Head and body in one write or more.
pub(super) fn writes(seen: &Seen) -> String {
    let Some(exchange) = seen.phase.exchanges.first() else {
        return "No response was seen.".into();
    };
    let writes = seen
        .turns
        .iter()
        .map(|turn| turn.writes.len())
        .sum::<usize>();
    if writes == 0 {
        return "strace saw no write to a connection that was accepted meanwhile.".into();
    }
    if seen.phase.usage == Use::Pipeline {
        return pipelined(f64::from(seen.phase.responses()), writes as f64);
    }
    let shapes = seen.turns.iter().map(|turn| {
        let calls: Vec<&str> = turn
            .writes
            .iter()
            .map(|write| write.call.as_str())
            .collect();
        (turn.sizes(), calls)
    });
    let Some(((sizes, calls), times)) = most_common(shapes) else {
        return String::new();
    };
    let how = match sizes[..] {
        [_] => "Head and body in one write".to_owned(),
        [head, _] if head == exchange.head_bytes => "Head and body in two writes".to_owned(),
        _ => format!("A response takes {} writes", sizes.len()),
    };
    let sizes: Vec<String> = sizes.iter().map(|size| count(*size as f64)).collect();
    let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
    let mut calls = calls;
    calls.dedup();
    let times = if times == seen.turns.len() {
        "always".into()
    } else {
        format!(
            "{} of {} times",
            count(times as f64),
            count(seen.turns.len() as f64)
        )
    };
    format!(
        "{} ({}: {} bytes), {times}.",
        how,
        calls.join(", "),
        list(&sizes)
    )
}

fn pipelined(responses: f64, writes: f64) -> String {
    if writes > responses {
        format!("{:.1} writes for each response.", writes / responses)
    } else {
        format!("{:.1} responses in each write.", responses / writes)
    }
}
