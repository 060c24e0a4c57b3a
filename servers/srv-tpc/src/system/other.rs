//! Where there is no epoll and no MSG_MORE: what mio and std have.

use std::io::{self, Write};

use mio::net::{TcpListener, TcpStream};
use mio::{Interest, Registry, Token};

/// An event tells only that more has come: accepted until nothing waits.
pub const ACCEPTS_AN_EVENT: usize = usize::MAX;

/// Begins to tell of connections that wait.
pub fn watch(registry: &Registry, listener: &mut TcpListener, token: Token) -> io::Result<()> {
    registry.register(listener, token, Interest::READABLE)
}

/// Ends what [`watch`] has begun.
pub fn unwatch(registry: &Registry, listener: &mut TcpListener) -> io::Result<()> {
    registry.deregister(listener)
}

/// Sends what may be the last bytes of a connection.
pub fn send_last(mut stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    stream.write(bytes)
}
