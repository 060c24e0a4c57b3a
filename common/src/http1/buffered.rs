//! A connection with buffers of its own, for engines that give each connection a thread, a task or
//! a coroutine.

use super::{Connection, MAX_HEAD, Next, Response};

/// A [`Connection`] with its input and output.
///
/// An engine's loop asks for the next [`Step`] and does it.
#[derive(Debug)]
pub struct Buffered<'a> {
    connection: Connection,
    response: &'a Response,
    input: Box<[u8]>,
    /// How much of `input` is filled.
    filled: usize,
    output: Vec<u8>,
    /// How much of `output` has been sent.
    sent: usize,
    next: Next,
}

/// What an engine does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Read into [`Buffered::space`].
    Read,
    /// Write [`Buffered::unsent`].
    Write,
    /// Close.
    Close,
    /// Shut the sending side down, discard what comes for a while, then close.
    Linger,
}

impl<'a> Buffered<'a> {
    /// A connection that has just been accepted, to be answered with `response`.
    pub fn new(response: &'a Response) -> Self {
        Self {
            connection: Connection::new(),
            response,
            // A head that does not fit is refused, so there is always space to read to.
            input: vec![0; MAX_HEAD].into_boxed_slice(),
            filled: 0,
            output: Vec::new(),
            sent: 0,
            next: Next::Read,
        }
    }

    /// What to do next.
    pub fn step(&mut self) -> Step {
        while self.sent == self.output.len() {
            self.output.clear();
            self.sent = 0;
            match self.next {
                Next::Read => return Step::Read,
                Next::Again => self.advance(),
                Next::Close => return Step::Close,
                Next::Linger => return Step::Linger,
            }
        }
        Step::Write
    }

    /// Where to read to; never empty.
    pub fn space(&mut self) -> &mut [u8] {
        &mut self.input[self.filled..]
    }

    /// Takes the `len` bytes that were read into [`Self::space`]. Says whether they completed
    /// anything, which moves the connection's deadline.
    pub fn received(&mut self, len: usize) -> bool {
        let before = self.filled + len;
        self.filled = before;
        self.advance();
        self.filled < before
    }

    /// What is to be written.
    pub fn unsent(&self) -> &[u8] {
        &self.output[self.sent..]
    }

    /// `len` bytes of [`Self::unsent`] were written.
    pub fn sent(&mut self, len: usize) {
        self.sent += len;
    }

    /// Whether no request is under way: none half-read, none half-answered.
    pub fn is_idle(&self) -> bool {
        self.filled == 0 && self.sent == self.output.len() && self.connection.is_between_requests()
    }

    /// Makes the next response the last one.
    pub fn close_after_next(&mut self) {
        self.connection.close_after_next();
    }

    fn advance(&mut self) {
        let progress =
            self.connection
                .receive(&self.input[..self.filled], self.response, &mut self.output);
        self.input.copy_within(progress.consumed..self.filled, 0);
        self.filled -= progress.consumed;
        self.next = progress.next;
        if matches!(self.next, Next::Close | Next::Linger) {
            // Nobody will look at it, and a head that was too large leaves no space to linger with.
            self.filled = 0;
        }
    }
}
