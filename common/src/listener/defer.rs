//! TCP_DEFER_ACCEPT, which only Linux has: a connection is accepted when its first data has come,
//! or has not come in time.

use std::io;

use socket2::Socket;

#[cfg(target_os = "linux")]
#[allow(unsafe_code)] // socket2, nix and rustix do not have this option, and std has it unstable.
pub(super) fn accept_with_data(socket: &Socket) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use nix::errno::Errno;
    use nix::libc::{IPPROTO_TCP, TCP_DEFER_ACCEPT, c_int, setsockopt, socklen_t};

    let seconds = crate::http1::TIMEOUT.as_secs() as c_int;
    // SAFETY: the descriptor is open while `socket` is borrowed, and the kernel reads one int.
    let result = unsafe {
        setsockopt(
            socket.as_raw_fd(),
            IPPROTO_TCP,
            TCP_DEFER_ACCEPT,
            (&raw const seconds).cast(),
            size_of::<c_int>() as socklen_t,
        )
    };
    Errno::result(result)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn accept_with_data(_: &Socket) -> io::Result<()> {
    Err(io::Error::other("--defer-accept needs Linux; leave it out"))
}
