//! What only waiting shows.

use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::Wire;
use crate::client::{Client, End, G};
use crate::date::parse_imf_fixdate;
use crate::fault::Fault;
use crate::judge::Connection;

/// How long an unfinished head may keep a connection: the engines' documented 10 s, with room for a busy machine.
const HEAD_LIMIT: Duration = Duration::from_secs(15);

/// Case `silent-client`: half a head and silence, and a head that comes at one byte a second.
pub(crate) fn silent_client(wire: &Wire) -> Result<(), Fault> {
    wire.each(
        &[("half a head", false), ("one byte a second", true)],
        |drips| {
            let mut client = wire.connect()?;
            let start = Instant::now();
            client.send(b"GET / HTTP/1.1\r\nHo")?;
            let closed = if *drips {
                drip(&mut client, start)?
            } else {
                wait(&mut client)?
            };
            judge_close(wire, &client, closed, start.elapsed())
        },
    )
}

/// Whether the server closes by itself, with a 408 or without.
fn wait(client: &mut Client) -> Result<bool, Fault> {
    if client.peek_within(HEAD_LIMIT).is_empty() {
        return Ok(client.end_within(Duration::from_millis(1))? != End::Open);
    }
    client.response_or_end("GET")?;
    client.must_close().map(|()| true)
}

fn drip(client: &mut Client, start: Instant) -> Result<bool, Fault> {
    while start.elapsed() < HEAD_LIMIT {
        client.send(b"s")?;
        if !client.peek_within(Duration::from_secs(1)).is_empty() {
            client.response_or_end("GET")?;
            return client.must_close().map(|()| true);
        }
        if client.end_within(Duration::from_millis(1))? != End::Open {
            return Ok(true);
        }
    }
    Ok(false)
}

fn judge_close(wire: &Wire, client: &Client, closed: bool, after: Duration) -> Result<(), Fault> {
    let earliest = Duration::from_secs(if wire.judge.is_engine() { 8 } else { 2 });
    match (closed, wire.judge.is_ours()) {
        (false, true) => Err(client.fault(format!("still open after {} s", HEAD_LIMIT.as_secs()))),
        (false, false) => Err(Fault::Skip(format!(
            "still open after {} s, which is all that is waited; its documented time may be longer",
            HEAD_LIMIT.as_secs()
        ))),
        (true, true) if after < earliest => {
            Err(client.fault(format!("closed after {:.1} s already", after.as_secs_f64())))
        }
        (true, _) => Ok(()),
    }
}

/// Case `date-moves`. A busy machine may hold a response up behind its Date, so the time gets three tries.
pub(crate) fn date_moves(wire: &Wire) -> Result<(), Fault> {
    let first = right_date(wire)?;
    thread::sleep(Duration::from_secs(3));
    let second = right_date(wire)?;
    if !(2..=5).contains(&(second - first)) {
        return Err(Fault::plain(format!(
            "in 3 s the Date moved by {} s",
            second - first
        )));
    }
    Ok(())
}

fn right_date(wire: &Wire) -> Result<i64, Fault> {
    let mut last = date(wire);
    for _ in 0..2 {
        if last.is_ok() {
            break;
        }
        last = date(wire);
    }
    last
}

/// The Date of one response, in seconds since 1970. Within a second of the time at which the response was made.
fn date(wire: &Wire) -> Result<i64, Fault> {
    let mut client = wire.connect()?;
    let before = now();
    client.send(G)?;
    let response = wire.expect(&mut client, "GET", Connection::Stays)?;
    let after = now();
    let Some(value) = response.values("date").next() else {
        return Err(client.fault("no `Date`"));
    };
    let Some(date) = parse_imf_fixdate(value) else {
        return Err(client.fault(format!("`Date: {value}` is no IMF-fixdate")));
    };
    if !(before - 1..=after + 1).contains(&date) {
        return Err(client.fault(format!("`Date: {value}` is {} s off", date - after)));
    }
    Ok(date)
}

fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
