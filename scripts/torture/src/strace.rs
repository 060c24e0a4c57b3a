//! strace as what makes system calls fail: attached to a running server, detached again.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use contract::sample;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::NamedTempFile;

use crate::outcome::Trouble;

/// Which calls fail, how and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault<'a> {
    /// System calls, as strace's `-e trace=` takes them; those that this architecture lacks begin with `?`.
    pub calls: &'a str,
    /// The name of the error.
    pub error: &'a str,
    /// Which of the calls of each thread fail, as strace's `when=` takes it.
    pub when: &'a str,
}

impl Fault<'_> {
    /// strace's option.
    pub fn option(&self) -> String {
        format!(
            "--inject={}:error={}:when={}",
            self.calls, self.error, self.when
        )
    }
}

/// strace while it is attached; detached when this is dropped.
#[derive(Debug)]
pub struct Tracer {
    child: Child,
    log: NamedTempFile,
}

impl Tracer {
    /// Attaches to all processes and threads of the group `group`, and returns when calls fail.
    ///
    /// # Errors
    /// A skip: there is no strace, or it may not trace.
    pub fn attach(group: u32, fault: &Fault) -> Result<Self, Trouble> {
        let log = NamedTempFile::new().map_err(|error| cannot(&error.to_string()))?;
        let mut command = Command::new("strace");
        command
            .args(["-f", "-o"])
            .arg(log.path())
            .arg(format!("--trace={}", fault.calls))
            .arg(fault.option());
        let processes = sample::members(group).unwrap_or_default();
        for pid in &processes {
            command.args(["-p", &pid.to_string()]);
        }
        let child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| cannot(&error.to_string()))?;
        let mut tracer = Self { child, log };
        tracer.wait_until_attached(processes.len())?;
        Ok(tracer)
    }

    fn wait_until_attached(&mut self, processes: usize) -> Result<(), Trouble> {
        let stderr = self.child.stderr.take().expect("stderr is piped");
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        for _ in 0..processes {
            match lines.next() {
                Some(line) if line.contains(" attached") => {}
                Some(line) => return Err(cannot(&line)),
                None => return Err(cannot("it ended at once")),
            }
        }
        // It tells of every thread that comes; nobody reading, it would block one day.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(())
    }

    /// Detaches; how many calls have failed.
    pub fn detach(mut self) -> u64 {
        self.end();
        let log = std::fs::read_to_string(self.log.path()).unwrap_or_default();
        log.matches("(INJECTED)").count() as u64
    }

    fn end(&mut self) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            // With this one it lets go of what it traces; killed, it would leave it stopped.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        for _ in 0..200 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.end();
    }
}

fn cannot(reason: &str) -> Trouble {
    Trouble::Skip(format!(
        "strace cannot be used ({reason}): apt-get install strace, as root or with ptrace_scope 0"
    ))
}
