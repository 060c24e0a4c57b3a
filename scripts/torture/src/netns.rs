//! A network of its own, in which settings of the kernel can be changed without anybody noticing.

use std::process::Command;
use std::thread;

use crate::outcome::Trouble;

/// Runs `inside` on a thread that has a network of its own, with nothing but a loopback interface; what it starts
/// and what it connects to is in there. `settings` are files under /proc/sys/net and what is written to them.
///
/// # Errors
/// Those of `inside`, or a skip where the system does not let us.
#[cfg(target_os = "linux")]
pub fn run<T: Send>(
    settings: &[(&str, &str)],
    inside: impl FnOnce() -> Result<T, Trouble> + Send,
) -> Result<T, Trouble> {
    let enter = || -> Result<(), String> {
        nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNET)
            .map_err(|error| error.desc().to_owned())?;
        let up = Command::new("ip")
            .args(["link", "set", "lo", "up"])
            .output()
            .map_err(|error| format!("ip: {error}"))?;
        if !up.status.success() {
            return Err(String::from_utf8_lossy(&up.stderr).trim().to_owned());
        }
        for (name, value) in settings {
            std::fs::write(format!("/proc/sys/net/{name}"), value)
                .map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    };
    let thread = || match enter() {
        Ok(()) => inside(),
        Err(reason) => Err(no_network(&reason)),
    };
    thread::scope(|scope| scope.spawn(thread).join().expect("an item does not panic"))
}

/// The same, where there are no such networks.
///
/// # Errors
/// Always a skip.
#[cfg(not(target_os = "linux"))]
pub fn run<T: Send>(
    _settings: &[(&str, &str)],
    _inside: impl FnOnce() -> Result<T, Trouble> + Send,
) -> Result<T, Trouble> {
    Err(no_network("this is no Linux"))
}

fn no_network(reason: &str) -> Trouble {
    Trouble::Skip(format!(
        "needs a network namespace ({reason}): run it as root on Linux, with iproute2"
    ))
}
