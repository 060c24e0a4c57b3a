//! The buffers of a thread, lent to one connection at a time.

use common::http1::{Connection, MAX_UNSENT, Next, Progress, Response};

/// What a thread lends to the connection that it serves: 10,000 idle connections need no buffers.
pub struct Buffers {
    input: Box<[u8]>,
    filled: usize,
    /// Not sent yet.
    pub output: Vec<u8>,
    response: Response,
}

/// What a connection that is half-read or half-written keeps until its next turn.
pub struct Kept {
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Buffers {
    pub fn new(response: Response) -> Self {
        Self {
            input: vec![0; MAX_UNSENT].into_boxed_slice(),
            filled: 0,
            output: Vec::with_capacity(2 * MAX_UNSENT),
            response,
        }
    }

    /// Takes up what a connection has kept.
    pub fn load(&mut self, kept: Option<Box<Kept>>) {
        if let Some(kept) = kept {
            self.filled = kept.input.len();
            self.input[..self.filled].copy_from_slice(&kept.input);
            self.output.extend_from_slice(&kept.output);
        }
    }

    /// Gives what is left to the connection, and is empty for the next one.
    pub fn store(&mut self) -> Option<Box<Kept>> {
        if self.filled == 0 && self.output.is_empty() {
            return None;
        }
        let kept = Kept {
            input: self.input[..self.filled].to_vec(),
            output: self.output.clone(),
        };
        self.filled = 0;
        self.output.clear();
        Some(Box::new(kept))
    }

    /// Where to read to: never empty, for what is kept is at most a head.
    pub fn space(&mut self) -> &mut [u8] {
        &mut self.input[self.filled..]
    }

    /// `read` bytes were read into [`Self::space`].
    pub fn fill(&mut self, read: usize) {
        self.filled += read;
    }

    /// Lets `connection` take the input and append its output.
    pub fn receive(&mut self, connection: &mut Connection) -> Progress {
        let input = &self.input[..self.filled];
        let progress = connection.receive(input, &self.response, &mut self.output);
        self.input.copy_within(progress.consumed..self.filled, 0);
        self.filled -= progress.consumed;
        if matches!(progress.next, Next::Close | Next::Linger) {
            // Nobody will look at it, and a full buffer leaves no space to linger with.
            self.filled = 0;
        }
        progress
    }
}
