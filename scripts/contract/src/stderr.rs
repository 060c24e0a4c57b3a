//! Collects what a server writes to stderr.

use std::io::{BufRead, BufReader};
use std::process::ChildStderr;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Bytes that are kept.
const KEPT: usize = 64 * 1024;

/// What a server has written so far; a thread reads it, so that the server never blocks on a full pipe.
#[derive(Debug)]
pub(crate) struct Stderr {
    text: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Stderr {
    pub(crate) fn collect(pipe: ChildStderr) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut line = Vec::new();
            while pipe
                .read_until(b'\n', &mut line)
                .is_ok_and(|count| count > 0)
            {
                let mut text = collected
                    .lock()
                    .expect("nothing panics while it holds this");
                if text.len() < KEPT {
                    text.push_str(&String::from_utf8_lossy(&line));
                }
                line.clear();
            }
        });
        Self { text, reader }
    }

    pub(crate) fn text(&self) -> String {
        self.text
            .lock()
            .expect("nothing panics while it holds this")
            .clone()
    }

    /// After its process has ended: what is still in the pipe. Children that outlive it may hold the pipe open.
    pub(crate) fn wait_for_end(&self) {
        let end = Instant::now() + Duration::from_secs(1);
        while !self.reader.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The port in `NAME listening on http://HOST:PORT (N threads)`, once that line is there.
    pub(crate) fn ready_port(&self, name: &str) -> Option<u16> {
        self.text().lines().find_map(|line| ready_port(line, name))
    }
}

fn ready_port(line: &str, name: &str) -> Option<u16> {
    let url = line
        .strip_prefix(name)?
        .strip_prefix(" listening on http://")?;
    let (host_and_port, threads) = url.split_once(" (")?;
    let (count, unit) = threads.strip_suffix(')')?.split_once(' ')?;
    let threads_are_right =
        count.parse::<usize>().is_ok() && (unit == "threads" || unit == "thread");
    threads_are_right.then(|| host_and_port.rsplit_once(':')?.1.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::ready_port;

    #[test]
    fn the_port_is_read_from_the_ready_line() {
        let port = |line| ready_port(line, "srv-x");
        assert_eq!(
            port("srv-x listening on http://[::]:8080 (2 threads)"),
            Some(8080)
        );
        assert_eq!(
            port("srv-x listening on http://127.0.0.1:80 (1 thread)"),
            Some(80)
        );
        assert_eq!(
            port("srv-y listening on http://[::]:8080 (2 threads)"),
            None
        );
        assert_eq!(port("srv-x listening on http://[::]:8080"), None);
    }
}
