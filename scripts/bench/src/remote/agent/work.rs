//! What the agent does for each request.

use crate::executor::{Host, Local, Order};
use crate::generator::{self, Loaded, Site};
use crate::guard::MARK;
use crate::interrupt::Interrupt;
use crate::remote::freight::BIN;
use crate::remote::protocol::{Hello, Ready, Request};
use crate::{os, prepare};
use contract::{Target, Values};
use serde::Serialize;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The agent's tools.
pub(super) struct Work {
    pub(super) host: Local,
    pub(super) folder: PathBuf,
    pub(super) listen: IpAddr,
    pub(super) cpus: Vec<u32>,
    pub(super) mark: String,
    pub(super) interrupt: Interrupt,
}

impl Work {
    /// The answer, as JSON on one line.
    pub(super) fn answer(&mut self, request: Request) -> String {
        match request {
            // They come to the reader, and have no answer.
            Request::Heartbeat | Request::Interrupt => String::new(),
            Request::Hello => json(&self.hello()),
            Request::Prepare {
                target,
                threads,
                body_size,
            } => json(&self.prepare(self.own(target), threads, body_size)),
            Request::Start { order } => {
                let order = Order {
                    target: self.own(order.target),
                    ..order
                };
                json(&self.host.start(&order))
            }
            Request::CheckOwner => json(&self.host.check_owner()),
            Request::Watch { middle_s } => {
                json(&self.host.watch(Duration::from_secs_f64(middle_s)))
            }
            Request::Seen {
                elapsed_s,
                all_responses,
            } => json(&self.host.seen(elapsed_s, all_responses)),
            Request::Celsius => json(&self.host.celsius()),
            Request::Ended => json(&self.host.ended()),
            Request::Stop => json(&self.host.stop()),
            Request::Version { generator } => {
                let version = generator::of_kind(generator).version();
                json(&version.map_err(|error| format!("{error:#}")))
            }
            Request::Load {
                generator,
                load,
                address,
                duration_s,
            } => {
                let duration = Duration::from_secs_f64(duration_s);
                let loaded: anyhow::Result<Loaded> =
                    generator::of_kind(generator).run(&load, address, duration, &self.site());
                json(&loaded.map_err(|error| format!("{error:#}")))
            }
        }
    }

    fn hello(&self) -> Hello {
        Hello {
            machine: os::machine(),
            cpus: self.cpus.clone(),
            boot: os::boot_id(),
        }
    }

    /// A target whose folder is below the agent's.
    fn own(&self, mut target: Target) -> Target {
        target.dir = self.folder.join(&target.dir);
        // What it builds is ended with the agent, as its servers are.
        target.env.insert(MARK.into(), self.mark.clone());
        target
    }

    fn prepare(&self, target: Target, threads: usize, body_size: usize) -> Ready {
        let values = Values {
            host: self.listen.to_string(),
            threads,
            body_size,
            ..Values::new(self.folder.join(BIN))
        };
        let missing = prepare::ready_alone(&target, &values);
        let version = match missing {
            None => prepare::version(&target, &values),
            Some(_) => None,
        };
        Ready { missing, version }
    }

    fn site(&self) -> Site {
        Site {
            cpus: self.cpus.clone(),
            mark: self.mark.clone(),
            interrupt: self.interrupt.clone(),
        }
    }
}

/// Every answer is made of plain data, which always has a form in JSON.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| format!("{error:?}"))
}
