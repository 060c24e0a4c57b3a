//! Makes `seeds/`, from which the fuzzers start: what the contract's wire cases send, recorded by a
//! server that they are run against.
//!
//! Run with `cargo run --example seeds`, in this folder.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use common::blocking::{Stream, serve};
use common::http1::Response;
use common::shutdown::InFlight;
use contract::{Judge, Kind, Selection, check_wire};

/// What connections have sent.
type Recorded = Arc<Mutex<BTreeSet<Vec<u8>>>>;

static IN_FLIGHT: InFlight = InFlight::new();

/// Bytes of a connection that are kept: a pipeline goes on as it began.
const KEPT: usize = 1024;

/// The same of a case about limits, which lie below.
const KEPT_OF_LARGE: usize = 20 * 1024;

fn main() -> io::Result<()> {
    let recorded = Recorded::default();
    let addr = listen(&recorded)?;
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    fs::create_dir_all(&seeds)?;
    let mut known = BTreeSet::new();
    for case in contract::cases() {
        if case.kind != Kind::Wire || case.waits {
            continue;
        }
        check_wire(addr, &Judge::Foreign, &Selection::Ids(vec![case.id]));
        thread::sleep(Duration::from_millis(100)); // the last connections end
        let kept = if case.id == "too-large" {
            KEPT_OF_LARGE
        } else {
            KEPT
        };
        let mut number = 0;
        for mut bytes in
            std::mem::take(&mut *recorded.lock().unwrap_or_else(PoisonError::into_inner))
        {
            bytes.truncate(kept);
            if known.insert(bytes.clone()) {
                number += 1;
                fs::write(seeds.join(format!("{}-{number}", case.id)), bytes)?;
            }
        }
    }
    println!("{} seeds", known.len());
    Ok(())
}

/// Serves as an engine does, and records.
fn listen(recorded: &Recorded) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let addr = listener.local_addr()?;
    let recorded = Arc::clone(recorded);
    let response = Response::new(b"Hello, World!");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (recorded, response) = (Arc::clone(&recorded), response.clone());
            thread::spawn(move || {
                let mut recorder = Recorder {
                    stream,
                    bytes: Vec::new(),
                };
                // However it ends: what it sent before is recorded.
                let _ = serve(&mut recorder, &response, &IN_FLIGHT);
                recorded
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(recorder.bytes);
            });
        }
    });
    Ok(addr)
}

/// A stream that keeps what is read from it.
struct Recorder {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Read for Recorder {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(into)?;
        self.bytes.extend_from_slice(&into[..read]);
        Ok(read)
    }
}

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Stream for Recorder {
    fn limit_reads(&self, timeout: Duration) -> io::Result<()> {
        self.stream.limit_reads(timeout)
    }

    fn shutdown_write(&self) -> io::Result<()> {
        self.stream.shutdown_write()
    }
}
