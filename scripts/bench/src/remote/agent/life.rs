//! When the agent has to end, and that it then leaves nothing behind.

use crate::guard::MARK;
use crate::interrupt::Interrupt;
use crate::os;
use crate::remote::protocol::Request;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Without a heartbeat for so long, the other side is gone, whatever the network still pretends.
pub const SILENCE: Duration = Duration::from_secs(10);
/// How long the work under way may take to end; then it is ended from outside.
const LAST_WORK: Duration = Duration::from_secs(4);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// The agent's life, as long as the other side's.
pub(super) struct Life {
    folder: PathBuf,
    done: Arc<AtomicBool>,
}

/// What the reader has heard.
struct Heard {
    last: Mutex<Instant>,
    ended: AtomicBool,
}

impl Life {
    /// Reads requests from stdin, and watches over their coming.
    pub(super) fn begin(
        folder: &Path,
        mark: &str,
        interrupt: &Interrupt,
    ) -> (Self, Receiver<Request>) {
        let heard = Arc::new(Heard {
            last: Mutex::new(Instant::now()),
            ended: AtomicBool::new(false),
        });
        let life = Self {
            folder: folder.to_owned(),
            done: Arc::default(),
        };
        let requests = read(Arc::clone(&heard), interrupt.clone());
        let (folder, mark, interrupt) = (folder.to_owned(), mark.to_owned(), interrupt.clone());
        let done = Arc::clone(&life.done);
        std::thread::spawn(move || {
            wait_for_the_end(&heard, &interrupt);
            interrupt.set();
            std::thread::sleep(LAST_WORK);
            if !done.load(Ordering::Relaxed) {
                os::kill_marked(MARK, &mark);
                remove(&folder);
                std::process::exit(1);
            }
        });
        (life, requests)
    }

    /// The work has ended by itself.
    pub(super) fn end(self) {
        remove(&self.folder);
        self.done.store(true, Ordering::Relaxed);
    }
}

fn wait_for_the_end(heard: &Heard, interrupt: &Interrupt) {
    let silent = || {
        let last = heard.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.elapsed() > SILENCE
    };
    while !heard.ended.load(Ordering::Relaxed) && !interrupt.is_set() && !silent() {
        std::thread::sleep(LOOK);
    }
}

/// Requests, by a thread of their own: heartbeats and the interrupt are heard while work is done.
fn read(heard: Arc<Heard>, interrupt: Interrupt) -> Receiver<Request> {
    let (requests, received) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            *heard.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            match serde_json::from_str(&line) {
                Ok(Request::Heartbeat) => {}
                Ok(Request::Interrupt) => interrupt.set(),
                Ok(request) => drop(requests.send(request)),
                Err(error) => {
                    eprintln!(
                        "bench agent: not understood ({error}): both sides must be of one version"
                    );
                    break;
                }
            }
        }
        heard.ended.store(true, Ordering::Relaxed);
    });
    received
}

/// Only a folder that is an agent's own, whatever was given.
fn remove(folder: &Path) {
    if folder.join(super::BIN).join("bench").is_file() {
        let _ = std::fs::remove_dir_all(folder);
    }
}
