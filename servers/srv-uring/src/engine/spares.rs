//! Output buffers that are kept for the next response.

/// How many at most.
const COUNT: usize = 64;

/// A buffer that has grown beyond this, in bytes, or beyond two bodies, is not kept: sooner or later a
/// client that pipelines much and reads slowly would have made all of them large.
const CAPACITY: usize = 16 * 1024;

/// All that a thread keeps, in bytes: fewer than [`COUNT`] buffers where bodies are large.
const TOTAL: usize = 64 * 1024 * 1024;

/// Empty buffers.
pub struct Spares {
    buffers: Vec<Vec<u8>>,
    count: usize,
    capacity: usize,
}

impl Spares {
    /// Those of a server whose responses have so many bytes of body. Where a large response gets a new
    /// buffer each time, the kernel maps its pages anew: 1 MB costs that half a millisecond.
    pub fn new(body: usize) -> Self {
        let capacity = body.saturating_mul(2).max(CAPACITY);
        Self {
            buffers: Vec::new(),
            count: (TOTAL / capacity).min(COUNT),
            capacity,
        }
    }

    /// An empty buffer.
    pub fn take(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_default()
    }

    /// Takes back a buffer of [`Self::take`].
    pub fn keep(&mut self, mut buffer: Vec<u8>) {
        if self.buffers.len() < self.count && (1..=self.capacity).contains(&buffer.capacity()) {
            buffer.clear();
            self.buffers.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spares;

    /// Whether a buffer of `capacity` is kept by a server of such bodies.
    fn keeps(body: usize, capacity: usize) -> bool {
        let mut spares = Spares::new(body);
        spares.keep(Vec::with_capacity(capacity));
        spares.take().capacity() == capacity
    }

    #[test]
    fn buffers_of_two_bodies_are_kept_and_larger_ones_are_not() {
        for (body, limit) in [(13, 16 * 1024), (8192, 16 * 1024), (1_000_000, 2_000_000)] {
            assert!(keeps(body, limit), "{body}");
            assert!(!keeps(body, limit + 1), "{body}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded_in_number_and_in_bytes() {
        for (body, capacity, kept) in [
            (13, 1000, 64),
            (1_000_000, 2_000_000, 33),
            (1 << 30, 1 << 20, 0),
        ] {
            let mut spares = Spares::new(body);
            for _ in 0..100 {
                spares.keep(Vec::with_capacity(capacity));
            }
            assert_eq!(spares.buffers.len(), kept, "{body}");
        }
    }
}
