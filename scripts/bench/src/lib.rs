//! Starts targets, checks them, loads them, samples them, judges the figures and reports them.
//!
//! The rooms: [`cli`] reads the command line and hands it to a verb in `cmd`. A run is a [`plan`] over [`candidate`]s;
//! [`session`] goes through it with an [`executor`], which starts processes ([`target`]), loads them ([`generator`])
//! and samples them ([`os`]), here or on another host ([`remote`]). [`stats`], [`verdict`], [`summary`] and [`ranking`] are pure: from samples to what they
//! mean. [`model`] is what is kept ([`store`]); tables and words are made from it alone.

pub mod candidate;
pub mod chart;
pub mod checkout;
pub mod cli;
pub mod clock;
pub mod cmd;
pub mod conformance;
pub mod cpus;
pub mod executor;
pub mod exit;
pub mod explain;
pub mod generator;
pub mod guard;
pub mod interrupt;
pub mod model;
pub mod os;
pub mod padding;
pub mod plan;
pub mod prepare;
pub mod preset;
pub mod progress;
pub mod ranking;
pub mod remote;
pub mod report;
pub mod session;
pub mod stats;
pub mod store;
pub mod summary;
pub mod target;
pub mod verdict;
pub mod view;
pub mod wire;
