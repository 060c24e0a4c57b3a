//! Listening sockets: dual stack, SO_REUSEADDR, TCP_NODELAY, a real backlog; one listener, one a
//! thread, or the address alone.

mod defer;

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, ToSocketAddrs};

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use crate::{Args, Error};

/// Binds the one listener of a server.
///
/// # Errors
/// Where the host does not resolve or its port cannot be listened on, by name.
pub fn bind(args: &Args) -> Result<TcpListener, Error> {
    at_host(args, |address| listen(address, args, false))
}

/// Binds a listener for each of the server's threads, all on one port, between which the kernel
/// shares connections by hash (SO_REUSEPORT).
///
/// # Errors
/// As [`bind`]; a second instance on the same port fails as well.
pub fn bind_per_thread(args: &Args) -> Result<Vec<TcpListener>, Error> {
    let first = at_host(args, |address| listen(address, args, args.threads() > 1))?;
    let address = first.local_addr()?;
    let mut listeners = vec![first];
    for _ in 1..args.threads() {
        listeners.push(share(address, args).map_err(|e| cannot_listen(address, &e))?);
    }
    Ok(listeners)
}

/// The address, with a port that is free, for a stack that binds its own listener. Nothing listens
/// here on the way: a client that came in between would be reset.
///
/// # Errors
/// As [`bind`].
pub fn free_address(args: &Args) -> Result<SocketAddr, Error> {
    at_host(args, |address| {
        let socket = socket(address)?;
        socket.bind(&address.into())?;
        TcpListener::from(socket).local_addr()
    })
}

/// Refuses clients from now on, also those that wait, and wakes the threads that block in `accept`,
/// which fails. Only Linux knows this: elsewhere nothing happens until the process ends.
pub fn refuse(listener: &TcpListener) {
    let _ = SockRef::from(listener).shutdown(Shutdown::Both);
}

/// Tries what is to be done at the address that the command line names.
fn at_host<T>(args: &Args, open: impl Fn(SocketAddr) -> io::Result<T>) -> Result<T, Error> {
    let wanted = resolve(&args.host, args.port)?;
    match open(wanted) {
        // IPv6 is off on this machine: the default host still has to work.
        Err(error) if wanted.ip() == Ipv6Addr::UNSPECIFIED && has_no_ipv6(&error) => {
            let wanted = SocketAddr::from((Ipv4Addr::UNSPECIFIED, args.port));
            open(wanted).map_err(|e| cannot_listen(wanted, &e))
        }
        result => result.map_err(|e| cannot_listen(wanted, &e)),
    }
}

/// The first address of `host`: an address (IPv6 also in brackets) or a name.
fn resolve(host: &str, port: u16) -> Result<SocketAddr, Error> {
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
    (bare.unwrap_or(host), port)
        .to_socket_addrs()
        .map_err(|e| Error::io(format_args!("cannot resolve --host {host}"), &e))?
        .next()
        .ok_or_else(|| Error::new(format!("cannot resolve --host {host}: it has no address")))
}

fn listen(address: SocketAddr, args: &Args, shared: bool) -> io::Result<TcpListener> {
    let socket = socket(address)?;
    socket.bind(&address.into())?;
    // Set after bind(), so that a port in use is noticed, and before listen(), so that the other
    // threads' listeners may join.
    if shared {
        socket.set_reuse_port(true)?;
    }
    listen_as_told(socket, args)
}

/// One more listener on the port of a listener that `listen` has shared.
fn share(address: SocketAddr, args: &Args) -> io::Result<TcpListener> {
    let socket = socket(address)?;
    socket.set_reuse_port(true)?;
    socket.bind(&address.into())?;
    listen_as_told(socket, args)
}

fn listen_as_told(socket: Socket, args: &Args) -> io::Result<TcpListener> {
    if args.defer_accept {
        defer::accept_with_data(&socket)?;
    }
    socket.listen(args.backlog)?;
    Ok(socket.into())
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    if address.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false)?;
    }
    // A restart must not wait for connections in TIME_WAIT.
    socket.set_reuse_address(true)?;
    // Accepted sockets inherit it: one system call a server, not one a connection.
    socket.set_tcp_nodelay(true)?;
    Ok(socket)
}

fn has_no_ipv6(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(errno, Some(Errno::EAFNOSUPPORT | Errno::EADDRNOTAVAIL))
}

fn cannot_listen(address: SocketAddr, cause: &io::Error) -> Error {
    Error::io(format_args!("cannot listen on {address}"), cause)
}
