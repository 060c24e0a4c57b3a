//! The reliability battery: what a server does under faults, hostile clients, signals and time.
//!
//! The rooms: [`cli`] reads the command line. [`battery`] takes each [`items::Item`] to each [`target`] it applies to,
//! shows the [`outcome`]s and keeps them ([`results`]); README's table is rendered from what is kept ([`readme`]).
//! An item starts a [`server`], speaks to it through a [`client`], makes its system calls fail ([`strace`]) or gives it
//! a network of its own ([`netns`]), and returns what it found; [`context`] tells it how much of everything to do. All of it on loopback, bounded in time and count.

pub mod battery;
pub mod cli;
pub mod client;
pub mod context;
pub mod items;
pub mod machine;
pub mod netns;
pub mod outcome;
pub mod readme;
pub mod results;
pub mod server;
pub mod strace;
pub mod target;
