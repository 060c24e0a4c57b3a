//! What `common::http1` does for a request, many times, for valgrind to count: `.ci/instructions`
//! compares it with httparse alone.
//!
//! Run with `cargo run --release -p common --example instructions -- http1 wrk 1000`.

use std::hint::black_box;
use std::mem::MaybeUninit;

use common::http1::{Connection, Response};
use httparse::{Header, Request};

/// What wrk sends.
const WRK: &[u8] = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

/// What a browser sends: 15 fields.
const BROWSER: &[u8] = b"GET / HTTP/1.1\r\n\
    Host: 127.0.0.1:8080\r\n\
    Connection: keep-alive\r\n\
    Cache-Control: max-age=0\r\n\
    sec-ch-ua: \"Chromium\";v=\"142\", \"Not?A_Brand\";v=\"24\"\r\n\
    sec-ch-ua-mobile: ?0\r\n\
    sec-ch-ua-platform: \"Linux\"\r\n\
    Upgrade-Insecure-Requests: 1\r\n\
    User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\r\n\
    Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n\
    Sec-Fetch-Site: none\r\n\
    Sec-Fetch-Mode: navigate\r\n\
    Sec-Fetch-User: ?1\r\n\
    Sec-Fetch-Dest: document\r\n\
    Accept-Encoding: gzip, deflate, br, zstd\r\n\
    Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n\r\n";

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [what, request, times] = arguments.as_slice() else {
        panic!("usage: instructions httparse|http1 wrk|browser TIMES");
    };
    let request = if request == "wrk" { WRK } else { BROWSER };
    let times = times.parse().expect("TIMES is a number");
    if what == "httparse" {
        parse(request, times)
    } else {
        answer(request, times)
    }
}

/// The base: httparse with as many slots as `http1` has, and nothing else.
fn parse(request: &[u8], times: u32) {
    for _ in 0..times {
        let mut fields = [const { MaybeUninit::<Header>::uninit() }; 100];
        let mut parsed = Request::new(&mut []);
        let status = parsed.parse_with_uninit_headers(black_box(request), &mut fields);
        assert!(
            black_box(&status)
                .as_ref()
                .is_ok_and(|status| status.is_complete())
        );
        black_box(&parsed);
    }
}

/// A connection that answers: parsed, checked, the response copied.
fn answer(request: &[u8], times: u32) {
    let response = Response::new(b"Hello, World!");
    let mut connection = Connection::new();
    let mut output = Vec::with_capacity(4096);
    for _ in 0..times {
        let progress = connection.receive(black_box(request), &response, &mut output);
        assert_eq!(progress.consumed, request.len());
        black_box(&output);
        output.clear();
    }
}
