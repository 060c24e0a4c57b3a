//! Several hosts as one load generator: each takes its share of the connections, at the same time.

use super::connect::Arrived;
use super::link::Link;
use super::protocol::Request;
use crate::generator::{Generator, Generators, Load, Loaded, Site, merge, of_kind};
use crate::model::{GeneratorKind, Machine};
use anyhow::{Context, anyhow, ensure};
use std::cell::RefCell;
use std::net::SocketAddr;
use std::time::Duration;

/// Hosts that make load.
#[derive(Debug)]
pub struct Crew {
    links: Vec<RefCell<Link>>,
    /// Their machines, in the order given.
    pub machines: Vec<Machine>,
    /// Their CPUs, one host's after the other's.
    pub cpus: Vec<u32>,
    /// Ids of their machines' boots.
    pub boots: Vec<Option<String>>,
}

impl Crew {
    /// Hosts that have answered.
    #[must_use]
    pub fn new(arrived: Vec<Arrived>) -> Self {
        let mut crew = Self {
            links: Vec::new(),
            machines: Vec::new(),
            cpus: Vec::new(),
            boots: Vec::new(),
        };
        for host in arrived {
            crew.cpus.extend(&host.hello.cpus);
            crew.machines.push(host.hello.machine);
            crew.boots.push(host.hello.boot);
            crew.links.push(RefCell::new(host.link));
        }
        crew
    }
}

impl Generators for Crew {
    fn of_kind(&self, kind: GeneratorKind) -> Box<dyn Generator + '_> {
        Box::new(Shared { kind, crew: self })
    }
}

/// One generator, on all hosts.
struct Shared<'a> {
    kind: GeneratorKind,
    crew: &'a Crew,
}

impl Generator for Shared<'_> {
    fn kind(&self) -> GeneratorKind {
        self.kind
    }

    /// That of the first host; all must have it.
    fn version(&self) -> anyhow::Result<String> {
        let mut first = None;
        for link in &self.crew.links {
            let mut link = link.borrow_mut();
            let generator = self.kind;
            let told: Result<String, String> = link.ask(&Request::Version { generator })?;
            let version = told.map_err(|error| anyhow!("{}: {error}", link.host()))?;
            first.get_or_insert(version);
        }
        first.context("no host makes load")
    }

    fn cannot(&self, load: &Load) -> Option<String> {
        of_kind(self.kind).cannot(load)
    }

    fn run(
        &self,
        load: &Load,
        address: SocketAddr,
        duration: Duration,
        _site: &Site,
    ) -> anyhow::Result<Loaded> {
        let shares = shares(load, self.crew.links.len());
        let working: Vec<_> = self.crew.links.iter().zip(shares).collect();
        for (link, share) in &working {
            link.borrow_mut().send(&Request::Load {
                generator: self.kind,
                load: share.clone(),
                address,
                duration_s: duration.as_secs_f64(),
            })?;
        }
        // All answers are read, also behind a failure: the next question must not get an old one.
        let told: Vec<anyhow::Result<Loaded>> = working
            .iter()
            .map(|(link, _)| {
                let mut link = link.borrow_mut();
                let loaded: Result<Loaded, String> = link.answer()?;
                loaded.map_err(|error| anyhow!("{}: {error}", link.host()))
            })
            .collect();
        let loaded = told.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(!loaded.is_empty(), "no host makes load");
        merge(&loaded).context("no host makes load")
    }
}

/// Each host's share of a load: the first ones have a connection more where they cannot be divided, and of fewer
/// connections than hosts the last hosts have none. A rate is shared as connections are.
fn shares(load: &Load, hosts: usize) -> Vec<Load> {
    let hosts = u32::try_from(hosts)
        .unwrap_or(1)
        .min(load.connections)
        .max(1);
    (0..hosts)
        .map(|host| {
            let connections = load.connections / hosts + u32::from(host < load.connections % hosts);
            let part = f64::from(connections) / f64::from(load.connections);
            Load {
                connections,
                rate: load.rate.map(|rate| rate * part),
                requests: load
                    .requests
                    .map(|count| (count as f64 * part).ceil() as u64),
                ..load.clone()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Mode, RequestKind};

    #[test]
    fn shares_are_the_whole() {
        let load = Load {
            mode: Mode::Keepalive,
            pipeline_depth: 16,
            connections: 7,
            rate: Some(700.0),
            wrk_threads: None,
            requests: None,
            request: RequestKind::Minimal,
            fields: Vec::new(),
            path: "/".into(),
        };
        let shared = shares(&load, 3);
        let connections: Vec<u32> = shared.iter().map(|share| share.connections).collect();
        assert_eq!(connections, [3, 2, 2]);
        let rates: f64 = shared.iter().filter_map(|share| share.rate).sum();
        assert!((rates - 700.0).abs() < 1e-9);
        assert_eq!(
            shares(
                &Load {
                    connections: 2,
                    ..load
                },
                3
            )
            .len(),
            2
        );
    }
}
