//! Serves one connection, blocking.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use super::request::{Body, Parsed, Request, chunked_length, parse};
use super::{Lie, Server};

/// What follows for the connection.
#[derive(PartialEq, Eq)]
enum Next {
    Stays,
    /// It ends, and what is still unread is read first.
    Ends,
    /// It ends as it is.
    Drops,
}

pub fn serve(server: &Server, mut stream: TcpStream) {
    match requests(server, &mut stream) {
        Next::Ends => linger(&mut stream),
        Next::Stays | Next::Drops => {}
    }
}

fn requests(server: &Server, stream: &mut TcpStream) -> Next {
    let mut buffer = Vec::new();
    let mut held = Vec::new();
    let mut deadline = Instant::now() + patience(server.lie);
    loop {
        if !fill(server, stream, &mut buffer, deadline) {
            return Next::Drops;
        }
        loop {
            match parse(&mut buffer, server.lie) {
                Parsed::Incomplete if server.lie == Lie::ReadIsRequest => {
                    return refuse(server, stream, 400);
                }
                Parsed::Incomplete => break,
                Parsed::Refused(status) => return refuse(server, stream, status),
                Parsed::Request(request) => {
                    let next = answer(server, stream, &mut buffer, &mut held, &request);
                    if next != Next::Stays {
                        return next;
                    }
                    deadline = Instant::now() + patience(server.lie);
                }
            }
            if server.lie == Lie::DropsPipelined {
                buffer.clear();
            }
            if buffer.is_empty() {
                break;
            }
        }
        let hoards = server.lie == Lie::Hoards && held.len() > 10_000;
        if buffer.is_empty() && !held.is_empty() && !hoards {
            let _ = stream.write_all(&held);
            held.clear();
        }
    }
}

fn patience(lie: Lie) -> Duration {
    Duration::from_secs(match lie {
        Lie::WaitsForEver => 3600,
        Lie::Other => 60,
        Lie::Impatient => 1,
        _ => 10,
    })
}

/// Reads more; `false` at the end, at an error and when the time is up.
fn fill(server: &Server, stream: &mut TcpStream, buffer: &mut Vec<u8>, deadline: Instant) -> bool {
    let left = deadline
        .saturating_duration_since(Instant::now())
        .max(Duration::from_millis(1));
    let _ = stream.set_read_timeout(Some(left));
    let mut piece = [0; 16 * 1024];
    match stream.read(&mut piece) {
        Ok(0) => false,
        Ok(count) => {
            buffer.extend_from_slice(&piece[..count]);
            server.lie != Lie::GivesUpAtFin || !ended(stream)
        }
        Err(error)
            if server.lie == Lie::DiesOfReset && error.kind() == ErrorKind::ConnectionReset =>
        {
            std::process::exit(1)
        }
        Err(_) => false,
    }
}

/// Whether the client has sent FIN already; it gets a moment for that.
fn ended(stream: &TcpStream) -> bool {
    sleep(Duration::from_millis(20));
    let _ = stream.set_nonblocking(true);
    let ended = stream.peek(&mut [0]).is_ok_and(|count| count == 0);
    let _ = stream.set_nonblocking(false);
    ended
}

fn answer(
    server: &Server,
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    held: &mut Vec<u8>,
    request: &Request,
) -> Next {
    let lie = server.lie;
    buffer.drain(..request.length);
    let has_body = request.body != Body::Length(0);
    if request.expects_continue && has_body && lie != Lie::NeverContinues {
        let _ = stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    if lie != Lie::SkipsNoBody && !skip_body(server, stream, buffer, request) {
        return refuse(server, stream, 400);
    }
    server.busy.fetch_add(1, Ordering::SeqCst);
    let next = respond(server, stream, buffer, held, request);
    server.busy.fetch_sub(1, Ordering::SeqCst);
    next
}

/// Reads the body and forgets it; `false` when it is malformed or does not come.
fn skip_body(
    server: &Server,
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    request: &Request,
) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let length = match request.body {
            Body::Length(length) => (buffer.len() >= length).then_some(length),
            Body::Chunked => match chunked_length(buffer, server.lie) {
                Ok(length) => length,
                Err(()) => return false,
            },
        };
        if let Some(length) = length {
            buffer.drain(..length);
            return true;
        }
        if !fill(server, stream, buffer, deadline) {
            return false;
        }
    }
}

fn respond(
    server: &Server,
    stream: &mut TcpStream,
    buffer: &[u8],
    held: &mut Vec<u8>,
    request: &Request,
) -> Next {
    let lie = server.lie;
    let number = server.answered.fetch_add(1, Ordering::SeqCst) + 1;
    if lie == Lie::LosesOne && number.is_multiple_of(7000) {
        return Next::Stays;
    }
    if lie == Lie::Stalls {
        sleep(Duration::from_millis(42));
    }
    let kept = if request.http10 {
        request.keep_alive || lie == Lie::KeepsHttp10
    } else {
        !request.close
    };
    let closes = (!kept && lie != Lie::IgnoresClose) || lie == Lie::OtherHttp10;
    let response = response(server, request, closes, number);
    if lie == Lie::HoldsBack || lie == Lie::Hoards {
        held.extend_from_slice(&response);
        if lie == Lie::Hoards || !buffer.is_empty() {
            return Next::Stays;
        }
    }
    let bytes = if held.is_empty() {
        response
    } else {
        std::mem::take(held)
    };
    if write_slowly(server, stream, &bytes).is_err() {
        return Next::Drops;
    }
    match closes && (lie != Lie::AnswersBehindClose || buffer.is_empty()) {
        true => Next::Ends,
        false => Next::Stays,
    }
}

/// In pieces, so that a process that ends meanwhile cuts it.
fn write_slowly(server: &Server, stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    for piece in bytes.chunks(100_000) {
        stream.write_all(piece)?;
        if server.lie == Lie::CutsAtSigterm {
            sleep(Duration::from_millis(20));
        }
    }
    Ok(())
}

fn response(server: &Server, request: &Request, closes: bool, number: usize) -> Vec<u8> {
    let lie = server.lie;
    let mut body = server.body.clone();
    if lie == Lie::WrongBody
        || (lie == Lie::WrongOnce && number.is_multiple_of(7000))
        || lie == Lie::Other
    {
        body.reverse();
    }
    let mut head = String::from("HTTP/1.1 200 OK\r\n");
    match lie {
        Lie::Error500 => head = "HTTP/1.1 500 Internal Server Error\r\n".into(),
        Lie::OtherReason => head = "HTTP/1.1 200 Fine\r\n".into(),
        Lie::OtherHttp10 | Lie::OldVersion => head = "HTTP/1.0 200 OK\r\n".into(),
        Lie::ExtraField | Lie::Other => head += "Server: fake\r\n",
        Lie::SaysKeepAlive => head += "Connection: keep-alive\r\n",
        _ => {}
    }
    head += if lie == Lie::OtherType {
        "Content-Type: text/html\r\n"
    } else {
        "Content-Type: text/plain\r\n"
    };
    let chunked = lie == Lie::Other && !request.http10;
    match (chunked, lie) {
        (true, _) => head += "Transfer-Encoding: chunked\r\n",
        (false, Lie::TwoBlanks) => head += &format!("Content-Length:  {}\r\n", body.len()),
        (false, Lie::OtherHttp10) => {}
        (false, _) => head += &format!("Content-Length: {}\r\n", body.len()),
    }
    if lie != Lie::NoDate {
        head += &format!("Date: {}\r\n", date(lie));
    }
    if closes && !request.http10 {
        head += "Connection: close\r\n";
    } else if request.http10 && request.keep_alive && !closes && lie != Lie::KeepsSilently {
        head += "Connection: keep-alive\r\n";
    }
    let body = match (request.head_request && lie != Lie::HeadWithBody, chunked) {
        (true, _) => Vec::new(),
        (false, true) => [
            format!("{:x}\r\n", body.len()).as_bytes(),
            &body,
            b"\r\n0\r\n\r\n",
        ]
        .concat(),
        (false, false) => body,
    };
    [head.as_bytes(), b"\r\n", &body].concat()
}

fn date(lie: Lie) -> String {
    let now = SystemTime::now();
    httpdate::fmt_http_date(match lie {
        Lie::FrozenDate => SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
        Lie::DateAnHourOff => now + Duration::from_secs(3600),
        _ => now,
    })
}

fn refuse(server: &Server, stream: &mut TcpStream, status: u16) -> Next {
    match server.lie {
        Lie::ClosesOnGarbage => return Next::Drops,
        Lie::DiesOfGarbage => server.stopping.store(true, Ordering::SeqCst),
        _ => {}
    }
    let date = date(server.lie);
    let head = format!(
        "HTTP/1.1 {status} No\r\nContent-Length: 0\r\nDate: {date}\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    if server.lie == Lie::ResetsLarge {
        Next::Drops
    } else {
        Next::Ends
    }
}

/// FIN, then what the client still sends, so that no reset overtakes the answer.
fn linger(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let mut piece = [0; 64 * 1024];
    while stream.read(&mut piece).is_ok_and(|count| count > 0) {}
}
