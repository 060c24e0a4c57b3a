//! `cargo run --release -p torture`: see `torture --help`, or the library's documentation for how it is built.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(torture::cli::main())
}
