use std::cell::Cell;
use std::collections::VecDeque;
use std::thread;

use super::*;
use crate::date;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// A client that sends one piece a read, then `ending` for ever.
struct Script {
    pieces: VecDeque<&'static [u8]>,
    ending: &'static [u8],
    /// How long a read may block now.
    limit: Cell<Duration>,
    /// How long each read might have blocked.
    limits: Vec<Duration>,
    /// Bytes that were read.
    read: usize,
}

impl Script {
    fn new(pieces: impl IntoIterator<Item = &'static [u8]>, ending: &'static [u8]) -> Self {
        Self {
            pieces: pieces.into_iter().collect(),
            ending,
            limit: Cell::new(TIMEOUT),
            limits: Vec::new(),
            read: 0,
        }
    }

    fn serve(&mut self) -> io::Result<()> {
        date::start();
        serve(self, &Response::new(b"Hello, World!"), &InFlight::new())
    }
}

impl Read for Script {
    fn read(&mut self, mut space: &mut [u8]) -> io::Result<usize> {
        // So that what is left of the time is less than all of it.
        thread::sleep(Duration::from_millis(1));
        self.limits.push(self.limit.get());
        let piece = self.pieces.pop_front().unwrap_or(self.ending);
        let read = space.write(piece)?;
        self.read += read;
        Ok(read)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Script {
    fn limit_reads(&self, timeout: Duration) -> io::Result<()> {
        self.limit.set(timeout);
        Ok(())
    }

    fn shutdown_write(&self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_rest_of_a_head_has_less_time_and_the_next_head_all_of_it() {
    let (first, rest) = REQUEST.split_at(REQUEST.len() / 2);
    let mut client = Script::new([first, rest], b"");
    client.serve().unwrap();
    let [idle, half, next] = client.limits[..] else {
        panic!("{:?}", client.limits);
    };
    assert_eq!(idle, TIMEOUT);
    assert!(half < TIMEOUT, "{half:?}");
    assert_eq!(next, TIMEOUT);
}

#[test]
fn a_client_that_never_stops_sending_is_closed() {
    let mut client = Script::new([&b"BAD\r\n\r\n"[..]], &[b'x'; 64 * 1024]);
    client.serve().unwrap();
    assert!(client.read > MAX_LINGER, "{}", client.read);
    assert!(client.read < 2 * MAX_LINGER, "{}", client.read);
}
