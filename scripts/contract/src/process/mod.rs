//! The process cases: they start the server, signal it and limit it.

pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod port;
pub(crate) mod sigterm;

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::fault::Fault;
use crate::judge::Judge;
use crate::wire::Wire;
use crate::{Running, ServerCommand};

/// How long a start may take.
pub(crate) const START: Duration = Duration::from_secs(10);

/// A server to start, how it is judged, and what a case notes about it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) command: ServerCommand,
    pub(crate) judge: Judge,
    pub(crate) died: AtomicBool,
    pub(crate) remarks: Mutex<Vec<String>>,
}

impl Process {
    pub(crate) fn new(command: &ServerCommand, judge: &Judge) -> Self {
        Self {
            command: command.clone(),
            judge: judge.clone(),
            died: AtomicBool::new(false),
            remarks: Mutex::default(),
        }
    }

    pub(crate) fn start(&self) -> Result<Running, Fault> {
        self.start_under(&[])
    }

    pub(crate) fn start_under(&self, wrapper: &[&str]) -> Result<Running, Fault> {
        started(self.command.start_under(wrapper, START))
    }

    /// The server still runs and answers; otherwise it died of the case.
    pub(crate) fn expect_alive(&self, running: &mut Running) -> Result<(), Fault> {
        let alive = match running.wait(Duration::ZERO) {
            Some(status) => Err(Fault::plain(format!("the server died: {status}"))),
            None => self
                .wire(running.addr())
                .expect_alive()
                .map_err(|fault| fault.in_context("afterwards")),
        };
        if alive.is_err() {
            self.died.store(true, Ordering::Relaxed);
        }
        alive
    }

    pub(crate) fn wire(&self, addr: SocketAddr) -> Wire {
        Wire {
            addr,
            judge: self.judge.clone(),
            concurrent: true,
        }
    }

    /// Something that a reader of a passed case should know.
    pub(crate) fn remark(&self, remark: String) {
        self.remarks
            .lock()
            .expect("nothing panics while it holds this")
            .push(remark);
    }
}

pub(crate) fn started(result: Result<Running, crate::StartError>) -> Result<Running, Fault> {
    result.map_err(|error| Fault::plain(format!("the server does not start: {error}")))
}
