//! `--on` and `--generator-on`: servers and generators on other hosts.
//!
//! [`connect()`] runs OpenSSH's own client, so its config, keys and agents count. One connection does all: a line of
//! shell over there tells the architecture, takes a [`Freight`] of programs as a tar archive into a fresh folder, and
//! starts [`agent`] in it, which is this very program. From then on both speak [`protocol`], a JSON object a line, over
//! a [`Link`]. [`Far`] is the far side as a [`Host`](crate::executor::Host): the agent starts, watches and stops
//! servers with the code that does it locally. [`Crew`] makes several far sides one load generator.
//!
//! Nothing stays over there: the agent ends its children and removes the folder when its stdin ends, or after
//! [`agent::SILENCE`] without a heartbeat; the shell removes the folder once more behind it.

mod address;
pub mod agent;
mod arch;
mod connect;
mod crew;
mod far;
mod freight;
mod link;
mod packages;
pub mod protocol;

pub use address::Address;
pub use arch::{Binaries, System};
pub use connect::{Arrived, connect};
pub use crew::Crew;
pub use far::Far;
pub use freight::Freight;
pub use link::Link;
