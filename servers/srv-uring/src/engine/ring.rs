//! A ring: operations go in, events come out. All that is unsafe about it stays here: the memory
//! of an operation belongs to the ring until the operation is over.

use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use io_uring::types::Fd;
use io_uring::{cqueue, opcode, squeue};
use slab::Slab;

use super::buffers::{GROUP, ProvidedBuffers};
use super::queues::{Completion, Queues};
use super::spares::Spares;

/// The queues of an io_uring, its provided buffers, and what is being sent through it.
pub struct Ring {
    queues: Queues,
    pub buffers: ProvidedBuffers,
    outgoing: Slab<Outgoing>,
    spares: Spares,
    completions: Vec<Completion>,
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
    /// A connection could not be handed to that thread.
    NotHanded { thread: usize, stream: OwnedFd },
    /// Connection `key` has received so many bytes into a provided buffer; 0 is the end of the
    /// stream. `more`: receiving goes on.
    Received {
        key: usize,
        result: Result<usize, i32>,
        buffer: Option<u16>,
        more: bool,
    },
    /// Receiving on connection `key` could not be cancelled.
    NotCancelled { key: usize },
    /// A part of what connection `key` sends is sent.
    Progress { key: usize },
    /// All is sent, or it failed.
    Sent { key: usize, failed: bool },
    /// The watched descriptor has become readable.
    Readable,
    /// It is no longer watched.
    NotWatched,
    /// Nothing that anybody waits for.
    Nothing,
}

/// The kind of an operation: the top byte of its user data. Below are three bytes for the place of
/// what is sent, or a thread, then four for the connection, or a descriptor.
#[derive(Clone, Copy)]
enum Kind {
    Accept,
    Hand,
    Handed,
    Receive,
    CancelReceive,
    Send,
    Watch,
    Other,
}

const KINDS: [Kind; 8] = [
    Kind::Accept,
    Kind::Hand,
    Kind::Handed,
    Kind::Receive,
    Kind::CancelReceive,
    Kind::Send,
    Kind::Watch,
    Kind::Other,
];

fn user_data(kind: Kind, place: usize, key: usize) -> u64 {
    (kind as u64) << 56 | (place as u64) << 32 | key as u64
}

impl Ring {
    /// Makes the ring of the calling thread, for responses with so many bytes of body.
    ///
    /// # Errors
    /// When the kernel has no io_uring, or not one of Linux 6.1, or forbids it.
    pub fn new(body: usize) -> io::Result<Self> {
        let buffers = ProvidedBuffers::new();
        Ok(Self {
            queues: Queues::new(&buffers)?,
            buffers,
            outgoing: Slab::new(),
            spares: Spares::new(body),
            completions: Vec::new(),
        })
    }

    pub fn as_raw_fd(&self) -> RawFd {
        self.queues.as_raw_fd()
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
        self.push(&cancel.build(), Kind::CancelReceive, 0, key);
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
        self.spares.take()
    }

    /// Takes back a buffer of [`Self::spare`].
    pub fn keep(&mut self, buffer: Vec<u8>) {
        self.spares.keep(buffer);
    }

    /// Closes a descriptor, with the next submission.
    pub fn close(&mut self, fd: OwnedFd) {
        let close = opcode::Close::new(Fd(fd.into_raw_fd()));
        let close = close.build().flags(squeue::Flags::SKIP_SUCCESS);
        self.push(&close, Kind::Other, 0, 0);
    }

    /// Hands a connection to the thread of another ring.
    pub fn hand(&mut self, thread: usize, ring: RawFd, stream: OwnedFd) {
        let there = user_data(Kind::Handed, 0, 0);
        let stream = stream.into_raw_fd();
        let message = opcode::MsgRingData::new(Fd(ring), stream, there, None);
        self.push(&message.build(), Kind::Hand, thread, stream as usize);
    }

    /// Says once when `fd` becomes readable.
    pub fn watch(&mut self, fd: RawFd) {
        let poll = opcode::PollAdd::new(Fd(fd), libc::POLLIN as u32);
        self.push(&poll.build(), Kind::Watch, 0, 0);
    }

    /// Submits what is queued, and waits for a completion for at most `patience`.
    pub fn wait(&mut self, patience: Duration) -> io::Result<()> {
        self.completions.clear();
        self.queues.wait(patience, &mut self.completions)
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
        let place = (data >> 32 & 0xff_ffff) as usize;
        match KINDS[(data >> 56) as usize] {
            Kind::Accept => Event::Accepted {
                // SAFETY: the kernel has just opened this descriptor for us alone.
                stream: checked(result).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }),
                more,
            },
            Kind::Hand if result < 0 => Event::NotHanded {
                thread: place,
                // SAFETY: nobody has taken the descriptor that was given up in `hand`.
                stream: unsafe { OwnedFd::from_raw_fd(key as RawFd) },
            },
            // SAFETY: the thread that has accepted it has given up this descriptor in `hand`.
            Kind::Handed => Event::Handed(unsafe { OwnedFd::from_raw_fd(result) }),
            Kind::Receive => Event::Received {
                key,
                result: usize::try_from(result).map_err(|_| -result),
                buffer: cqueue::buffer_select(flags),
                more,
            },
            // Where there is nothing to cancel it has ended by itself.
            Kind::CancelReceive if result < 0 && result != -libc::ENOENT => {
                Event::NotCancelled { key }
            }
            Kind::Send => self.sent(place, key, result),
            Kind::Watch if result < 0 => Event::NotWatched,
            Kind::Watch => Event::Readable,
            Kind::Hand | Kind::CancelReceive | Kind::Other => Event::Nothing,
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
        } else if matches!(-result, libc::EINTR | libc::EAGAIN) {
            self.send_rest(place, key);
            return Event::Nothing;
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
        // SAFETY: provided buffers are never freed, and what is sent is in `outgoing`. Descriptors
        // are the callers', and a stale one is an error, not a fault.
        unsafe { self.queues.push(&entry) };
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
