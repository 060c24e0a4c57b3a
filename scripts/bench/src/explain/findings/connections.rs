//! How connections ended: who closed first, and why.

use super::Seen;
use crate::explain::client::{Announcement, Connection, End, Use};
use crate::explain::turns::{ending, most_common};
use crate::view::format::count;
use std::collections::BTreeMap;

/// One line for each way in which connections ended, and the system calls that the server ends them with.
pub(super) fn connections(seen: &Seen) -> Vec<String> {
    let mut ways: BTreeMap<&End, Vec<&Connection>> = BTreeMap::new();
    for connection in &seen.phase.connections {
        ways.entry(&connection.end).or_default().push(connection);
    }
    let told = ways.iter().map(|(end, connections)| {
        let number = count(connections.len() as f64);
        let s = if connections.len() == 1 { "" } else { "s" };
        format!(
            "{number} connection{s}: {}.",
            way(end, connections, seen.phase.usage)
        )
    });
    told.chain(calls(seen)).collect()
}

fn way(end: &End, connections: &[&Connection], usage: Use) -> String {
    let after = || {
        let responses = connections.iter().map(|connection| connection.responses);
        let responses = most_common(responses).map_or(0, |(responses, _)| responses);
        format!(
            "{} response{}",
            count(f64::from(responses)),
            if responses == 1 { "" } else { "s" }
        )
    };
    match end {
        End::Client => "the client closed first, when it had nothing more to ask".into(),
        End::LeftOpen => "still open a second after a response that had to be the last one: a client that waits for the \
                          end hangs"
            .into(),
        End::Announced(_) if usage == Use::Close => "the server closed first, as it was asked to".into(),
        End::Announced(Announcement::Close) => {
            format!("the server closed first, after {}, as it had said with `Connection: close`", after())
        }
        End::Announced(Announcement::Http10) => format!(
            "the server closed first, after {}: it answers with HTTP/1.0 and without `Connection: keep-alive`",
            after()
        ),
        End::Announced(Announcement::UntilClose) => format!(
            "the server closed first, after {}: without a length the end of the connection is the end of the body",
            after()
        ),
        End::Unannounced => {
            format!("the server closed first, after {}, without saying so before: clients take that for an error", after())
        }
        End::Failed(why) => format!("failed after {}: {why}", after()),
    }
}

/// The calls behind the last response, as most connections have them.
fn calls(seen: &Seen) -> Option<String> {
    let endings = seen
        .connections
        .iter()
        .map(|calls| ending(calls))
        .filter(|calls| !calls.is_empty());
    let (calls, _) = most_common(endings)?;
    let read = calls.first().is_some_and(|call| call.starts_with("re"));
    let first = if read {
        "reads the client's end first"
    } else {
        "does not wait for the client's end"
    };
    Some(format!(
        "Behind the last response the server calls {}: it {first}.",
        calls.join(", ")
    ))
}
