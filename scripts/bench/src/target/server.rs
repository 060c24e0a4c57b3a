//! One started server: its process tree, from the first process to the last that is left.

use super::Launch;
use super::error::{ANSWER_LIMIT, START_LIMIT, StartError};
use super::log::Log;
use super::port::{check_owner, wait_until_free};
use crate::guard::{self, MARK};
use crate::interrupt::Interrupt;
use crate::os;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long it may take to stop: the servers of this suite finish what is in flight for up to 5 s.
const STOP_LIMIT: Duration = Duration::from_secs(6);

/// A started server. Dropping it kills all of its processes.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// Children that bench had before: none of the server's.
    known: Vec<i32>,
    address: SocketAddr,
    log: Log,
    started: Instant,
    interrupt: Interrupt,
}

impl Server {
    /// Starts it in a process group of its own, on the CPUs that the calling thread is bound to. `address` is where
    /// its command tells it to listen.
    ///
    /// # Errors
    /// When the port is taken or the program cannot be started.
    pub fn start(
        launch: &Launch,
        address: SocketAddr,
        mark: &str,
        interrupt: &Interrupt,
    ) -> Result<Self, StartError> {
        check_owner(address.port(), &[], &[])?;
        let known = children_of_bench();
        let (program, arguments) = launch
            .argv
            .split_first()
            .ok_or_else(|| StartError::spawn("", "the command is empty"))?;
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(&launch.dir)
            .envs(launch.env.iter().map(|(name, value)| (name, value)))
            .env(MARK, mark)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| StartError::spawn(program, &error.to_string()))?;
        guard::watch(child.id().cast_signed());
        let log = child.stderr.take().map(Log::of).unwrap_or_default();
        Ok(Self {
            child,
            known,
            address,
            log,
            started,
            interrupt: interrupt.clone(),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the first byte of the first response; the time from its start to there.
    ///
    /// # Errors
    /// When it does not come, or comes from something else.
    pub fn wait_until_it_answers(&mut self, path: &str) -> Result<Duration, StartError> {
        let mut stream = self.connect()?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address());
        let answered = stream
            .set_read_timeout(Some(ANSWER_LIMIT))
            .and_then(|()| stream.write_all(request.as_bytes()))
            .and_then(|()| stream.read(&mut [0]));
        let elapsed = self.started.elapsed();
        if !matches!(answered, Ok(1..)) {
            // A program that fails closes its connections before it has ended.
            self.wait_for_end(Duration::from_millis(100));
        }
        self.check_owner()?;
        let cause = match answered {
            Ok(1..) => return Ok(elapsed),
            Ok(0) => "it closed the connection".into(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                format!("nothing came within {ANSWER_LIMIT:?}")
            }
            Err(error) => error.to_string(),
        };
        Err(self.ended_error().unwrap_or(StartError::Silent {
            port: self.port(),
            cause,
        }))
    }

    fn connect(&mut self) -> Result<TcpStream, StartError> {
        loop {
            if let Ok(stream) = TcpStream::connect_timeout(&self.address(), START_LIMIT) {
                return Ok(stream);
            }
            if self.interrupt.is_set() {
                return Err(StartError::Interrupted);
            }
            if let Some(error) = self.ended_error() {
                // A daemon's first process ends at once, and what listens then is another one.
                std::thread::sleep(Duration::from_millis(100));
                self.check_owner()?;
                return Err(error);
            }
            if self.started.elapsed() > START_LIMIT {
                return Err(StartError::NotListening {
                    port: self.port(),
                    told: self.log.told(),
                });
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Every listener on its port must belong to its process tree.
    ///
    /// # Errors
    /// With the name of what holds the port instead.
    pub fn check_owner(&self) -> Result<(), StartError> {
        if !os::SAMPLES {
            return Ok(());
        }
        let tree = os::descendants(&os::processes(), self.pid());
        check_owner(self.port(), &tree, &self.adopted())
    }

    /// How it ended, if it did by itself.
    pub fn ended(&mut self) -> Option<String> {
        self.child.try_wait().ok().flatten().map(describe)
    }

    fn ended_error(&mut self) -> Option<StartError> {
        let status = self.ended()?;
        // Its last words may still be on their way.
        std::thread::sleep(Duration::from_millis(20));
        Some(StartError::Ended {
            status,
            port: self.port(),
            told: self.log.told(),
        })
    }

    /// Its processes: the tree of what was started, and what detached itself from it.
    ///
    /// Not while a generator runs as a child of bench: it would count as one of them.
    #[must_use]
    pub fn processes(&self) -> Vec<i32> {
        let all = os::processes();
        let roots = std::iter::once(self.pid()).chain(self.adopted());
        roots.flat_map(|root| os::descendants(&all, root)).collect()
    }

    /// Processes that came to bench because their parent, one of the server's, has ended.
    fn adopted(&self) -> Vec<i32> {
        let mut adopted = children_of_bench();
        adopted.retain(|pid| *pid != self.pid() && !self.known.contains(pid));
        adopted
    }

    fn port(&self) -> u16 {
        self.address.port()
    }

    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Stops it and all that belongs to it, and waits until its port is free.
    /// Returns what a reader should know of how it went.
    ///
    /// # Errors
    /// When something that is not its own holds the port.
    pub fn stop(mut self) -> Result<Vec<String>, StartError> {
        let processes = self.processes();
        let mut remarks = Vec::new();
        self.signal_group(Signal::SIGTERM);
        if !self.wait_for_end(STOP_LIMIT) {
            remarks.push(format!(
                "had to be killed: it did not stop within {STOP_LIMIT:?} of SIGTERM"
            ));
        }
        let left = self.left_of(&processes);
        if !left.is_empty() {
            remarks.push(format!(
                "left {} behind, which bench ended",
                left.join(", ")
            ));
        }
        self.kill_all(&processes);
        match wait_until_free(self.port(), Duration::from_secs(2)) {
            Ok(()) => Ok(remarks),
            Err(listener) => Err(StartError::Foreign {
                port: self.port(),
                owner: listener.owner,
            }),
        }
    }

    fn signal_group(&self, signal: Signal) {
        let _ = killpg(Pid::from_raw(self.pid()), signal);
    }

    fn wait_for_end(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < limit && !self.interrupt.is_set() {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        false
    }

    /// Names of the processes that are still there a moment after the first one has ended.
    fn left_of(&self, processes: &[i32]) -> Vec<String> {
        for _ in 0..50 {
            if self.alive(processes).is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.alive(processes)
            .iter()
            .map(|process| format!("{} (process {})", process.name, process.pid))
            .collect()
    }

    fn alive(&self, processes: &[i32]) -> Vec<os::Process> {
        let adopted = self.adopted();
        let own = |process: &os::Process| {
            processes.contains(&process.pid) || adopted.contains(&process.pid)
        };
        let mut alive = os::processes();
        alive.retain(|process| own(process) && !process.zombie && process.pid != self.pid());
        alive
    }

    /// SIGKILL for all of them, whatever they detached themselves from, until none is left.
    fn kill_all(&mut self, processes: &[i32]) {
        self.signal_group(Signal::SIGKILL);
        let _ = self.child.wait();
        for _ in 0..100 {
            for process in self.alive(processes) {
                let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
            }
            for pid in self.adopted() {
                let _ = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG));
            }
            if self.adopted().is_empty() && self.alive(processes).is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let processes = self.processes();
        self.kill_all(&processes);
        guard::forget(self.pid());
    }
}

fn children_of_bench() -> Vec<i32> {
    let me = std::process::id().cast_signed();
    os::processes()
        .into_iter()
        .filter(|process| process.parent == me)
        .map(|process| process.pid)
        .collect()
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}
