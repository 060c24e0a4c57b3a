//! What a connection has received, told apart into responses. No sockets here.

use crate::expected::Expected;
use crate::response::{Parsed, Response, parse};

/// A response may be so much longer than the first one before it is given up.
const LONGER: usize = 1 << 20;
/// The first response may have so many bytes.
const LONGEST: usize = 256 << 20;

/// How a request can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// See [`crate::Errors::connect`]; the others likewise.
    Connect,
    Reset,
    Timeout,
    Short,
    WrongBytes,
    Non2xx,
    UnexpectedClose,
    Extra,
}

/// How requests ended whose responses came in whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// So many right ones, equal to the first response.
    Right(usize),
    /// A right one with another head or framing.
    Differing,
    /// A wrong one that leaves the connection usable.
    Wrong(Failure),
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It stays in use.
    Stay,
    /// The server has announced that it ends it.
    Leave,
    /// It cannot be used any more: what is still under way has failed.
    Fail(Failure),
}

/// The state of the response that is coming in.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Bytes that were the same as the first response's so far; they are not kept.
    matched: usize,
    /// Its bytes once it differs.
    differing: Vec<u8>,
    /// Bytes that it has at least, once it differs.
    needs: usize,
}

impl Inbox {
    /// Takes what was read while `under_way` requests waited for their response, at least one, and tells
    /// `outcome` of each response that is whole.
    ///
    /// Bytes behind the last of them make it [`Failure::Extra`].
    pub(crate) fn feed(
        &mut self,
        expected: &mut Option<Expected>,
        mut bytes: &[u8],
        mut under_way: usize,
        mut outcome: impl FnMut(Outcome),
    ) -> Next {
        while !bytes.is_empty() {
            let step = match &*expected {
                Some(first) if self.differing.is_empty() => {
                    self.compare(first, &mut bytes, under_way)
                }
                _ => Step::Differs,
            };
            let step = match step {
                Step::Differs => self.parse(expected, &mut bytes),
                step => step,
            };
            let (done, last) = match step {
                Step::Whole(done, last) => (done, last),
                Step::Partial => continue,
                Step::Differs | Step::Broken => return Next::Fail(Failure::WrongBytes),
            };
            under_way -= done.requests();
            if under_way == 0 && !bytes.is_empty() {
                if let Outcome::Right(count @ 2..) = done {
                    outcome(Outcome::Right(count - 1));
                }
                return Next::Fail(Failure::Extra);
            }
            outcome(done);
            if last {
                return Next::Leave;
            }
        }
        Next::Stay
    }

    /// Forgets everything: a new connection begins.
    pub(crate) fn clear(&mut self) {
        self.matched = 0;
        self.differing.clear();
        self.needs = 0;
    }

    /// Takes the end of the connection while a request waits for its response: how that one ended.
    pub(crate) fn end(&mut self, expected: &mut Option<Expected>) -> Outcome {
        if self.matched == 0 && self.differing.is_empty() {
            return Outcome::Wrong(Failure::UnexpectedClose);
        }
        if let Some(first) = expected
            && self.differing.is_empty()
        {
            if first.until_close && self.matched == first.len() {
                return Outcome::Right(1);
            }
            self.differ(first);
        }
        match parse(&self.differing, true) {
            Parsed::Whole(response) => judge(expected, &response, &self.differing),
            Parsed::Partial(_) => Outcome::Wrong(Failure::Short),
            Parsed::Invalid => Outcome::Wrong(Failure::WrongBytes),
        }
    }

    /// Compares with the first response, byte for byte.
    #[inline]
    fn compare(&mut self, first: &Expected, bytes: &mut &[u8], under_way: usize) -> Step {
        if self.matched == 0 && !first.until_close {
            let count = first.count(bytes, under_way);
            if count > 0 {
                *bytes = &bytes[count * first.len()..];
                return Step::Whole(Outcome::Right(count), first.last);
            }
        }
        let part = &bytes[..bytes.len().min(first.len() - self.matched)];
        if part.is_empty() || !first.has_part(self.matched, part) {
            self.differ(first);
            return Step::Differs;
        }
        self.matched += part.len();
        *bytes = &bytes[part.len()..];
        if self.matched < first.len() || first.until_close {
            return Step::Partial;
        }
        self.matched = 0;
        Step::Whole(Outcome::Right(1), first.last)
    }

    /// What was the same so far is needed in full after all. The Date value is the first response's then,
    /// which nobody looks at.
    fn differ(&mut self, first: &Expected) {
        self.differing.extend_from_slice(first.prefix(self.matched));
        self.matched = 0;
    }

    /// Takes all bytes and gives back those behind the response.
    fn parse(&mut self, expected: &mut Option<Expected>, bytes: &mut &[u8]) -> Step {
        self.differing.extend_from_slice(bytes);
        if self.differing.len() < self.needs {
            *bytes = &[];
            return Step::Partial;
        }
        let limit = expected
            .as_ref()
            .map_or(LONGEST, |first| first.len() + LONGER);
        match parse(&self.differing, false) {
            Parsed::Invalid => Step::Broken,
            Parsed::Partial(needs) if needs > limit => Step::Broken,
            Parsed::Partial(needs) => {
                self.needs = needs;
                *bytes = &[];
                Step::Partial
            }
            Parsed::Whole(response) => {
                let done = judge(expected, &response, &self.differing);
                let behind = self.differing.len() - response.length;
                let last = response.last;
                *bytes = &bytes[bytes.len() - behind..];
                self.differing.clear();
                self.needs = 0;
                Step::Whole(done, last)
            }
        }
    }
}

/// What one look at the bytes brought.
enum Step {
    /// Whole responses, and whether the connection ends with the last of them.
    Whole(Outcome, bool),
    /// All bytes that belong to the response were taken, and it is not whole.
    Partial,
    /// The response is not the same as the first one: it must be parsed.
    Differs,
    /// No HTTP response.
    Broken,
}

impl Outcome {
    fn requests(self) -> usize {
        match self {
            Self::Right(count) => count,
            Self::Differing | Self::Wrong(_) => 1,
        }
    }
}

/// Status first, then the body. The first success is what all others have to equal.
fn judge(expected: &mut Option<Expected>, response: &Response, bytes: &[u8]) -> Outcome {
    if !(200..300).contains(&response.status) {
        return Outcome::Wrong(Failure::Non2xx);
    }
    match expected {
        Some(first) if first.has_body(&response.body) => Outcome::Differing,
        Some(_) => Outcome::Wrong(Failure::WrongBytes),
        None => {
            *expected = Some(Expected::new(response, bytes));
            Outcome::Right(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected::tests::{TEXT, expected};
    use Failure::{Extra, Non2xx, Short, UnexpectedClose, WrongBytes};
    use Outcome::{Differing, Right, Wrong};

    /// Outcomes of `text`, read in pieces of `size` bytes, for `under_way` requests; right ones one by one.
    fn pieces(first: &str, text: &str, size: usize, under_way: usize) -> (Vec<Outcome>, Next) {
        let mut expected = Some(expected(first));
        let mut inbox = Inbox::default();
        let mut outcomes = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            let left = under_way - outcomes.len();
            let next = inbox.feed(&mut expected, piece, left, |outcome| match outcome {
                Right(count) => outcomes.extend(std::iter::repeat_n(Right(1), count)),
                other => outcomes.push(other),
            });
            if next != Next::Stay {
                return (outcomes, next);
            }
        }
        if outcomes.len() < under_way {
            outcomes.push(inbox.end(&mut expected));
        }
        (outcomes, Next::Stay)
    }

    /// The same however the bytes are cut.
    fn check(first: &str, text: &str, under_way: usize, outcomes: &[Outcome], next: Next) {
        for size in 1..=text.len() {
            let found = pieces(first, text, size, under_way);
            assert_eq!(
                found,
                (outcomes.to_vec(), next),
                "{text:?} in pieces of {size}"
            );
        }
    }

    #[test]
    fn right() {
        let later = TEXT.replace("12:00:00", "23:59:59");
        check(TEXT, TEXT, 1, &[Right(1)], Next::Stay);
        check(
            TEXT,
            &format!("{TEXT}{later}{TEXT}"),
            3,
            &[Right(1); 3],
            Next::Stay,
        );
    }

    #[test]
    fn right_with_another_head() {
        let other =
            "HTTP/1.1 200 Fine\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
        let text = format!("{other}{TEXT}{other}");
        check(
            TEXT,
            &text,
            3,
            &[Differing, Right(1), Differing],
            Next::Stay,
        );
    }

    #[test]
    fn wrong() {
        let body = TEXT.replace("hi", "ho");
        let status = TEXT.replace("200", "500");
        let text = format!("{body}{TEXT}{status}{TEXT}");
        let outcomes = [Wrong(WrongBytes), Right(1), Wrong(Non2xx), Right(1)];
        check(TEXT, &text, 4, &outcomes, Next::Stay);
    }

    #[test]
    fn garbage() {
        check(
            TEXT,
            &format!("{TEXT}\u{1}\u{2}"),
            2,
            &[Right(1)],
            Next::Fail(WrongBytes),
        );
    }

    #[test]
    fn cut() {
        check(
            TEXT,
            &TEXT[..TEXT.len() - 1],
            1,
            &[Wrong(Short)],
            Next::Stay,
        );
        check(TEXT, &TEXT[..5], 1, &[Wrong(Short)], Next::Stay);
        check(
            TEXT,
            TEXT,
            2,
            &[Right(1), Wrong(UnexpectedClose)],
            Next::Stay,
        );
    }

    #[test]
    fn extra_in_one_read() {
        let twice = format!("{TEXT}{TEXT}");
        assert_eq!(pieces(TEXT, &twice, 1000, 1), (vec![], Next::Fail(Extra)));
        let thrice = format!("{twice}{TEXT}");
        assert_eq!(
            pieces(TEXT, &thrice, 1000, 2),
            (vec![Right(1)], Next::Fail(Extra))
        );
        let long = format!("{TEXT}!");
        assert_eq!(pieces(TEXT, &long, 1000, 1), (vec![], Next::Fail(Extra)));
        let differing = format!("{}{TEXT}", TEXT.replace("OK", "Fine"));
        assert_eq!(
            pieces(TEXT, &differing, 1000, 1),
            (vec![], Next::Fail(Extra))
        );
    }

    #[test]
    fn announced_close() {
        let last = TEXT.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
        check(TEXT, &last, 1, &[Differing], Next::Leave);
        check(&last, &last, 1, &[Right(1)], Next::Leave);
    }

    #[test]
    fn until_close() {
        let open = "HTTP/1.0 200 OK\r\n\r\nhi";
        check(open, open, 1, &[Right(1)], Next::Stay);
        check(
            open,
            "HTTP/1.0 200 OK\r\n\r\nhi!",
            1,
            &[Wrong(WrongBytes)],
            Next::Stay,
        );
        check(
            open,
            "HTTP/1.0 200 OK\r\n\r\nh",
            1,
            &[Wrong(WrongBytes)],
            Next::Stay,
        );
        check(open, TEXT, 1, &[Differing], Next::Stay);
    }

    #[test]
    fn the_first_success_is_what_others_equal() {
        let mut expected = None;
        let mut inbox = Inbox::default();
        let mut outcomes = Vec::new();
        for text in [
            TEXT.replace("200", "503"),
            TEXT.into(),
            TEXT.into(),
            TEXT.replace("hi", "ho"),
        ] {
            inbox.feed(&mut expected, text.as_bytes(), 1, |outcome| {
                outcomes.push(outcome)
            });
        }
        assert_eq!(
            outcomes,
            [Wrong(Non2xx), Right(1), Right(1), Wrong(WrongBytes)]
        );
    }
}
