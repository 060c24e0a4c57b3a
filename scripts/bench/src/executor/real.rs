//! Real servers, real loads.

use super::sampling::Watch;
use super::{Executor, Inspection, MeasureError, Measured};
use crate::candidate::Candidate;
use crate::conformance;
use crate::cpus;
use crate::generator::{self, Load, Site};
use crate::model::{CpuPlan, GeneratorKind, RequestKind, Verdict};
use crate::os;
use crate::target::{Launch, Server, StartError, free_port, launch};
use crate::wire;
use contract::{Selection, Values};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
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

/// Starts processes and loads them.
#[derive(Debug)]
pub struct Real {
    setting: Setting,
    began: Instant,
    server: Option<Running>,
}

#[derive(Debug)]
struct Running {
    server: Server,
    cpus: Vec<u32>,
    pss_idle: Option<u64>,
}

impl Real {
    /// Nothing runs yet. Binds the calling thread, and what it starts, to the generator's CPUs.
    #[must_use]
    pub fn new(setting: Setting) -> Self {
        let _ = os::pin_this_thread(&setting.cpus.generator);
        Self {
            setting,
            began: Instant::now(),
            server: None,
        }
    }

    /// Where the server listens, if one runs.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(|running| running.server.address())
    }

    /// Mark of what this run starts.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.setting.site.mark
    }

    /// What the placeholders of a command stand for.
    fn values(&self, candidate: &Candidate, threads: u32, port: u16) -> Values {
        let own = self.setting.body_sizes.get(&candidate.name);
        Values {
            port,
            threads: threads as usize,
            body_size: own.copied().unwrap_or(self.setting.body_size),
            ..Values::new(&self.setting.bin)
        }
    }

    fn launch(&self, candidate: &Candidate, threads: u32, port: u16) -> Result<Launch, StartError> {
        launch(&candidate.target, &self.values(candidate, threads, port)).map_err(|error| {
            StartError::Spawn {
                program: candidate.name.clone(),
                cause: error.to_string(),
            }
        })
    }

    fn running(&self) -> Result<&Running, MeasureError> {
        self.server
            .as_ref()
            .ok_or_else(|| MeasureError::Failed("the server does not run".into()))
    }

    fn warm_up(
        &self,
        load: &Load,
        generator: &dyn generator::Generator,
        server: &Server,
    ) -> Result<(), MeasureError> {
        if self.setting.warmup.is_zero() {
            return Ok(());
        }
        let warmed = generator.run(
            load,
            server.address(),
            self.setting.warmup,
            &self.setting.site,
        );
        warmed
            .map(drop)
            .map_err(|error| MeasureError::Failed(format!("{error:#}")))
    }
}

impl Executor for Real {
    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn start(&mut self, candidate: &Candidate, threads: u32) -> Result<f64, StartError> {
        self.server = None;
        let spawn = |cause: std::io::Error| StartError::Spawn {
            program: candidate.name.clone(),
            cause: cause.to_string(),
        };
        let port = self
            .setting
            .port
            .map_or_else(free_port, Ok)
            .map_err(spawn)?;
        let launch = self.launch(candidate, threads, port)?;
        let cpus = cpus::of_server(&self.setting.cpus, threads).to_vec();
        // What this thread starts inherits its CPUs: the server's for a moment, then the generator's again.
        let _ = os::pin_this_thread(&cpus);
        let started = Server::start(
            &launch,
            port,
            &self.setting.site.mark,
            &self.setting.site.interrupt,
        );
        let _ = os::pin_this_thread(&self.setting.cpus.generator);
        let mut server = started?;
        let elapsed = server.wait_until_it_answers(&self.setting.path)?;
        let pss_idle = os::pss(&server.processes());
        self.server = Some(Running {
            server,
            cpus,
            pss_idle,
        });
        Ok(elapsed.as_secs_f64())
    }

    fn inspect(&mut self, candidate: &Candidate) -> Inspection {
        let address = self
            .server
            .as_ref()
            .map_or(([127, 0, 0, 1], 0).into(), |running| {
                running.server.address()
            });
        let values = self.values(candidate, 1, address.port());
        let request = wire::request(self.setting.request, &self.setting.path, address);
        let response = request
            .as_ref()
            .map_err(ToString::to_string)
            .and_then(|request| {
                wire::exchange(address, request).map_err(|error| format!("{error:#}"))
            });
        let judge = candidate.target.judge(&values.body());
        Inspection {
            wrong: response
                .as_ref()
                .ok()
                .and_then(|response| wrong(response, candidate, &values.body())),
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
        let generator = generator::of_kind(kind);
        let at_s = self.now_s();
        let running = self.running()?;
        running.server.check_owner()?;
        self.warm_up(load, generator.as_ref(), &running.server)?;
        let watch = Watch::begin(&running.server.processes(), &running.cpus, duration / 2);
        let loaded = generator.run(load, running.server.address(), duration, &site);
        let processes = running.server.processes();
        let loaded = loaded.map_err(|error| MeasureError::Failed(format!("{error:#}")))?;
        let (mut server, heat) = watch.end(&processes, loaded.elapsed_s, loaded.all_responses);
        server.pss_idle_bytes = running.pss_idle;
        server.pss_after_bytes = os::pss(&processes);
        running.server.check_owner()?;
        Ok(Measured {
            at_s,
            loaded,
            server,
            heat,
        })
    }

    fn ended(&mut self) -> Option<String> {
        self.server
            .as_mut()
            .and_then(|running| running.server.ended())
    }

    fn stop(&mut self) -> Result<Vec<String>, StartError> {
        self.server
            .take()
            .map_or(Ok(Vec::new()), |running| running.server.stop())
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
