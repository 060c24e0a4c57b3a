//! All slow clients of one server, on a thread of their own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use super::client::{Kind, Slow, Turn};
use super::kernel;

/// How long connecting may take: a server that takes connections more slowly gets a smaller crowd.
const CONNECTING: Duration = Duration::from_secs(3);

/// How long the server may take until it takes nothing more of those that never read.
const FILLING: Duration = Duration::from_secs(8);

/// When nothing has been taken for so long, nothing more is: a server may have much to answer until it reads again.
const STUCK: Duration = Duration::from_millis(1500);

/// How often drops fall and the kernel's memory is looked at.
const TICK: Duration = Duration::from_millis(10);

/// How many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) dripping: usize,
    pub(super) never_reading: usize,
}

impl Size {
    pub(super) fn total(self) -> usize {
        self.dripping + self.never_reading
    }
}

/// What became of the clients of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    pub(super) connected: usize,
    /// How long each was open that the server has closed.
    pub(super) closed: Vec<Duration>,
    /// How long each is open that it has not.
    pub(super) open: Vec<Duration>,
}

/// What became of a crowd.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) dripping: Fate,
    pub(super) never_reading: Fate,
    /// The most that the kernel held for TCP, beyond what it held before, bytes.
    pub(super) kernel: u64,
}

impl Seen {
    fn fate(&mut self, kind: Kind) -> &mut Fate {
        match kind {
            Kind::Drips => &mut self.dripping,
            Kind::NeverReads => &mut self.never_reading,
        }
    }
}

/// A crowd at work.
pub(super) struct Crowd {
    thread: JoinHandle<io::Result<Seen>>,
    connected: Arc<AtomicBool>,
    dismissed: Arc<AtomicBool>,
}

impl Crowd {
    /// Sends it to a server.
    pub(super) fn send(addr: SocketAddr, size: Size) -> Self {
        let connected = Arc::new(AtomicBool::new(false));
        let dismissed = Arc::new(AtomicBool::new(false));
        let (told, asked) = (Arc::clone(&connected), Arc::clone(&dismissed));
        let thread = thread::spawn(move || {
            let mut work = Work::new()?;
            work.connect(Kind::NeverReads, size.never_reading, addr)?;
            work.fill()?;
            work.connect(Kind::Drips, size.dripping, addr)?;
            told.store(true, Relaxed);
            while !asked.load(Relaxed) && work.is_any_left() {
                work.tick()?;
            }
            Ok(work.finish())
        });
        Self {
            thread,
            connected,
            dismissed,
        }
    }

    /// Whether all that can be are connected, and those that never read have all that they get.
    pub(super) fn is_connected(&self) -> bool {
        self.connected.load(Relaxed) || self.is_gone()
    }

    /// Whether the server has closed all connections.
    pub(super) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }

    /// Ends what is left of it.
    pub(super) fn dismiss(self) -> io::Result<Seen> {
        self.dismissed.store(true, Relaxed);
        self.thread.join().expect("a crowd does not panic")
    }
}

/// What the thread has.
struct Work {
    poll: Poll,
    events: Events,
    clients: Vec<Option<Slow>>,
    /// Clients that want another turn without an event.
    again: Vec<usize>,
    /// When dripping began, and how many drops have fallen since.
    start: Instant,
    drops: usize,
    /// When the server last took something of a client that never reads.
    last_taken: Instant,
    kernel_before: u64,
    seen: Seen,
}

impl Work {
    fn new() -> io::Result<Self> {
        Ok(Self {
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            clients: Vec::new(),
            again: Vec::new(),
            start: Instant::now(),
            drops: 0,
            last_taken: Instant::now(),
            kernel_before: kernel::held(),
            seen: Seen::default(),
        })
    }

    /// Connects so many, or as many as there is time for.
    fn connect(&mut self, kind: Kind, count: usize, addr: SocketAddr) -> io::Result<()> {
        let end = Instant::now() + CONNECTING;
        for _ in 0..count {
            if Instant::now() >= end {
                break;
            }
            let mut slow = match Slow::connect(kind, addr) {
                Ok(slow) => slow,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => break,
                Err(error) => return Err(error),
            };
            let interest = match kind {
                Kind::Drips => Interest::READABLE,
                Kind::NeverReads => Interest::WRITABLE,
            };
            let token = Token(self.clients.len());
            let registry = self.poll.registry();
            registry.register(&mut slow.stream, token, interest)?;
            self.seen.fate(kind).connected += 1;
            self.clients.push(Some(slow));
        }
        self.start = Instant::now();
        Ok(())
    }

    /// Asks until nothing more is taken: until then a server has more to do, and rightly so.
    fn fill(&mut self) -> io::Result<()> {
        let end = Instant::now() + FILLING;
        self.last_taken = Instant::now();
        while self.last_taken.elapsed() < STUCK && Instant::now() < end {
            self.tick()?;
        }
        Ok(())
    }

    fn is_any_left(&self) -> bool {
        self.clients.iter().any(Option::is_some)
    }

    fn tick(&mut self) -> io::Result<()> {
        let held = kernel::held();
        self.seen.kernel = self
            .seen
            .kernel
            .max(held.saturating_sub(self.kernel_before));
        let may_ask = held < kernel::budget();
        match self.poll.poll(&mut self.events, Some(TICK)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        }
        let mut turns = std::mem::take(&mut self.again);
        turns.extend(self.events.iter().map(|event| event.token().0));
        for index in turns {
            self.turn(index, may_ask);
        }
        self.drip();
        Ok(())
    }

    fn turn(&mut self, index: usize, may_ask: bool) {
        let Some(slow) = &mut self.clients[index] else {
            return;
        };
        match slow.turn(may_ask) {
            Turn::Wait => {}
            Turn::Again => {
                if slow.kind == Kind::NeverReads {
                    self.last_taken = Instant::now();
                }
                self.again.push(index);
            }
            Turn::Closed(after) => {
                let kind = slow.kind;
                self.clients[index] = None;
                self.seen.fate(kind).closed.push(after);
            }
        }
    }

    /// Lets all drops fall that are due: one a second from each, spread over the second.
    fn drip(&mut self) {
        let all = self.seen.dripping.connected;
        let first = self.clients.len() - all;
        let due = (self.start.elapsed().as_secs_f64() * all as f64) as usize;
        while self.drops < due {
            // Where it fails, the event that says so comes as well.
            let _ = self.clients[first + self.drops % all]
                .as_mut()
                .map(Slow::drip);
            self.drops += 1;
        }
    }

    fn finish(mut self) -> Seen {
        for slow in self.clients.into_iter().flatten() {
            self.seen.fate(slow.kind).open.push(slow.open_for());
        }
        self.seen
    }
}
