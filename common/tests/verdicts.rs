//! What `common::http1` answers to requests of every kind, and that it stops where it should.

use common::http1::{Connection, MAX_HEAD, MAX_TARGET, Next, Response};

/// The status codes that answer `stream`, and what follows.
fn answers(stream: &[u8]) -> (Vec<u16>, Next) {
    let response = Response::new(b"");
    let (mut output, mut unsent, mut consumed) = (Vec::new(), Vec::new(), 0);
    let mut connection = Connection::new();
    loop {
        let progress = connection.receive(&stream[consumed..], &response, &mut unsent);
        consumed += progress.consumed;
        output.append(&mut unsent);
        if progress.next != Next::Again {
            return (statuses(&output), progress.next);
        }
    }
}

fn statuses(output: &[u8]) -> Vec<u16> {
    let lines = std::str::from_utf8(output).unwrap().lines();
    lines
        .filter_map(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok())
        .collect()
}

#[track_caller]
fn assert_answers(stream: impl AsRef<[u8]>, expected: &[u16], next: Next) {
    let stream = stream.as_ref();
    let shown = String::from_utf8_lossy(&stream[..stream.len().min(80)]);
    assert_eq!(answers(stream), (expected.to_vec(), next), "{shown:?}");
}

/// A request with these fields beside its Host.
fn request(line: &str, fields: &str) -> String {
    format!("{line}\r\nHost: x\r\n{fields}\r\n")
}

fn get(fields: &str) -> String {
    request("GET / HTTP/1.1", fields)
}

fn post_chunked(body: &str) -> String {
    request("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n") + body
}

#[test]
fn persistence_follows_version_and_options() {
    assert_answers(get(""), &[200], Next::Read);
    assert_answers(get("Connection: close\r\n"), &[200], Next::Close);
    assert_answers(get("Connection: foo, CLOSE\r\n"), &[200], Next::Close);
    assert_answers(get("connection: keep-alive\r\n"), &[200], Next::Read);
    assert_answers(
        get("Connection: close\r\n") + &get(""),
        &[200],
        Next::Linger,
    );
    assert_answers("GET / HTTP/1.0\r\n\r\n", &[200], Next::Close);
    assert_answers(
        "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
        &[200],
        Next::Read,
    );
    assert_answers(
        "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
        &[200],
        Next::Close,
    );
}

#[test]
fn versions_within_1_are_served_as_1_1() {
    assert_answers(
        request("GET / HTTP/1.2", "") + &request("GET / HTTP/1.9", ""),
        &[200, 200],
        Next::Read,
    );
    assert_answers("GET / HTTP/1.2\r\n\r\n", &[400], Next::Linger);
    for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/3", "HTTP/2"] {
        assert_answers(
            request(&format!("GET / {version}"), ""),
            &[505],
            Next::Linger,
        );
    }
    for line in [
        "GET / http/1.1",
        "GET / HTTP/1.10",
        "GET / HTTP/1,1",
        "GET / HTTP/a",
        "GET /",
        "GET / ",
    ] {
        assert_answers(request(line, ""), &[400], Next::Linger);
    }
    assert_answers("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &[505], Next::Linger);
}

#[test]
fn methods_and_targets() {
    for line in [
        "BREW /pot HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "GET http://x/ HTTP/1.1",
        "HEAD /?a=b HTTP/1.1",
    ] {
        assert_answers(request(line, ""), &[200], Next::Read);
    }
    assert_answers(request("CONNECT x:80 HTTP/1.1", ""), &[501], Next::Linger);
    assert_answers("A".repeat(MAX_HEAD), &[501], Next::Linger);
    let target = |len| format!("GET /{} HTTP/1.1", "a".repeat(len - 1));
    assert_answers(request(&target(MAX_TARGET), ""), &[200], Next::Read);
    assert_answers(request(&target(MAX_TARGET + 1), ""), &[414], Next::Linger);
    assert_answers(
        format!("GET /{}", "a".repeat(MAX_TARGET)),
        &[414],
        Next::Linger,
    );
    assert_answers(
        format!("GET /\0{}", "a".repeat(MAX_TARGET)),
        &[400],
        Next::Linger,
    );
}

#[test]
fn one_host() {
    assert_answers("GET / HTTP/1.1\r\n\r\n", &[400], Next::Linger);
    assert_answers(get("Host: x\r\n"), &[400], Next::Linger);
    assert_answers(
        "GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n",
        &[400],
        Next::Linger,
    );
}

#[test]
fn lines_end_in_crlf_and_fields_are_well_formed() {
    assert_answers("\r\n\r\n".to_owned() + &get(""), &[200], Next::Read);
    assert_answers("\n".to_owned() + &get(""), &[400], Next::Linger);
    assert_answers("GET / HTTP/1.1\nHost: x\r\n\r\n", &[400], Next::Linger);
    assert_answers("GET / HTTP/1.1\r\nHost: x\n\r\n", &[400], Next::Linger);
    assert_answers("GET / HTTP/1.1\r\nHost: x\r\n\n", &[400], Next::Linger);
    assert_answers(
        "GET / HTTP/1.1\r\nHost: x \nA: b\r\n\r\n",
        &[400],
        Next::Linger,
    );
    for field in [
        "A: b\r\n c\r\n",
        "A : b\r\n",
        " A: b\r\n",
        "A: \0\r\n",
        "A: b\rc\r\n",
        "A: \x01\r\n",
        "A\r\n",
        ": b\r\n",
    ] {
        assert_answers(get(field), &[400], Next::Linger);
    }
}

#[test]
fn content_length_is_one_number() {
    let body = |length: &str| get(&format!("Content-Length: {length}\r\n"));
    assert_answers(body("5") + "hello" + &get(""), &[200, 200], Next::Read);
    assert_answers(body("0") + &get(""), &[200, 200], Next::Read);
    assert_answers(body("18446744073709551615") + &get(""), &[], Next::Read);
    for length in [
        "abc",
        "-1",
        "+5",
        "5, 6",
        "5, 5",
        "",
        "0x5",
        "18446744073709551616",
        "1180591620717411303424",
    ] {
        assert_answers(body(length), &[400], Next::Linger);
    }
    assert_answers(
        get("Content-Length: 5\r\nContent-Length: 6\r\n"),
        &[400],
        Next::Linger,
    );
    assert_answers(
        get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        &[400],
        Next::Linger,
    );
}

#[test]
fn transfer_encoding_is_chunked() {
    let coding = |coding: &str| get(&format!("Transfer-Encoding: {coding}\r\n"));
    assert_answers(coding("Chunked") + "0\r\n\r\n", &[200], Next::Read);
    for other in [
        "identity",
        "gzip",
        "chunked, chunked",
        "chunked, gzip",
        "",
        "chunked;q=1",
    ] {
        assert_answers(coding(other), &[400], Next::Linger);
    }
    assert_answers(coding("gzip, chunked"), &[501], Next::Linger);
    assert_answers(
        get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        &[400],
        Next::Linger,
    );
    assert_answers(
        "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        &[400],
        Next::Linger,
    );
}

#[test]
fn chunks_are_skipped_and_refused_where_another_parser_could_differ() {
    for body in [
        "5\r\nhello\r\n0\r\n\r\n",
        "5;a=b\r\nhello\r\n00\r\nA: b\r\n\r\n",
        "0;a\r\n\r\n",
        "a\r\n0123456789\r\n0\r\n\r\n",
    ] {
        assert_answers(post_chunked(body) + &get(""), &[200, 200], Next::Read);
    }
    assert_answers(post_chunked("ffffffffffffffff\r\nhello"), &[], Next::Read);
    let bad = [
        "5\nhello\r\n",
        "5;a\nhello\r\n",
        "5 \r\nhello\r\n",
        "\r\n",
        ";a\r\n",
        "x\r\n",
        "-1\r\n",
        "0x5\r\n",
        "FFFFFFFFFFFFFFFFF\r\n",
        "5\r\nhelloX",
        "5\r\nhello\rX",
        "0\r\nA: b\n\r\n",
        "0\r\nA: b\r\n\n",
        "0\r\nA : b\r\n\r\n",
        "0\r\n\n",
    ];
    for body in bad {
        assert_answers(post_chunked(body), &[400], Next::Linger);
    }
}

#[test]
fn expectations() {
    let expect =
        |expectation: &str, fields: &str| get(&format!("Expect: {expectation}\r\n{fields}"));
    assert_answers(
        expect("100-Continue", "Content-Length: 5\r\n"),
        &[100],
        Next::Read,
    );
    assert_answers(
        expect("100-continue", "Content-Length: 5\r\n") + "hello",
        &[100, 200],
        Next::Read,
    );
    assert_answers(
        expect("100-continue", "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n",
        &[100, 200],
        Next::Read,
    );
    assert_answers(expect("100-continue", ""), &[200], Next::Read);
    assert_answers(expect("a miracle", ""), &[417], Next::Linger);
    assert_answers(
        "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na",
        &[200],
        Next::Close,
    );
}

#[test]
fn heads_extensions_and_trailers_have_limits() {
    assert_answers(get(&"A: b\r\n".repeat(99)), &[200], Next::Read);
    assert_answers(get(&"A: b\r\n".repeat(100)), &[431], Next::Linger);
    let filled = |len: usize| {
        get(&format!(
            "A: {}\r\n",
            "b".repeat(len - get("A: \r\n").len())
        ))
    };
    assert_answers(filled(MAX_HEAD), &[200], Next::Read);
    assert_answers(filled(MAX_HEAD + 1), &[431], Next::Linger);
    assert_answers("\r\n".repeat(MAX_HEAD / 2), &[431], Next::Linger);
    // Many chunks with small extensions are as endless as one with a large one.
    assert_answers(
        post_chunked(&"1;abcdefgh\r\nx\r\n".repeat(1_000)),
        &[],
        Next::Read,
    );
    assert_answers(
        post_chunked(&"1;abcdefgh\r\nx\r\n".repeat(2_000)),
        &[431],
        Next::Linger,
    );
    assert_answers(
        post_chunked(&format!("1;{}", "a".repeat(MAX_HEAD))),
        &[431],
        Next::Linger,
    );
    assert_answers(
        post_chunked(&format!("0\r\nA: {}", "a".repeat(MAX_HEAD))),
        &[431],
        Next::Linger,
    );
    assert_answers(
        post_chunked(&format!("0\r\n{}\r\n", "A: b\r\n".repeat(101))),
        &[431],
        Next::Linger,
    );
    assert_answers(post_chunked(&"1\r\nx\r\n".repeat(100_000)), &[], Next::Read);
}

#[test]
fn a_connection_that_is_told_to_stop_ends_with_its_next_response() {
    let response = Response::new(b"");
    let mut connection = Connection::new();
    let mut output = Vec::new();
    let post = get("Content-Length: 5\r\n");
    let progress = connection.receive(post.as_bytes(), &response, &mut output);
    assert_eq!(
        (
            progress.next,
            output.len(),
            connection.is_between_requests()
        ),
        (Next::Read, 0, false)
    );
    connection.close_after_next();
    // The client did not ask for it, and may have sent more already.
    assert_eq!(
        connection.receive(b"hello", &response, &mut output).next,
        Next::Linger
    );
    assert!(String::from_utf8_lossy(&output).contains("\r\nConnection: close\r\n"));
}
