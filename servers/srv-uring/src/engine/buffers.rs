//! Provided buffers: memory that the kernel fills when something has come, so that a connection
//! that waits needs none.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU16, Ordering::Release};

use io_uring::types::BufRingEntry;

/// Buffers of a ring, a power of two. When a burst uses them up the kernel says so and goes on
/// when some are given back.
pub const COUNT: u16 = 256;

/// Bytes of a buffer.
const SIZE: usize = 4096;

/// As large as the pages of any machine: the kernel wants the queue to start at one.
const PAGE: usize = 64 * 1024;

/// The only group of buffers of a ring.
pub const GROUP: u16 = 0;

/// The buffers of one ring and the queue through which they go to the kernel. Never freed: the
/// kernel may write to them as long as the process lives.
pub struct ProvidedBuffers {
    queue: *mut BufRingEntry,
    memory: *mut u8,
    tail: u16,
}

impl ProvidedBuffers {
    /// Makes the buffers, all of them the kernel's once it knows of the queue.
    pub fn new() -> Self {
        let queue = allocate(usize::from(COUNT) * size_of::<BufRingEntry>(), PAGE).cast();
        let memory = allocate(usize::from(COUNT) * SIZE, 64);
        let mut buffers = Self {
            queue,
            memory,
            tail: 0,
        };
        for id in 0..COUNT {
            buffers.give(id);
        }
        buffers
    }

    /// Where the queue is: [`COUNT`] entries, from the start of a page, never freed.
    pub fn queue(&self) -> *mut BufRingEntry {
        self.queue
    }

    /// What the kernel has put into buffer `id`, which it has handed to us with a completion.
    pub fn filled(&self, id: u16, len: usize) -> &[u8] {
        assert!(
            id < COUNT && len <= SIZE,
            "the kernel named a buffer that is not ours"
        );
        // SAFETY: the bytes are ours and initialised, by `alloc_zeroed` or the kernel, which does
        // not write to them before `give`, for which this borrow has to end.
        unsafe { slice::from_raw_parts(self.memory.add(usize::from(id) * SIZE), len) }
    }

    /// Gives buffer `id` (back) to the kernel.
    pub fn give(&mut self, id: u16) {
        assert!(id < COUNT, "the kernel named a buffer that is not ours");
        let index = usize::from(self.tail & (COUNT - 1));
        // SAFETY: `index` is below COUNT and the kernel reads no entry behind the tail.
        let entry = unsafe { &mut *self.queue.add(index) };
        // SAFETY: `id` is below COUNT, so this is inside `memory`.
        let buffer = unsafe { self.memory.add(usize::from(id) * SIZE) };
        entry.set_addr(buffer.addr() as u64);
        entry.set_len(SIZE as u32);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the queue is valid, and its tail, which only we write, is aligned for a u16.
        let tail = unsafe { &*BufRingEntry::tail(self.queue).cast::<AtomicU16>() };
        // The entry must be there before the kernel sees that it is.
        tail.store(self.tail, Release);
    }
}

fn allocate(size: usize, align: usize) -> *mut u8 {
    let layout = Layout::from_size_align(size, align).expect("both are constants, and fit");
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc_zeroed(layout) };
    if ptr::eq(memory, ptr::null()) {
        handle_alloc_error(layout);
    }
    memory
}
