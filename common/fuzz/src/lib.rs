//! What the fuzz targets of `common::http1` share with its property tests.
//!
//! All targets take the bytes of a connection as they come, so one set of seeds serves them all:
//! `seeds/`, what the contract's cases send, made by `cargo run --example seeds`.

#![forbid(unsafe_code)]

pub mod answers;
pub mod differential;
pub mod exchange;
pub mod splits;
