//! Many connections, many requests, and no stall in any of them.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use super::Wire;
use super::repeat::Repeat;
use crate::client::{Client, G};
use crate::fault::Fault;
use crate::http::Response;
use crate::judge::Connection;

/// The longest that a request may take which nothing holds up: half of the 40 ms that Linux delays an ACK.
const STALL: Duration = Duration::from_millis(20);

/// Case `no-stall`. A busy machine may hold up a right server once, so it gets three tries; a stall that comes
/// from Nagle's algorithm and a delayed ACK comes every time.
pub(crate) fn no_stall(wire: &Wire) -> Result<(), Fault> {
    let mut fewest = None::<(usize, Fault)>;
    for _ in 0..3 {
        match stalls(wire)? {
            None => return Ok(()),
            Some(found) if fewest.as_ref().is_none_or(|(count, _)| found.0 < *count) => {
                fewest = Some(found)
            }
            Some(_) => {}
        }
    }
    Err(fewest.expect("three tries found stalls").1)
}

/// How many of 100 requests took too long, as a failure.
fn stalls(wire: &Wire) -> Result<Option<(usize, Fault)>, Fault> {
    let mut client = wire.connect()?;
    let mut slow = Vec::new();
    for number in 1..=100 {
        let start = Instant::now();
        client.send(G)?;
        let response = wire.expect(&mut client, "GET", Connection::Stays)?;
        let took = start.elapsed();
        if took > STALL {
            slow.push((number, took));
        }
        if slow.len() == 10 {
            break; // enough to know
        }
        if !response.keeps_alive() {
            client = wire.connect()?;
        }
    }
    let Some((number, longest)) = slow.iter().max_by_key(|(_, took)| *took) else {
        return Ok(None);
    };
    let reason = format!(
        "{} of 100 requests took more than {} ms, number {number} took {:.1} ms",
        slow.len(),
        STALL.as_millis(),
        longest.as_secs_f64() * 1000.0
    );
    Ok(Some((slow.len(), client.fault(reason))))
}

/// Case `burst`.
pub(crate) fn burst(wire: &Wire) -> Result<(), Fault> {
    let count = 200;
    let start = Barrier::new(count);
    side_by_side(count, |_| {
        start.wait();
        let mut client = wire.connect()?;
        client.send(G)?;
        wire.expect(&mut client, "GET", Connection::Stays).map(drop)
    })
}

/// wrk's own bytes.
const WRK: &[u8] = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

/// How long the case `wrk-request` lasts at most: a slow server is not a wrong one.
const WRK_LIMIT: Duration = Duration::from_secs(5);

/// Case `wrk-request`.
pub(crate) fn wrk_request(wire: &Wire) -> Result<(), Fault> {
    let end = Instant::now() + WRK_LIMIT;
    side_by_side(32, |number| {
        requests_like_wrk(wire, end)
            .map_err(|fault| fault.in_context(&format!("connection {number}")))
    })
}

fn requests_like_wrk(wire: &Wire, end: Instant) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(WRK)?;
    let mut last = wire.expect(&mut client, "GET", Connection::Stays)?;
    let repeat = Repeat::of(&last);
    let mut reconnects = 0;
    for _ in 1..1000 {
        if Instant::now() > end {
            break;
        }
        if !last.keeps_alive() {
            reconnects += 1;
            if reconnects > 20 {
                break; // each leaves a port in TIME_WAIT, and has shown enough
            }
            client = wire.connect()?;
        }
        last = one_like_wrk(wire, &mut client, repeat.as_ref(), last)?;
    }
    Ok(())
}

fn one_like_wrk(
    wire: &Wire,
    client: &mut Client,
    repeat: Option<&Repeat>,
    last: Response,
) -> Result<Response, Fault> {
    client.send(WRK)?;
    if repeat.is_some_and(|repeat| client.next_same(repeat)) {
        return Ok(last);
    }
    wire.expect(client, "GET", Connection::Stays)
}

/// Runs `client` in `count` threads; how many failed, and the first failure.
fn side_by_side(
    count: usize,
    client: impl Fn(usize) -> Result<(), Fault> + Sync,
) -> Result<(), Fault> {
    let client = &client;
    let faults: Vec<Fault> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| scope.spawn(move || client(number)))
            .collect();
        threads
            .into_iter()
            .filter_map(|thread| thread.join().expect("a case does not panic").err())
            .collect()
    });
    let failed = faults.len();
    match faults.into_iter().next() {
        None => Ok(()),
        Some(first) => Err(first.in_context(&format!("{failed} of {count} failed"))),
    }
}
