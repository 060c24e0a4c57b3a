//! Clients that ask as fast as they are answered, and look at every byte: each response comes whole, or not at all.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::client::{Client, Expected, GET, LAST, Received};
use crate::outcome::Trouble;

/// How a client of the crowd uses its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One request after the other.
    KeepAlive,
    /// One request, `Connection: close`.
    Close,
    /// So many requests at a time.
    Pipeline(usize),
}

/// What a crowd has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Whole and right responses.
    pub responses: u64,
    /// Connections that ended, or that stayed silent, before the next response began.
    pub closed: u64,
}

/// Running clients; they end when this is asked for what they saw, or dropped.
#[derive(Debug)]
pub struct Crowd {
    over: Arc<AtomicBool>,
    clients: Vec<JoinHandle<Result<Seen, Trouble>>>,
}

impl Crowd {
    /// A client for each of `styles`.
    pub fn gather(addr: SocketAddr, expected: &Expected, styles: &[Style]) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let client = |style: &Style| {
            let (style, expected, over) = (*style, expected.clone(), Arc::clone(&over));
            thread::spawn(move || ask(addr, &expected, style, &over))
        };
        Self {
            clients: styles.iter().map(client).collect(),
            over,
        }
    }

    /// Ends them.
    ///
    /// # Errors
    /// With the first response that was cut, wrong, or one too many.
    pub fn disperse(mut self) -> Result<Seen, Trouble> {
        self.over.store(true, Ordering::Relaxed);
        let mut all = Seen::default();
        let mut result = Ok(());
        for client in self.clients.drain(..) {
            match client.join().expect("a client does not panic") {
                Ok(seen) => {
                    all.responses += seen.responses;
                    all.closed += seen.closed;
                }
                Err(trouble) => result = result.and(Err(trouble)),
            }
        }
        result.map(|()| all)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// One client: it connects again and again until it is over, also while nobody listens.
fn ask(
    addr: SocketAddr,
    expected: &Expected,
    style: Style,
    over: &AtomicBool,
) -> Result<Seen, Trouble> {
    let mut seen = Seen::default();
    while !over.load(Ordering::Relaxed) {
        let Ok(mut client) = Client::connect(addr) else {
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        match turns(&mut client, expected, style, over, &mut seen) {
            Ok(true) => {}
            Ok(false) => seen.closed += 1,
            Err(reason) => {
                let asked = format!("{style:?}, {} responses before", seen.responses);
                return Err(Trouble::fail(reason).repeated_by(asked));
            }
        }
    }
    Ok(seen)
}

/// Asks until the connection ends; whether all that was asked was answered.
fn turns(
    client: &mut Client,
    expected: &Expected,
    style: Style,
    over: &AtomicBool,
    seen: &mut Seen,
) -> Result<bool, String> {
    let (requests, depth) = match style {
        Style::KeepAlive => (GET.to_vec(), 1),
        Style::Close => (LAST.to_vec(), 1),
        Style::Pipeline(depth) => (GET.repeat(depth), depth),
    };
    // A server that has said so may still answer what it has got: whether it does is the contract's business.
    let mut announced = false;
    while !announced && !over.load(Ordering::Relaxed) {
        if let Err(error) = client.send(&requests) {
            return sent_too_late(&error);
        }
        for _ in 0..depth {
            let response = match client.receive("GET")? {
                Received::Response(response) => response,
                Received::Closed | Received::Silence => return Ok(announced),
            };
            if !expected.matches(&response) {
                let head = String::from_utf8_lossy(&response.head);
                return Err(format!("another response: {}", head.escape_debug()));
            }
            seen.responses += 1;
            announced |= !response.keeps_alive();
        }
    }
    nothing_more(client)
}

/// The server had closed already.
fn sent_too_late(error: &io::Error) -> Result<bool, String> {
    match crate::client::is_reset(error) {
        true => Ok(false),
        false => Err(format!("a request cannot be sent: {error}")),
    }
}

/// No request is answered twice.
fn nothing_more(client: &mut Client) -> Result<bool, String> {
    let surplus = client.surplus(Duration::from_millis(1));
    match surplus.is_empty() {
        true => Ok(true),
        false => Err(format!(
            "more than was asked for: {}",
            String::from_utf8_lossy(&surplus).escape_debug()
        )),
    }
}
