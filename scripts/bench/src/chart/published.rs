//! Published figures as bars.

use super::bars::{Bar, Group};
use super::by_clients;
use crate::model::{Document, Figures, Published, PublishedRow};

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
        groups.extend(by_clients(
            all_wrk,
            |threads| format!("Run in {threads} threads"),
            wrk,
            vec![],
        ));
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

/// The document whose load a preset repeats.
#[must_use]
pub fn of_preset(preset: &str) -> Option<Published> {
    let text = match preset {
        "raspberry-pi" => include_str!("../../../../results/seeds/raspberry-pi-2016.json"),
        "crystal-go" => include_str!("../../../../results/seeds/crystal-go-2015.json"),
        "zap-httpz" => include_str!("../../../../results/seeds/zap-httpz.json"),
        _ => return None,
    };
    match serde_json::from_str(text) {
        Ok(Document::Published(published)) => Some(*published),
        _ => None,
    }
}

/// Open connections.
pub(super) fn connections(figures: &Figures) -> u32 {
    match figures {
        Figures::Wrk(wrk) => wrk.connections,
        Figures::Ab(ab) => ab.concurrency,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_has_its_document() {
        for (preset, rows) in [("raspberry-pi", 16), ("crystal-go", 3), ("zap-httpz", 2)] {
            assert_eq!(of_preset(preset).unwrap().rows.len(), rows, "{preset}");
        }
        assert!(of_preset("none").is_none());
    }
}
