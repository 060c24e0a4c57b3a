//! Another machine as the one where servers run.

use super::address::Address;
use super::connect::Arrived;
use super::freight::{Freight, is_built_here};
use super::link::Link;
use super::packages;
use super::protocol::{Ready, Request};
use crate::candidate::Candidate;
use crate::executor::{Host, Order, Started};
use crate::model::{self, Heat, ServerCost};
use crate::prepare::{self, Missing};
use crate::target::StartError;
use contract::{Target, Values};
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a connection to a server over there may take.
const REACH_LIMIT: Duration = Duration::from_secs(5);

/// A host whose agent starts, watches and stops servers.
#[derive(Debug)]
pub struct Far {
    link: Link,
    freight: Freight,
    /// As ssh knows it, for the commands that a user is told.
    destination: String,
    ready: BTreeMap<String, Ready>,
}

impl Far {
    /// Takes over the host at `address`, which has answered.
    #[must_use]
    pub fn new(arrived: Arrived, address: &Address) -> Self {
        Self {
            link: arrived.link,
            freight: arrived.freight,
            destination: address.arguments(),
            ready: BTreeMap::new(),
        }
    }

    fn over_there(&self, target: &Target) -> Target {
        let install = packages::install(target, &self.destination).or(target.install.clone());
        self.freight.over_there(target, install)
    }

    fn make_ready(&mut self, target: &Target, values: &Values) -> anyhow::Result<Ready> {
        if let Some(missing) = self.freight.missing.get(&target.name) {
            return Ok(Ready {
                missing: Some(missing.clone()),
                version: None,
            });
        }
        let request = Request::Prepare {
            target: self.over_there(target),
            threads: values.threads,
            body_size: values.body_size,
        };
        Ok(self.link.ask(&request)?)
    }

    /// A question whose answer nobody misses when the connection is gone: the next step tells that.
    fn ask_in_passing<T: serde::de::DeserializeOwned>(&mut self, request: &Request) -> Option<T> {
        self.link.ask::<Option<T>>(request).ok().flatten()
    }

    fn reach(address: SocketAddr) -> Result<(), StartError> {
        let connected = TcpStream::connect_timeout(&address, REACH_LIMIT);
        connected
            .map(drop)
            .map_err(|error| StartError::Unreachable {
                address,
                cause: error.to_string(),
            })
    }
}

impl Host for Far {
    fn prepare(
        &mut self,
        candidates: &[Candidate],
        values: &Values,
    ) -> anyhow::Result<Vec<Option<Missing>>> {
        for candidate in candidates {
            let target = &candidate.target;
            if !self.ready.contains_key(&target.name) {
                let ready = self.make_ready(target, values)?;
                self.ready.insert(target.name.clone(), ready);
            }
        }
        let missing = |candidate: &Candidate| self.ready[&candidate.target.name].missing.clone();
        Ok(candidates.iter().map(missing).collect())
    }

    fn describe(&mut self, candidate: &Candidate, values: &Values, entry: &mut model::Target) {
        let target = &candidate.target;
        let there = self.ready.get(&target.name);
        entry.version = match there.and_then(|ready| ready.version.clone()) {
            None if is_built_here(target) => prepare::version(target, values),
            version => version,
        };
        let here = Values {
            bin: self.freight.bin.clone(),
            ..values.clone()
        };
        prepare::describe_program(target, &here, entry);
    }

    fn start(&mut self, order: &Order) -> Result<Started, StartError> {
        let order = Order {
            target: self.over_there(&order.target),
            ..order.clone()
        };
        let started: Result<Started, StartError> = self.link.ask(&Request::Start { order })?;
        let started = started?;
        Self::reach(started.address)?;
        Ok(started)
    }

    fn check_owner(&mut self) -> Result<(), StartError> {
        self.link.ask::<Result<_, _>>(&Request::CheckOwner)?
    }

    fn watch(&mut self, middle: Duration) -> Result<(), StartError> {
        let middle_s = middle.as_secs_f64();
        self.link
            .ask::<Result<_, _>>(&Request::Watch { middle_s })?
    }

    fn seen(
        &mut self,
        elapsed_s: f64,
        all_responses: u64,
    ) -> Result<(ServerCost, Heat), StartError> {
        self.link.ask::<Result<_, _>>(&Request::Seen {
            elapsed_s,
            all_responses,
        })?
    }

    fn celsius(&mut self) -> Option<f64> {
        self.ask_in_passing(&Request::Celsius)
    }

    fn ended(&mut self) -> Option<String> {
        self.ask_in_passing(&Request::Ended)
    }

    fn stop(&mut self) -> Result<Vec<String>, StartError> {
        self.link.ask::<Result<_, _>>(&Request::Stop)?
    }
}
