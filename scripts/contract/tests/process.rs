//! The process cases against a right server, which passes all, and against liars, each of which fails its case.
//!
//! Has a `main` of its own: the servers are this program again, and need its first thread for SIGTERM.

#[allow(dead_code)] // the wire cases use the rest
mod fake;

use std::collections::BTreeMap;
use std::process::exit;
use std::sync::atomic::Ordering;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use contract::{Judge, Outcome, Selection, ServerCommand, Values, Verdict, check_process};
use fake::{Lie, Server};
use nix::sys::signal::{SigSet, Signal};

const LIE: &str = "CONTRACT_FAKE_LIE";

/// The lies, and the case that each must fail.
const LIES: &[(Lie, &str)] = &[
    (Lie::Hoards, "never-reads"),
    (Lie::DiesOfReset, "reset-in-pipeline"),
    (Lie::Spins, "out-of-descriptors"),
    (Lie::StopsAccepting, "out-of-descriptors"),
    (Lie::ShortBacklog, "backlog"),
    (Lie::IgnoresSigterm, "sigterm"),
    (Lie::ExitsWith1, "sigterm"),
    (Lie::CutsAtSigterm, "sigterm"),
    (Lie::IgnoresSigint, "sigterm"),
    (Lie::KeepsIdle, "sigterm"),
    (Lie::NoHandler, "sigterm"),
    (Lie::SharesPort, "port"),
    (Lie::SilentError, "port"),
    (Lie::PrintsPort0, "port"),
    (Lie::NeverReady, "port"),
    (Lie::OnlyIpv4, "both-families"),
];

fn main() {
    if let Ok(name) = std::env::var(LIE) {
        let lies = LIES.iter().map(|(lie, _)| *lie).chain([Lie::None]);
        let lie = lies.into_iter().find(|lie| format!("{lie:?}") == name);
        serve(lie.unwrap_or_else(|| panic!("no lie `{name}`")));
    }
    a_right_server_passes_all();
    for some in LIES.chunks(5) {
        thread::scope(|scope| {
            for (lie, id) in some {
                scope.spawn(|| fails(*lie, id));
            }
        });
    }
    println!("test result: ok. {} lies found out", LIES.len());
}

fn a_right_server_passes_all() {
    let outcomes = check(Lie::None, &Selection::All);
    assert_eq!(outcomes.len(), 7);
    for outcome in &outcomes {
        println!("{:?} {} {}", outcome.verdict, outcome.id, outcome.reason);
    }
    let failed: Vec<_> = outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::Fail || !outcome.alive)
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

fn fails(lie: Lie, id: &str) {
    if lie == Lie::Spins && cfg!(not(target_os = "linux")) {
        println!("{lie:?}: not tried, CPU is measured on Linux only");
        return;
    }
    let outcomes = check(lie, &Selection::ids([id]).unwrap());
    let [outcome] = &outcomes[..] else {
        panic!("one case has one outcome");
    };
    println!("{lie:?}: {:?} {id}: {}", outcome.verdict, outcome.reason);
    assert_ne!(outcome.verdict, Verdict::Pass, "{lie:?} passes {id}");
    assert!(
        !outcome.reason.is_empty() && !outcome.reason.contains('\n'),
        "{lie:?}: {outcome:?}"
    );
}

fn check(lie: Lie, selection: &Selection) -> Vec<Outcome> {
    let program = std::env::current_exe()
        .expect("this program has a path")
        .display()
        .to_string();
    let arguments = [
        "--host",
        "{host}",
        "--port",
        "{port}",
        "--threads",
        "{threads}",
        "--body-size",
        "{body_size}",
    ];
    let command = ServerCommand {
        argv: [program]
            .into_iter()
            .chain(arguments.map(str::to_owned))
            .collect(),
        env: BTreeMap::from([(LIE.to_owned(), format!("{lie:?}"))]),
        dir: None,
        values: Values::new(""),
        ready_name: Some("fake".into()),
    };
    let judge = Judge::Ours {
        body: b"Hello, World!".to_vec(),
        extra_fields: Vec::new(),
        engine: true,
    };
    check_process(&command, &judge, selection)
}

/// The server: as ours are started, and as they end.
fn serve(lie: Lie) -> ! {
    let mut signals = SigSet::empty();
    if lie != Lie::NoHandler {
        signals.add(Signal::SIGTERM);
        signals.add(Signal::SIGINT);
    }
    signals.thread_block().expect("a signal can be blocked");
    let default_host = if lie == Lie::OnlyIpv4 {
        "0.0.0.0"
    } else {
        "::"
    };
    let host = argument("--host").unwrap_or_else(|| default_host.into());
    let port = argument("--port")
        .and_then(|port| port.parse().ok())
        .expect("--port has a number");
    let size = argument("--body-size")
        .and_then(|size| size.parse().ok())
        .expect("--body-size has a number");
    let body = Values {
        body_size: size,
        ..Values::new("")
    }
    .body();

    let listener = fake::listen(lie, &host, port).unwrap_or_else(|error| {
        if lie != Lie::SilentError {
            eprintln!("fake: cannot listen on {host}:{port}: {error}");
        }
        exit(1);
    });
    let addr = listener.local_addr().expect("it is bound");
    let said = if lie == Lie::PrintsPort0 {
        port
    } else {
        addr.port()
    };
    if lie != Lie::NeverReady {
        eprintln!("fake listening on http://{host}:{said} (1 thread)");
    }
    let server = Server::new(lie, body.as_bytes());
    thread::spawn({
        let server = server.clone();
        move || fake::accept(&listener, &server)
    });
    loop {
        if lie == Lie::NoHandler {
            thread::park();
        }
        let signal = signals.wait().expect("a signal can be awaited");
        let ignored = match lie {
            Lie::IgnoresSigterm => true,
            Lie::IgnoresSigint => signal == Signal::SIGINT,
            _ => false,
        };
        if !ignored {
            end(lie, &server);
        }
    }
}

fn end(lie: Lie, server: &Server) -> ! {
    server.stopping.store(true, Ordering::SeqCst);
    let limit = Instant::now() + Duration::from_secs(5);
    let waits = || match lie {
        Lie::CutsAtSigterm => false,
        Lie::KeepsIdle => true,
        _ => server.busy.load(Ordering::SeqCst) > 0,
    };
    while waits() && Instant::now() < limit {
        sleep(Duration::from_millis(5));
    }
    exit(i32::from(lie == Lie::ExitsWith1))
}

fn argument(name: &str) -> Option<String> {
    std::env::args()
        .skip_while(|argument| argument != name)
        .nth(1)
}
