//! The verbs, one file each.

pub mod chart;
pub mod check;
pub mod compare;
pub mod env;
pub mod explain;
pub mod list;
mod output;
pub mod report;
pub mod run;
