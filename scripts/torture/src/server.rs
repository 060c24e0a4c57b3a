//! A started server: what it holds, whether it serves, how it ends.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use contract::sample::{self, Usage};
use contract::targets::Contract;
use contract::{Running, ServerCommand, Target, Values};
use nix::sys::signal::Signal;

use crate::client::{Client, Expected, GET, Received};
use crate::context::Context;
use crate::outcome::Trouble;

/// Ours are ready within milliseconds; interpreters and busy machines take longer.
const START: Duration = Duration::from_secs(20);

/// Ours promise 5 s after SIGTERM; one more for a busy machine.
pub const STOP: Duration = Duration::from_secs(6);

/// How a server is started, where an item wants it otherwise.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Threads that serve.
    pub threads: usize,
    /// The address to listen on.
    pub host: String,
    /// The port, in place of one that is free.
    pub port: u16,
    /// Bytes of the body.
    pub body_size: usize,
    /// The program under which it starts, such as `setpriv …`; empty for none.
    pub wrapper: &'a [&'a str],
}

impl Default for Options<'_> {
    /// One thread, any port of 127.0.0.1, 13 bytes, no wrapper.
    fn default() -> Self {
        Self {
            host: "127.0.0.1".into(),
            threads: 1,
            port: 0,
            body_size: 13,
            wrapper: &[],
        }
    }
}

impl Options<'_> {
    fn command(&self, context: &Context, target: &Target) -> ServerCommand {
        target.command(Values {
            host: self.host.clone(),
            threads: self.threads,
            port: self.port,
            body_size: self.body_size,
            ..Values::new(&context.bin)
        })
    }
}

/// What a start came to.
#[derive(Debug)]
pub enum Start {
    /// It serves.
    Serves(Box<Server>),
    /// It ended, and said why in this line.
    Refuses(String),
}

/// A started server in its own process group, which is killed when this is dropped.
#[derive(Debug)]
pub struct Server {
    running: Running,
    expected: Expected,
    ours: bool,
}

impl Server {
    /// Starts it on a free port of 127.0.0.1 with one thread, and waits until it answers.
    ///
    /// # Errors
    /// When it does not.
    pub fn start(context: &Context, target: &Target) -> Result<Self, Trouble> {
        Self::start_with(context, target, &Options::default())
    }

    /// The same otherwise.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn start_with(
        context: &Context,
        target: &Target,
        options: &Options,
    ) -> Result<Self, Trouble> {
        context.go_on()?;
        let running = options
            .command(context, target)
            .start_under(options.wrapper, START)?;
        let expected = Expected::learn(running.addr())?;
        Ok(Self {
            running,
            expected,
            ours: target.contract != Contract::Foreign,
        })
    }

    /// The same where it may also refuse to start, as long as it says why.
    ///
    /// # Errors
    /// When it neither serves nor ends with what it should: ours with exit code 1 and one line, others with a line.
    pub fn try_start(
        context: &Context,
        target: &Target,
        options: &Options,
    ) -> Result<Start, Trouble> {
        let error = match Self::start_with(context, target, options) {
            Ok(server) => return Ok(Start::Serves(Box::new(server))),
            Err(trouble @ (Trouble::Interrupted | Trouble::Skip(_))) => return Err(trouble),
            Err(error) => error,
        };
        // Once more, to hear all that it says.
        let mut running = options
            .command(context, target)
            .spawn(options.wrapper)
            .map_err(|error| Trouble::Skip(format!("{error}; is it installed?")))?;
        let Some(status) = running.wait(STOP) else {
            return Err(error);
        };
        let said = running.stderr();
        let is_one_line = said.lines().count() == 1;
        let is_ours = target.contract != Contract::Foreign;
        match said.lines().next_back() {
            Some(line) if !status.success() && !is_ours => Ok(Start::Refuses(line.to_owned())),
            Some(line) if status.code() == Some(1) && is_one_line => {
                Ok(Start::Refuses(line.to_owned()))
            }
            _ => Err(Trouble::fail(format!(
                "it ended with {status} and said, in place of one clear line: {}",
                said.escape_debug()
            ))),
        }
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.running.addr()
    }

    /// The process that was started (a wrapper, where there is one); also its process group.
    pub fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// What it has written to stderr.
    pub fn stderr(&self) -> String {
        self.running.stderr()
    }

    /// What a right response looks like.
    pub fn expected(&self) -> &Expected {
        &self.expected
    }

    /// What its processes hold now.
    ///
    /// # Errors
    /// Where the system has no Linux' /proc, or no process is left.
    pub fn usage(&mut self) -> Result<Usage, Trouble> {
        self.expect_alive()?;
        sample::usage(self.pid()).ok_or_else(|| {
            Trouble::Skip("memory and descriptors are read from Linux' /proc".into())
        })
    }

    /// The process still runs.
    ///
    /// # Errors
    /// With its exit and its last words.
    pub fn expect_alive(&mut self) -> Result<(), Trouble> {
        let Some(status) = self.running.wait(Duration::ZERO) else {
            return Ok(());
        };
        let stderr = self.running.stderr();
        let last = stderr.lines().next_back().unwrap_or("nothing");
        Err(Trouble::fail(format!(
            "the server died: {status}; it said: {last}"
        )))
    }

    /// It runs, and a good request on a new connection gets the right response, whole.
    ///
    /// # Errors
    /// With what came instead.
    pub fn expect_service(&mut self) -> Result<(), Trouble> {
        self.expect_alive()?;
        self.ask()
            .map_err(|reason| Trouble::fail(format!("a good request afterwards: {reason}")))
    }

    /// The same, but it may take until `limit` to come back to service.
    ///
    /// # Errors
    /// With what came last.
    pub fn expect_service_within(&mut self, limit: Duration) -> Result<(), Trouble> {
        let end = Instant::now() + limit;
        loop {
            match self.expect_service() {
                Err(_) if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
                result => return result,
            }
        }
    }

    fn ask(&self) -> Result<(), String> {
        let mut client = Client::connect(self.addr()).map_err(|error| error.to_string())?;
        client.send(GET).map_err(|error| error.to_string())?;
        match client.receive("GET")? {
            Received::Response(response) if self.expected.matches(&response) => Ok(()),
            Received::Response(response) => Err(format!(
                "another response than before: {}",
                String::from_utf8_lossy(&response.head).escape_debug()
            )),
            Received::Closed => Err("it closes without an answer".into()),
            Received::Silence => Err("it does not answer".into()),
        }
    }

    /// Sends SIGTERM and waits for nothing.
    pub fn terminate(&self) {
        self.running.signal(Signal::SIGTERM);
    }

    /// It ends within [`STOP`], ours with exit code 0; how long that took.
    ///
    /// # Errors
    /// When it does not.
    pub fn expect_exit(&mut self) -> Result<Duration, Trouble> {
        let start = Instant::now();
        let Some(status) = self.running.wait(STOP) else {
            return Err(Trouble::fail(format!(
                "it still runs {} s after SIGTERM",
                STOP.as_secs()
            )));
        };
        if self.ours && status.code() != Some(0) {
            let reason = format!("after SIGTERM it ended with {status}, not with exit code 0");
            return Err(Trouble::fail(reason));
        }
        Ok(start.elapsed())
    }

    /// SIGTERM, and [`expect_exit`](Self::expect_exit).
    ///
    /// # Errors
    /// When it does not end as it should.
    pub fn stop(mut self) -> Result<Duration, Trouble> {
        self.terminate();
        self.expect_exit()
    }
}
