//! This machine as the one where servers run.

use super::host::{Host, Order, Started};
use super::sampling::Watch;
use crate::candidate::Candidate;
use crate::interrupt::Interrupt;
use crate::model::{self, Heat, ServerCost};
use crate::os;
use crate::prepare::{self, Missing};
use crate::target::{Server, StartError, free_port_on, launch};
use contract::Values;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

/// Starts processes here.
#[derive(Debug)]
pub struct Local {
    bin: PathBuf,
    listen: IpAddr,
    home: Vec<u32>,
    mark: String,
    interrupt: Interrupt,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    server: Server,
    cpus: Vec<u32>,
    pss_idle: Option<u64>,
    watch: Option<Watch>,
}

impl Local {
    /// Servers from `bin` listen on loopback; what bench itself does stays on the CPUs `home`. `mark` is put into the
    /// environment of whatever is started.
    #[must_use]
    pub fn new(bin: PathBuf, home: Vec<u32>, mark: String, interrupt: Interrupt) -> Self {
        Self {
            bin,
            listen: Ipv4Addr::LOCALHOST.into(),
            home,
            mark,
            interrupt,
            running: None,
        }
    }

    /// The same with servers that listen on another address of this machine.
    #[must_use]
    pub fn listening_on(self, listen: IpAddr) -> Self {
        Self { listen, ..self }
    }

    fn running(&mut self) -> Result<&mut Running, StartError> {
        self.running.as_mut().ok_or_else(|| StartError::Spawn {
            program: "the server".into(),
            cause: "it does not run".into(),
        })
    }
}

impl Host for Local {
    fn prepare(
        &mut self,
        candidates: &[Candidate],
        values: &Values,
    ) -> anyhow::Result<Vec<Option<Missing>>> {
        Ok(prepare::build(candidates, values))
    }

    fn describe(&mut self, candidate: &Candidate, values: &Values, entry: &mut model::Target) {
        prepare::describe(candidate, values, entry);
    }

    fn start(&mut self, order: &Order) -> Result<Started, StartError> {
        self.running = None;
        let spawn = |cause: String| StartError::Spawn {
            program: order.target.name.clone(),
            cause,
        };
        let free = || free_port_on(self.listen);
        let port = order
            .port
            .map_or_else(free, Ok)
            .map_err(|e| spawn(e.to_string()))?;
        let values = Values {
            host: self.listen.to_string(),
            port,
            threads: order.threads as usize,
            body_size: order.body_size,
            ..Values::new(&self.bin)
        };
        let launch = launch(&order.target, &values).map_err(|e| spawn(e.to_string()))?;
        // What this thread starts inherits its CPUs: the server's for a moment, then its own again.
        let _ = os::pin_this_thread(&order.cpus);
        let address = (self.listen, port).into();
        let started = Server::start(&launch, address, &self.mark, &self.interrupt);
        let _ = os::pin_this_thread(&self.home);
        let mut server = started?;
        let elapsed = server
            .wait_until_it_answers(&order.path)
            .map_err(|error| error.of(&order.target))?;
        let pss_idle = os::pss(&server.processes());
        self.running = Some(Running {
            server,
            cpus: order.cpus.clone(),
            pss_idle,
            watch: None,
        });
        Ok(Started {
            address,
            seconds: elapsed.as_secs_f64(),
        })
    }

    fn check_owner(&mut self) -> Result<(), StartError> {
        self.running()?.server.check_owner()
    }

    fn watch(&mut self, middle: Duration) -> Result<(), StartError> {
        let running = self.running()?;
        let processes = running.server.processes();
        running.watch = Some(Watch::begin(&processes, &running.cpus, middle));
        Ok(())
    }

    fn seen(
        &mut self,
        elapsed_s: f64,
        all_responses: u64,
    ) -> Result<(ServerCost, Heat), StartError> {
        let running = self.running()?;
        let processes = running.server.processes();
        let (mut server, heat) = match running.watch.take() {
            Some(watch) => watch.end(&processes, elapsed_s, all_responses),
            None => (ServerCost::default(), Heat::default()),
        };
        server.pss_idle_bytes = running.pss_idle;
        server.pss_after_bytes = os::pss(&processes);
        running.server.check_owner()?;
        Ok((server, heat))
    }

    fn celsius(&mut self) -> Option<f64> {
        os::celsius()
    }

    fn ended(&mut self) -> Option<String> {
        self.running
            .as_mut()
            .and_then(|running| running.server.ended())
    }

    fn stop(&mut self) -> Result<Vec<String>, StartError> {
        self.running
            .take()
            .map_or(Ok(Vec::new()), |running| running.server.stop())
    }
}
