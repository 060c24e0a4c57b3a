//! The client against small servers, each with its own way to end a connection.

use super::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

const KEPT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

/// A server whose connections are each handed to `serve`, one after the other.
fn server(serve: impl Fn(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(serve));
    address
}

/// Answers each request it reads with `response`, at most `most` on a connection.
fn answering(response: &'static str, most: usize) -> SocketAddr {
    server(move |mut stream| {
        let (mut received, mut answered) = (Vec::new(), 0);
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
            while let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
                received.drain(..end + 4);
                let _ = stream.write_all(response.as_bytes());
                answered += 1;
                if answered == most {
                    return;
                }
            }
        }
    })
}

fn ends(phase: &Phase) -> Vec<(u32, End)> {
    phase
        .connections
        .iter()
        .map(|connection| (connection.responses, connection.end.clone()))
        .collect()
}

#[test]
fn one_connection_for_all_requests() {
    let phase = Phase::run(Use::KeepAlive, 50, answering(KEPT, usize::MAX));
    assert_eq!(
        (phase.responses(), ends(&phase)),
        (50, vec![(50, End::Client)])
    );
    assert_eq!(
        (phase.exchanges[0].head_bytes, phase.exchanges[0].bytes),
        (38, 40)
    );
    assert!(phase.ended_s > phase.began_s && phase.gave_up.is_none());
}

#[test]
fn who_closes_without_a_word_is_noticed() {
    let phase = Phase::run(Use::KeepAlive, 20, answering(KEPT, 10));
    assert_eq!(ends(&phase)[0], (10, End::Unannounced));
    assert_eq!(phase.responses(), 20);
}

#[test]
fn announcements_are_told_apart() {
    for (response, how) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
            Announcement::Close,
        ),
        (
            "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            Announcement::Http10,
        ),
        ("HTTP/1.1 200 OK\r\n\r\nhi", Announcement::UntilClose),
    ] {
        let phase = Phase::run(Use::KeepAlive, 2, answering(response, 1));
        assert_eq!(
            ends(&phase),
            vec![(1, End::Announced(how)); 2],
            "{response}"
        );
    }
}

#[test]
fn close_is_waited_for() {
    let closing = Phase::run(Use::Close, 5, answering(KEPT, 1));
    assert_eq!(
        ends(&closing),
        vec![(1, End::Announced(Announcement::Close)); 5]
    );
    let never = Phase::run(Use::Close, 5, answering(KEPT, usize::MAX));
    assert_eq!(ends(&never), vec![(1, End::LeftOpen); 3]);
    assert!(never.gave_up.unwrap().contains("3 connections"));
}

#[test]
fn pipelined_responses_are_one_exchange() {
    let phase = Phase::run(Use::Pipeline, 2 * DEPTH, answering(KEPT, usize::MAX));
    assert_eq!(
        (phase.exchanges.len(), phase.exchanges[0].responses),
        (2, DEPTH)
    );
}

#[test]
fn a_server_that_is_not_there_is_given_up() {
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let phase = Phase::run(Use::KeepAlive, 5, address);
    assert_eq!((phase.responses(), phase.connections.len()), (0, PATIENCE));
    assert!(matches!(phase.connections[0].end, End::Failed(_)));
}
