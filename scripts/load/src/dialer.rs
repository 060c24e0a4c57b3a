//! Making connections, also more than one address has ports for.

use std::io;
use std::net::SocketAddr;

use mio::net::TcpStream;

/// Starts connections to one address.
#[derive(Debug)]
pub(crate) struct Dialer {
    address: SocketAddr,
    sources: Option<sources::Sources>,
}

impl Dialer {
    /// For thread `thread` of `threads`. `spread` says that connections will come and go in such numbers
    /// that one source address has not ports enough for them: each keeps its port for a minute after it was
    /// closed (TIME_WAIT).
    pub(crate) fn new(address: SocketAddr, spread: bool, thread: usize, threads: usize) -> Self {
        Self {
            address,
            sources: spread
                .then(|| sources::Sources::new(address, thread, threads))
                .flatten(),
        }
    }

    /// Starts a connection. Fails with `AddrNotAvailable` when there is no port left.
    pub(crate) fn connect(&mut self) -> io::Result<TcpStream> {
        match &mut self.sources {
            None => TcpStream::connect(self.address),
            Some(sources) => sources.connect(self.address),
        }
    }
}

#[cfg(target_os = "linux")]
mod sources {
    use std::net::{Ipv4Addr, SocketAddr};
    use std::{fs, io, process};

    use mio::net::TcpStream;
    use nix::errno::Errno;
    use nix::sys::socket::{setsockopt, sockopt::IpBindAddressNoPort};
    use socket2::{Domain, Socket, Type};

    /// Source addresses 127.0.0.2 to 127.0.0.254: all of 127.0.0.0/8 is this machine.
    const FIRST: usize = 2;
    const COUNT: usize = 253;

    /// Goes from one source address to the next before its ports run out.
    #[derive(Debug)]
    pub(super) struct Sources {
        /// Which of the addresses is in use; threads keep to their own.
        current: usize,
        step: usize,
        /// Connections that one address is good for, and those that the current one has left.
        each: u32,
        left: u32,
    }

    impl Sources {
        /// `None` where there is but one source address.
        pub(super) fn new(address: SocketAddr, thread: usize, threads: usize) -> Option<Self> {
            if !matches!(address, SocketAddr::V4(address) if address.ip().is_loopback()) {
                return None;
            }
            // Half of the ports: the kernel finds a free one quickly only while there are many. Runs that
            // follow one another begin at different addresses.
            let each = ports() / 2;
            Some(Self {
                current: (process::id() as usize + thread) % COUNT,
                step: threads,
                each,
                left: each,
            })
        }

        pub(super) fn connect(&mut self, address: SocketAddr) -> io::Result<TcpStream> {
            for _ in 0..COUNT {
                if self.left == 0 {
                    self.advance();
                }
                self.left -= 1;
                match self.try_connect(address) {
                    Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => self.left = 0,
                    result => return result,
                }
            }
            Err(io::ErrorKind::AddrNotAvailable.into())
        }

        fn advance(&mut self) {
            self.current = (self.current + self.step) % COUNT;
            self.left = self.each;
        }

        fn try_connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
            let socket = Socket::new(Domain::IPV4, Type::STREAM.nonblocking().cloexec(), None)?;
            // The port is chosen by connect(), so that those of other connections can be used again.
            setsockopt(&socket, IpBindAddressNoPort, &true)?;
            let source = Ipv4Addr::new(127, 0, 0, (FIRST + self.current) as u8);
            socket.bind(&SocketAddr::from((source, 0)).into())?;
            match socket.connect(&address.into()) {
                Err(error) if error.raw_os_error() != Some(Errno::EINPROGRESS as i32) => Err(error),
                _ => Ok(TcpStream::from_std(socket.into())),
            }
        }
    }

    /// Ephemeral ports of this machine.
    fn ports() -> u32 {
        let range =
            fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
        let mut bounds = range
            .split_ascii_whitespace()
            .filter_map(|bound| bound.parse::<u32>().ok());
        match (bounds.next(), bounds.next()) {
            (Some(first), Some(last)) if first <= last => last - first + 1,
            _ => 28_232,
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod sources {
    use std::io;
    use std::net::SocketAddr;

    use mio::net::TcpStream;

    /// Other systems have but one loopback address.
    #[derive(Debug)]
    pub(super) enum Sources {}

    impl Sources {
        pub(super) fn new(_: SocketAddr, _: usize, _: usize) -> Option<Self> {
            None
        }

        pub(super) fn connect(&mut self, _: SocketAddr) -> io::Result<TcpStream> {
            match *self {}
        }
    }
}
