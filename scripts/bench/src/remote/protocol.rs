//! What bench and its agent say to one another: a JSON object a line, a request and its answer in turn. Heartbeats and
//! the interrupt stand between them and have no answer.

use crate::executor::Order;
use crate::generator::Load;
use crate::model::{GeneratorKind, Machine};
use contract::Target;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// What the agent is asked to do. Behind each is what it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Request {
    /// The other side is still there. No answer.
    Heartbeat,
    /// A signal came: whatever goes on ends, and so does the agent. No answer.
    Interrupt,
    /// [`Hello`].
    Hello,
    /// [`Ready`]. The target's folder is below the agent's.
    Prepare {
        /// What to make ready.
        target: Target,
        /// Threads that it will be told to use.
        threads: usize,
        /// Size of its body.
        body_size: usize,
    },
    /// `Result<Started, StartError>`.
    Start {
        /// What to start; the target's folder is below the agent's.
        order: Order,
    },
    /// `Result<(), StartError>`.
    CheckOwner,
    /// `Result<(), StartError>`.
    Watch {
        /// When to take a closer look.
        middle_s: f64,
    },
    /// `Result<(ServerCost, Heat), StartError>`.
    Seen {
        /// Length of the load.
        elapsed_s: f64,
        /// Right responses.
        all_responses: u64,
    },
    /// `Option<f64>`.
    Celsius,
    /// `Option<String>`.
    Ended,
    /// `Result<Vec<String>, StartError>`.
    Stop,
    /// `Result<String, String>`.
    Version {
        /// Of which generator.
        generator: GeneratorKind,
    },
    /// `Result<Loaded, String>`.
    Load {
        /// What makes the load.
        generator: GeneratorKind,
        /// What to send.
        load: Load,
        /// The server.
        address: SocketAddr,
        /// For how long.
        duration_s: f64,
    },
}

/// Who the agent is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// Its machine.
    pub machine: Machine,
    /// CPUs that it may use.
    pub cpus: Vec<u32>,
    /// Id of the machine's boot: two agents with the same one share their CPUs.
    pub boot: Option<String>,
}

/// What became of making a target ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// Why it cannot be measured.
    pub missing: Option<String>,
    /// What its version command says.
    pub version: Option<String>,
}
