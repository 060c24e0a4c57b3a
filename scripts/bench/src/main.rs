//! `cargo run --release -p bench`
fn main() {}
