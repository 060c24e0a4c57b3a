//! How strictly a server is judged.

/// How strictly a server is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judge {
    /// One of our servers: `200` with exactly `Content-Type: text/plain`, `Content-Length`, `Date`
    /// (plus `Connection` where HTTP requires it) and this body.
    Ours {
        /// The body that every response carries.
        body: Vec<u8>,
        /// Field lines that the stack adds and that cannot be had otherwise, such as `Server: M`.
        extra_fields: Vec<String>,
        /// Engines have no library to blame: the answers and times that are theirs alone apply.
        engine: bool,
    },
    /// Any other server, as a client would judge: right framing, any status that RFC 9110 allows, survival.
    Foreign,
}
