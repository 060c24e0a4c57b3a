//! One connection: moves its bytes between the socket and `http1`.

use std::io::{self, ErrorKind};

use common::http1::{Buffered, MAX_LINGER, Response, Step, TIMEOUT};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

/// Answers the requests of a connection until it ends, or is idle and told to stop.
///
/// # Errors
/// Those of the socket, a timeout among them: the connection is over.
pub async fn serve(
    mut stream: TcpStream,
    response: &'static Response,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut connection = Buffered::new(response);
    let mut deadline = Instant::now() + TIMEOUT;
    let mut stops = false;
    loop {
        match connection.step() {
            Step::Read => {
                if connection.is_idle() {
                    if stops {
                        return Ok(());
                    }
                    deadline = Instant::now() + TIMEOUT;
                }
                let space = connection.space();
                let read = tokio::select! {
                    biased;
                    read = timeout_at(deadline, stream.read(space)) => read?,
                    _ = stopping.changed(), if !stops => {
                        stops = true;
                        connection.close_after_next();
                        continue;
                    }
                };
                let Some(read) = unless_interrupted(read)? else {
                    continue;
                };
                if read == 0 {
                    return Ok(());
                }
                if connection.received(read) {
                    deadline = Instant::now() + TIMEOUT;
                }
            }
            Step::Write => {
                let sent = timeout(TIMEOUT, stream.write(connection.unsent())).await?;
                connection.sent(unless_interrupted(sent)?.unwrap_or(0));
                deadline = Instant::now() + TIMEOUT;
            }
            Step::Close => return Ok(()),
            Step::Linger => return linger(stream, connection.space()).await,
        }
    }
}

/// Discards what still comes until the peer has closed as well.
async fn linger(mut stream: TcpStream, space: &mut [u8]) -> io::Result<()> {
    stream.shutdown().await?;
    let deadline = Instant::now() + TIMEOUT;
    let mut discarded = 0;
    while discarded < MAX_LINGER {
        match unless_interrupted(timeout_at(deadline, stream.read(space)).await?)? {
            Some(0) => break,
            read => discarded += read.unwrap_or(0),
        }
    }
    Ok(())
}

/// `None`: a signal came first.
fn unless_interrupted(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error),
    }
}
