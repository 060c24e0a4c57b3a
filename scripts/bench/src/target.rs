//! A target under test: how it is started, who owns its port, and how it ends.

mod command;
mod error;
mod log;
mod port;
mod server;

pub use command::{Launch, launch};
pub use error::StartError;
pub use port::{check_owner, free_port, wait_until_free};
pub use server::Server;
