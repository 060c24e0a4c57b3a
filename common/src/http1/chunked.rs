//! A chunked body (RFC 9112 7.1), skipped without being buffered.

use httparse::{Error, InvalidChunkSize, Status};

use super::response::Refusal;
use super::{MAX_FIELDS, MAX_HEAD};

/// Where in a chunked body a connection is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunked {
    at: At,
    /// Bytes that extensions and trailers may still have.
    budget: u16,
}

#[derive(Clone, Copy, Debug)]
enum At {
    Size,
    Data(u64),
    DataEnd,
    Trailers,
}

/// What became of some input.
pub(super) enum Skipped {
    /// So many bytes belong to the body, which goes on.
    Part(usize),
    /// So many bytes end the body.
    End(usize),
    /// More input is needed.
    Incomplete,
}

/// Digits of a chunk size that httparse takes, and the CRLF behind them.
const MAX_SIZE_LINE: usize = 16 + 2;

impl Chunked {
    /// The start of the body of a request whose head had `head` bytes.
    pub(super) fn new(head: usize) -> Self {
        let budget = MAX_HEAD.saturating_sub(head);
        Self {
            at: At::Size,
            budget: u16::try_from(budget).unwrap_or(u16::MAX),
        }
    }

    /// Skips what `input` holds of the next element: a size line, data, or the trailers.
    pub(super) fn skip(&mut self, input: &[u8]) -> Result<Skipped, Refusal> {
        match self.at {
            At::Size => self.size(input),
            At::Data(left) => Ok(self.data(input, left)),
            At::DataEnd => self.data_end(input),
            At::Trailers => self.trailers(input),
        }
    }

    fn size(&mut self, input: &[u8]) -> Result<Skipped, Refusal> {
        let limit = usize::from(self.budget) + MAX_SIZE_LINE;
        let line = &input[..input.len().min(limit)];
        let digits = line
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        // httparse takes a size of no digits, and blanks behind them; the grammar has neither.
        if !matches!(
            (digits, line.get(digits)),
            (_, None) | (1.., Some(b'\r' | b';'))
        ) {
            return Err(Refusal::BadRequest);
        }
        match httparse::parse_chunk_size(line) {
            Ok(Status::Complete((len, size))) => {
                self.spend(len - 2 - digits)?;
                refuse_bare_lf(&line[..len])?;
                self.at = if size == 0 {
                    At::Trailers
                } else {
                    At::Data(size)
                };
                Ok(Skipped::Part(len))
            }
            Ok(Status::Partial) if line.len() == limit => Err(Refusal::FieldsTooLarge),
            Ok(Status::Partial) => Ok(Skipped::Incomplete),
            Err(InvalidChunkSize) => Err(Refusal::BadRequest),
        }
    }

    fn data(&mut self, input: &[u8], left: u64) -> Skipped {
        let here = u64::try_from(input.len()).unwrap_or(u64::MAX).min(left);
        self.at = if here == left {
            At::DataEnd
        } else {
            At::Data(left - here)
        };
        // `here` is at most the length of a slice.
        Skipped::Part(usize::try_from(here).unwrap_or(input.len()))
    }

    fn data_end(&mut self, input: &[u8]) -> Result<Skipped, Refusal> {
        match input {
            [b'\r', b'\n', ..] => {
                self.at = At::Size;
                Ok(Skipped::Part(2))
            }
            [b'\r'] => Ok(Skipped::Incomplete),
            _ => Err(Refusal::BadRequest),
        }
    }

    fn trailers(&mut self, input: &[u8]) -> Result<Skipped, Refusal> {
        let limit = usize::from(self.budget) + b"\r\n".len();
        let section = &input[..input.len().min(limit)];
        match httparse::parse_headers(section, &mut [httparse::EMPTY_HEADER; MAX_FIELDS]) {
            Ok(Status::Complete((len, _))) => {
                refuse_bare_lf(&section[..len])?;
                Ok(Skipped::End(len))
            }
            Ok(Status::Partial) if section.len() == limit => Err(Refusal::FieldsTooLarge),
            Ok(Status::Partial) => Ok(Skipped::Incomplete),
            Err(Error::TooManyHeaders) => Err(Refusal::FieldsTooLarge),
            Err(_) => Err(Refusal::BadRequest),
        }
    }

    /// Takes the bytes of an extension off the budget.
    fn spend(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.budget = u16::try_from(bytes)
            .ok()
            .and_then(|bytes| self.budget.checked_sub(bytes))
            .ok_or(Refusal::FieldsTooLarge)?;
        Ok(())
    }
}

/// Another parser might end the line there and see another body (RFC 9112 2.2 and 11.2).
fn refuse_bare_lf(lines: &[u8]) -> Result<(), Refusal> {
    let mut previous = 0;
    for &byte in lines {
        if byte == b'\n' && previous != b'\r' {
            return Err(Refusal::BadRequest);
        }
        previous = byte;
    }
    Ok(())
}
