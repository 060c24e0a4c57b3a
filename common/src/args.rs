//! The one command line of all servers.

use std::thread::available_parallelism;

use crate::body;

/// The most threads that may be asked for, and what actix-web takes.
const MAX_THREADS: u16 = 512;

/// The largest body, bytes: 1 GiB, of which a server may hold several copies.
const MAX_BODY: u32 = 1 << 30;

/// What every server is told, on the command line or (the port) by the environment.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Address or name to listen on; `::` takes IPv4 as well
    #[arg(long, value_name = "ADDR", default_value = "::")]
    pub host: String,

    /// Port to listen on; 0 takes a free one
    #[arg(long, env = "PORT", default_value_t = 8080)]
    pub port: u16,

    /// Threads that serve, at most 512 [default: one for each available CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_THREADS)))]
    threads: Option<u16>,

    /// The body of every response
    #[arg(long, value_name = "TEXT", default_value = "Hello, World!")]
    body: String,

    /// Bytes of the body, at most 1073741824 (1 GiB): TEXT cut, or continued with 0123456789… [default: as long as TEXT]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_BODY)))]
    body_size: Option<u32>,

    /// Connections that may wait to be accepted
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(i32).range(1..))]
    pub backlog: i32,

    /// Accept connections only when their first data has come (TCP_DEFER_ACCEPT, Linux)
    #[arg(long)]
    pub defer_accept: bool,
}

impl Args {
    /// Threads that serve: as told, else what [`available_parallelism`] says, 512 at most.
    pub fn threads(&self) -> usize {
        match self.threads {
            Some(threads) => threads.into(),
            None => at_most_max(available_parallelism().map_or(1, usize::from)),
        }
    }

    /// The body, made once.
    pub fn body(&self) -> &'static [u8] {
        let size = self.body_size.map(|size| size as usize);
        body::fixed(&self.body, size)
    }
}

fn at_most_max(threads: usize) -> usize {
    threads.min(MAX_THREADS.into())
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
    fn the_largest_values_are_taken() {
        assert_eq!(parse("srv --threads 512").unwrap().threads(), 512);
        let largest = parse("srv --body-size 1073741824").unwrap();
        assert_eq!(largest.body_size, Some(1 << 30));
    }

    #[test]
    fn a_machine_of_many_cpus_asks_for_no_more_threads_than_a_user_may() {
        assert_eq!(at_most_max(512), 512);
        assert_eq!(at_most_max(513), 512);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for line in [
            "srv --port 99999",
            "srv --port -1",
            "srv --threads 0",
            "srv --threads 513",
            "srv --threads 18446744073709551615",
            "srv --backlog 0",
            "srv --body-size -1",
            "srv --body-size 1073741825",
            "srv --body-size 18446744073709551615",
            "srv --unknown",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }
}
