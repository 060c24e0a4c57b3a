//! The two queues that are shared with the kernel, one of operations and one of completions.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, squeue};

use super::buffers::{COUNT, GROUP, ProvidedBuffers};

/// Operations that are queued before they are submitted.
const SUBMISSIONS: u32 = 256;

/// Completions that may wait.
const COMPLETIONS: u32 = 4096;

/// What the kernel says of an operation: its user data, the result (an error number where it is
/// below 0) and the flags.
pub type Completion = (u64, i32, u32);

/// The queues of one thread.
pub struct Queues(IoUring);

impl Queues {
    /// Makes the queues of the calling thread, and gives `buffers` to the kernel.
    ///
    /// # Errors
    /// When the kernel has no io_uring, or not one of Linux 6.1, or forbids it.
    pub fn new(buffers: &ProvidedBuffers) -> io::Result<Self> {
        let uring = IoUring::builder()
            .setup_cqsize(COMPLETIONS)
            .setup_single_issuer()
            // Completions are made when we ask for them, not by interrupting us: 8 % of a request.
            .setup_defer_taskrun()
            .build(SUBMISSIONS)?;
        let queue = buffers.queue().addr() as u64;
        // SAFETY: that is what the queue is.
        unsafe {
            uring
                .submitter()
                .register_buf_ring_with_flags(queue, COUNT, GROUP, 0)?;
        }
        Ok(Self(uring))
    }

    pub fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Queues an operation.
    ///
    /// # Safety
    /// What the entry points to must live until its completion.
    pub unsafe fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: the caller's promise.
        while unsafe { self.0.submission().push(entry) }.is_err() {
            // The queue is full. A submission that fails is tried again by the next.
            let _ = self.0.submit();
        }
    }

    /// Submits what is queued, waits for a completion for at most `patience`, and puts all that
    /// there are into `completions`.
    ///
    /// # Errors
    /// Those that will not pass.
    pub fn wait(
        &mut self,
        patience: Duration,
        completions: &mut Vec<Completion>,
    ) -> io::Result<()> {
        let timeout = Timespec::from(patience);
        let args = SubmitArgs::new().timespec(&timeout);
        match self.0.submitter().submit_with_args(1, &args) {
            Err(error) if is_permanent(&error) => return Err(error),
            _ => {}
        }
        let entries = self.0.completion();
        completions.extend(entries.map(|entry| (entry.user_data(), entry.result(), entry.flags())));
        Ok(())
    }
}

/// Whether trying again is in vain (io_uring_enter(2)). All else passes: nothing came in time, a
/// signal did, completions have to be taken first, or memory is short.
fn is_permanent(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::EACCES
                | libc::EBADF
                | libc::EBADFD
                | libc::EBADR
                | libc::EEXIST
                | libc::EFAULT
                | libc::EINVAL
                | libc::ENOSYS
                | libc::ENXIO
                | libc::EOPNOTSUPP
                | libc::EPERM
        )
    )
}
