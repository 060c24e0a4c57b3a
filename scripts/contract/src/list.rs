//! The list of all cases, in the order of the matrix. Ids are permanent.

use crate::case::{Case, Kind, Level, Run};
use crate::process::{limits as process_limits, memory, port, sigterm};
use crate::wire::{connection, fields, framing, limits, load, pipeline, requests, time};

use Level::{Must, Should};
use Run::{Process, Wire, WireAlone};

const fn case(
    id: &'static str,
    level: Level,
    section: &'static str,
    about: &'static str,
    run: Run,
) -> Case {
    let kind = match run {
        Wire(_) | WireAlone(_) => Kind::Wire,
        Process(_) => Kind::Process,
    };
    Case {
        id,
        section,
        level,
        kind,
        waits: false,
        about,
        run,
    }
}

/// A case that lets seconds pass even against a good server.
const fn waiting(case: Case) -> Case {
    Case {
        waits: true,
        ..case
    }
}

#[rustfmt::skip] // a row a case
pub(crate) static CASES: &[Case] = &[
    case("ab-request", Must, "RFC 9112 9.3",
        "ab's own bytes, HTTP/1.0 without Connection: a response, then close", Wire(connection::ab_request)),
    case("ab-keepalive", Must, "RFC 9112 C.2.2",
        "HTTP/1.0 with Connection: Keep-Alive: keep-alive said, Content-Length as ab reads it, stays open", Wire(connection::ab_keepalive)),
    case("connection-close", Must, "RFC 9112 9.6",
        "Connection: close, also as foo, CLOSE: close said, then FIN", Wire(connection::connection_close)),
    case("close-ends-pipeline", Should, "RFC 9112 9.6",
        "a request behind one with Connection: close: one response only, then FIN", Wire(connection::close_ends_pipeline)),
    case("body-not-a-request", Must, "RFC 9112 6.3",
        "a GET whose body looks like a request: never two responses", Wire(framing::body_not_a_request)),
    case("chunked-then-request", Must, "RFC 9112 7.1",
        "a chunked POST with trailers, then a GET: two responses, or one and close", Wire(framing::chunked_then_request)),
    case("length-and-chunked", Must, "RFC 9112 6.1",
        "Content-Length and Transfer-Encoding: refused or answered, then close; nothing behind it answered", Wire(framing::length_and_chunked)),
    case("bad-length", Should, "RFC 9112 6.3",
        "Content-Length abc, -1, +5, `5, 6`, two different, 2^70: 400 and close", Wire(framing::bad_length)),
    case("bad-transfer-encoding", Should, "RFC 9112 6.1",
        "identity, gzip, `chunked, chunked`, chunked on HTTP/1.0: 400 or 501, and close", Wire(framing::bad_transfer_encoding)),
    case("host-missing", Should, "RFC 9112 3.2",
        "HTTP/1.1 without Host: 400", Wire(fields::host_missing)),
    case("host-twice", Should, "RFC 9112 3.2",
        "two Host fields: 400", Wire(fields::host_twice)),
    case("head-no-body", Must, "RFC 9110 9.3.2",
        "HEAD, then GET in the same write: no body for HEAD and the same Content-Length", Wire(requests::head_no_body)),
    case("expect-continue", Must, "RFC 9110 10.1.1",
        "Expect: 100-continue with the body withheld: 100 or a final status at once", Wire(requests::expect_continue)),
    case("absolute-form", Must, "RFC 9112 3.2.2",
        "GET http://x/: served", Wire(requests::absolute_form)),
    case("byte-by-byte", Must, "RFC 9112 2.2; TCP keeps no boundaries between writes",
        "a request one byte at a time, and split inside its empty line: served", Wire(requests::byte_by_byte)),
    case("half-second-request", Must, "RFC 9112 9.3.2",
        "a request and part of a second: the first answered at once, then the second", Wire(pipeline::half_second_request)),
    case("pipeline-16", Must, "RFC 9112 9.3.2",
        "16 requests in one write: 16 responses in order", Wire(pipeline::pipeline_16)),
    case("pipeline-20000", Must, "RFC 9112 9.3.2",
        "20,000 requests, a small receive buffer and a slow reader: all answered, and counted", Wire(pipeline::pipeline_20000)),
    case("garbage-behind-good", Should, "RFC 9112 2.2",
        "a request and garbage: a response, then 400 and close", Wire(fields::garbage_behind_good)),
    case("half-close", Must, "RFC 9112 9.6",
        "a request, then FIN: the whole response, then close", Wire(connection::half_close)),
    case("bad-field", Should, "RFC 9112 5.1, 5.2, 2.2; RFC 9110 5.5",
        "folding, a space before the colon, control characters, bare CR or LF: 400", Wire(fields::bad_field)),
    case("leading-empty-line", Must, "RFC 9112 2.2",
        "an empty line before the request line: ignored", Wire(requests::leading_empty_line)),
    case("not-http11", Must, "RFC 9112 2.3; RFC 9110 15.6.6",
        "HTTP/2.0, http/1.1, no version, TLS, h2, noise: 400 or 505 or close", Wire(fields::not_http11)),
    case("too-large", Should, "RFC 6585 5; RFC 9110 15.5.15; RFC 9112 9.6",
        "101 fields, 70 KB target, 1 MiB field: 431, 414, 431, which arrive in spite of unread input", Wire(limits::too_large)),
    case("browser-heads", Must, "no limit in RFC 9110 5.4; browsers and proxies send as many",
        "17 and 60 header fields: served", Wire(requests::browser_heads)),
    waiting(case("never-reads", Must, "memory is not a peer's to take",
        "clients that pipeline for ever and never read: memory stays bounded", Process(memory::never_reads))),
    case("reset-in-pipeline", Must, "a client may go at any time (RFC 9112 9.5)",
        "RST in the middle of 50 pipelined requests, 20 times: alive", Process(memory::reset_in_pipeline)),
    waiting(case("out-of-descriptors", Must, "descriptors run out on every busy machine",
        "60 connects under `ulimit -n 40`: under 5 % CPU, alive, serves within 2 s of their end", Process(process_limits::out_of_descriptors))),
    case("backlog", Must, "connects come in bursts, and a dropped SYN costs its client a second",
        "1,000 connects to a stopped server: all complete", Process(process_limits::backlog)),
    waiting(case("silent-client", Should, "RFC 9112 9.5; RFC 9110 15.5.9",
        "half a head and silence, or a byte a second: closed in the documented time", Wire(time::silent_client))),
    waiting(case("sigterm", Must, "how every service manager stops a service",
        "SIGTERM (idle also SIGINT), loaded, in a large response, as PID 1: exit 0 in 3 s; with half a request in 6 s; nothing cut", Process(sigterm::sigterm))),
    case("port", Must, "what everyone meets who starts a server twice",
        "a second instance: one-line error; --port 0: the real port; a restart over TIME_WAIT: binds", Process(port::port)),
    case("no-stall", Must, "RFC 896 and RFC 1122 4.2.3.2: Nagle's algorithm against a delayed ACK",
        "100 sequential requests: none over 20 ms", WireAlone(load::no_stall)),
    waiting(case("date-moves", Must, "RFC 9110 6.6.1, 5.6.7",
        "two requests 3 s apart: Date moves, is an IMF-fixdate and right to a second", Wire(time::date_moves))),
    case("burst", Must, "browsers and load generators open many connections at once",
        "200 connects at once, a request each: all answered", WireAlone(load::burst)),
    case("wrk-request", Must, "wrk checks no response by itself",
        "wrk's own bytes on 32 connections, 1,000 each (at most 5 s): every response right", Wire(load::wrk_request)),
    case("bad-chunk", Should, "RFC 9112 7.1, 7.1.1",
        "bare LF, extensions, overflowing and malformed sizes: refused or right, never out of step", Wire(framing::bad_chunk)),
    case("both-families", Must, "RFC 6761 6.3: localhost is both addresses",
        "http://localhost:PORT/ over 127.0.0.1 and ::1, by default", Process(port::both_families)),
    case("connect", Should, "RFC 9110 9.3.6",
        "CONNECT: no 2xx, which would open a tunnel; from the engines 501 and close", Wire(requests::connect)),
];
