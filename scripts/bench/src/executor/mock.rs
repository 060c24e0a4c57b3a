//! An executor that plays recorded figures: no process, no time.

use super::{Executor, Inspection, MeasureError, Measured};
use crate::candidate::Candidate;
use crate::generator::{Load, Loaded};
use crate::interrupt::Interrupt;
use crate::model::{
    Capabilities, Capability, Errors, GeneratorKind, Heat, Latency, LatencyKind, ServerCost,
    WireResponse,
};
use crate::target::StartError;
use std::collections::BTreeMap;

/// What a target does in each of its loads, in turn.
pub(crate) type Script = Vec<Result<Measured, String>>;

/// Plays scripts.
#[derive(Default)]
pub(crate) struct Mock {
    /// Loads of each target, by the name it is measured under; the last one repeats.
    pub(crate) loads: BTreeMap<String, Script>,
    /// Targets that do not start, and why.
    pub(crate) broken: BTreeMap<String, StartError>,
    /// Its machine is gone from the load of this number on.
    pub(crate) lost_at: Option<usize>,
    /// Sends the interrupt with the load of this number.
    pub(crate) interrupt_at: Option<(usize, Interrupt)>,
    /// Degrees at each look, in turn; the last one repeats.
    pub(crate) celsius: Vec<f64>,
    /// What happened.
    pub(crate) log: Vec<String>,
    pub(crate) running: Option<String>,
    pub(crate) measured: usize,
    pub(crate) before_s: f64,
}

/// A load of two seconds in which the server was the limit.
pub(crate) fn measured(requests_per_second: f64, cpu_us_per_request: f64) -> Measured {
    let responses = (requests_per_second * 2.0) as u64;
    let cpu_s = cpu_us_per_request * responses as f64 / 1e6;
    Measured {
        at_s: 0.0,
        loaded: Loaded {
            elapsed_s: 2.0,
            responses,
            all_responses: responses,
            errors: Errors::default(),
            latency: Latency {
                mean_us: Some(64e6 / requests_per_second),
                ..Latency::unknown(LatencyKind::AtSaturation)
            },
            histogram: Vec::new(),
            read_bytes: None,
            first_bodies: Vec::new(),
            in_flight: Some(64.0),
            rate_sent: None,
            cpu_s: 1.6,
            cpus: 1,
            stolen_s: None,
        },
        server: ServerCost {
            cpu_s: Some(cpu_s),
            utilisation: Some(0.99),
            cpu_us_per_request: Some(cpu_us_per_request),
            cpus: 1,
            ..ServerCost::default()
        },
        heat: Heat::default(),
    }
}

pub(crate) fn able() -> Capabilities {
    let yes = || Capability {
        able: true,
        reason: None,
    };
    Capabilities {
        keep_alive: yes(),
        close: yes(),
        server_closes: yes(),
        pipelining: yes(),
        http10: yes(),
        http10_keep_alive: yes(),
        ab: yes(),
        ab_keep_alive: yes(),
    }
}

impl Executor for Mock {
    fn now_s(&self) -> f64 {
        self.before_s + self.measured as f64
    }

    fn go_on_from(&mut self, at_s: f64) {
        self.before_s = at_s;
    }

    fn start(&mut self, candidate: &Candidate, threads: u32) -> Result<f64, StartError> {
        self.log.push(format!("start {} {threads}", candidate.name));
        if let Some(error) = self.broken.get(&candidate.name) {
            return Err(error.clone());
        }
        self.running = Some(candidate.name.clone());
        Ok(0.002)
    }

    fn inspect(&mut self, _candidate: &Candidate) -> Inspection {
        let response = WireResponse {
            bytes: 120,
            head_bytes: 107,
            body_bytes: 13,
            status_line: "HTTP/1.1 200 OK".into(),
            fields: Vec::new(),
            body_sha256: String::new(),
        };
        Inspection {
            request: None,
            response: Ok(response),
            wrong: None,
            capabilities: able(),
            contract: Vec::new(),
        }
    }

    fn measure(
        &mut self,
        load: &Load,
        _generator: GeneratorKind,
    ) -> Result<Measured, MeasureError> {
        let name = self.running.clone().unwrap_or_default();
        self.log
            .push(format!("load {name} {} {:?}", load.mode, load.rate));
        self.measured += 1;
        if let Some((at, interrupt)) = &self.interrupt_at
            && *at == self.measured
        {
            interrupt.set();
        }
        if self.lost_at == Some(self.measured) {
            return Err(MeasureError::Fatal(StartError::Lost {
                host: "pi@board".into(),
                cause: "Broken pipe".into(),
            }));
        }
        let at_s = self.now_s();
        let Some(script) = self.loads.get_mut(&name) else {
            return Ok(Measured {
                at_s,
                ..measured(1000.0, 10.0)
            });
        };
        let next = if script.len() > 1 {
            script.remove(0)
        } else {
            script[0].clone()
        };
        next.map_err(MeasureError::Failed)
    }

    fn celsius(&mut self) -> Option<f64> {
        let next = (self.celsius.len() > 1).then(|| self.celsius.remove(0));
        next.or_else(|| self.celsius.first().copied())
    }

    fn ended(&mut self) -> Option<String> {
        None
    }

    fn stop(&mut self) -> Result<Vec<String>, StartError> {
        self.running = None;
        Ok(Vec::new())
    }
}
