//! Waking an event loop at a time that is finer than the millisecond of its poll timeout.

pub(crate) use system::Alarm;

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::os::fd::{AsFd, AsRawFd};
    use std::time::Duration;

    use mio::unix::SourceFd;
    use mio::{Interest, Registry, Token};
    use nix::sys::prctl::set_timerslack;
    use nix::sys::timer::{Expiration, TimerSetTimeFlags};
    use nix::sys::timerfd::{ClockId, TimerFd, TimerFlags};

    /// A timer that makes the event loop return.
    #[derive(Debug)]
    pub(crate) struct Alarm(TimerFd);

    impl Alarm {
        /// For the calling thread, whose timers become exact.
        pub(crate) fn new(registry: &Registry, token: Token) -> io::Result<Self> {
            set_timerslack(1)?;
            let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK)?;
            registry.register(
                &mut SourceFd(&timer.as_fd().as_raw_fd()),
                token,
                Interest::READABLE,
            )?;
            Ok(Self(timer))
        }

        /// Rings once, `after` from now; an earlier setting is forgotten.
        pub(crate) fn set(&self, after: Duration) -> io::Result<()> {
            let once = Expiration::OneShot(after.max(Duration::from_nanos(1)).into());
            Ok(self.0.set(once, TimerSetTimeFlags::empty())?)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::time::Duration;

    use mio::{Registry, Token};

    /// The poll timeout has to do.
    #[derive(Debug)]
    pub(crate) struct Alarm;

    impl Alarm {
        pub(crate) fn new(_: &Registry, _: Token) -> io::Result<Self> {
            Ok(Self)
        }

        pub(crate) fn set(&self, _: Duration) -> io::Result<()> {
            Ok(())
        }
    }
}
