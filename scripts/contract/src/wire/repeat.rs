//! Compares many responses with the first one, the Date value apart: full parsing of each would be slower than
//! the server.

use crate::http::Response;

/// Length of an IMF-fixdate (RFC 9110 5.6.7).
const DATE: usize = 29;

/// The bytes that each response must repeat.
#[derive(Debug, Clone)]
pub(crate) struct Repeat {
    bytes: Vec<u8>,
    /// Where the Date value starts; beyond the end when there is none.
    date: usize,
}

impl Repeat {
    /// What the responses after `first` have to look like; `None` when they may differ elsewhere (another framing
    /// than Content-Length, another form of date).
    pub(crate) fn of(first: &Response) -> Option<Self> {
        let bytes = [&first.head[..], &first.body].concat();
        if bytes.len() != first.wire_bytes {
            return None;
        }
        let lower = first.head.to_ascii_lowercase();
        let date = match lower.windows(8).position(|window| window == b"\r\ndate: ") {
            Some(at) => at + 8,
            None => bytes.len(),
        };
        let fits = date == bytes.len() || lower.get(date + DATE..date + DATE + 2) == Some(b"\r\n");
        fits.then_some(Self { bytes, date })
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether `other` starts with the same response.
    pub(crate) fn starts(&self, other: &[u8]) -> bool {
        let after = (self.date + DATE).min(self.bytes.len());
        other.len() >= self.bytes.len()
            && other[..self.date] == self.bytes[..self.date]
            && other[after..self.bytes.len()] == self.bytes[after..]
    }
}

#[cfg(test)]
mod tests {
    use super::Repeat;
    use crate::http::read_response;

    #[test]
    fn only_the_date_may_differ() {
        let first = b"HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 2\r\n\r\nhi";
        let response = read_response(&mut &first[..], &mut Vec::new(), "GET")
            .unwrap()
            .unwrap();
        let repeat = Repeat::of(&response).unwrap();
        let text = String::from_utf8(first.to_vec()).unwrap();
        assert!(repeat.starts(first));
        assert!(repeat.starts(text.replace("37 GMT", "38 GMT").as_bytes()));
        assert!(!repeat.starts(text.replace("hi", "ho").as_bytes()));
        assert!(!repeat.starts(text.replace("200", "201").as_bytes()));
        assert!(!repeat.starts(&first[..first.len() - 1]));
    }
}
