//! Servers for tests: a thread for each connection, and any answer.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// A right response.
pub(crate) const RIGHT: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nContent-Length: 13\r\n\r\nHello, World!";

/// What a server does after it has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Reads the next request.
    Go,
    /// Closes the connection: the client reads its end.
    Close,
    /// Resets the connection.
    Reset,
    /// Does nothing more, but keeps the connection open.
    Hang,
}

/// Takes a connection and the number of the request, from 0, over all connections.
type Answer = dyn Fn(&mut TcpStream, u64) -> Then + Send + Sync;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Box<Answer>,
    requests: AtomicU64,
    ended: AtomicBool,
}

impl Server {
    /// Answers each request with `answer`.
    pub(crate) fn start(
        answer: impl Fn(&mut TcpStream, u64) -> Then + Send + Sync + 'static,
    ) -> Self {
        Self::on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap(), answer)
    }

    /// The same on this listener.
    pub(crate) fn on(
        listener: TcpListener,
        answer: impl Fn(&mut TcpStream, u64) -> Then + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            requests: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        });
        let accepting = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.ended.load(SeqCst) {
                    return;
                }
                let serving = accepting.clone();
                thread::spawn(move || stream.map(|stream| serving.serve(stream)));
            }
        });
        Self { address, shared }
    }

    /// Answers every request with `text`.
    pub(crate) fn always(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::start(move |stream, _| say(stream, &text))
    }

    /// Requests that have arrived in whole.
    pub(crate) fn requests(&self) -> u64 {
        self.shared.requests.load(SeqCst)
    }

    /// Takes no more connections: they are refused from now on.
    pub(crate) fn refuse(&self) {
        self.shared.ended.store(true, SeqCst);
        let _ = TcpStream::connect(self.address); // wakes the thread, which drops the listener
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.refuse();
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        let mut buffer = [0; 65_536];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..count]);
            while let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                bytes.drain(..end + 4);
                let number = self.requests.fetch_add(1, SeqCst);
                match (self.answer)(&mut stream, number) {
                    Then::Go => {}
                    Then::Close => return,
                    Then::Reset => return reset(&stream),
                    Then::Hang => return hang(stream),
                }
            }
        }
    }
}

/// Sends `text`.
pub(crate) fn say(stream: &mut TcpStream, text: &str) -> Then {
    match stream.write_all(text.as_bytes()) {
        Ok(()) => Then::Go,
        Err(_) => Then::Close,
    }
}

/// Has close() send a reset.
fn reset(stream: &TcpStream) {
    socket2::SockRef::from(stream)
        .set_linger(Some(Duration::ZERO))
        .unwrap();
}

/// Waits until the client ends the connection.
fn hang(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    while let Ok(1..) = stream.read(&mut buffer) {}
    let _ = stream.shutdown(Shutdown::Both);
}
