//! The queues with a kernel that the tests play: an operation waits until a test says what came of
//! it. Provided buffers are taken and filled as the kernel does.

use std::cell::RefCell;
use std::io;
use std::mem::transmute_copy;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::time::Duration;

use io_uring::types::BufRingEntry;
use io_uring::{opcode, squeue};

use super::buffers::{COUNT, ProvidedBuffers};

/// As the real one.
pub type Completion = (u64, i32, u32);

/// IORING_CQE_F_BUFFER and IORING_CQE_F_MORE, and where the id of a buffer is.
const HAS_BUFFER: u32 = 1;
const MORE: u32 = 2;
const BUFFER_SHIFT: u32 = 16;

pub struct Queues;

/// A submission queue entry, as the kernel reads it (`struct io_uring_sqe`).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Operation {
    pub opcode: u8,
    pub flags: u8,
    /// Bit 0: accepts, bit 1: receives until it is said that there is no more.
    pub priority: u16,
    pub fd: RawFd,
    pub offset: u64,
    pub address: u64,
    pub len: u32,
    pub operation_flags: u32,
    pub user_data: u64,
    rest: [u64; 3],
}

/// The kernel of one thread, that is of one test.
pub struct Kernel {
    pub operations: Vec<Operation>,
    completions: Vec<Completion>,
    queue: *mut BufRingEntry,
    /// The next buffer to take.
    head: u16,
    pub closed: Vec<RawFd>,
}

thread_local! {
    static KERNEL: RefCell<Kernel> = const { RefCell::new(Kernel::NEW) };
}

/// Asks or tells the kernel of this test.
pub fn kernel<T>(ask: impl FnOnce(&mut Kernel) -> T) -> T {
    KERNEL.with_borrow_mut(ask)
}

impl Queues {
    pub fn new(buffers: &ProvidedBuffers) -> io::Result<Self> {
        kernel(|kernel| {
            *kernel = Kernel::NEW;
            kernel.queue = buffers.queue();
        });
        Ok(Self)
    }

    pub fn as_raw_fd(&self) -> RawFd {
        -1
    }

    /// # Safety
    /// As the real one.
    pub unsafe fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: the entry is nothing but that structure.
        let operation: Operation = unsafe { transmute_copy(entry) };
        kernel(|kernel| kernel.operations.push(operation));
    }

    pub fn wait(&mut self, _: Duration, completions: &mut Vec<Completion>) -> io::Result<()> {
        kernel(|kernel| completions.append(&mut kernel.completions));
        Ok(())
    }
}

impl Operation {
    /// The bytes that are to be sent, as many as the kernel reads now.
    pub fn bytes(&self) -> Vec<u8> {
        assert_eq!(self.opcode, opcode::Send::CODE);
        let bytes = ptr::with_exposed_provenance(self.address as usize);
        // SAFETY: the ring promises that they live until the completion.
        unsafe { std::slice::from_raw_parts(bytes, self.len as usize) }.to_vec()
    }
}

impl Kernel {
    const NEW: Self = Self {
        operations: Vec::new(),
        completions: Vec::new(),
        queue: ptr::null_mut(),
        head: 0,
        closed: Vec::new(),
    };

    /// Whether an operation of a kind is under way.
    pub fn has(&self, opcode: u8) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| operation.opcode == opcode)
    }

    /// Takes the first operation of a kind, on a descriptor if one is given.
    pub fn take(&mut self, opcode: u8, fd: Option<RawFd>) -> Option<Operation> {
        let is_it = |operation: &Operation| {
            operation.opcode == opcode && fd.is_none_or(|fd| fd == operation.fd)
        };
        let place = self.operations.iter().position(is_it)?;
        Some(self.operations.remove(place))
    }

    /// Says what came of an operation.
    pub fn complete(&mut self, operation: Operation, result: i32) {
        self.completions.push((operation.user_data, result, 0));
    }

    /// Says it of an operation that goes on.
    pub fn continues(&mut self, operation: Operation, result: i32) {
        self.completions.push((operation.user_data, result, MORE));
        self.operations.push(operation);
    }

    /// Ends a receive with data, or for want of a buffer; it goes on where it can. Whether the
    /// data was delivered.
    pub fn deliver(&mut self, receive: Operation, data: &[u8]) -> bool {
        assert_eq!(receive.opcode, opcode::Recv::CODE);
        let Some(buffer) = self.next_buffer() else {
            self.complete(receive, -libc::ENOBUFS);
            return false;
        };
        let memory = ptr::with_exposed_provenance_mut(buffer.addr() as usize);
        assert!(data.len() <= buffer.len() as usize);
        // SAFETY: the server has given this buffer to the kernel.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), memory, data.len()) };
        let goes_on = receive.priority & 2 != 0;
        let more = if goes_on { MORE } else { 0 };
        let flags = u32::from(buffer.bid()) << BUFFER_SHIFT | HAS_BUFFER | more;
        self.completions
            .push((receive.user_data, data.len() as i32, flags));
        if goes_on {
            self.operations.push(receive);
        }
        true
    }

    fn next_buffer(&mut self) -> Option<&BufRingEntry> {
        // SAFETY: the queue is never freed.
        let tail = unsafe { *BufRingEntry::tail(self.queue) };
        if self.head == tail {
            return None;
        }
        let index = usize::from(self.head % COUNT);
        self.head = self.head.wrapping_add(1);
        // SAFETY: the queue has COUNT entries, and the server writes none before the tail.
        Some(unsafe { &*self.queue.add(index) })
    }

    /// Closes what is to be closed, with this result.
    pub fn close_all(&mut self, result: i32) {
        while let Some(close) = self.take(opcode::Close::CODE, None) {
            // SAFETY: the server has given it up.
            drop(unsafe { OwnedFd::from_raw_fd(close.fd) });
            self.closed.push(close.fd);
            // A success is not told.
            if result < 0 {
                self.complete(close, result);
            }
        }
    }
}
