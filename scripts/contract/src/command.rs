//! How a server is started, waited for and stopped.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::client::G;
use crate::http::read_response;
use crate::stderr::Stderr;
use crate::targets::substitute;
use crate::{TargetError, Values};

/// How often a start or an exit is looked for.
const STEP: Duration = Duration::from_millis(10);

/// A command that starts a server; `{host}`, `{port}` and the rest are filled in at each start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// Program and arguments, with placeholders.
    pub argv: Vec<String>,
    /// Added to the environment; placeholders in the values.
    pub env: BTreeMap<String, String>,
    /// The folder it starts in.
    pub dir: Option<PathBuf>,
    /// What the placeholders stand for; port 0 means one that is free.
    pub values: Values,
    /// Ours: the name that the ready line on stderr starts with. Others: `None`.
    pub ready_name: Option<String>,
}

/// Why a server did not start; one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// A started server in its own process group, which is killed when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    addr: SocketAddr,
    stderr: Stderr,
}

impl ServerCommand {
    /// Starts the server and waits, at most `limit`, until it answers; ours must have said so on stderr, too.
    pub fn start(&self, limit: Duration) -> Result<Running, StartError> {
        self.start_under(&[], limit)
    }

    /// The same under another program, such as `unshare --pid --fork`.
    pub fn start_under(&self, wrapper: &[&str], limit: Duration) -> Result<Running, StartError> {
        if self.values.port != 0 {
            return self.start_on_its_port(wrapper, limit);
        }
        let mut command = self.clone();
        let mut result = Err(StartError("no free port was found".into()));
        for port in std::iter::from_fn(free_port).take(3) {
            command.values.port = port;
            result = command.start_on_its_port(wrapper, limit);
            // Another process may have taken it since: then the next one will do.
            if !matches!(&result, Err(error) if error.0.contains("in use")) {
                break;
            }
        }
        result
    }

    fn start_on_its_port(&self, wrapper: &[&str], limit: Duration) -> Result<Running, StartError> {
        let mut running = self.spawn(wrapper)?;
        let end = Instant::now() + limit;
        running.wait_until(end, |running| answers(running.addr))?;
        if let Some(name) = &self.ready_name {
            let said =
                |running: &Running| running.stderr.ready_port(name) == Some(running.addr.port());
            let unsaid = |error| {
                StartError(format!(
                    "it answers, but without the line `{name} listening on …`: {error}"
                ))
            };
            running.wait_until(end, said).map_err(unsaid)?;
        }
        Ok(running)
    }

    /// Starts it with `--port 0`, and learns from its ready line where it listens.
    pub(crate) fn start_on_any_port(
        &self,
        name: &str,
        limit: Duration,
    ) -> Result<Running, StartError> {
        let mut command = self.clone();
        command.values.port = 0;
        let mut running = command.spawn(&[])?;
        let end = Instant::now() + limit;
        running.wait_until(end, |running| running.stderr.ready_port(name).is_some())?;
        running
            .addr
            .set_port(running.stderr.ready_port(name).unwrap_or_default());
        running.wait_until(end, |running| answers(running.addr))?;
        Ok(running)
    }

    /// Starts it without waiting for anything.
    pub fn spawn(&self, wrapper: &[&str]) -> Result<Running, StartError> {
        let filled = self.filled().map_err(|error| StartError(error.0))?;
        let argv: Vec<&str> = wrapper
            .iter()
            .copied()
            .chain(filled.0.iter().map(String::as_str))
            .collect();
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]).envs(filled.1).process_group(0);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        let mut child = command
            .spawn()
            .map_err(|error| StartError(format!("cannot start {}: {error}", argv[0])))?;
        let stderr = Stderr::collect(child.stderr.take().expect("stderr is piped"));
        Ok(Running {
            child,
            addr: self.client_addr()?,
            stderr,
        })
    }

    fn filled(&self) -> Result<(Vec<String>, BTreeMap<String, String>), TargetError> {
        let argv = self
            .argv
            .iter()
            .map(|word| substitute(word, &self.values))
            .collect::<Result<_, _>>()?;
        let filled = |(name, value): (&String, &String)| {
            Ok((name.clone(), substitute(value, &self.values)?))
        };
        Ok((argv, self.env.iter().map(filled).collect::<Result<_, _>>()?))
    }

    /// Where a client finds it: the host it listens on, or loopback where that is every address.
    fn client_addr(&self) -> Result<SocketAddr, StartError> {
        let host = &self.values.host;
        let ip: IpAddr = host
            .parse()
            .map_err(|_| StartError(format!("`{host}` is no IP address")))?;
        let ip = if ip.is_unspecified() {
            IpAddr::from([127, 0, 0, 1])
        } else {
            ip
        };
        Ok(SocketAddr::new(ip, self.values.port))
    }
}

impl Running {
    /// Where a client finds it.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The process that was started; also its process group.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to stderr.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Its exit, if it ends within `limit`.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                self.stderr.wait_for_end();
                return Some(status);
            }
            if Instant::now() >= end {
                return None;
            }
            sleep(STEP);
        }
    }

    /// Signals the process that was started, not its children.
    pub fn signal(&self, signal: Signal) {
        let _ = kill(self.nix_pid(), signal);
    }

    /// Signals the whole group.
    pub fn signal_group(&self, signal: Signal) {
        let _ = killpg(self.nix_pid(), signal);
    }

    fn nix_pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("a process id fits"))
    }

    fn wait_until(
        &mut self,
        end: Instant,
        ready: impl Fn(&Self) -> bool,
    ) -> Result<(), StartError> {
        loop {
            let is_ready = ready(self);
            // Looked at behind `ready`, since what answered may have been another process on that port.
            if let Ok(Some(status)) = self.child.try_wait() {
                self.stderr.wait_for_end();
                return Err(StartError(format!("it ended with {status}{}", self.said())));
            }
            if is_ready {
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(StartError(format!(
                    "it was not ready in time{}",
                    self.said()
                )));
            }
            sleep(STEP);
        }
    }

    fn said(&self) -> String {
        match self.stderr.text().lines().next_back() {
            Some(line) => format!(", its last line was `{line}`"),
            None => String::new(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.signal_group(Signal::SIGKILL);
        let _ = self.child.wait();
    }
}

/// Whether a request is answered, with whatever.
fn answers(addr: SocketAddr) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect_timeout(&addr, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        std::io::Write::write_all(&mut stream, G)?;
        read_response(&mut stream, &mut Vec::new(), "GET")
    };
    matches!(ask(), Ok(Some(_)))
}

/// A port that was free a moment ago, and that no other start of this process has been given. Below the range from
/// which systems take the ports of clients, else a client of this very run may hold it when the server wants it.
fn free_port() -> Option<u16> {
    static NEXT: LazyLock<AtomicU32> = LazyLock::new(|| {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        AtomicU32::new(now.subsec_nanos() ^ std::process::id().rotate_left(16))
    });
    let next = || u16::try_from(10_000 + NEXT.fetch_add(1, Ordering::Relaxed) % 20_000).ok();
    let is_free = |port: &u16| {
        TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], *port)), STEP).is_err()
            && TcpListener::bind(("0.0.0.0", *port)).is_ok()
    };
    (0..1000).filter_map(|_| next()).find(is_free)
}
