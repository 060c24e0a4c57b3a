//! What the engine makes of every result that the kernel may give, without a kernel: every error
//! number, every short count, exhausted buffers, and random walks through all of them.

mod random;
mod server;

use std::thread::sleep;
use std::time::Duration;

use io_uring::opcode;

use super::queues::kernel;
use server::{Client, GET, Server, end_receive, give, is_closed, is_response};

/// All that Linux has, and some more.
const ERRNOS: std::ops::RangeInclusive<i32> = 1..=140;

/// Behind which an operation is tried again.
fn passes(errno: i32) -> bool {
    [libc::EINTR, libc::EAGAIN].contains(&errno)
}

#[test]
fn accepting_goes_on_behind_every_error() {
    std::thread::scope(|scope| {
        for errno in ERRNOS {
            // Each has a kernel of its own, and may have to wait.
            scope.spawn(move || accept_behind(errno));
        }
    });
}

fn accept_behind(errno: i32) {
    let mut server = Server::start();
    let client = server.connect();
    let accept = kernel(|kernel| kernel.take(opcode::AcceptMulti::CODE, None)).unwrap();
    kernel(|kernel| kernel.continues(accept, -errno));
    server.turn();
    let accept = kernel(|kernel| kernel.take(opcode::AcceptMulti::CODE, None)).unwrap();
    kernel(|kernel| kernel.complete(accept, -errno));
    server.turn();
    // Whoever is connected is served meanwhile, and that must not keep others out.
    let mut waited = 0;
    while !kernel(|kernel| kernel.has(opcode::AcceptMulti::CODE)) {
        server.serves(&client);
        sleep(Duration::from_millis(5));
        waited += 1;
        assert!(waited < 400, "errno {errno}: it does not accept again");
    }
    server.lives();
}

#[test]
fn receiving_survives_every_error() {
    let mut server = Server::start();
    for errno in ERRNOS {
        let client = server.connect();
        end_receive(&client, -errno);
        server.turn();
        if passes(errno) || [libc::ENOBUFS, libc::ECANCELED].contains(&errno) {
            server.serves(&client);
        } else {
            assert!(is_closed(&client), "errno {errno}");
        }
    }
    server.lives();
}

#[test]
fn a_receive_that_fails_cuts_no_response() {
    let mut server = Server::start();
    for errno in ERRNOS {
        let client = server.connect();
        server.serves(&client);
        let send = server.ask(&client);
        end_receive(&client, -errno);
        server.turn();
        assert!(
            !is_closed(&client),
            "errno {errno}: closed before its response was sent"
        );
        kernel(|kernel| kernel.complete(send, send.len as i32));
        server.turn();
        let goes_on = passes(errno) || [libc::ENOBUFS, libc::ECANCELED].contains(&errno);
        assert_eq!(is_closed(&client), !goes_on, "errno {errno}");
    }
    server.lives();
}

#[test]
fn sending_survives_every_error() {
    let mut server = Server::start();
    for errno in ERRNOS {
        let client = server.connect();
        let send = server.ask(&client);
        kernel(|kernel| kernel.complete(send, -errno));
        server.turn();
        let again = kernel(|kernel| kernel.take(opcode::Send::CODE, Some(client.fd)));
        assert_eq!(again.is_some(), passes(errno), "errno {errno}");
        match again {
            Some(again) => assert_eq!(again.bytes(), send.bytes()),
            None => {
                // What it still receives ends when it is shut down.
                if let Some(receive) =
                    kernel(|kernel| kernel.take(opcode::Recv::CODE, Some(client.fd)))
                {
                    kernel(|kernel| kernel.complete(receive, 0));
                }
                server.turn();
                assert!(is_closed(&client), "errno {errno}");
            }
        }
    }
    server.lives();
}

#[test]
fn every_short_count_is_followed_by_the_rest() {
    let mut server = Server::start();
    let client = server.connect();
    let whole = server.ask(&client);
    let len = whole.bytes().len();
    kernel(|kernel| kernel.complete(whole, len as i32));
    server.turn();
    for short in 0..len {
        let first = server.ask(&client);
        let mut bytes = first.bytes();
        bytes.truncate(short);
        kernel(|kernel| kernel.complete(first, short as i32));
        server.turn();
        let rest = kernel(|kernel| kernel.take(opcode::Send::CODE, Some(client.fd))).unwrap();
        bytes.extend(rest.bytes());
        assert!(is_response(&bytes), "cut at {short}");
        kernel(|kernel| kernel.complete(rest, rest.len as i32));
        server.turn();
    }
    server.serves(&client);
}

#[test]
fn cancelling_may_fail_and_input_stays_bounded() {
    let mut server = Server::start();
    for errno in ERRNOS {
        let client = server.connect();
        // From its second request on a connection is received on until that is cancelled.
        server.serves(&client);
        let send = server.ask(&client);
        let mut cancels = 0;
        for _ in 0..40 {
            assert!(give(&client, &GET.repeat(100)));
            server.turn();
            if let Some(cancel) = kernel(|kernel| kernel.take(opcode::AsyncCancel::CODE, None)) {
                cancels += 1;
                kernel(|kernel| kernel.complete(cancel, -errno));
                server.turn();
            }
        }
        let most = if errno == libc::ENOENT { 1 } else { 2 };
        assert!(cancels >= most, "errno {errno}: cancelled {cancels} times");
        // The peer goes.
        kernel(|kernel| kernel.complete(send, -libc::EPIPE));
        end_receive(&client, 0);
        server.turn();
        assert!(is_closed(&client), "errno {errno}");
        while kernel(|kernel| kernel.take(opcode::AsyncCancel::CODE, None)).is_some() {}
    }
    server.lives();
}

#[test]
fn closing_is_done_once_whatever_comes_of_it() {
    let mut server = Server::start();
    for errno in ERRNOS {
        let client = server.connect();
        end_receive(&client, 0);
        server.turn();
        kernel(|kernel| kernel.close_all(-errno));
        server.turn();
        kernel(|kernel| kernel.close_all(0));
        let closed = kernel(|kernel| std::mem::take(&mut kernel.closed));
        assert_eq!(closed, [client.fd], "errno {errno}");
    }
    server.lives();
}

#[test]
fn a_connection_that_cannot_be_handed_over_is_served_here() {
    let mut server = Server::start_first_of(2);
    let mut handed = 0;
    for errno in ERRNOS {
        let client = server.connect();
        if let Some(hand) = kernel(|kernel| kernel.take(opcode::MsgRingData::CODE, None)) {
            handed += 1;
            kernel(|kernel| kernel.complete(hand, -errno));
            server.turn();
        }
        server.serves(&client);
    }
    assert!(handed > 0);
}

#[test]
fn no_error_of_the_watch_stops_the_server() {
    let mut server = Server::start();
    for errno in ERRNOS {
        let watch = kernel(|kernel| kernel.take(opcode::PollAdd::CODE, None)).expect("it watches");
        kernel(|kernel| kernel.complete(watch, -errno));
        server.turn();
    }
    server.lives();
}

#[test]
fn clients_wait_for_buffers_and_are_served_once_each() {
    let mut server = Server::start();
    let clients: Vec<_> = (0..600).map(|_| server.connect()).collect();
    let (mut waiting, mut rounds): (Vec<&Client>, _) = (clients.iter().collect(), 0);
    while !waiting.is_empty() {
        // All of them before the server sees the first.
        waiting.retain(|client| !give(client, GET));
        server.turn();
        rounds += 1;
    }
    assert_eq!(rounds, 3, "600 requests in 256 buffers");
    for client in &clients {
        let send = kernel(|kernel| kernel.take(opcode::Send::CODE, Some(client.fd))).unwrap();
        assert!(is_response(&send.bytes()));
        kernel(|kernel| kernel.complete(send, send.len as i32));
    }
    server.turn();
    clients.iter().for_each(|client| server.serves(client));
}

#[test]
fn a_server_ends_also_when_accepting_cannot_be_cancelled() {
    let mut server = Server::start();
    let watch = kernel(|kernel| kernel.take(opcode::PollAdd::CODE, None)).unwrap();
    kernel(|kernel| kernel.complete(watch, 1));
    server.turn();
    let cancel = kernel(|kernel| kernel.take(opcode::AsyncCancel::CODE, None)).unwrap();
    kernel(|kernel| kernel.complete(cancel, -libc::ENOMEM));
    server.turn();
    assert!(!server.worker.is_done());
    sleep(common::shutdown::GRACE);
    server.turn();
    assert!(server.worker.is_done());
}
