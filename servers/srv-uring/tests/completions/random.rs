//! Random walks: a kernel that says whatever it may, in any order.

use io_uring::opcode;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::super::queues::{Kernel, Operation, kernel};
use super::ERRNOS;
use super::server::{Client, GET, Server, is_response};

/// A client of a walk, and what it has sent and received.
struct Peer {
    client: Client,
    /// Bytes of its requests that the server was given.
    given: usize,
    received: Vec<u8>,
    /// Something failed, so it may be cut.
    failed: bool,
}

struct Walk {
    random: SmallRng,
    peers: Vec<Peer>,
}

#[test]
fn random_results_neither_double_nor_cut_responses() {
    for seed in 0..30 {
        walk(seed);
    }
}

fn walk(seed: u64) {
    let mut server = Server::start();
    let mut walk = Walk {
        random: SmallRng::seed_from_u64(seed),
        peers: Vec::new(),
    };
    for _ in 0..2000 {
        kernel(|kernel| walk.step(kernel));
        if walk.random.random_ratio(1, 3) {
            server.turn();
        }
    }
    for _ in 0..20 {
        kernel(|kernel| walk.finish(kernel));
        server.turn();
    }
    walk.check(seed);
}

impl Walk {
    /// Something comes of an operation.
    fn step(&mut self, kernel: &mut Kernel) {
        let operation = kernel
            .operations
            .remove(self.random.random_range(0..kernel.operations.len()));
        let errno = self.random.random_range(ERRNOS);
        let fails = self.random.random_ratio(1, 20);
        match operation.opcode {
            opcode::AcceptMulti::CODE if fails || self.peers.len() > 200 => {
                kernel.complete(operation, -libc::EINTR);
            }
            opcode::AcceptMulti::CODE => self.accept(kernel, operation),
            opcode::Recv::CODE | opcode::Send::CODE if fails => {
                self.peer(&operation).failed = true;
                kernel.complete(operation, -errno);
            }
            opcode::Recv::CODE => self.give(kernel, operation),
            opcode::Send::CODE => self.take(kernel, operation),
            opcode::AsyncCancel::CODE if fails => kernel.complete(operation, -errno),
            opcode::AsyncCancel::CODE => cancel(kernel, operation),
            opcode::Close::CODE => {
                kernel.operations.push(operation);
                kernel.close_all(0);
            }
            _ => kernel.operations.push(operation),
        }
    }

    fn accept(&mut self, kernel: &mut Kernel, accept: Operation) {
        let (client, stream) = Client::pair(kernel);
        kernel.continues(accept, stream);
        // Its number may have been that of another one.
        self.peers.retain(|peer| {
            let is_reused = peer.client.fd == stream;
            if is_reused {
                peer.check(0);
            }
            !is_reused
        });
        self.peers.push(Peer {
            client,
            given: 0,
            received: Vec::new(),
            failed: false,
        });
    }

    /// Some of a pipeline of requests comes, split anywhere.
    fn give(&mut self, kernel: &mut Kernel, receive: Operation) {
        let len = self.random.random_range(1..300);
        let peer = self.peer(&receive);
        let data: Vec<u8> = GET
            .iter()
            .copied()
            .cycle()
            .skip(peer.given % GET.len())
            .take(len)
            .collect();
        if kernel.deliver(receive, &data) {
            peer.given += data.len();
        }
    }

    /// Some or all of what is sent is taken.
    fn take(&mut self, kernel: &mut Kernel, send: Operation) {
        let bytes = send.bytes();
        let taken = match self.random.random_bool(0.5) {
            true => bytes.len(),
            false => self.random.random_range(0..=bytes.len()),
        };
        self.peer(&send).received.extend_from_slice(&bytes[..taken]);
        kernel.complete(send, taken as i32);
    }

    /// All clients take what is sent, and then end.
    fn finish(&mut self, kernel: &mut Kernel) {
        while let Some(send) = kernel.take(opcode::Send::CODE, None) {
            let bytes = send.bytes();
            self.peer(&send).received.extend_from_slice(&bytes);
            kernel.complete(send, bytes.len() as i32);
        }
        while let Some(operation) = kernel.take(opcode::AsyncCancel::CODE, None) {
            cancel(kernel, operation);
        }
        while let Some(receive) = kernel.take(opcode::Recv::CODE, None) {
            kernel.complete(receive, 0);
        }
        kernel.close_all(0);
    }

    fn peer(&mut self, operation: &Operation) -> &mut Peer {
        let is_its = |peer: &&mut Peer| peer.client.fd == operation.fd;
        self.peers
            .iter_mut()
            .find(is_its)
            .expect("the server knows no others")
    }

    fn check(&self, seed: u64) {
        let mut closed = kernel(|kernel| std::mem::take(&mut kernel.closed));
        closed.sort_unstable();
        let mut opened: Vec<_> = self.peers.iter().map(|peer| peer.client.fd).collect();
        opened.sort_unstable();
        assert_eq!(closed, opened, "seed {seed}: each is closed, once");
        self.peers.iter().for_each(|peer| peer.check(seed));
    }
}

impl Peer {
    /// A whole response to each whole request, where nothing failed.
    fn check(&self, seed: u64) {
        let requests = self.given / GET.len();
        let mut responses = 0;
        let mut rest = &self.received[..];
        while let Some(end) = rest
            .windows(13)
            .position(|window| window == b"Hello, World!")
        {
            assert!(
                is_response(&rest[..end + 13]),
                "seed {seed}: {}",
                rest.escape_ascii()
            );
            rest = &rest[end + 13..];
            responses += 1;
        }
        assert!(
            responses <= requests,
            "seed {seed}: {responses} responses to {requests} requests"
        );
        if !self.failed {
            assert_eq!((responses, rest), (requests, &[][..]), "seed {seed}");
        }
    }
}

/// A receive is cancelled, if it is still there.
fn cancel(kernel: &mut Kernel, cancel: Operation) {
    let is_target = |operation: &Operation| operation.user_data == cancel.address;
    match kernel.operations.iter().position(is_target) {
        Some(place) => {
            let target = kernel.operations.remove(place);
            kernel.complete(target, -libc::ECANCELED);
            kernel.complete(cancel, 0);
        }
        None => kernel.complete(cancel, -libc::ENOENT),
    }
}
