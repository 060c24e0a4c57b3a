//! Where a run takes place: on this machine, or on others.

use super::Asked;
use crate::executor::{Host, Local};
use crate::generator::{Generators, Here};
use crate::guard::Guard;
use crate::interrupt::Interrupt;
use crate::model::{CpuPlan, Machine};
use crate::remote::{Address, Arrived, Binaries, Crew, Far, Freight, connect};
use crate::{cpus, os};
use anyhow::ensure;
use std::rc::Rc;

/// The machines of a run, as results tell them.
pub(super) struct Where {
    /// Where servers run.
    pub(super) machine: Machine,
    /// What makes the load, where that is another one.
    pub(super) generator_machines: Vec<Machine>,
    /// Which CPUs do what.
    pub(super) cpus: CpuPlan,
}

/// The machines, ready to work.
pub(super) struct Ground {
    pub(super) at: Where,
    pub(super) host: Box<dyn Host>,
    pub(super) generators: Rc<dyn Generators>,
}

impl Where {
    /// All on this machine.
    pub(super) fn here() -> Self {
        Self {
            machine: os::machine(),
            generator_machines: Vec::new(),
            cpus: cpus::plan(),
        }
    }
}

impl Ground {
    /// What the command line asks for; connects where that is elsewhere.
    ///
    /// # Errors
    /// When a host cannot be used.
    pub(super) fn find(
        asked: &Asked,
        guard: &Guard,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Self> {
        let mut ground = match &asked.args.on {
            None => Self::here(asked, guard, interrupt),
            Some(host) => Self::there(asked, host, interrupt)?,
        };
        if asked.args.cool_below.is_some() {
            ensure!(
                ground.host.celsius().is_some(),
                "--cool-below: the servers' machine does not tell its temperature (/sys/class/thermal)"
            );
        }
        Ok(ground)
    }

    fn here(asked: &Asked, guard: &Guard, interrupt: &Interrupt) -> Self {
        let at = Where::here();
        let host = Local::new(
            asked.place.bin.clone(),
            at.cpus.generator.clone(),
            guard.mark().into(),
            interrupt.clone(),
        );
        Self {
            at,
            host: Box::new(host),
            generators: Rc::new(Here),
        }
    }

    fn there(asked: &Asked, host: &Address, interrupt: &Interrupt) -> anyhow::Result<Self> {
        let release = &asked.place.bin;
        let servers = connect(host, interrupt, |system| {
            let binaries = Binaries::of(system, release)?;
            Freight::servers(&binaries, &asked.candidates, &asked.place)
        })?;
        let crew = asked
            .args
            .generator_on
            .iter()
            .map(|host| {
                connect(host, interrupt, |system| {
                    Freight::bench(&Binaries::of(system, release)?)
                })
            })
            .collect::<anyhow::Result<Vec<Arrived>>>()?;
        let crew = Crew::new(crew);
        let at = where_there(&servers, &crew);
        let generators: Rc<dyn Generators> = match crew.machines.is_empty() {
            true => Rc::new(Here),
            false => Rc::new(crew),
        };
        Ok(Self {
            at,
            host: Box::new(Far::new(servers, host)),
            generators,
        })
    }
}

/// Each side has all CPUs of its machine, unless both are the same machine.
fn where_there(servers: &Arrived, crew: &Crew) -> Where {
    let hello = &servers.hello;
    let (generator, machines, boots) = match crew.machines.is_empty() {
        true => (os::allowed(), vec![os::machine()], vec![os::boot_id()]),
        false => (crew.cpus.clone(), crew.machines.clone(), crew.boots.clone()),
    };
    let shared = hello.boot.is_some() && boots.contains(&hello.boot);
    Where {
        machine: hello.machine.clone(),
        generator_machines: machines,
        cpus: CpuPlan {
            server: hello.cpus.clone(),
            generator,
            pinned: !shared,
            shared,
        },
    }
}
