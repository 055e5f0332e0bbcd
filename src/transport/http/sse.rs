//! The framing of lines as events of a stream (Server-Sent Events, WHATWG HTML section 9.2).
//!
//! The core writes no event ids, no names and no `retry`: a stream is not resumed.

/// The text before each line.
pub const EVENT_START: &[u8] = b"data: ";

/// The text after each line.
pub const EVENT_END: &[u8] = b"\n\n";

/// A comment, which clients ignore. It keeps proxies from closing a silent stream, and shows whether the peer is still there.
pub const COMMENT: &[u8] = b":\n\n";

/// The lines of an output of the engine, without their line ends. Each is one event: [`EVENT_START`], the line, [`EVENT_END`].
///
/// ```
/// use barewire::transport::http::{EVENT_END, EVENT_START, events};
///
/// let mut stream = Vec::new();
/// for line in events(b"{\"a\":1}\n{\"b\":2}\n") {
///     stream.extend_from_slice(&[EVENT_START, line, EVENT_END].concat());
/// }
/// assert_eq!(stream, b"data: {\"a\":1}\n\ndata: {\"b\":2}\n\n");
/// ```
pub fn events(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn h33_each_line_is_one_event() {
        let cases: [(&[u8], &[&[u8]]); 5] = [
            (b"", &[]),
            (b"\n", &[]),
            (b"{}\n", &[b"{}"]),
            (b"{}", &[b"{}"]),
            (b"{\"a\":\"\\n\"}\n{}\n", &[b"{\"a\":\"\\n\"}", b"{}"]),
        ];
        for (lines, expected) in cases {
            assert_eq!(events(lines).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn h39_h60_a_comment_has_neither_data_nor_id() {
        assert!(COMMENT.starts_with(b":") && COMMENT.ends_with(b"\n\n"));
        assert_eq!(EVENT_START, b"data: ");
    }
}
