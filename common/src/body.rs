//! The fixed body that every server sends.

/// What continues a text that is shorter than the body that was asked for.
const FILLER: &[u8] = b"0123456789";

/// Makes the body once, for the life of the process: `text`, cut or continued with
/// `0123456789…` to `size` bytes where a size is given.
pub fn fixed(text: &str, size: Option<usize>) -> &'static [u8] {
    let size = size.unwrap_or(text.len());
    let body: Vec<u8> = text
        .bytes()
        .chain(FILLER.iter().copied().cycle())
        .take(size)
        .collect();
    body.leak()
}

#[cfg(test)]
mod tests {
    use super::fixed;

    #[test]
    fn text_is_cut_or_continued() {
        assert_eq!(fixed("Hello", None), b"Hello");
        assert_eq!(fixed("Hello", Some(0)), b"");
        assert_eq!(fixed("Hello", Some(4)), b"Hell");
        assert_eq!(fixed("Hello", Some(17)), b"Hello012345678901");
        assert_eq!(fixed("", Some(3)), b"012");
    }
}
