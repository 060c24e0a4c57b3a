//! Many requests before the first answer (RFC 9112 9.3.2).

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use super::Wire;
use super::repeat::Repeat;
use super::requests::ends_with_one_more;
use crate::client::{Client, G};
use crate::fault::Fault;
use crate::judge::Connection;

/// Case `half-second-request`: a finished response does not wait for the request behind it.
pub(crate) fn half_second_request(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    let (start, rest) = G.split_at(G.len() - 3);
    client.send(&[G, start].concat())?;
    let limit = Duration::from_secs(1);
    let Some(first) = client.response_within("GET", limit)? else {
        return Err(client.fault("the connection ended without an answer"));
    };
    wire.judge_served(&client, &first, "GET", Connection::Stays)?;
    sleep(Duration::from_millis(100));
    client.send(rest)?;
    wire.expect_after(&mut client, &first, "GET", Connection::Stays)
        .map(drop)
}

/// Case `pipeline-16`.
pub(crate) fn pipeline_16(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&G.repeat(16))?;
    let mut last = wire.expect(&mut client, "GET", Connection::Stays)?;
    for number in 2..=16 {
        let next = wire.expect_after(&mut client, &last, "GET", Connection::Stays);
        match next.map_err(|fault| fault.in_context(&format!("response {number}")))? {
            Some(response) => last = response,
            None => return Ok(()),
        }
    }
    ends_with_one_more(wire, &mut client, &last)
}

/// Requests of the case `pipeline-20000`.
const MANY: usize = 20_000;

/// Case `pipeline-20000`: more than all buffers between hold, to a client that reads late, little and slowly.
pub(crate) fn pipeline_20000(wire: &Wire) -> Result<(), Fault> {
    let mut client = Client::connect_with_small_buffer(wire.addr, 16 * 1024)?;
    let mut writer = client.writer()?;
    let requests = G.repeat(MANY);
    client.note_sent(&requests);
    std::thread::scope(|scope| {
        scope.spawn(move || writer.write_all(&requests));
        sleep(Duration::from_millis(100));
        let result = read_all(wire, &mut client);
        if result.is_err() {
            client.abort(); // the writer must not wait for a server that has stopped reading
        }
        result
    })
}

fn read_all(wire: &Wire, client: &mut Client) -> Result<(), Fault> {
    let first = wire.expect(client, "GET", Connection::Stays)?;
    let repeat = Repeat::of(&first);
    let mut last = first;
    for number in 2..=MANY {
        if !last.keeps_alive() && !wire.judge.is_ours() {
            return client.must_close(); // it said so: the client asks again elsewhere
        }
        if repeat.as_ref().is_some_and(|repeat| client.skip(repeat)) {
            continue;
        }
        if repeat.is_some() {
            sleep(Duration::from_millis(1)); // once for each piece that is read
        }
        let next = wire.expect(client, "GET", Connection::Stays);
        last = next.map_err(|fault| fault.in_context(&format!("response {number} of {MANY}")))?;
    }
    ends_with_one_more(wire, client, &last)
}
