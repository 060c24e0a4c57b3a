//! HEAD in a pipeline: actix-http forgets the method of a request once it has read the next one,
//! and would send a body.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use contract::{ServerCommand, Values};

#[test]
fn a_head_between_two_gets_has_a_length_and_no_body() {
    let words = [
        env!("CARGO_BIN_EXE_srv-actix"),
        "--host",
        "{host}",
        "--port",
        "{port}",
    ];
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: BTreeMap::new(),
        dir: None,
        values: Values::new(""),
        ready_name: Some("srv-actix".into()),
    };
    let server = command.start(Duration::from_secs(10)).unwrap();
    let mut client = TcpStream::connect(server.addr()).unwrap();
    let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    let head = "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n";
    let last = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    client
        .write_all([get, head, get].concat().as_bytes())
        .unwrap();
    // Not with them: actix-http would put `Connection: close` into all that it reads at once.
    std::thread::sleep(Duration::from_millis(100));
    client.write_all(last.as_bytes()).unwrap();

    let mut responses = String::new();
    client.read_to_string(&mut responses).unwrap();
    let bodies: Vec<&str> = responses
        .split("HTTP/1.1 200 OK\r\n")
        .skip(1)
        .map(|response| {
            let (head, body) = response.split_once("\r\n\r\n").unwrap();
            assert!(head.contains("content-length: 13"), "{responses}");
            body
        })
        .collect();
    let body = "Hello, World!";
    assert_eq!(bodies, [body, "", body, body], "{responses}");
}
