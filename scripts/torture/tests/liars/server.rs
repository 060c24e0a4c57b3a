//! A small right server, a thread per connection; and what it does otherwise when it lies.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};

use crate::LIES;

/// The variable of the environment that makes this program a server.
pub const LIE: &str = "TORTURE_FAKE_LIE";

/// What it does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Nothing.
    None,
    /// It ends at SIGTERM whatever is under way, and sends responses in two parts.
    CutsAtSigterm,
    /// It goes on.
    IgnoresSigterm,
    /// It ends at SIGTERM whatever is under way.
    DrainsNothing,
    /// It closes a connection when a read or a write is to be tried again.
    ClosesOnInterrupts,
    /// It listens on IPv6 or not at all.
    NeedsIpv6,
    /// Its body has 13 bytes whatever it is told.
    IgnoresBodySize,
    /// It asks again at once when a connection cannot be accepted.
    SpinsOnErrors,
    /// It loses a descriptor with every 100th connection, of which the first 1000 warm it up.
    LosesSomeDescriptors,
    /// It ends when a connection cannot be accepted.
    DiesOfErrors,
    /// It never closes a descriptor.
    KeepsDescriptors,
    /// It never gives back some memory of each connection.
    KeepsMemory,
}

static STOPPING: AtomicBool = AtomicBool::new(false);
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Serves until SIGTERM.
pub fn serve(name: &str) -> ! {
    let lies = LIES.into_iter().map(|(lie, _)| lie);
    let lie = lies
        .chain([Lie::None])
        .find(|lie| format!("{lie:?}") == name);
    let lie = lie.unwrap_or_else(|| panic!("no lie `{name}`"));
    let mut words = std::env::args().skip(1);
    let host = words.next().expect("a host");
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let (port, size): (usize, usize) = (number().expect("a port"), number().expect("a size"));
    let port = u16::try_from(port).expect("a port is small");

    let signals = SigSet::from(Signal::SIGTERM);
    signals.thread_block().expect("a signal can be blocked");
    let listener = listen(&host, port, lie).unwrap_or_else(|error| {
        eprintln!("{name}: cannot listen: {error}");
        exit(1)
    });
    let addr = listener.local_addr().expect("it has an address");
    let size = if lie == Lie::IgnoresBodySize {
        13
    } else {
        size
    };
    thread::spawn(move || accept(&listener, lie, size));
    eprintln!("{name} listening on http://{addr} (1 thread)");
    signals.wait().expect("a signal can be waited for");
    match lie {
        Lie::CutsAtSigterm | Lie::DrainsNothing => {}
        Lie::IgnoresSigterm => sleep(Duration::from_secs(60)),
        _ => drain(),
    }
    exit(0)
}

fn listen(host: &str, port: u16, lie: Lie) -> io::Result<TcpListener> {
    match TcpListener::bind((host, port)) {
        Err(_) if host == "::" && lie != Lie::NeedsIpv6 => TcpListener::bind(("0.0.0.0", port)),
        result => result,
    }
}

/// Until nothing has been under way for a moment.
fn drain() {
    STOPPING.store(true, SeqCst);
    let mut busy = Instant::now();
    while busy.elapsed() < Duration::from_millis(50) {
        if UNDER_WAY.load(SeqCst) > 0 {
            busy = Instant::now();
        }
        sleep(Duration::from_millis(1));
    }
}

fn accept(listener: &TcpListener, lie: Lie, size: usize) {
    for number in 1_u32.. {
        let accepted = listener.accept();
        if STOPPING.load(SeqCst) {
            return;
        }
        match accepted {
            Ok((stream, _)) => {
                if lie == Lie::LosesSomeDescriptors && number > 1000 && number.is_multiple_of(100) {
                    std::mem::forget(stream.try_clone());
                }
                thread::spawn(move || answer(stream, lie, size));
            }
            Err(_) if lie == Lie::DiesOfErrors => exit(1),
            Err(_) if lie == Lie::SpinsOnErrors => {}
            Err(_) => sleep(Duration::from_millis(10)),
        }
    }
}

fn answer(mut stream: TcpStream, lie: Lie, size: usize) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if lie == Lie::KeepsDescriptors {
        std::mem::forget(stream.try_clone()?);
    }
    if lie == Lie::KeepsMemory {
        std::hint::black_box(vec![1_u8; 1024].leak());
    }
    let mut input = Vec::new();
    loop {
        let mut bytes = [0; 4096];
        let count = again(lie, || stream.read(&mut bytes))?;
        if count == 0 {
            return Ok(());
        }
        UNDER_WAY.fetch_add(1, SeqCst);
        input.extend_from_slice(&bytes[..count]);
        let result = answer_all(&mut stream, &mut input, lie, size);
        UNDER_WAY.fetch_sub(1, SeqCst);
        if result? {
            return Ok(());
        }
    }
}

/// Tries again as long as the system says that it may work.
fn again(lie: Lie, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        let result = call();
        let kind = result.as_ref().map_err(io::Error::kind);
        let passes = matches!(kind, Err(ErrorKind::Interrupted | ErrorKind::WouldBlock));
        if !passes || lie == Lie::ClosesOnInterrupts {
            return result;
        }
    }
}

fn write_all(stream: &mut TcpStream, mut bytes: &[u8], lie: Lie) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = again(lie, || stream.write(bytes))?;
        bytes = &bytes[count..];
    }
    Ok(())
}

/// Answers the requests that have come; whether the last one ends the connection.
fn answer_all(
    stream: &mut TcpStream,
    input: &mut Vec<u8>,
    lie: Lie,
    size: usize,
) -> io::Result<bool> {
    while let Some(end) = input.windows(4).position(|four| four == b"\r\n\r\n") {
        let head: Vec<u8> = input.drain(..end + 4).collect();
        let close = STOPPING.load(SeqCst) || head.windows(5).any(|five| five == b"close");
        let connection = if close { "Connection: close\r\n" } else { "" };
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n{connection}\r\n{}",
            "x".repeat(size)
        );
        let half = if lie == Lie::CutsAtSigterm { 20 } else { 0 };
        write_all(stream, &response.as_bytes()[..half], lie)?;
        if half > 0 {
            sleep(Duration::from_millis(2));
        }
        write_all(stream, &response.as_bytes()[half..], lie)?;
        if close {
            return Ok(true);
        }
    }
    Ok(false)
}
