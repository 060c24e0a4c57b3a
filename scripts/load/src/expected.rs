//! The response that all others have to equal.

use std::ops::Range;

use crate::response::Response;

/// The first success. Another response equals it when all but the Date value is the same.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    bytes: Vec<u8>,
    /// Where the Date value is; empty where there is none.
    date: Range<usize>,
    body: Vec<u8>,
    /// The server ends the connection after it.
    pub(crate) last: bool,
    /// It is whole only when the connection ends.
    pub(crate) until_close: bool,
}

impl Expected {
    /// From a response and the bytes that it was parsed from.
    pub(crate) fn new(response: &Response, bytes: &[u8]) -> Self {
        let bytes = &bytes[..response.length];
        let date = response
            .fields
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("date"))
            .map_or(0..0, |(_, value)| {
                let start = value.as_ptr().addr() - bytes.as_ptr().addr();
                start..start + value.len()
            });
        Self {
            bytes: bytes.into(),
            date,
            body: response.body.to_vec(),
            last: response.last,
            until_close: response.until_close,
        }
    }

    /// Bytes of the whole response.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The first bytes of the response.
    pub(crate) fn prefix(&self, len: usize) -> &[u8] {
        &self.bytes[..len]
    }

    /// Whether a response with this body, which is not the same byte for byte, is right all the same.
    pub(crate) fn has_body(&self, body: &[u8]) -> bool {
        self.body == body
    }

    /// How many times in a row `bytes` hold exactly this response, at most `most`.
    #[inline]
    pub(crate) fn count(&self, bytes: &[u8], most: usize) -> usize {
        let (head, tail) = (&self.bytes[..self.date.start], &self.bytes[self.date.end..]);
        bytes
            .chunks_exact(self.bytes.len())
            .take(most)
            .take_while(|one| one[..self.date.start] == *head && one[self.date.end..] == *tail)
            .count()
    }

    /// Whether `part` may stand at `at` in this response.
    pub(crate) fn has_part(&self, at: usize, part: &[u8]) -> bool {
        let end = at + part.len();
        let same =
            |from: usize, to: usize| from >= to || self.bytes[from..to] == part[from - at..to - at];
        same(at, end.min(self.date.start)) && same(at.max(self.date.end), end)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::response::{Parsed, parse};

    pub(crate) const TEXT: &str =
        "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nContent-Length: 2\r\n\r\nhi";

    pub(crate) fn expected(text: &str) -> Expected {
        match parse(text.as_bytes(), true) {
            Parsed::Whole(response) => Expected::new(&response, text.as_bytes()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn date_is_left_out() {
        let later = TEXT.replace("12:00:00", "12:00:01");
        assert_eq!(
            expected(TEXT).count(format!("{TEXT}{later}HTTP").as_bytes(), 9),
            2
        );
        assert_eq!(
            expected(TEXT).count(format!("{TEXT}{later}").as_bytes(), 1),
            1
        );
        assert_eq!(
            expected(TEXT).count(TEXT.replace("hi", "ho").as_bytes(), 9),
            0
        );
        assert_eq!(
            expected(TEXT).count(TEXT.replace("OK", "KO").as_bytes(), 9),
            0
        );
    }

    #[test]
    fn any_part_may_come_alone() {
        let expected = expected(TEXT);
        let later = TEXT.replace("12:00:00", "12:00:01");
        let wrong = TEXT.replace("hi", "ho");
        for from in 0..=TEXT.len() {
            for to in from..=TEXT.len() {
                assert!(
                    expected.has_part(from, &later.as_bytes()[from..to]),
                    "{from}..{to}"
                );
                let last_is_in = from < to && to == TEXT.len();
                assert_eq!(
                    expected.has_part(from, &wrong.as_bytes()[from..to]),
                    !last_is_in
                );
            }
        }
    }

    #[test]
    fn without_a_date() {
        let expected = expected("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(expected.date, 0..0);
        assert_eq!(expected.count(&expected.bytes, 9), 1);
        assert!(expected.has_part(3, &expected.bytes[3..7]));
        assert!(!expected.has_part(3, b"x"));
    }
}
