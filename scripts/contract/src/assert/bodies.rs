//! Bodies of any size arrive whole, with the same head.

use std::thread::sleep;
use std::time::Duration;

use super::{command, is_skipped, judge, start, target};
use crate::client::{Client, G, LAST, PATIENCE};
use crate::fault::Fault;
use crate::judge::{Connection, Judge};
use crate::wire::Wire;

const SIZES: [usize; 4] = [0, 13, 4096, 1_000_000];

type Read = fn(&Wire) -> Result<(), Fault>;

/// Panics unless bodies of 0, 13, 4096 and 1,000,000 bytes arrive whole on kept connections: one at a time,
/// pipelined, and to a slow reader.
pub fn assert_bodies(bin: &str, name: &str) {
    each_size(
        bin,
        name,
        &[
            ("twice", twice),
            ("pipelined", pipelined),
            ("to a slow reader", slow_reader),
        ],
    );
}

/// Panics unless they arrive whole on connections that the response ends: `Connection: close`, HTTP/1.0, and a
/// client that has sent FIN.
pub fn assert_closing_bodies(bin: &str, name: &str) {
    each_size(
        bin,
        name,
        &[
            ("close", closing),
            ("HTTP/1.0", http10),
            ("half-closed", half_closed),
        ],
    );
}

fn each_size(bin: &str, name: &str, reads: &[(&str, Read)]) {
    let target = target(name);
    if is_skipped(bin, &target) {
        return;
    }
    for size in SIZES {
        let mut command = command(bin, &target);
        command.values.body_size = size;
        let running = start(&command);
        let wire = Wire {
            addr: running.addr(),
            judge: judge(&target, &command),
            concurrent: true,
        };
        for (how, read) in reads {
            if let Err(fault) = read(&wire) {
                panic!("{name}, {size} bytes, {how}: {fault:?}");
            }
        }
    }
}

fn twice(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    for _ in 0..2 {
        client.send(G)?;
        wire.expect(&mut client, "GET", Connection::Stays)?;
    }
    Ok(())
}

fn pipelined(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&G.repeat(16))?;
    (0..16).try_for_each(|_| wire.expect(&mut client, "GET", Connection::Stays).map(drop))
}

/// A small receive buffer that is read late and little at a time: the server's writes come back short.
fn slow_reader(wire: &Wire) -> Result<(), Fault> {
    let mut client = Client::connect_with_small_buffer(wire.addr, 16 * 1024)?;
    client.send(&G.repeat(3))?;
    sleep(Duration::from_millis(100));
    let length = if let Judge::Ours { body, .. } = &wire.judge {
        body.len()
    } else {
        0
    };
    for _ in 0..(length / 4096).min(50) {
        sleep(Duration::from_millis(5));
        client.peek_within(PATIENCE);
    }
    (0..3).try_for_each(|_| wire.expect(&mut client, "GET", Connection::Stays).map(drop))
}

fn closing(wire: &Wire) -> Result<(), Fault> {
    last(wire, LAST, Connection::Close)
}

fn http10(wire: &Wire) -> Result<(), Fault> {
    last(wire, b"GET / HTTP/1.0\r\n\r\n", Connection::Last)
}

fn half_closed(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(G)?;
    client.finish_sending();
    wire.expect(&mut client, "GET", Connection::Any)?;
    client.must_finish()
}

/// To a reader who leaves the server waiting in the middle.
fn last(wire: &Wire, request: &[u8], connection: Connection) -> Result<(), Fault> {
    let mut client = Client::connect_with_small_buffer(wire.addr, 16 * 1024)?;
    client.send(request)?;
    sleep(Duration::from_millis(100));
    wire.expect(&mut client, "GET", connection)?;
    client.must_finish()
}
