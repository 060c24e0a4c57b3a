//! The service of one connection: the fixed response to every request.

use std::io;

use common::shutdown::{self, InFlight};
use may_minihttp::{HttpService, Request, Response};

use crate::connection::Connection;
use crate::request::{self, Persistence};

/// The requests that are under way, for the end of the server.
pub(crate) static IN_FLIGHT: InFlight = InFlight::new();

/// Responses that may pile up before the client has to show that it reads them, in bytes.
const UNSENT_MAX: usize = 64 * 1024;

/// Bytes of a response's head, roughly.
const HEAD: usize = 150;

pub(crate) struct Service {
    connection: Connection,
    body: &'static [u8],
    unsent: usize,
    /// The request whose response is the last one: under way until the loop has written it and
    /// dropped the service.
    last: Option<shutdown::Request<'static>>,
}

impl Service {
    pub(crate) fn new(connection: Connection, body: &'static [u8]) -> Self {
        Self {
            connection,
            body,
            unsent: 0,
            last: None,
        }
    }

    /// Holds the loop while the client does not read: it would go on to collect responses without
    /// limit.
    fn bound_unsent(&mut self) {
        self.unsent += HEAD + self.body.len();
        if self.unsent > UNSENT_MAX {
            self.connection.wait_until_writable();
            self.unsent = 0;
        }
    }

    fn close(&mut self, response: &mut Response) {
        response.header("Connection: close");
        self.connection.stop_reading();
        self.last = Some(IN_FLIGHT.begin());
    }
}

impl HttpService for Service {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        let _request = IN_FLIGHT.begin();
        self.connection.touch();
        self.bound_unsent();
        let persistence = match request::check(&request) {
            Ok(persistence) => persistence,
            Err((code, reason)) => {
                response.status_code(code, reason);
                self.close(response);
                return Ok(());
            }
        };
        // The crate omits no body, so HEAD gets an empty one rather than one that breaks framing.
        let has_body = request.method() != "HEAD";
        if persistence != Persistence::CloseUnread {
            // Reads the request's body, which the crate would take for the next request.
            drop(request.body());
        }
        response.header("Content-Type: text/plain");
        match persistence {
            Persistence::Close | Persistence::CloseUnread => self.close(response),
            _ if IN_FLIGHT.is_stopping() => self.close(response),
            Persistence::Implied => {}
            Persistence::Confirmed => {
                response.header("Connection: keep-alive");
            }
        }
        if has_body {
            // Not body(), which takes text only: --body-size may cut a character in half.
            response.body_mut().extend_from_slice(self.body);
        }
        Ok(())
    }
}
