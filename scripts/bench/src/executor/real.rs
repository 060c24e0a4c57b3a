//! Real servers on a host, real loads.

use super::host::{Host, Order};
use super::{Executor, Inspection, Local, MeasureError, Measured};
use crate::candidate::Candidate;
use crate::conformance;
use crate::cpus;
use crate::generator::{Generators, Here, Load, Loaded, Site};
use crate::model::{CpuPlan, GeneratorKind, RequestKind, Verdict};
use crate::os;
use crate::target::StartError;
use crate::wire;
use contract::{Selection, Values};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How everything is run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Folder of the compiled binaries.
    pub bin: PathBuf,
    /// Which CPUs do what.
    pub cpus: CpuPlan,
    /// Port of the servers; `None`: a free one at each start.
    pub port: Option<u16>,
    /// Size of the servers' body.
    pub body_size: usize,
    /// Where it differs from target to target.
    pub body_sizes: BTreeMap<String, usize>,
    /// Which request.
    pub request: RequestKind,
    /// Request target.
    pub path: String,
    /// Warm-up before each sample.
    pub warmup: Duration,
    /// Length of each sample.
    pub duration: Duration,
    /// Conditions of the generators.
    pub site: Site,
}

/// Starts servers on a host and loads them from here.
pub struct Real {
    setting: Setting,
    began: Instant,
    /// Seconds that the run had come to before.
    before_s: f64,
    host: Box<dyn Host>,
    generators: Rc<dyn Generators>,
    address: Option<SocketAddr>,
}

impl Real {
    /// Servers on this machine. Nothing runs yet.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        let site = &setting.site;
        let host = Local::new(
            setting.bin.clone(),
            setting.cpus.generator.clone(),
            site.mark.clone(),
            site.interrupt.clone(),
        );
        Self::over(setting, Box::new(host), Rc::new(Here))
    }

    /// Servers on `host`. Binds the calling thread, and what it starts, to the generator's CPUs.
    #[must_use]
    pub fn over(setting: Setting, host: Box<dyn Host>, generators: Rc<dyn Generators>) -> Self {
        let _ = os::pin_this_thread(&setting.site.cpus);
        Self {
            setting,
            began: Instant::now(),
            before_s: 0.0,
            host,
            generators,
            address: None,
        }
    }

    /// Where the server listens, if one runs.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Mark of what this run starts.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.setting.site.mark
    }

    fn order(&self, candidate: &Candidate, threads: u32) -> Order {
        Order {
            target: candidate.target.clone(),
            threads,
            cpus: cpus::of_server(&self.setting.cpus, threads).to_vec(),
            port: self.setting.port,
            body_size: self.body_size(candidate),
            path: self.setting.path.clone(),
        }
    }

    fn body_size(&self, candidate: &Candidate) -> usize {
        let own = self.setting.body_sizes.get(&candidate.name);
        own.copied().unwrap_or(self.setting.body_size)
    }

    /// The body that a target was told to send.
    fn body(&self, candidate: &Candidate) -> String {
        Values {
            body_size: self.body_size(candidate),
            ..Values::new("")
        }
        .body()
    }

    fn running(&self) -> Result<SocketAddr, MeasureError> {
        self.address
            .ok_or_else(|| MeasureError::Failed("the server does not run".into()))
    }

    fn warm_up(&self, load: &Load, kind: GeneratorKind, address: SocketAddr) -> anyhow::Result<()> {
        let (warmup, site) = (self.setting.warmup, &self.setting.site);
        if warmup.is_zero() {
            return Ok(());
        }
        // The others know whole seconds only.
        let kind = match warmup.subsec_nanos() {
            0 => kind,
            _ => GeneratorKind::Embedded,
        };
        let generator = self.generators.of_kind(kind);
        generator.run(load, address, warmup, site).map(drop)
    }

    /// A load that failed because a machine is gone, or because something else has the port, ends the run.
    fn failed(&mut self, error: &anyhow::Error) -> MeasureError {
        if let Some(gone) = error.downcast_ref::<StartError>()
            && gone.is_fatal()
        {
            return gone.clone().into();
        }
        match self.host.check_owner() {
            Err(gone) if gone.is_fatal() => gone.into(),
            _ => MeasureError::Failed(format!("{error:#}")),
        }
    }
}

impl Executor for Real {
    fn now_s(&self) -> f64 {
        self.before_s + self.began.elapsed().as_secs_f64()
    }

    fn go_on_from(&mut self, at_s: f64) {
        self.before_s = at_s;
    }

    fn start(&mut self, candidate: &Candidate, threads: u32) -> Result<f64, StartError> {
        self.address = None;
        let started = self.host.start(&self.order(candidate, threads))?;
        self.address = Some(started.address);
        Ok(started.seconds)
    }

    fn inspect(&mut self, candidate: &Candidate) -> Inspection {
        let address = self.address.unwrap_or(([127, 0, 0, 1], 0).into());
        let body = self.body(candidate);
        let request = wire::request(self.setting.request, &self.setting.path, address);
        let response = request
            .as_ref()
            .map_err(ToString::to_string)
            .and_then(|request| {
                wire::exchange(address, request).map_err(|error| format!("{error:#}"))
            });
        let judge = candidate.target.judge(&body);
        Inspection {
            wrong: response
                .as_ref()
                .ok()
                .and_then(|response| wrong(response, candidate, &body)),
            request: request.ok().map(|request| wire::describe_request(&request)),
            response: response.map(|response| wire::describe_response(&response)),
            capabilities: conformance::capabilities(address),
            contract: judge
                .map(|judge| {
                    conformance::wire(&candidate.target, &judge, address, &Selection::Quick)
                })
                .unwrap_or_default(),
        }
    }

    fn measure(&mut self, load: &Load, kind: GeneratorKind) -> Result<Measured, MeasureError> {
        let (site, duration) = (self.setting.site.clone(), self.setting.duration);
        let generators = Rc::clone(&self.generators);
        let generator = generators.of_kind(kind);
        let at_s = self.now_s();
        let address = self.running()?;
        self.host.check_owner()?;
        self.warm_up(load, kind, address)
            .map_err(|error| self.failed(&error))?;
        self.host.watch(duration / 2)?;
        let loaded = generator
            .run(load, address, duration, &site)
            .map_err(|error| self.failed(&error))?;
        let (server, heat) = self.host.seen(whole_s(&loaded), loaded.all_responses)?;
        Ok(Measured {
            at_s,
            loaded,
            server,
            heat,
        })
    }

    fn celsius(&mut self) -> Option<f64> {
        self.host.celsius()
    }

    fn ended(&mut self) -> Option<String> {
        self.host.ended()
    }

    fn stop(&mut self) -> Result<Vec<String>, StartError> {
        self.address = None;
        self.host.stop()
    }
}

/// Seconds that all responses take at the measured rate. The server's CPU time is that of the whole load, the drain
/// included: as a share of this it is that of the measured time, CPU per request times requests per second.
fn whole_s(loaded: &Loaded) -> f64 {
    match loaded.responses {
        0 => loaded.elapsed_s,
        measured => loaded.elapsed_s * loaded.all_responses as f64 / measured as f64,
    }
}

/// What is wrong with the first response: the user's own servers may send what they like, as long as it succeeds.
fn wrong(
    response: &contract::http::Response,
    candidate: &Candidate,
    body: &str,
) -> Option<(Verdict, String)> {
    if !(200..300).contains(&response.status) {
        return Some((Verdict::Errors, format!("it answers {}", response.status)));
    }
    if candidate.is_yours() || response.body == body.as_bytes() {
        return None;
    }
    let sent = String::from_utf8_lossy(&response.body);
    let shown: String = sent.chars().take(40).collect();
    let reason = format!(
        "its body is {shown:?} ({} bytes), not the one it was told to send",
        response.body.len()
    );
    Some((Verdict::WrongBytes, reason))
}

#[cfg(test)]
mod tests;
