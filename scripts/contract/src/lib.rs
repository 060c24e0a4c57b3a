//! What every server must answer, judged from outside, byte by byte.
//!
//! A [`Case`] is one named question with one right answer and the place where that answer is written
//! down. *Wire* cases need an address ([`check_wire`]); *process* cases need a command that they start,
//! signal and limit ([`check_process`]). Each gives an [`Outcome`], which shows the bytes when it failed.
//!
//! [`Judge`] says how strictly: our own servers promise one exact response, others are judged as a
//! client would. [`targets`] reads `servers/targets.toml`; [`assert_server`] is the whole contract as
//! one test of one of our servers; [`capabilities`] says what a load generator may ask of a server. [`ServerCommand`]
//! starts a server and [`sample`] looks at what it holds: package `torture` does both, too.

mod assert;
mod capabilities;
mod case;
mod check;
mod client;
mod command;
mod date;
mod exchange;
mod fault;
pub mod http;
mod judge;
mod list;
mod outcome;
mod process;
pub mod sample;
mod stderr;
pub mod targets;
mod wire;

pub use assert::{
    assert_bodies, assert_closing_bodies, assert_command_line, assert_half_body_is_finished,
    assert_refusals_close, assert_server, assert_starts_whole,
};
pub use capabilities::{Ability, Capabilities, capabilities};
pub use case::{Case, Kind, Level, cases};
pub use check::{Selection, UnknownCase, check_process, check_wire};
pub use command::{Running, ServerCommand, StartError};
pub use judge::Judge;
pub use outcome::{Outcome, Verdict};
pub use targets::{Target, TargetError, Targets, Values};
