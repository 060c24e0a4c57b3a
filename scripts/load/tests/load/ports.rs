//! More connections than one source address has ports for, in a network of their own with few ports.

use std::env;
use std::process::Command;

use load::{Amount, Config, Mode};

use crate::server::{RIGHT, Server, say};
use crate::{in_mode, run};

/// Runs an ignored test of this program in a network namespace with ten ports.
fn in_small_network(test: &str) {
    let prepare = "ip link set lo up && echo 40000 40009 >/proc/sys/net/ipv4/ip_local_port_range && echo 0 >/proc/sys/net/ipv4/tcp_tw_reuse";
    let unshare = |script: &str| {
        Command::new("unshare")
            .args(["-rn", "sh", "-c", script])
            .arg(env::current_exe().unwrap())
            .output()
    };
    if !unshare(prepare).is_ok_and(|output| output.status.success()) {
        return println!("skipped: unshare and ip cannot make a network here");
    }
    let script = format!("{prepare} && exec \"$0\" --exact ports::{test} --ignored --nocapture");
    let output = unshare(&script).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{errors}"
    );
}

#[test]
fn loopback_has_many_addresses() {
    in_small_network("spread");
}

#[test]
#[ignore = "runs within a network of its own"]
fn spread() {
    let server = Server::start(|stream, _| say(stream, RIGHT));
    let report = run(&Config {
        amount: Amount::Requests(500),
        threads: 2,
        ..in_mode(&server, Mode::Close)
    });
    assert_eq!((report.responses, report.stopped), (500, None));
}

#[test]
fn one_address_runs_out_and_says_so() {
    in_small_network("exhaust");
}

#[test]
#[ignore = "runs within a network of its own"]
fn exhaust() {
    let Ok(listener) = std::net::TcpListener::bind("[::1]:0") else {
        return println!("skipped: this machine has no IPv6");
    };
    let server = Server::on(listener, |stream, _| say(stream, RIGHT));
    let report = run(&Config {
        amount: Amount::Requests(500),
        ..in_mode(&server, Mode::Close)
    });
    assert!(
        report
            .stopped
            .unwrap()
            .starts_with("no source port is left for connections to [::1]:")
    );
    assert!((2..20).contains(&report.responses), "{}", report.responses);
}
