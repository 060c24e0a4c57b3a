//! Starts targets, checks them, loads them, samples them, judges the figures and reports them.

pub mod model;
pub mod os;
pub mod stats;
pub mod verdict;
