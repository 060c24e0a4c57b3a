//! Published figures as bars.

use super::bars::{Bar, Group};
use super::{by_clients, in_threads};
use crate::model::{Figures, Published, PublishedRow};

/// The groups of a document: wrk's rows by its threads, ab's by its connections.
pub(super) fn groups(published: &Published) -> Vec<Group> {
    let rows = |wanted: fn(&Figures) -> bool| -> Vec<(u32, Bar)> {
        published
            .rows
            .iter()
            .filter(|row| wanted(&row.figures))
            .map(|row| (clients(&row.figures), bar(row)))
            .collect()
    };
    let wrk = rows(|figures| matches!(figures, Figures::Wrk(_)));
    let ab = rows(|figures| matches!(figures, Figures::Ab(_)));
    let (all_wrk, all_ab) = if wrk.is_empty() || ab.is_empty() {
        ("All", "All")
    } else {
        ("All of wrk", "All of ab")
    };
    let mut groups = Vec::new();
    if !wrk.is_empty() {
        groups.extend(by_clients(all_wrk, in_threads, wrk, vec![]));
    }
    if !ab.is_empty() {
        groups.extend(by_clients(
            all_ab,
            |connections| format!("Run with {connections} connections"),
            ab,
            vec![],
        ));
    }
    groups
}

/// wrk's threads, ab's connections: what the documents vary.
fn clients(figures: &Figures) -> u32 {
    match figures {
        Figures::Wrk(wrk) => wrk.threads,
        Figures::Ab(ab) => ab.concurrency,
    }
}

fn bar(row: &PublishedRow) -> Bar {
    let unit = match row.figures {
        Figures::Wrk(_) => "thr",
        Figures::Ab(_) => "con",
    };
    Bar {
        label: format!("{} ({:2} {unit})", row.label, clients(&row.figures)),
        rate: row.figures.requests_per_second(),
        limit: String::new(),
        published: None,
    }
}
