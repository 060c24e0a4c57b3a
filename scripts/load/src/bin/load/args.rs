//! The command line.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use load::{Amount, Config, Error, Mode, RequestKind, Target};

/// Loads an HTTP/1.1 server and checks every response
#[derive(Debug, Parser)]
#[command(version, after_long_help = AFTER)]
pub(crate) struct Args {
    /// What to load: http://HOST[:PORT][/PATH]
    url: String,

    /// Connections held open at the same time
    #[arg(short, long, value_name = "N", default_value = "64")]
    connections: NonZeroUsize,

    /// Threads, at most one for each connection [default: half of the CPUs]
    #[arg(short, long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Seconds to measure
    #[arg(short, long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    duration: Duration,

    /// Requests to send, instead of a time
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..))]
    requests: Option<u64>,

    /// One request per connection, closed as soon as the response is whole
    #[arg(long)]
    close: bool,

    /// Requests under way on each connection
    #[arg(long, value_name = "N", conflicts_with = "close", value_parser = clap::value_parser!(u16).range(1..))]
    pipeline: Option<u16>,

    /// Requests per second: an open loop, whose latency counts from the intended time
    #[arg(long, value_name = "N", value_parser = rate)]
    rate: Option<f64>,

    /// Seconds of load before the measurement
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds_or_none)]
    warmup: Duration,

    /// Seconds that a request may take
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    timeout: Duration,

    /// Header fields: only Host, or the 15 that a browser sends
    #[arg(long, value_enum, default_value = "minimal")]
    request: Kind,

    /// A header field to send, in place of one of the same name; may be given more than once
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = field)]
    headers: Vec<(String, String)>,

    /// CPUs to pin the threads to, such as 1,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    cpus: Vec<usize>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// In that object also the histogram of latency, of which percentiles of several generators can be made
    #[arg(long, requires = "json")]
    pub(crate) histogram: bool,
}

const AFTER: &str = "\
Counts: a request ends as one right response or as one error. The first request of a run is sent alone \
and read in full; every later response has to have a status 2xx and the same body. It and the requests \
of the warm-up are counted, but not timed. With --warmup, -n counts the requests after it.

Errors: connect (no connection, nothing sent), reset, timeout, short (ended within the response), \
wrong_bytes, non_2xx, unexpected_close (ended before the response), extra (answered more than once).

Exit status: 0 every response was right, 1 the run could not start or could not go on, 2 usage, 3 there \
were errors, 130 interrupted (what was measured so far is printed).";

/// The values of `--request`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Minimal,
    Browser,
}

impl Args {
    /// What the command line asks for; resolves the name in the URL.
    pub(crate) fn config(&self) -> Result<Config, Error> {
        let connections = self.connections.get();
        Ok(Config {
            connections,
            threads: self
                .threads
                .map_or_else(|| default_threads(connections), NonZeroUsize::get),
            mode: match self.pipeline {
                Some(depth) => Mode::Pipeline(depth),
                None if self.close => Mode::Close,
                None => Mode::KeepAlive,
            },
            amount: match self.requests {
                Some(count) => Amount::Requests(count),
                None => Amount::Time(self.duration),
            },
            warmup: self.warmup,
            timeout: self.timeout,
            rate: self.rate,
            request: match self.request {
                Kind::Minimal => RequestKind::Minimal,
                Kind::Browser => RequestKind::Browser,
            },
            headers: self.headers.clone(),
            cpus: self.cpus.clone(),
            ..Config::new(Target::parse(&self.url)?)
        })
    }
}

/// The other half is left to the server.
fn default_threads(connections: usize) -> usize {
    let cpus = available_parallelism().map_or(1, NonZeroUsize::get);
    (cpus / 2).clamp(1, connections)
}

fn seconds(text: &str) -> Result<Duration, String> {
    match seconds_or_none(text)? {
        Duration::ZERO => Err("it must be longer than zero".into()),
        time => Ok(time),
    }
}

fn seconds_or_none(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is needed")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1e9 => Ok(rate),
        _ => Err("a number above 0, at most 1000000000, is needed".into()),
    }
}

fn field(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or("a field is written NAME: VALUE")?;
    Ok((name.into(), value.trim().into()))
}
