//! What a run is asked to do.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Target;

/// What to load, how and for how long. Start from [`Config::new`] and set what differs.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the requests go.
    pub target: Target,
    /// Connections held open at the same time, over all threads.
    pub connections: usize,
    /// Threads, each with an event loop of its own; at most one for each connection.
    pub threads: usize,
    /// How connections are used.
    pub mode: Mode,
    /// When the run ends, warm-up apart.
    pub amount: Amount,
    /// Load before the measurement begins: counted, but not timed. With [`Amount::Requests`] these
    /// requests come on top.
    pub warmup: Duration,
    /// How long a request may take, its connection included. Also bounds the wait at the end of a run.
    pub timeout: Duration,
    /// Requests per second of an open loop, over all threads; `None` is a closed loop.
    pub rate: Option<f64>,
    /// Which header fields a request carries.
    pub request: RequestKind,
    /// Header fields on top, as (name, value).
    pub headers: Vec<(String, String)>,
    /// CPUs to pin threads to, in turn; empty for none. Ignored where the system cannot (macOS).
    pub cpus: Vec<usize>,
    /// Set it to end the run early: the report covers what was done so far.
    pub stop: Arc<AtomicBool>,
}

impl Config {
    /// 64 keep-alive connections on one thread for ten seconds, closed loop, no warm-up, timeout 5 s.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            connections: 64,
            threads: 1,
            mode: Mode::KeepAlive,
            amount: Amount::Time(Duration::from_secs(10)),
            warmup: Duration::ZERO,
            timeout: Duration::from_secs(5),
            rate: None,
            request: RequestKind::Minimal,
            headers: Vec::new(),
            cpus: Vec::new(),
            stop: Arc::default(),
        }
    }
}

/// How connections are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One request at a time on connections that stay open.
    #[default]
    KeepAlive,
    /// One request per connection (`Connection: close`), closed by the client as soon as the response is
    /// whole.
    Close,
    /// So many requests under way on each connection at the same time.
    Pipeline(u16),
}

impl Mode {
    /// Requests under way on one connection, at most.
    pub fn depth(self) -> usize {
        match self {
            Self::KeepAlive | Self::Close => 1,
            Self::Pipeline(depth) => usize::from(depth),
        }
    }
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// After exactly so many requests.
    Requests(u64),
    /// After so long.
    Time(Duration),
}

/// Which header fields a request carries, [`Config::headers`] apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// `Host` and nothing else, as wrk sends it.
    #[default]
    Minimal,
    /// The 15 fields that a browser sends.
    Browser,
}
