//! `cargo run --release -p bench`: see `bench --help`, or the library's documentation for how it is built.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bench::cli::main())
}
