//! Errors of system calls, made by strace: the server lives and serves on; a connection gets whole responses or is
//! closed.

use std::thread;
use std::time::Duration;

use contract::Target;
use contract::targets::{Class, Contract};
use rand::seq::SliceRandom;

use super::visit::{Seen, Visit};
use crate::context::Context;
use crate::outcome::{Figures, Trouble};
use crate::server::Server;
use crate::strace::{Fault, Tracer};

/// Calls that do one thing, and the errors that they may have.
struct Calls {
    /// Those that are made on sockets alone, as strace takes them.
    sockets: &'static str,
    /// One that does the same on anything else, too; empty where there is none.
    any: &'static str,
    errors: &'static [&'static str],
    /// A connection may end of it.
    may_close: bool,
    /// But no engine's of these, since it makes the calls itself. Libraries and runtimes may count on no kernel's
    /// interrupting what does not block; and to an engine whose calls block, EAGAIN is the end of its deadline.
    engines_retry: &'static [&'static str],
}

const ACCEPT: Calls = Calls {
    sockets: "?accept,accept4",
    any: "",
    errors: &[
        "EINTR",
        "EAGAIN",
        "ECONNABORTED",
        "ECONNRESET",
        "EMFILE",
        "ENFILE",
        "ENOBUFS",
        "ENOMEM",
    ],
    may_close: false,
    engines_retry: &[],
};

const READ: Calls = Calls {
    sockets: "recvfrom,recvmsg,readv",
    any: "read",
    errors: &["EINTR", "EAGAIN", "ECONNRESET", "ENOBUFS", "ENOMEM"],
    may_close: true,
    engines_retry: &["EINTR"],
};

const WRITE: Calls = Calls {
    sockets: "sendto,sendmsg,writev",
    any: "write",
    errors: &[
        "EINTR",
        "EAGAIN",
        "ECONNRESET",
        "EPIPE",
        "ENOBUFS",
        "ENOMEM",
    ],
    may_close: true,
    engines_retry: &["EINTR", "EAGAIN"],
};

const WAIT: Calls = Calls {
    sockets: "?epoll_wait,epoll_pwait,?epoll_pwait2,?poll,ppoll",
    any: "",
    errors: &["EINTR"],
    may_close: false,
    engines_retry: &[],
};

const INTEREST: Calls = Calls {
    sockets: "epoll_ctl",
    any: "",
    errors: &["ENOMEM", "ENOSPC"],
    may_close: true,
    engines_retry: &[],
};

const URING: Calls = Calls {
    sockets: "?io_uring_enter",
    any: "",
    errors: &["EINTR", "EAGAIN", "EBUSY", "ENOMEM"],
    may_close: false,
    engines_retry: &[],
};

/// Item `faults-accept`.
pub fn accept(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    all_errors(context, target, figures, &ACCEPT)
}

/// Item `faults-read`.
pub fn read(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    all_errors(context, target, figures, &READ)
}

/// Item `faults-write`.
pub fn write(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    all_errors(context, target, figures, &WRITE)
}

/// Item `faults-epoll`: waiting, and telling for what.
pub fn epoll(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    all_errors(context, target, figures, &WAIT)?;
    match all_errors(context, target, figures, &INTEREST) {
        // It waits for something else.
        Err(Trouble::Inapplicable(_)) => Ok(()),
        result => result,
    }
}

/// Item `faults-uring`.
pub fn uring(context: &Context, target: &Target, figures: &mut Figures) -> Result<(), Trouble> {
    all_errors(context, target, figures, &URING)
}

fn all_errors(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
    calls: &Calls,
) -> Result<(), Trouble> {
    let mut injected = try_errors(context, target, figures, calls, calls.sockets)?;
    if injected == 0 && !calls.any.is_empty() {
        // Go's runtime, among others, does not survive errors on its own pipes, which no kernel returns.
        if target.contract == Contract::Foreign {
            let any = calls.any;
            let reason = format!("its {any} on sockets cannot be told from {any} on others");
            return Err(Trouble::Inapplicable(reason));
        }
        injected = try_errors(context, target, figures, calls, calls.any)?;
    }
    match injected {
        0 => {
            // strace's `?` marks what this architecture may lack.
            let names = calls.sockets.replace('?', "").replace(',', ", ");
            Err(Trouble::Inapplicable(format!("it never calls {names}")))
        }
        _ => Ok(()),
    }
}

/// Each error on a server of its own; how many calls have failed.
fn try_errors(
    context: &Context,
    target: &Target,
    figures: &mut Figures,
    calls: &Calls,
    names: &str,
) -> Result<u64, Trouble> {
    let mut all = 0;
    for error in chosen(context, target, calls) {
        let fault = Fault {
            calls: names,
            error,
            when: "2+3",
        };
        let told = |trouble: Trouble| {
            trouble
                .in_context(&format!("{error} on {names}"))
                .repeated_by(format!("strace -f {} -p PID", fault.option()))
        };
        let (injected, seen) = try_fault(context, target, &fault).map_err(told)?;
        judge(calls, target.class, error, &seen).map_err(told)?;
        if injected == 0 {
            break;
        }
        all += injected;
        figures.add("injected", injected as f64);
        figures.add("responses", seen.responses as f64);
        figures.add("closed", seen.closed as f64);
        figures.add("silent", seen.silent as f64);
    }
    Ok(all)
}

/// The errors to try: all, or some by chance where less is to be done.
fn chosen<'a>(context: &Context, target: &Target, calls: &Calls) -> Vec<&'a str> {
    let mut errors = calls.errors.to_vec();
    errors.shuffle(&mut context.rng(calls.sockets, &target.name));
    errors.truncate(context.count(errors.len() as u64, 2) as usize);
    errors
}

fn try_fault(context: &Context, target: &Target, fault: &Fault) -> Result<(u64, Seen), Trouble> {
    let mut server = Server::start(context, target)?;
    let visit = Visit {
        addr: server.addr(),
        expected: server.expected(),
        connections: 4,
        requests: 6,
        patience: match fault.error {
            // A loop that waits for the next event, where the kernel would have had no other, waits for ever.
            "EAGAIN" => Duration::from_millis(300),
            _ => Duration::from_secs(5),
        },
    };
    let tracer = Tracer::attach(server.pid(), fault)?;
    let seen = thread::scope(|scope| {
        let visits: Vec<_> = (0..3).map(|_| scope.spawn(|| visit.pay())).collect();
        let mut all: Result<Seen, Trouble> = Ok(Seen::default());
        for visit in visits {
            let seen = visit.join().expect("a visit does not panic");
            all = all.and_then(|all| Ok(all + seen?));
        }
        all
    });
    // Let go of between a call that is made to fail and its error, the server would see another error.
    context.sleep(Duration::from_millis(100))?;
    let injected = tracer.detach();
    server.expect_alive()?;
    let seen = seen?;
    server.expect_service()?;
    server.stop()?;
    Ok((injected, seen))
}

/// Whether connections may have ended, or stayed without an answer.
fn judge(calls: &Calls, class: Class, error: &str, seen: &Seen) -> Result<(), Trouble> {
    let retries = class == Class::Engine && calls.engines_retry.contains(&error);
    if seen.closed > 0 && (retries || !calls.may_close) {
        let closed = seen.closed;
        return Err(Trouble::fail(format!(
            "{closed} connections were closed without an answer"
        )));
    }
    if seen.silent > 0 && error != "EAGAIN" {
        let silent = seen.silent;
        return Err(Trouble::fail(format!("{silent} connections got no answer")));
    }
    Ok(())
}
