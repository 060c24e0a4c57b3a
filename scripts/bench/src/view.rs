//! What people read: tables and sentences, made from a [`crate::model::Run`] alone.

pub mod agreement;
pub mod format;
mod matrix;
mod published;
pub(crate) mod results;
mod table;
mod variants;
pub mod words;

pub use matrix::{matrix, numbered};
pub use published::published;
pub use results::tables;
pub use table::Table;
pub use variants::variants;
