//! Whatever comes: no panic, bounded output that a client can read, and an end that is announced.

#![no_main]

use std::sync::LazyLock;

use common::http1::{Connection, Response};
use common_fuzz::answers::answers;
use common_fuzz::exchange::{Exchange, exchange};
use libfuzzer_sys::fuzz_target;

/// So large that a few requests reach the bound of the output.
const BODY: [u8; 4000] = [b'x'; 4000];

static RESPONSE: LazyLock<Response> = LazyLock::new(|| Response::new(&BODY));

fuzz_target!(|stream: &[u8]| {
    check(&run(Connection::new(), stream));
    let mut stopping = Connection::new();
    stopping.close_after_next();
    let exchange = run(stopping, stream);
    check(&exchange);
    assert!(
        answers(&exchange.output, &BODY).len() <= 1,
        "more than the last response"
    );
});

fn run(connection: Connection, stream: &[u8]) -> Exchange {
    exchange(connection, stream, &[], &RESPONSE, BODY.len())
}

/// The last response, and no other, says `close`; and a refusal is the last.
fn check(exchange: &Exchange) {
    let answers = answers(&exchange.output, &BODY);
    let last = answers.last().is_some_and(|answer| answer.closes);
    assert_eq!(last, exchange.ended);
    let mut earlier = answers.iter().rev().skip(1);
    assert!(earlier.all(|answer| answer.status == 200 && !answer.closes));
}
