//! One server, its good clients and its crowd.

use std::thread;
use std::time::Duration;

use contract::Target;
use contract::targets::Contract;

use super::ID;
use super::crowd::{Crowd, Size};
use super::measure::{Sample, measure};
use super::record::{self, Record};
use crate::context::Context;
use crate::items::Answer;
use crate::outcome::{Figures, Trouble};
use crate::server::Server;

/// How long it may take to see that its clients have gone.
const LEAVING: Duration = Duration::from_secs(3);

/// A server under trial, up to its first trouble.
pub(super) struct Trial<'a> {
    target: &'a Target,
    live: Result<Live, Trouble>,
}

struct Live {
    server: Server,
    /// The good clients alone, in this round.
    alone: Option<Sample>,
    crowd: Option<Crowd>,
    record: Record,
}

impl<'a> Trial<'a> {
    pub(super) fn start(context: &Context, target: &'a Target) -> Self {
        Self {
            target,
            live: Live::start(context, target),
        }
    }

    pub(super) fn measure_alone(&mut self, context: &Context, time: Duration) {
        self.step(|live| {
            live.alone = Some(measure(context, &mut live.server, time)?);
            Ok(())
        });
    }

    pub(super) fn send_crowd(&mut self, size: Size) {
        self.step(|live| {
            live.crowd = Some(Crowd::send(live.server.addr(), size));
            Ok(())
        });
    }

    /// Until all are connected, and those that never read get nothing more.
    pub(super) fn wait_for_crowd(&mut self) {
        self.step(|live| {
            let is_coming = |crowd: &Crowd| !crowd.is_connected();
            while live.crowd.as_ref().is_some_and(is_coming) {
                thread::sleep(Duration::from_millis(10));
            }
            Ok(())
        });
    }

    pub(super) fn measure_beside(&mut self, context: &Context, time: Duration) {
        self.step(|live| {
            let beside = measure(context, &mut live.server, time)?;
            let pair = live.alone.take().map(|alone| (alone, beside));
            live.record.pairs.extend(pair);
            Ok(())
        });
        self.sample();
    }

    /// Whether some of its crowd is not closed yet.
    pub(super) fn has_crowd(&self) -> bool {
        let crowd = self.live.as_ref().ok().and_then(|live| live.crowd.as_ref());
        crowd.is_some_and(|crowd| !crowd.is_gone())
    }

    pub(super) fn sample(&mut self) {
        self.step(|live| {
            let held = live.server.usage()?.rss;
            live.record.peak = live.record.peak.max(held);
            Ok(())
        });
    }

    pub(super) fn dismiss_crowd(&mut self) {
        self.step(|live| {
            let record = &mut live.record;
            let descriptors = live.server.usage()?.descriptors;
            let left = descriptors.saturating_sub(record.idle.descriptors);
            record.left = record.left.max(left);
            let seen = live.crowd.take().map(Crowd::dismiss).transpose();
            let told = |error| Trouble::fail(format!("slow clients cannot connect: {error}"));
            record.seen.extend(seen.map_err(told)?);
            live.server.expect_service_within(LEAVING)
        });
    }

    /// Whether more rounds would tell nothing new of it: it keeps up, or is known not to.
    pub(super) fn is_known(&self) -> bool {
        let keeps_up = |live: &Live| live.record.keeps_up();
        let known = self.target.reliability.get(ID);
        known.is_some_and(|known| known.covers(record::TOO_LITTLE))
            || self.live.as_ref().map_or(true, keeps_up)
    }

    fn step(&mut self, step: impl FnOnce(&mut Live) -> Result<(), Trouble>) {
        if let Ok(live) = &mut self.live
            && let Err(trouble) = step(live)
        {
            // Its crowd need not stay any longer.
            let _ = live.crowd.take().map(Crowd::dismiss);
            self.live = Err(trouble);
        }
    }

    pub(super) fn judge(self, context: &Context, size: Size) -> Answer {
        let mut figures = Figures::default();
        let contract = self.target.contract;
        let result = self.live.and_then(|mut live| {
            context.go_on()?;
            live.record.tell(&mut figures);
            figures.set("rss_after_bytes", live.server.usage()?.rss as f64);
            live.record.judge_service(contract != Contract::Foreign)?;
            live.record.judge_memory(self.target.class, size)?;
            // Others promise no time, or a longer one than is waited here.
            if contract == Contract::Exact {
                live.record.judge_closing(size)?;
            }
            live.server.stop().map(drop)
        });
        (figures, result)
    }
}

impl Live {
    fn start(context: &Context, target: &Target) -> Result<Self, Trouble> {
        let mut server = Server::start(context, target)?;
        let record = Record {
            idle: server.usage()?,
            ..Record::default()
        };
        // What is allocated and learnt with the first load is not the crowd's doing.
        measure(context, &mut server, Duration::from_millis(300))?;
        Ok(Self {
            server,
            alone: None,
            crowd: None,
            record,
        })
    }
}
