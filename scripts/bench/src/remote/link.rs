//! A connection to an agent: requests out, answers in, heartbeats in between.

use super::protocol::Request;
use crate::interrupt::Interrupt;
use crate::target::{Log, StartError};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two heartbeats.
const BEAT: Duration = Duration::from_secs(2);
/// Between two looks at the interrupt.
const LOOK: Duration = Duration::from_millis(100);
/// How long the far side may take to clean up when the connection ends.
const GOODBYE: Duration = Duration::from_secs(8);

/// The client (ssh, or an agent itself) as a child process, and what its pipes bring.
#[derive(Debug)]
pub struct Link {
    host: String,
    child: Child,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    lines: Receiver<String>,
    log: Log,
    interrupt: Interrupt,
    beat: Option<Sender<()>>,
}

impl Link {
    /// Starts `client`, which leads to `host`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn over(host: &str, mut client: Command, interrupt: &Interrupt) -> anyhow::Result<Self> {
        let mut child = client
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let program = client.get_program().to_string_lossy().into_owned();
                anyhow::anyhow!("cannot start {program}: {error}: install OpenSSH's client")
            })?;
        let log = child.stderr.take().map(Log::of).unwrap_or_default();
        Ok(Self {
            host: host.to_owned(),
            stdin: Arc::new(Mutex::new(child.stdin.take())),
            lines: lines_of(child.stdout.take()),
            child,
            log,
            interrupt: interrupt.clone(),
            beat: None,
        })
    }

    /// The host as the user named it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// From now on the far side hears that this one is still there.
    pub fn beat(&mut self) {
        let (stop, stopped) = channel();
        let stdin = Arc::clone(&self.stdin);
        std::thread::spawn(move || {
            while stopped.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                if write(&stdin, &line_of(&Request::Heartbeat)).is_err() {
                    return;
                }
            }
        });
        self.beat = Some(stop);
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StartError> {
        write(&self.stdin, bytes).map_err(|_| self.lost())
    }

    /// The next line, however long it takes.
    ///
    /// # Errors
    /// When the connection is gone, or a signal came and the far side does not end.
    pub fn line(&mut self) -> Result<String, StartError> {
        let mut interrupted: Option<Instant> = None;
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            match interrupted {
                None if self.interrupt.is_set() => {
                    interrupted = Some(Instant::now());
                    // Before the first heartbeat there is no agent yet.
                    match self.beat {
                        Some(_) => drop(write(&self.stdin, &line_of(&Request::Interrupt))),
                        None => return Err(StartError::Interrupted),
                    }
                }
                Some(since) if since.elapsed() > GOODBYE => return Err(StartError::Interrupted),
                _ => {}
            }
        }
    }

    /// Sends a request.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn send(&mut self, request: &Request) -> Result<(), StartError> {
        self.write(&line_of(request))
    }

    /// The answer to the request that was sent last.
    ///
    /// # Errors
    /// When the connection is gone, or the far side is of another version.
    pub fn answer<T: DeserializeOwned>(&mut self) -> Result<T, StartError> {
        let line = self.line()?;
        serde_json::from_str(&line).map_err(|error| StartError::Lost {
            host: self.host.clone(),
            cause: format!(
                "its bench is another version than this one ({error}): build both from the same sources"
            ),
        })
    }

    /// A request and its answer.
    ///
    /// # Errors
    /// As [`Link::send`] and [`Link::answer`].
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, StartError> {
        self.send(request)?;
        self.answer()
    }

    /// That the connection is gone, with what the client says of it.
    pub fn lost(&mut self) -> StartError {
        // What the client says, and a signal that ended it, may still be on their way.
        let began = Instant::now();
        let mut status = None;
        while status.is_none() && began.elapsed() < Duration::from_secs(1) {
            std::thread::sleep(Duration::from_millis(20));
            status = self.child.try_wait().ok().flatten();
        }
        std::thread::sleep(Duration::from_millis(50));
        let cause = self.log.last().unwrap_or_else(|| match status {
            Some(status) => format!("it ended ({status})"),
            None => "it says nothing more".to_owned(),
        });
        StartError::Lost {
            host: self.host.clone(),
            cause,
        }
    }
}

impl Drop for Link {
    /// The end of its stdin is the end of the agent, which cleans up before it goes.
    fn drop(&mut self) {
        self.beat = None;
        let stdin = lock(&self.stdin).take();
        drop(stdin);
        let began = Instant::now();
        while began.elapsed() < GOODBYE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lock(stdin: &Mutex<Option<ChildStdin>>) -> std::sync::MutexGuard<'_, Option<ChildStdin>> {
    stdin.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(stdin: &Mutex<Option<ChildStdin>>, bytes: &[u8]) -> std::io::Result<()> {
    match lock(stdin).as_mut() {
        Some(pipe) => pipe.write_all(bytes).and_then(|()| pipe.flush()),
        None => Err(std::io::ErrorKind::BrokenPipe.into()),
    }
}

fn line_of(request: &Request) -> Vec<u8> {
    let mut line = serde_json::to_vec(request).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Lines of a stream, read by a thread of their own.
fn lines_of(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (lines, received) = channel();
    std::thread::spawn(move || {
        let Some(stream) = stream else { return };
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    received
}
