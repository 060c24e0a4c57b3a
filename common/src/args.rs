//! The one command line of all servers.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use crate::body;

/// What every server is told, on the command line or (the port) by the environment.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Address or name to listen on; `::` takes IPv4 as well
    #[arg(long, value_name = "ADDR", default_value = "::")]
    pub host: String,

    /// Port to listen on; 0 takes a free one
    #[arg(long, env = "PORT", default_value_t = 8080)]
    pub port: u16,

    /// Threads that serve [default: one for each available CPU]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// The body of every response
    #[arg(long, value_name = "TEXT", default_value = "Hello, World!")]
    body: String,

    /// Bytes of the body: TEXT cut, or continued with 0123456789… [default: as long as TEXT]
    #[arg(long, value_name = "N")]
    body_size: Option<usize>,

    /// Connections that may wait to be accepted
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(i32).range(1..))]
    pub backlog: i32,

    /// Accept connections only when their first data has come (TCP_DEFER_ACCEPT, Linux)
    #[arg(long)]
    pub defer_accept: bool,
}

impl Args {
    /// Threads that serve: as told, else what [`available_parallelism`] says.
    pub fn threads(&self) -> usize {
        self.threads
            .or_else(|| available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
    }

    /// The body, made once.
    pub fn body(&self) -> &'static [u8] {
        body::fixed(&self.body, self.body_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Ok(Cli::try_parse_from(line.split(' '))?.args)
    }

    #[test]
    fn defaults_are_the_documented_ones() {
        let args = parse("srv").unwrap();
        assert_eq!(args.host, "::");
        assert_eq!(args.backlog, 4096);
        assert_eq!(args.body(), b"Hello, World!");
        assert_eq!(args.threads(), available_parallelism().unwrap().get());
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for line in [
            "srv --port 99999",
            "srv --port -1",
            "srv --threads 0",
            "srv --backlog 0",
            "srv --body-size -1",
            "srv --unknown",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
