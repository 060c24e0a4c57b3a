//! A request whose body is half there when SIGTERM comes.

use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::{command, is_skipped, judge, start, target};
use crate::fault::Fault;
use crate::judge::Connection;
use crate::wire::Wire;

/// Panics unless the server, told to end between the halves of a request's body, answers it, says that the
/// connection closes, and exits with 0.
pub fn assert_half_body_is_finished(bin: &str, name: &str) {
    let target = target(name);
    if is_skipped(bin, &target) {
        return;
    }
    let command = command(bin, &target);
    let mut running = start(&command);
    let wire = Wire {
        addr: running.addr(),
        judge: judge(&target, &command),
        concurrent: true,
    };
    halves(&wire, || running.signal(Signal::SIGTERM))
        .unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    let exit = running.wait(Duration::from_secs(20));
    assert_eq!(exit.and_then(|exit| exit.code()), Some(0), "{exit:?}");
}

fn halves(wire: &Wire, stop: impl FnOnce()) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")?;
    sleep(Duration::from_millis(200));
    stop();
    sleep(Duration::from_millis(300));
    client.send(b"world")?;
    wire.expect(&mut client, "POST", Connection::Close)?;
    client.must_finish()
}
