//! `load`: the load generator on the command line.
//!
//! Run with `cargo run --release -p load -- -c 64 -t 1 -d 10 http://127.0.0.1:8080/`

mod args;
mod table;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use indicatif::{ProgressBar, ProgressStyle};
use load::{Config, Error, Progress, Report};

use args::Args;

/// The run could not start, or could not go on.
const FAILED: u8 = 1;
/// Not every response was right.
const ERRORS: u8 = 3;
/// Ended by Ctrl-C, as a shell reports it: 128 + SIGINT.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            if let Some(Error::Url { .. } | Error::Config(_)) = error.downcast_ref() {
                Args::command()
                    .error(ErrorKind::ValueValidation, error)
                    .exit();
            }
            eprintln!("load: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<u8> {
    let config = args.config()?;
    stop_on_signal(config.stop.clone())?;
    let mut report = measure(&config)?;
    if let Some(latency) = report.latency.as_mut().filter(|_| !args.histogram) {
        latency.histogram.clear();
    }
    if args.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&report)?)?;
    } else if report.responses > 0 || report.stopped.is_none() {
        write!(io::stdout(), "{}", table::text(&report))?;
    }
    if let Some(reason) = &report.stopped {
        eprintln!("load: {reason}");
    }
    Ok(exit_code(&report))
}

/// Runs with a progress bar, which shows on a terminal only.
fn measure(config: &Config) -> Result<Report, Error> {
    let bar = ProgressBar::new(1000).with_style(
        ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}")
            .expect("the template is valid"),
    );
    let report = load::run(config, |progress: Progress| {
        bar.set_position((progress.done * 1000.0) as u64);
        bar.set_message(format!(
            "{} requests, {} errors",
            table::thousands(progress.requests),
            table::thousands(progress.errors)
        ));
    });
    bar.finish_and_clear();
    report
}

/// The first signal ends the run, the second one the process.
fn stop_on_signal(stop: Arc<AtomicBool>) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || {
        if stop.swap(true, Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    })
}

fn exit_code(report: &Report) -> u8 {
    if report.interrupted {
        INTERRUPTED
    } else if report.stopped.is_some() {
        FAILED
    } else if report.errors.total() > 0 {
        ERRORS
    } else {
        0
    }
}
