//! A ring: operations go in, events come out. All that is unsafe about it stays here: the memory
//! of an operation belongs to the ring until the operation is over.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use slab::Slab;

use super::buffers::{GROUP, ProvidedBuffers};

/// Operations that are queued before they are submitted.
const SUBMISSIONS: u32 = 256;

/// Completions that may wait.
const COMPLETIONS: u32 = 4096;

/// Output buffers that are kept for the next response.
const SPARES: usize = 64;

/// A buffer that has grown beyond this, in bytes, is not kept.
const SPARE_SIZE: usize = 256 * 1024;

/// An io_uring, its provided buffers, and what is being sent through it.
pub struct Ring {
    uring: IoUring,
    pub buffers: ProvidedBuffers,
    outgoing: Slab<Outgoing>,
    spares: Vec<Vec<u8>>,
    completions: Vec<(u64, i32, u32)>,
}

/// Bytes on their way.
struct Outgoing {
    fd: RawFd,
    bytes: Vec<u8>,
    sent: usize,
    flags: i32,
}

/// What has happened.
pub enum Event {
    /// A connection was accepted, or could not be. `more`: accepting goes on.
    Accepted {
        stream: io::Result<OwnedFd>,
        more: bool,
    },
    /// Another thread has handed a connection over.
    Handed(OwnedFd),
    /// Connection `key` has received so many bytes into a provided buffer; 0 is the end of the
    /// stream. `more`: receiving goes on.
    Received {
        key: usize,
        result: Result<usize, i32>,
        buffer: Option<u16>,
        more: bool,
    },
    /// A part of what connection `key` sends is sent.
    Progress { key: usize },
    /// All is sent, or it failed.
    Sent { key: usize, failed: bool },
    /// The watched descriptor has become readable.
    Readable,
    /// Nothing that anybody waits for.
    Nothing,
}

/// The kind of an operation: the top byte of its user data. Below are three bytes for the place of
/// what is sent, then four for the connection.
#[derive(Clone, Copy)]
enum Kind {
    Accept,
    Handed,
    Receive,
    Send,
    Watch,
    Other,
}

const KINDS: [Kind; 6] = [
    Kind::Accept,
    Kind::Handed,
    Kind::Receive,
    Kind::Send,
    Kind::Watch,
    Kind::Other,
];

fn user_data(kind: Kind, place: usize, key: usize) -> u64 {
    (kind as u64) << 56 | (place as u64) << 32 | key as u64
}

impl Ring {
    /// Makes the ring of the calling thread.
    ///
    /// # Errors
    /// When the kernel has no io_uring, or not one of Linux 6.1, or forbids it.
    pub fn new() -> io::Result<Self> {
        let uring = IoUring::builder()
            .setup_cqsize(COMPLETIONS)
            .setup_single_issuer()
            // Completions are made when we ask for them, not by interrupting us: 8 % of a request.
            .setup_defer_taskrun()
            .build(SUBMISSIONS)?;
        let buffers = ProvidedBuffers::register(&uring.submitter())?;
        Ok(Self {
            uring,
            buffers,
            outgoing: Slab::new(),
            spares: Vec::new(),
            completions: Vec::new(),
        })
    }

    pub fn as_raw_fd(&self) -> RawFd {
        self.uring.as_raw_fd()
    }

    /// Accepts connections until an event says that there are no more.
    pub fn accept(&mut self, listener: RawFd) {
        let accept = opcode::AcceptMulti::new(Fd(listener)).flags(libc::SOCK_CLOEXEC);
        self.push(&accept.build(), Kind::Accept, 0, 0);
    }

    pub fn cancel_accept(&mut self) {
        let cancel = opcode::AsyncCancel::new(user_data(Kind::Accept, 0, 0));
        self.push(&cancel.build(), Kind::Other, 0, 0);
    }

    /// Receives once.
    pub fn receive_once(&mut self, key: usize, fd: RawFd) {
        let receive = opcode::Recv::new(Fd(fd), std::ptr::null_mut(), 0).buf_group(GROUP);
        let receive = receive.build().flags(squeue::Flags::BUFFER_SELECT);
        self.push(&receive, Kind::Receive, 0, key);
    }

    /// Receives until an event says that there is no more.
    pub fn receive(&mut self, key: usize, fd: RawFd) {
        let receive = opcode::RecvMulti::new(Fd(fd), GROUP);
        self.push(&receive.build(), Kind::Receive, 0, key);
    }

    pub fn cancel_receive(&mut self, key: usize) {
        let cancel = opcode::AsyncCancel::new(user_data(Kind::Receive, 0, key));
        self.push(&cancel.build(), Kind::Other, 0, 0);
    }

    /// Sends all of `bytes`, which are the ring's until they are sent. The `last` bytes of a
    /// connection wait for the close that follows: data and FIN in one segment cost the kernel a
    /// fifth less than in two.
    pub fn send(&mut self, key: usize, fd: RawFd, bytes: Vec<u8>, last: bool) {
        let more = if last { libc::MSG_MORE } else { 0 };
        let flags = libc::MSG_NOSIGNAL | more;
        let place = self.outgoing.insert(Outgoing {
            fd,
            bytes,
            sent: 0,
            flags,
        });
        self.send_rest(place, key);
    }

    fn send_rest(&mut self, place: usize, key: usize) {
        let Outgoing {
            fd,
            bytes,
            sent,
            flags,
        } = &self.outgoing[place];
        let rest = &bytes[*sent..];
        let len = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        let send = opcode::Send::new(Fd(*fd), rest.as_ptr(), len).flags(*flags);
        self.push(&send.build(), Kind::Send, place, key);
    }

    /// An empty buffer for output.
    pub fn spare(&mut self) -> Vec<u8> {
        self.spares.pop().unwrap_or_default()
    }

    /// Takes back a buffer of [`Self::spare`].
    pub fn keep(&mut self, mut buffer: Vec<u8>) {
        if self.spares.len() < SPARES && (1..=SPARE_SIZE).contains(&buffer.capacity()) {
            buffer.clear();
            self.spares.push(buffer);
        }
    }

    /// Closes a descriptor, with the next submission.
    pub fn close(&mut self, fd: OwnedFd) {
        let close = opcode::Close::new(Fd(fd.into_raw_fd()));
        let close = close.build().flags(squeue::Flags::SKIP_SUCCESS);
        self.push(&close, Kind::Other, 0, 0);
    }

    /// Hands a connection to the thread of another ring.
    pub fn hand(&mut self, ring: RawFd, stream: OwnedFd) {
        let there = user_data(Kind::Handed, 0, 0);
        let message = opcode::MsgRingData::new(Fd(ring), stream.into_raw_fd(), there, None);
        self.push(&message.build(), Kind::Other, 0, 0);
    }

    /// Says once when `fd` becomes readable.
    pub fn watch(&mut self, fd: RawFd) {
        let poll = opcode::PollAdd::new(Fd(fd), libc::POLLIN as u32);
        self.push(&poll.build(), Kind::Watch, 0, 0);
    }

    /// Submits what is queued, and waits for a completion for at most `patience`.
    pub fn wait(&mut self, patience: Duration) -> io::Result<()> {
        let timeout = Timespec::from(patience);
        let args = SubmitArgs::new().timespec(&timeout);
        match self.uring.submitter().submit_with_args(1, &args) {
            Err(error) if !is_temporary(&error) => return Err(error),
            _ => {}
        }
        self.completions.clear();
        let completions = self.uring.completion();
        self.completions
            .extend(completions.map(|entry| (entry.user_data(), entry.result(), entry.flags())));
        Ok(())
    }

    /// How many events [`Self::wait`] has brought.
    pub fn events(&self) -> usize {
        self.completions.len()
    }

    /// One of them. Each is to be asked for once: it may hold a descriptor.
    pub fn event(&mut self, index: usize) -> Event {
        let (data, result, flags) = self.completions[index];
        let more = cqueue::more(flags);
        let key = (data & 0xffff_ffff) as usize;
        match KINDS[(data >> 56) as usize] {
            Kind::Accept => Event::Accepted {
                // SAFETY: the kernel has just opened this descriptor for us alone.
                stream: checked(result).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }),
                more,
            },
            // SAFETY: the thread that has accepted it has given up this descriptor in `hand`.
            Kind::Handed => Event::Handed(unsafe { OwnedFd::from_raw_fd(result) }),
            Kind::Receive => Event::Received {
                key,
                result: usize::try_from(result).map_err(|_| -result),
                buffer: cqueue::buffer_select(flags),
                more,
            },
            Kind::Send => self.sent((data >> 32 & 0xff_ffff) as usize, key, result),
            Kind::Watch => Event::Readable,
            Kind::Other => Event::Nothing,
        }
    }

    fn sent(&mut self, place: usize, key: usize, result: i32) -> Event {
        let outgoing = &mut self.outgoing[place];
        if let Ok(sent) = usize::try_from(result) {
            outgoing.sent += sent;
            if outgoing.sent < outgoing.bytes.len() {
                self.send_rest(place, key);
                return Event::Progress { key };
            }
        }
        let outgoing = self.outgoing.remove(place);
        self.keep(outgoing.bytes);
        Event::Sent {
            key,
            failed: result < 0,
        }
    }

    fn push(&mut self, entry: &squeue::Entry, kind: Kind, place: usize, key: usize) {
        let entry = entry.clone().user_data(user_data(kind, place, key));
        // SAFETY: what the entry points to lives until its completion: provided buffers are never
        // freed, and what is sent is in `outgoing`. Descriptors are the callers', and a stale one
        // is an error, not a fault.
        while unsafe { self.uring.submission().push(&entry) }.is_err() {
            // The queue is full. A submission that fails is tried again by the next.
            let _ = self.uring.submit();
        }
    }
}

impl Drop for Ring {
    /// The kernel may still read what is being sent.
    fn drop(&mut self) {
        std::mem::forget(std::mem::take(&mut self.outgoing));
    }
}

fn checked(result: i32) -> io::Result<RawFd> {
    if result < 0 {
        Err(io::Error::from_raw_os_error(-result))
    } else {
        Ok(result)
    }
}

/// Nothing came in time, a signal did, or completions have to be taken first.
fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
    )
}
