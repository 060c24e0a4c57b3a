//! The whole program, run as users run it: outside a checkout, with servers that lie.

mod check;
mod command_line;
mod ending;
mod liars;
mod output;
mod results;
mod server;
mod support;
