//! How a thread hands a connection that it has accepted to another one.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mio::net::TcpStream;
use mio::{Poll, Token, Waker};

/// The token of the event that a connection was handed over.
pub const HANDED: Token = Token(usize::MAX - 2);

/// Where the other threads put connections for a thread.
pub struct Mailbox {
    /// `None`: closed.
    streams: Mutex<Option<Vec<TcpStream>>>,
    waker: Waker,
}

impl Mailbox {
    /// The mailbox of the thread that waits on `poll`.
    pub fn new(poll: &Poll) -> io::Result<Self> {
        let waker = Waker::new(poll.registry(), HANDED)?;
        Ok(Self {
            streams: Mutex::new(Some(Vec::new())),
            waker,
        })
    }

    /// Hands over a connection.
    ///
    /// # Errors
    /// Gives it back when the thread is stopping.
    pub fn put(&self, stream: TcpStream) -> Result<(), TcpStream> {
        match &mut *self.lock() {
            Some(streams) => streams.push(stream),
            None => return Err(stream),
        }
        // A waker fails only when its poll is gone, and its thread with it.
        let _ = self.waker.wake();
        Ok(())
    }

    /// Takes what was handed over.
    pub fn take(&self) -> Vec<TcpStream> {
        self.lock().as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes what was handed over, and nothing more from now on.
    pub fn close(&self) -> Vec<TcpStream> {
        self.lock().take().unwrap_or_default()
    }

    /// A list of streams is whole whatever panicked while it was locked.
    fn lock(&self) -> MutexGuard<'_, Option<Vec<TcpStream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
