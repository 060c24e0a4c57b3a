//! Sans-IO HTTP/1.x for the engines: bytes in, bytes out, no sockets.
//!
//! A [`Connection`] is given what was read, appends [`Response`]s to an output buffer, and says
//! how much it consumed and what to do next. Engines differ only in how they move bytes. Those
//! that keep buffers for each connection wrap it in a [`Buffered`].
//!
//! It is strict where leniency is a risk: framing is RFC 9112's to the letter, and what is not
//! well-formed is refused and the connection closed. A response is appended when its request is
//! complete, body included, so any split of the same bytes gives the same output.

mod buffered;
mod chunked;
mod connection;
mod request;
mod response;

use std::time::Duration;

pub use buffered::{Buffered, Step};
pub use connection::{Connection, Next, Progress};
pub use response::Response;

/// Bytes that a request's head may have, leading empty lines included, together with the chunk
/// extensions and trailers of its body.
pub const MAX_HEAD: usize = 16 * 1024;

/// Fields that a head, or the trailers, may have.
pub const MAX_FIELDS: usize = 100;

/// Bytes that a request's target may have.
pub const MAX_TARGET: usize = 8 * 1024;

/// Unsent bytes at which a connection stops consuming, exceeded by one response at most.
pub const MAX_UNSENT: usize = 64 * 1024;

/// How long a connection may go without delivering a whole head (since it was accepted or its
/// last response), progress on a body, or on a pending write. Engines keep it: the deadline moves
/// when input was consumed or output was sent, so dripping a head does not extend it.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// Input that a connection that is being closed may still send, and be it discarded, before it is
/// closed for good. A close that leaves input unread resets the connection, and the reset can
/// overtake the last response (RFC 9112 9.6).
pub const MAX_LINGER: usize = 4 * 1024 * 1024;
