//! HEAD of an empty body: hyper leaves out its Content-Length, which GET has.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use contract::{ServerCommand, Values};

#[test]
fn a_head_of_an_empty_body_has_its_length() {
    let bin = env!("CARGO_BIN_EXE_srv-hyper");
    let words = [
        bin,
        "--host",
        "{host}",
        "--port",
        "{port}",
        "--body-size",
        "0",
    ];
    let mut values = Values::new("");
    values.body_size = 0;
    let command = ServerCommand {
        argv: words.map(String::from).to_vec(),
        env: BTreeMap::new(),
        dir: None,
        values,
        ready_name: Some("srv-hyper".into()),
    };
    let server = command.start(Duration::from_secs(10)).unwrap();
    let mut client = TcpStream::connect(server.addr()).unwrap();
    let head = "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    client.write_all(head.as_bytes()).unwrap();

    let mut response = String::new();
    client.read_to_string(&mut response).unwrap();
    assert!(response.contains("\r\ncontent-length: 0\r\n"), "{response}");
    assert!(response.ends_with("\r\n\r\n"), "{response}");
}
