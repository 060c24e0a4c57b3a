//! Few rights and hostile surroundings: one clear line, or full service.

mod cgroup;

use std::time::Duration;

use contract::targets::Contract;
use contract::{Target, Values};
use load::{Amount, Config};
use nix::unistd::geteuid;

use crate::context::Context;
use crate::netns;
use crate::outcome::{Figures, Trouble};
use crate::server::{Options, Server, Start};

/// What makes root nobody; no rights are left.
const NOBODY: [&str; 5] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--",
];

/// How long it is loaded, in full and at least.
const MOMENT: (Duration, Duration) = (Duration::from_millis(300), Duration::from_millis(50));

/// The same where it is held back for half of each 10 ms.
const SOME_PERIODS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(1));

/// On a busy machine a server may not get as much of a CPU as it is allowed: then it is tried again.
const TRIES: u32 = 3;

/// Item `unprivileged`.
pub fn unprivileged(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    let wrapper: &[&str] = if geteuid().is_root() { &NOBODY } else { &[] };
    full_service(context, target, figures, &under(wrapper), MOMENT)
}

/// Item `privileged-port`: port 80, in a network where that needs rights.
pub fn privileged_port(
    context: &Context,
    target: &Target,
    _figures: &mut Figures,
) -> Result<(), Trouble> {
    let settings = [("ipv4/ip_unprivileged_port_start", "1024")];
    netns::run(&settings, || {
        let options = Options {
            port: 80,
            wrapper: &NOBODY,
            ..Options::default()
        };
        match Server::try_start(context, target, &options)? {
            Start::Serves(_) => Err(Trouble::fail("it listens on port 80 without the right to")),
            // How others say it is theirs.
            Start::Refuses(_) if target.contract == Contract::Foreign => Ok(()),
            Start::Refuses(line) if line.contains("Permission denied") => Ok(()),
            Start::Refuses(line) => Err(Trouble::fail(format!(
                "its line does not say that permission is denied: {line}"
            ))),
        }
    })
}

/// Item `no-proc`: missing, then read-only.
pub fn no_proc(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    if !geteuid().is_root() {
        return Err(Trouble::Skip(
            "needs a mount namespace: run it as root".into(),
        ));
    }
    for mount in [
        "mount -t tmpfs none /proc",
        "mount -o remount,ro,bind /proc",
    ] {
        let script = format!("{mount} && exec \"$@\"");
        let wrapper = ["unshare", "--mount", "sh", "-c", &script, "sh"];
        full_service(context, target, figures, &under(&wrapper), MOMENT)
            .map_err(|trouble| trouble.in_context(mount).repeated_by(wrapper.join(" ")))?;
    }
    Ok(())
}

/// Item `no-ipv6`: switched off for the network, then unknown to the kernel. Ours serve on their default host all the
/// same; others may also say why they do not.
pub fn no_ipv6(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    let off = [("ipv6/conf/all/disable_ipv6", "1")];
    netns::run(&off, || {
        on_default_host(context, target, figures, &[])
            .map_err(|trouble| trouble.in_context("net.ipv6.conf.all.disable_ipv6=1"))
    })?;
    if target.contract == Contract::Foreign {
        return Ok(());
    }
    let unknown = [
        "strace",
        "-Df",
        "-o",
        "/dev/null",
        "--trace=socket",
        "--inject=socket:error=EAFNOSUPPORT:when=1",
    ];
    on_default_host(context, target, figures, &unknown)
        .map_err(|trouble| trouble.repeated_by(unknown.join(" ")))
}

fn on_default_host(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
    wrapper: &[&str],
) -> Result<(), Trouble> {
    let host = match target.contract {
        Contract::Foreign => Values::new("").host,
        _ => "::".into(),
    };
    let options = Options {
        host,
        wrapper,
        ..Options::default()
    };
    let may_refuse = |_: &str| target.contract == Contract::Foreign;
    serves_or_says_why(context, target, figures, &options, may_refuse)
}

/// Item `no-io-uring`: forbidden, as in many a container; not there; out of memory, out of descriptors. Of ours only
/// one that is listed as unavailable without it may refuse to start.
pub fn no_io_uring(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    for error in ["EPERM", "ENOSYS", "ENOMEM", "EMFILE"] {
        let inject = format!("--inject=io_uring_setup:error={error}");
        let wrapper = [
            "strace",
            "-Df",
            "-o",
            "/dev/null",
            "--trace=io_uring_setup",
            &inject,
        ];
        let options = Options {
            wrapper: &wrapper,
            ..Options::default()
        };
        let may_refuse =
            |line: &str| target.contract == Contract::Foreign || target.is_unavailable(line);
        serves_or_says_why(context, target, figures, &options, may_refuse)
            .map_err(|trouble| trouble.repeated_by(wrapper.join(" ")))?;
    }
    Ok(())
}

/// Item `half-a-cpu`.
pub fn half_a_cpu(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
) -> Result<(), Trouble> {
    let group = cgroup::with_half_a_cpu()?;
    let script = format!("echo $$ > {} && exec \"$@\"", group.processes().display());
    let wrapper = ["sh", "-c", &script, "sh"];
    // Two threads, since one that shares its CPUs with the load may not need more than half of one.
    let options = Options {
        threads: 2,
        ..under(&wrapper)
    };
    for _ in 0..TRIES {
        full_service(context, target, figures, &options, SOME_PERIODS)?;
        let throttled = group.throttled();
        figures.set("throttled_periods", throttled as f64);
        if throttled > 0 {
            return Ok(());
        }
    }
    Err(Trouble::Skip(
        "the cgroup never held it back: other load on this machine, or a kernel without CFS bandwidth control".into(),
    ))
}

fn under<'a>(wrapper: &'a [&'a str]) -> Options<'a> {
    Options {
        wrapper,
        ..Options::default()
    }
}

fn full_service(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
    options: &Options,
    time: (Duration, Duration),
) -> Result<(), Trouble> {
    match Server::try_start(context, target, options)? {
        Start::Serves(server) => under_load(context, *server, figures, time),
        // What it needs may be out of reach on this machine: an interpreter in root's home, a folder for its files.
        Start::Refuses(line) if target.contract == Contract::Foreign => {
            Err(Trouble::Skip(format!("it does not start: {line}")))
        }
        Start::Refuses(line) => Err(Trouble::fail(format!("it does not start: {line}"))),
    }
}

fn serves_or_says_why(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
    options: &Options,
    may_refuse: impl Fn(&str) -> bool,
) -> Result<(), Trouble> {
    match Server::try_start(context, target, options)? {
        Start::Serves(server) => under_load(context, *server, figures, MOMENT),
        Start::Refuses(line) if may_refuse(&line) => {
            figures.add("refusals", 1);
            Ok(())
        }
        Start::Refuses(line) => Err(Trouble::fail(format!("it does not start: {line}"))),
    }
}

/// A moment of load without an error, and an end as it should be.
fn under_load(
    context: &Context,
    server: Server,
    figures: &mut Figures,
    (full, least): (Duration, Duration),
) -> Result<(), Trouble> {
    let mut config = Config::new(load::Target::new(server.addr()));
    config.connections = 16;
    config.amount = Amount::Time(context.time(full, least));
    let report =
        load::run(&config, |_| {}).map_err(|error| Trouble::Skip(format!("no load: {error}")))?;
    let errors = report.errors.total();
    if errors > 0 {
        return Err(Trouble::fail(format!(
            "{errors} errors: {:?}",
            report.errors
        )));
    }
    figures.add("responses", report.responses as f64);
    server.stop().map(drop)
}
