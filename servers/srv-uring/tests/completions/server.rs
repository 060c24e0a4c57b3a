//! A server of one thread, and its clients, over a kernel that a test plays.

use std::net::TcpListener;
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};

use common::http1::Response;
use common::spread::Spread;
use io_uring::opcode;

use super::super::Shared;
use super::super::queues::{Kernel, Operation, kernel};
use super::super::ring::Ring;
use super::super::worker::Worker;

pub const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

pub struct Server {
    pub worker: Worker,
    /// The other end of what says that the server is to stop.
    _signal: UnixStream,
}

/// A connection of the server, and its other end.
pub struct Client {
    pub fd: RawFd,
    _peer: UnixStream,
}

impl Server {
    pub fn start() -> Self {
        Self::start_first_of(1)
    }

    /// The first of so many threads.
    pub fn start_first_of(threads: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (_signal, signal) = UnixStream::pair().unwrap();
        let shared = Shared {
            spread: Spread::new(threads),
            rings: (0..threads)
                .map(|ring| OnceLock::from(ring as RawFd))
                .collect(),
        };
        let ring = Ring::new(0).unwrap();
        let response = Response::new(b"Hello, World!");
        let mut worker = Worker::new(0, ring, listener, signal, response, Arc::new(shared));
        worker.begin();
        Self { worker, _signal }
    }

    /// Handles what the kernel has said.
    pub fn turn(&mut self) {
        self.worker.turn().unwrap();
    }

    /// Accepts a connection.
    pub fn connect(&mut self) -> Client {
        let (client, stream) = kernel(Client::pair);
        let accept = kernel(|kernel| kernel.take(opcode::AcceptMulti::CODE, None));
        kernel(|kernel| kernel.continues(accept.expect("the server accepts"), stream));
        self.turn();
        client
    }

    /// Sends a request, and gives the send of the response.
    pub fn ask(&mut self, client: &Client) -> Operation {
        assert!(give(client, GET));
        self.turn();
        kernel(|kernel| kernel.take(opcode::Send::CODE, Some(client.fd)))
            .expect("the server answers")
    }

    /// A client is served a request in full.
    pub fn serves(&mut self, client: &Client) {
        let send = self.ask(client);
        assert!(is_response(&send.bytes()));
        kernel(|kernel| kernel.complete(send, send.len as i32));
        self.turn();
        assert!(
            kernel(|kernel| is_received_on(kernel, client)),
            "the server reads on"
        );
    }

    /// A new client is served.
    pub fn lives(&mut self) {
        let client = self.connect();
        self.serves(&client);
    }
}

impl Client {
    /// A client, and the descriptor of the server's end.
    pub fn pair(kernel: &mut Kernel) -> (Self, RawFd) {
        let (_peer, stream) = UnixStream::pair().unwrap();
        // The number of one that was closed may be given again.
        kernel.closed.retain(|&fd| fd != stream.as_raw_fd());
        let client = Self {
            fd: stream.as_raw_fd(),
            _peer,
        };
        (client, stream.into_raw_fd())
    }
}

/// Some data of a client comes. Whether there was a buffer for it.
pub fn give(client: &Client, data: &[u8]) -> bool {
    kernel(|kernel| {
        let receive = kernel.take(opcode::Recv::CODE, Some(client.fd));
        kernel.deliver(receive.expect("the server receives"), data)
    })
}

/// Receiving from a client ends, with its end or an error.
pub fn end_receive(client: &Client, result: i32) {
    kernel(|kernel| {
        let receive = kernel.take(opcode::Recv::CODE, Some(client.fd));
        kernel.complete(receive.expect("the server receives"), result);
    });
}

fn is_received_on(kernel: &Kernel, client: &Client) -> bool {
    let is_it = |operation: &&Operation| {
        operation.opcode == opcode::Recv::CODE && operation.fd == client.fd
    };
    kernel.operations.iter().filter(is_it).count() == 1
}

/// Whether the server has closed a connection.
pub fn is_closed(client: &Client) -> bool {
    kernel(|kernel| {
        kernel.close_all(0);
        kernel.closed.contains(&client.fd)
    })
}

/// Whether that is one response, and nothing else.
pub fn is_response(bytes: &[u8]) -> bool {
    bytes.starts_with(b"HTTP/1.1 200 OK\r\n")
        && bytes.ends_with(b"\r\n\r\nHello, World!")
        && bytes.windows(4).filter(|window| window == b"HTTP").count() == 1
}
