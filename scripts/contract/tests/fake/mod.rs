//! A right server in a few hundred lines, and the lies it can be told to tell: they prove that each case can fail.
#![allow(unreachable_pub)] // shared by several test programs

mod connection;
mod request;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

/// Where the fake departs from the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    None,
    /// HTTP/1.0 connections stay open unasked.
    KeepsHttp10,
    /// HTTP/1.0 keep-alive is granted, and not said.
    KeepsSilently,
    /// Two blanks behind `Content-Length:`.
    TwoBlanks,
    IgnoresClose,
    AnswersBehindClose,
    /// The body is parsed as the next request.
    SkipsNoBody,
    /// Content-Length beside Transfer-Encoding is overlooked.
    TrustsBothLengths,
    TakesAnyLength,
    /// Any Transfer-Encoding is taken as no body.
    TakesAnyEncoding,
    ChecksNoHost,
    HeadWithBody,
    NeverContinues,
    OriginFormOnly,
    /// Each read is taken for a whole request.
    ReadIsRequest,
    /// Nothing is sent while the next request is half there.
    HoldsBack,
    /// Only the first request of each read is answered.
    DropsPipelined,
    /// One response in thousands is lost.
    LosesOne,
    ClosesOnGarbage,
    /// No answer to a client that has sent FIN.
    GivesUpAtFin,
    TakesAnyField,
    NoEmptyLine,
    TakesAnyVersion,
    /// The process (here: the listener) is gone after a malformed request.
    DiesOfGarbage,
    /// Closes with input unread: the answer is overtaken by a reset.
    ResetsLarge,
    SixteenFields,
    /// Each response waits for a delayed ACK.
    Stalls,
    FrozenDate,
    DateAnHourOff,
    NoDate,
    /// Every 50th connection is closed at once.
    LosesConnections,
    /// One response in thousands has a wrong body.
    WrongOnce,
    TakesAnyChunk,
    OpensTunnels,
    WaitsForEver,
    /// Closes a connection whose head is not there within a second.
    Impatient,
    WrongBody,
    ExtraField,
    OtherType,
    SaysKeepAlive,
    /// An HTTP/1.0 status line to everyone.
    OldVersion,
    /// `200 Fine`: two bytes more than the others.
    OtherReason,
    Error500,
    /// Not a lie: another server, with chunked responses, more fields, another body and longer patience.
    Other,
    /// Not a lie: another server that closes after each response.
    OtherHttp10,
    /// Not a lie: another server, which serves one connection at a time.
    OtherInTurn,
    /// Never stops reading: what it cannot send it keeps.
    Hoards,
    /// Panics in the accept loop when a client has gone.
    DiesOfReset,
    /// Tries again at once when accepting fails.
    Spins,
    /// The accept loop ends when accepting fails.
    StopsAccepting,
    ShortBacklog,
    IgnoresSigterm,
    ExitsWith1,
    /// Ends at SIGTERM in the middle of responses.
    CutsAtSigterm,
    IgnoresSigint,
    /// Ends when its clients have had 5 s, also when none of them wants anything.
    KeepsIdle,
    /// Has no handler for SIGTERM.
    NoHandler,
    SharesPort,
    /// Says nothing when it cannot listen.
    SilentError,
    PrintsPort0,
    OnlyIpv4,
    NeverReady,
}

/// What the connections share.
pub struct Server {
    pub lie: Lie,
    pub body: Vec<u8>,
    /// Connections so far.
    pub accepted: AtomicUsize,
    /// Responses that are under way.
    pub busy: AtomicUsize,
    /// Responses so far.
    pub answered: AtomicUsize,
    pub stopping: AtomicBool,
}

impl Server {
    pub fn new(lie: Lie, body: &[u8]) -> Arc<Self> {
        Arc::new(Self {
            lie,
            body: body.to_vec(),
            accepted: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
        })
    }
}

/// Starts a fake in threads of this process; it ends with it.
pub fn start(lie: Lie) -> SocketAddr {
    let listener = listen(lie, "127.0.0.1", 0).expect("a port on loopback is free");
    let addr = listener.local_addr().expect("it is bound");
    let server = Server::new(lie, b"Hello, World!");
    thread::spawn(move || accept(&listener, &server));
    addr
}

pub fn listen(lie: Lie, host: &str, port: u16) -> std::io::Result<TcpListener> {
    use socket2::{Domain, Protocol, Socket, Type};
    let addr = SocketAddr::new(host.parse().expect("an address"), port);
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    if addr.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(lie == Lie::SharesPort)?;
    socket.set_tcp_nodelay(true)?;
    socket.bind(&addr.into())?;
    socket.listen(if lie == Lie::ShortBacklog { 16 } else { 4096 })?;
    Ok(socket.into())
}

/// Accepts until the process ends, a thread a connection.
pub fn accept(listener: &TcpListener, server: &Arc<Server>) {
    loop {
        match listener.accept() {
            Ok(_) if server.stopping.load(Ordering::SeqCst) => {}
            Ok((stream, _)) => {
                let number = server.accepted.fetch_add(1, Ordering::SeqCst) + 1;
                if server.lie != Lie::LosesConnections || !number.is_multiple_of(50) {
                    let server = Arc::clone(server);
                    let in_turn = server.lie == Lie::OtherInTurn;
                    let connection = thread::spawn(move || connection::serve(&server, stream));
                    if in_turn {
                        let _ = connection.join();
                    }
                }
            }
            Err(_) if server.lie == Lie::Spins => {}
            Err(_) if server.lie == Lie::StopsAccepting => return,
            Err(_) => sleep(Duration::from_millis(20)),
        }
        if server.lie == Lie::DiesOfGarbage && server.stopping.load(Ordering::SeqCst) {
            return;
        }
    }
}
