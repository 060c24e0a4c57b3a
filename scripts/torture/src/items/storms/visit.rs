//! One connection of a storm: how far its exchange goes, and how it ends.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};

use crate::client::{Client, Expected, GET, Received};

/// Requests that a pipelining client sends.
const DEPTH: usize = 50;

/// How far an exchange goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    BeforeAByte,
    InTheHead,
    BehindTheHead,
    InTheResponse,
    InAPipeline,
    BehindTheResponse,
}

const POINTS: [Point; 6] = [
    Point::BeforeAByte,
    Point::InTheHead,
    Point::BehindTheHead,
    Point::InTheResponse,
    Point::InAPipeline,
    Point::BehindTheResponse,
];

/// One connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    point: Point,
    by_reset: bool,
    source: Ipv4Addr,
}

impl Visit {
    /// All points in turn, then all of them with the other end. Source addresses change with each, so that none runs
    /// out of ports, which stay taken for a minute after a close (TIME_WAIT).
    pub(super) fn new(number: u64) -> Self {
        let (points, last) = (POINTS.len() as u64, 250);
        let part = |divisor: u64| 1 + (number / divisor % last) as u8;
        Self {
            point: POINTS[(number % points) as usize],
            by_reset: (number / points).is_multiple_of(2),
            source: Ipv4Addr::new(127, 1, part(last), part(1)),
        }
    }

    /// Connects, goes as far as told, and ends the connection.
    pub(super) fn pay(self, addr: SocketAddr, expected: &Expected) -> Result<(), String> {
        let told = |error: std::io::Error| error.to_string();
        let mut client = Client::connect_from(self.source, addr).map_err(told)?;
        match self.point {
            Point::BeforeAByte => {}
            Point::InTheHead => client.send(&GET[..GET.len() / 2]).map_err(told)?,
            Point::BehindTheHead => client.send(GET).map_err(told)?,
            Point::InTheResponse => {
                client.send(GET).map_err(told)?;
                some_bytes(&mut client)?;
            }
            Point::InAPipeline => {
                client.send(&GET.repeat(DEPTH)).map_err(told)?;
                some_bytes(&mut client)?;
            }
            Point::BehindTheResponse => {
                client.send(GET).map_err(told)?;
                match client.receive("GET")? {
                    Received::Response(response) if expected.matches(&response) => {}
                    other => return Err(format!("another response than before: {other:?}")),
                }
            }
        }
        if self.by_reset {
            client.reset();
        }
        Ok(())
    }
}

impl fmt::Display for Visit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let end = if self.by_reset { "reset" } else { "closed" };
        write!(f, "to be {end} {:?}, from {}", self.point, self.source)
    }
}

/// Reads the start of a response.
fn some_bytes(client: &mut Client) -> Result<(), String> {
    use std::io::Read;
    match client.stream().read(&mut [0; 20]) {
        Ok(0) => Err("closed without an answer".into()),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("no answer: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_left_both_ways() {
        let visits: Vec<Visit> = (0..12).map(Visit::new).collect();
        for point in POINTS {
            let of_point = visits.iter().filter(|visit| visit.point == point);
            let mut ends: Vec<bool> = of_point.map(|visit| visit.by_reset).collect();
            ends.sort_unstable();
            assert_eq!(ends, [false, true], "{point:?}");
        }
    }

    #[test]
    fn sources_are_many() {
        let mut sources: Vec<Ipv4Addr> = (0..62_500).map(|n| Visit::new(n).source).collect();
        sources.sort_unstable();
        sources.dedup();
        assert_eq!(sources.len(), 62_500);
    }
}
