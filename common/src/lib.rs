//! What every server of the suite shares: the command line, the fixed body, the listener, the
//! Date header, shutdown, and [`http1`], the sans-IO HTTP/1.x state machine of the engines.
//!
//! A server's `main` reads:
//!
//! ```no_run
//! use clap::Parser;
//!
//! /// An example.
//! #[derive(Parser)]
//! #[command(version)]
//! struct Cli {
//!     #[command(flatten)]
//!     args: common::Args,
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     let Cli { args } = Cli::parse();
//!     common::run("srv-example", || {
//!         let listener = common::listener::bind(&args)?;
//!         common::ready("srv-example", listener.local_addr()?, args.threads());
//!         Ok(()) // serve until a signal comes
//!     })
//! }
//! ```

pub mod args;
pub mod blocking;
pub mod body;
pub mod date;
mod error;
pub mod http1;
pub mod listener;
pub mod shutdown;
pub mod spread;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::thread::JoinHandle;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

pub use args::Args;
pub use error::Error;

/// Runs a server: raises the limit of open files, calls `serve`, and turns its error into one
/// line on stderr and exit code 1.
pub fn run(name: &str, serve: impl FnOnce() -> Result<(), Error>) -> ExitCode {
    raise_open_files_limit();
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the one line that says a server is ready, with the port that it really has.
pub fn ready(name: &str, address: SocketAddr, threads: usize) {
    let plural = if threads == 1 { "" } else { "s" };
    let line = format!("{name} listening on http://{address} ({threads} thread{plural})\n");
    // One write, so that who waits for the line gets it whole. Without stderr nobody waits.
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Waits for the threads of a server to end.
///
/// # Errors
/// The first error of a thread, or that one panicked.
pub fn join(threads: Vec<JoinHandle<io::Result<()>>>) -> Result<(), Error> {
    for thread in threads {
        match thread.join() {
            Ok(result) => result?,
            Err(_) => return Err(Error::new("a thread panicked, see above")),
        }
    }
    Ok(())
}

/// Raises the soft limit of open files to the hard one: Debian's default of 1,024 would be the
/// limit of the comparison, and Go does the same by itself.
fn raise_open_files_limit() {
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // A refusal (macOS, for an unlimited one) leaves the server as capable as it was started.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
