//! The wire cases: what a client can find out with nothing but an address.

pub(crate) mod connection;
pub(crate) mod fields;
pub(crate) mod framing;
pub(crate) mod limits;
pub(crate) mod load;
pub(crate) mod pipeline;
pub(crate) mod repeat;
pub(crate) mod requests;
pub(crate) mod time;

use std::net::SocketAddr;
use std::time::Duration;

use crate::client::{Client, G};
use crate::fault::Fault;
use crate::http::Response;
use crate::judge::{Connection, Judge};

/// A server that listens, and how it is judged.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    pub(crate) addr: SocketAddr,
    pub(crate) judge: Judge,
    /// Whether the server can hold many connections at once; else a case uses one at a time.
    pub(crate) concurrent: bool,
}

/// What other servers than ours may do with a request that ours refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// Refuse it as well: any 4xx or 5xx, or a close without an answer.
    Refuse,
    /// Answer it as they like, if they close afterwards.
    Close,
    /// Serve it: HTTP allows a recipient to be lenient here.
    MayServe,
}

impl Wire {
    pub(crate) fn connect(&self) -> Result<Client, Fault> {
        Client::connect(self.addr)
    }

    /// Reads the next response and judges it.
    pub(crate) fn expect(
        &self,
        client: &mut Client,
        method: &str,
        connection: Connection,
    ) -> Result<Response, Fault> {
        let response = client.response(method)?;
        self.judge_served(client, &response, method, connection)?;
        Ok(response)
    }

    /// The same behind `previous`; `None` when a server that is not ours had said that it would close.
    pub(crate) fn expect_after(
        &self,
        client: &mut Client,
        previous: &Response,
        method: &str,
        connection: Connection,
    ) -> Result<Option<Response>, Fault> {
        if !self.judge.is_ours() && !previous.keeps_alive() {
            client.must_close()?;
            return Ok(None);
        }
        self.expect(client, method, connection).map(Some)
    }

    pub(crate) fn judge_served(
        &self,
        client: &Client,
        response: &Response,
        method: &str,
        connection: Connection,
    ) -> Result<(), Fault> {
        self.judge
            .served(response, method, connection)
            .map_err(|reason| client.fault(reason))
    }

    /// The server closes now; ours in order.
    pub(crate) fn expect_end(&self, client: &mut Client) -> Result<(), Fault> {
        if self.judge.is_ours() {
            client.must_finish()
        } else {
            client.must_close()
        }
    }

    /// Nothing more comes. A server that has been asked to close does so at once; one that does not is
    /// another case's fault.
    pub(crate) fn expect_no_more(&self, client: &mut Client) -> Result<(), Fault> {
        client.end_within(Duration::from_millis(500)).map(drop)
    }

    /// Sends `input`, which must be refused with one of `statuses`.
    pub(crate) fn expect_refusal(
        &self,
        input: &[u8],
        statuses: &[u16],
        others: Others,
    ) -> Result<Client, Fault> {
        let mut client = self.connect()?;
        client.send(input)?;
        let Some(response) = client.response_or_end("GET")? else {
            return match self.judge.is_ours() {
                true => Err(client.fault(format!(
                    "closed without an answer, not {}",
                    self.judge.refusals(statuses)
                ))),
                false => Ok(client),
            };
        };
        if self.judge.is_ours() || others == Others::Refuse {
            self.judge
                .refused(&response, statuses)
                .map_err(|reason| client.fault(reason))?;
        }
        Ok(client)
    }

    /// Sends `input`, which must be refused, and the connection closed with nothing behind it answered.
    pub(crate) fn expect_refusal_and_close(
        &self,
        input: &[u8],
        statuses: &[u16],
        others: Others,
    ) -> Result<(), Fault> {
        self.expect_refusal(input, statuses, others)?.must_close()
    }

    /// The server still answers on a new connection, with whatever: what is right is for the cases to say.
    pub(crate) fn expect_alive(&self) -> Result<(), Fault> {
        let mut client = self.connect()?;
        client.send(G)?;
        client.response("GET").map(drop)
    }

    /// Runs `case` for each variant, and joins what failed: all reasons, and the first one's bytes.
    pub(crate) fn each<T: Sync>(
        &self,
        variants: &[(&str, T)],
        case: impl Fn(&T) -> Result<(), Fault> + Sync,
    ) -> Result<(), Fault> {
        let run =
            |(name, variant): &(&str, T)| case(variant).map_err(|fault| fault.in_context(name));
        let results: Vec<_> = if self.concurrent {
            let run = &run;
            std::thread::scope(|scope| {
                let threads: Vec<_> = variants
                    .iter()
                    .map(|variant| scope.spawn(move || run(variant)))
                    .collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().expect("a case does not panic"))
                    .collect()
            })
        } else {
            variants.iter().map(run).collect()
        };
        Fault::join(results.into_iter().filter_map(Result::err))
    }
}
