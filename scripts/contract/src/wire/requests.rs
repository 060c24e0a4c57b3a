//! Requests that are right and unusual.

use std::thread::sleep;
use std::time::Duration;

use super::Wire;
use crate::client::{Client, G, LAST};
use crate::fault::Fault;
use crate::http::Response;
use crate::judge::Connection;

/// Case `head-no-body`.
pub(crate) fn head_no_body(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(&[b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", G].concat())?;
    let head = wire.expect(&mut client, "HEAD", Connection::Stays)?;
    let Some(get) = wire.expect_after(&mut client, &head, "GET", Connection::Stays)? else {
        return Ok(());
    };
    same_length(&client, &head, &get)
}

/// A HEAD response may leave Content-Length out, but not lie (RFC 9110 8.6).
fn same_length(client: &Client, head: &Response, get: &Response) -> Result<(), Fault> {
    let length = |response: &Response| response.values("content-length").next().map(str::to_owned);
    match (length(head), length(get)) {
        (Some(head_length), Some(get_length))
            if head_length != get_length && head.status == get.status =>
        {
            Err(client.fault(format!(
                "Content-Length {head_length} for HEAD, {get_length} for GET"
            )))
        }
        _ => Ok(()),
    }
}

/// Case `expect-continue`. The body that is withheld first is a request, so that one who skips it wrongly is seen.
pub(crate) fn expect_continue(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    let head = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        G.len()
    );
    client.send(head.as_bytes())?;
    let first = client.response("POST")?;
    if first.status == 100 {
        client.send(G)?;
        let last = wire.expect(&mut client, "POST", Connection::Any)?;
        return ends_with_one_more(wire, &mut client, &last);
    }
    // A server may have no expectations at all; the engines promise this one.
    if wire.judge.is_engine() || first.status != 417 {
        wire.judge_served(&client, &first, "POST", Connection::Any)?;
    }
    if !first.keeps_alive() {
        return Ok(()); // and the client goes, without having sent the body
    }
    client.send(G)?;
    ends_with_one_more(wire, &mut client, &first)
}

/// Behind `previous` the connection carries one more request and nothing else, or is closed.
pub(crate) fn ends_with_one_more(
    wire: &Wire,
    client: &mut Client,
    previous: &Response,
) -> Result<(), Fault> {
    if !previous.keeps_alive() {
        return client.must_close();
    }
    client.send(LAST)?;
    let Some(last) = client.response_or_end("GET")? else {
        return Ok(());
    };
    wire.judge_served(client, &last, "GET", Connection::Close)?;
    wire.expect_no_more(client)
}

/// Case `absolute-form`.
pub(crate) fn absolute_form(wire: &Wire) -> Result<(), Fault> {
    served(wire, b"GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n")
}

/// Case `leading-empty-line`.
pub(crate) fn leading_empty_line(wire: &Wire) -> Result<(), Fault> {
    served(wire, &[b"\r\n", G].concat())
}

fn served(wire: &Wire, request: &[u8]) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(request)?;
    wire.expect(&mut client, "GET", Connection::Stays).map(drop)
}

/// Case `byte-by-byte`: every byte alone, and the empty line split at each of its three places.
pub(crate) fn byte_by_byte(wire: &Wire) -> Result<(), Fault> {
    let end = G.len();
    let splits: Vec<usize> = (1..end).collect();
    let variants = [
        ("every byte", splits),
        ("\\r|\\n\\r\\n", vec![end - 3]),
        ("\\r\\n|\\r\\n", vec![end - 2]),
        ("\\r\\n\\r|\\n", vec![end - 1]),
    ];
    wire.each(&variants, |splits| {
        // Long enough for the server to have read what came before.
        let pause = Duration::from_millis(if splits.len() == 1 { 60 } else { 3 });
        let mut client = wire.connect()?;
        let mut sent = 0;
        for split in splits {
            client.send(&G[sent..*split])?;
            sent = *split;
            sleep(pause);
        }
        client.send(&G[sent..])?;
        wire.expect(&mut client, "GET", Connection::Stays).map(drop)
    })
}

/// Case `browser-heads`.
pub(crate) fn browser_heads(wire: &Wire) -> Result<(), Fault> {
    wire.each(&[("17 fields", 17), ("60 fields", 60)], |count| {
        served(wire, &browser_request(*count))
    })
}

/// What a browser sends, and what the proxies between add, up to `count` fields.
fn browser_request(count: usize) -> Vec<u8> {
    let browser = [
        "Host: localhost:8080",
        "Connection: keep-alive",
        "Cache-Control: max-age=0",
        "sec-ch-ua: \"Chromium\";v=\"146\", \"Not-A.Brand\";v=\"24\"",
        "sec-ch-ua-mobile: ?0",
        "sec-ch-ua-platform: \"Linux\"",
        "Upgrade-Insecure-Requests: 1",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
        "Sec-Fetch-Site: none",
        "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-User: ?1",
        "Sec-Fetch-Dest: document",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Accept-Language: en-US,en;q=0.9,de;q=0.8",
        "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark",
        "If-None-Match: \"5f3c-1a2b\"",
    ];
    let added = (browser.len()..)
        .map(|number| format!("X-Forwarded-Detail-{number}: proxy-{number}.example"));
    let fields = browser
        .into_iter()
        .map(str::to_owned)
        .chain(added)
        .take(count);
    let lines: String = fields.map(|field| field + "\r\n").collect();
    format!("GET / HTTP/1.1\r\n{lines}\r\n").into_bytes()
}

/// Case `connect`.
pub(crate) fn connect(wire: &Wire) -> Result<(), Fault> {
    let mut client = wire.connect()?;
    client.send(b"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n")?;
    let Some(response) = client.response_or_end("CONNECT")? else {
        return match wire.judge.is_engine() {
            true => Err(client.fault("closed without an answer, not 501")),
            false => Ok(()),
        };
    };
    if (200..300).contains(&response.status) {
        return Err(client.fault(format!("status {} would open a tunnel", response.status)));
    }
    if wire.judge.is_engine() {
        wire.judge
            .refused(&response, &[501])
            .map_err(|reason| client.fault(reason))?;
        return client.must_finish();
    }
    Ok(())
}
