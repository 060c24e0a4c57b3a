//! A target under test: how it is started, who owns its port, and how it ends.

mod command;
mod error;
mod log;
mod port;
mod server;

pub use command::{Launch, launch};
pub use error::StartError;
pub(crate) use log::Log;
pub use port::{check_owner, free_port, free_port_on, wait_until_free};
pub use server::Server;
