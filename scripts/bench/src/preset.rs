//! The published experiments, repeated: each document's own load over the targets it compared and ours.

#[cfg(test)]
pub(crate) mod fixture;

use crate::cli::RunArgs;
use crate::model::{CellKey, Document, Figures, GeneratorKind, Mode, Published, PublishedRow};
use std::time::Duration;

/// They close after each response, which wrk took as it came: a connection per request.
const CLOSING: [&str; 2] = ["perl-dancer", "perl-http-server-simple"];

/// An experiment to repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Preset {
    /// Raspberry Pi, 2016: wrk with 2 threads and connections, then 10, responses of 228 bytes, 60 s each
    RaspberryPi,
    /// Crystal and Go, 2015: ab -k with 10 connections and 10,000 requests, one process and all cores
    CrystalGo,
    /// zap and httpz: wrk with 4 threads and 400 connections, 10 s
    ZapHttpz,
}

impl Preset {
    const ALL: [Self; 3] = [Self::RaspberryPi, Self::CrystalGo, Self::ZapHttpz];

    /// What it is called on the command line and in a plan.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RaspberryPi => "raspberry-pi",
            Self::CrystalGo => "crystal-go",
            Self::ZapHttpz => "zap-httpz",
        }
    }

    /// The preset of a plan.
    #[must_use]
    pub fn of(name: Option<&str>) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|preset| Some(preset.name()) == name)
    }

    /// The document's figures.
    #[must_use]
    pub fn document(self) -> Published {
        let text = match self {
            Self::RaspberryPi => include_str!("../../../results/seeds/raspberry-pi-2016.json"),
            Self::CrystalGo => include_str!("../../../results/seeds/crystal-go-2015.json"),
            Self::ZapHttpz => include_str!("../../../results/seeds/zap-httpz.json"),
        };
        match serde_json::from_str(text) {
            Ok(Document::Published(published)) => *published,
            Ok(Document::Run(_)) | Err(_) => unreachable!("a test reads each of them"),
        }
    }

    /// Most threads of wrk; it has one for each connection up to them.
    #[must_use]
    pub fn wrk_threads(self) -> u32 {
        match self {
            Self::RaspberryPi => 10,
            Self::ZapHttpz => 4,
            Self::CrystalGo => 1,
        }
    }

    /// Numbers of server threads, of a machine with `all` CPUs of which the server has `server`.
    #[must_use]
    pub fn threads(self, server: usize, all: usize) -> Vec<u32> {
        let count = |cpus: usize| u32::try_from(cpus).unwrap_or(1);
        match self {
            Self::CrystalGo => vec![1, count(all)],
            Self::RaspberryPi | Self::ZapHttpz => vec![count(server)],
        }
    }

    /// Requests after which a load ends before its time.
    #[must_use]
    pub fn requests(self) -> Option<u64> {
        (self == Self::CrystalGo).then_some(10_000)
    }

    /// Whether a cell belongs to the document's load: the targets it compared are measured with their own numbers of
    /// connections, ours with those that most had.
    #[must_use]
    pub fn measures(self, key: &CellKey) -> bool {
        let target = key.target.trim_end_matches(" (A/A)");
        let mode = if CLOSING.contains(&target) {
            Mode::Close
        } else {
            Mode::Keepalive
        };
        key.mode == mode && self.has_load(target, key.connections)
    }

    fn has_load(self, target: &str, connections: u32) -> bool {
        let document = self.document();
        let mut own = document
            .rows
            .iter()
            .filter(|row| row.target.as_deref() == Some(target))
            .peekable();
        match own.peek() {
            None => self.usual_connections().contains(&connections),
            Some(_) => own.any(|row| row.figures.connections() == connections),
        }
    }

    fn usual_connections(self) -> &'static [u32] {
        match self {
            Self::RaspberryPi => &[2, 10],
            Self::CrystalGo => &[10],
            Self::ZapHttpz => &[400],
        }
    }

    fn connections(self) -> Vec<u32> {
        let mut all: Vec<u32> = self
            .document()
            .rows
            .iter()
            .map(|row| row.figures.connections())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::RaspberryPi => 60,
            Self::CrystalGo => 5,
            Self::ZapHttpz => 10,
        })
    }

    fn targets(self) -> Vec<String> {
        let rows = self.document().rows;
        rows.into_iter()
            .filter_map(|row| row.target)
            .chain(["quick".into()])
            .collect()
    }
}

/// The arguments with what their preset says filled in. Targets, threads, rounds and duration stay as they were given.
#[must_use]
pub fn applied(args: &RunArgs) -> RunArgs {
    let mut args = args.clone();
    let Some(preset) = args.preset else {
        return args;
    };
    args.mode = match preset {
        Preset::RaspberryPi => vec![Mode::Keepalive, Mode::Close],
        Preset::CrystalGo | Preset::ZapHttpz => vec![Mode::Keepalive],
    };
    args.connections = preset.connections();
    args.rounds = args.rounds.or(Some(1));
    args.duration = args.duration.or(Some(preset.duration()));
    args.generator = vec![match preset {
        Preset::RaspberryPi | Preset::ZapHttpz => GeneratorKind::Wrk,
        Preset::CrystalGo => GeneratorKind::Ab,
    }];
    args.wire_size = preset.document().response_bytes;
    if args.selection.only.is_empty() {
        args.selection.only = preset.targets();
    }
    args
}

/// The row of the document that a cell repeats: its target under as many connections. Where there are several, the
/// first is for one process and the last for all cores.
#[must_use]
pub fn row_of<'a>(document: &'a Published, key: &CellKey) -> Option<&'a PublishedRow> {
    let is_same = |row: &&PublishedRow| {
        row.target.as_deref() == Some(&key.target) && row.figures.connections() == key.connections
    };
    let mut rows = document.rows.iter().filter(is_same);
    if key.threads == 1 {
        rows.next()
    } else {
        rows.next_back()
    }
}

impl Figures {
    /// Open connections.
    #[must_use]
    pub fn connections(&self) -> u32 {
        match self {
            Self::Wrk(wrk) => wrk.connections,
            Self::Ab(ab) => ab.concurrency,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_document() {
        for preset in Preset::ALL {
            assert!(!preset.document().rows.is_empty(), "{}", preset.name());
            assert_eq!(Preset::of(Some(preset.name())), Some(preset));
        }
        assert_eq!(Preset::of(None), None);
    }

    #[test]
    fn what_was_compared_is_measured_as_the_document_did() {
        let pi = Preset::RaspberryPi;
        let connections = |target| {
            [1, 2, 10]
                .into_iter()
                .filter(|count| pi.has_load(target, *count))
                .collect::<Vec<_>>()
        };
        assert_eq!(connections("perl-http-daemon"), [1]);
        assert_eq!(connections("perl-dancer"), [2]);
        assert_eq!(connections("nginx"), [2, 10]);
        assert_eq!(connections("srv-tpc"), [2, 10]);
        assert_eq!(pi.connections(), [1, 2, 10]);
    }
}
