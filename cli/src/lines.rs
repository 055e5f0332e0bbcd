//! Lines of a stream: the framer of the library, with the sizes of lines that it does not return whole.

use std::mem;

use barewire::bytes::{Framer, Next};
use barewire::rpc::{Rejection, RequestId, Skipper};

/// Initial memory for lines; it grows with the longest line.
const FIRST_ROOM: usize = 1 << 16;

/// A part of a stream. Sizes are without the newline at the end.
pub(crate) enum Piece<'a> {
    Line(&'a [u8]),
    /// An oversized line: its size and, if no bytes are missing, its outline and its id (of a response too).
    Long {
        bytes: u64,
        outline: Option<Rejection<'a>>,
        id: Option<RequestId<'a>>,
    },
    /// One or several lines with missing bytes; newlines between them count.
    Unseen {
        bytes: u64,
    },
}

/// A stream that is cut into lines.
pub(crate) struct Lines {
    longest: usize,
    framer: Framer<Vec<u8>>,
    skipper: Skipper<256>,
    /// Size of the parts of the current line that were already returned.
    parts: u64,
    /// Number of bytes, received or lost, that are not in a piece yet.
    pending: u64,
    /// Whether bytes of the current line are lost.
    is_damaged: bool,
    /// Whether the lost bytes are of several lines.
    is_several: bool,
}

impl Lines {
    /// A stream with lines of at most `longest` bytes; longer ones are oversized.
    pub(crate) fn new(longest: usize) -> Self {
        Self {
            longest,
            framer: Framer::new(vec![0; longest.saturating_add(1).min(FIRST_ROOM)]),
            skipper: Skipper::new(),
            parts: 0,
            pending: 0,
            is_damaged: false,
            is_several: false,
        }
    }

    /// Takes the next bytes and passes each complete piece to `found`.
    pub(crate) fn feed(&mut self, bytes: &[u8], found: &mut impl FnMut(Piece<'_>)) {
        // The rest of a damaged line is fed alone, so that all pending bytes at its end belong to it.
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let rest = match self.is_damaged {
            true => newline.map_or(bytes.len(), |newline| newline + 1),
            false => 0,
        };
        let (rest, bytes) = bytes.split_at(rest);
        self.push(rest, found);
        self.push(bytes, found);
    }

    fn push(&mut self, mut bytes: &[u8], found: &mut impl FnMut(Piece<'_>)) {
        self.pending += bytes.len() as u64;
        while !bytes.is_empty() {
            let taken = self.framer.push(bytes);
            bytes = &bytes[taken..];
            while self.next(false, found) {}
        }
    }

    /// Notes that bytes are missing here, from several lines or one, and whether the last of them is a newline.
    pub(crate) fn lost(
        &mut self,
        bytes: u64,
        is_several: bool,
        ends_line: bool,
        found: &mut impl FnMut(Piece<'_>),
    ) {
        self.framer.lost();
        self.is_damaged = true;
        self.is_several |= is_several;
        self.pending += bytes;
        if ends_line {
            self.framer.push(b"\n");
            while self.next(false, found) {}
        }
    }

    /// Ends the stream. A last line needs no newline.
    pub(crate) fn finish(&mut self, found: &mut impl FnMut(Piece<'_>)) {
        self.next(true, found);
        self.pending = 0;
    }

    /// Passes the next piece to `found`. Returns false if there is none.
    fn next(&mut self, at_end: bool, found: &mut impl FnMut(Piece<'_>)) -> bool {
        self.framer.grow(self.longest.saturating_add(1));
        let next = match at_end {
            true => self.framer.finish(),
            false => self.framer.next(),
        };
        match next {
            Next::Line(line) => {
                self.pending = self.pending.saturating_sub(line.len() as u64 + 1);
                found(Piece::Line(line));
            }
            Next::Part(part) => {
                self.parts += part.len() as u64;
                self.skipper.feed(part);
            }
            Next::TooLong => {
                let bytes = mem::take(&mut self.parts);
                self.pending = self.pending.saturating_sub(bytes + 1);
                let outline = Some(self.skipper.finish());
                let id = self.skipper.id();
                found(Piece::Long { bytes, outline, id });
                self.skipper.reset();
            }
            Next::Lost => {
                let bytes = mem::take(&mut self.pending) - u64::from(!at_end);
                let (outline, id) = (None, None);
                found(match self.is_several || bytes <= self.longest as u64 {
                    true => Piece::Unseen { bytes },
                    false => Piece::Long { bytes, outline, id },
                });
                self.is_damaged = false;
                self.is_several = false;
                self.parts = 0;
                self.skipper.reset();
            }
            Next::NeedMore => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize = 1000;

    fn name(piece: Piece<'_>) -> String {
        match piece {
            Piece::Line(line) => format!("line {}", String::from_utf8_lossy(line)),
            Piece::Long { bytes, id, .. } => {
                format!("long {bytes} {}", id.map_or_else(String::new, |id| id.to_string()))
            }
            Piece::Unseen { bytes } => format!("unseen {bytes}"),
        }
    }

    #[test]
    fn lines_do_not_depend_on_the_cut() {
        let text = "\u{feff}ab\n\nc\r\nd".as_bytes();
        for at in 0..=text.len() {
            let mut lines = Lines::new(LONGEST);
            let mut found = Vec::new();
            let mut collect = |piece: Piece<'_>| found.push(name(piece));
            lines.feed(&text[..at], &mut collect);
            lines.feed(&text[at..], &mut collect);
            lines.finish(&mut collect);
            assert_eq!(found, ["line ab", "line ", "line c\r", "line d"], "cut at {at}");
        }
    }

    #[test]
    fn an_oversized_line_has_its_size_and_its_id() {
        for (extra, expected) in [(0, "line {"), (1, "long 1001 \"x\"")] {
            let frame = br#"{"jsonrpc":"2.0","result":{},"id":"x"}"#;
            let padding = vec![b' '; LONGEST - frame.len() + extra];
            let mut lines = Lines::new(LONGEST);
            let mut found = Vec::new();
            let mut collect = |piece: Piece<'_>| found.push(name(piece));
            lines.feed(frame, &mut collect);
            lines.feed(&padding, &mut collect);
            lines.feed(b"\n", &mut collect);
            lines.finish(&mut collect);
            assert_eq!(found.len(), 1, "{extra}");
            assert!(found[0].starts_with(expected), "{:.60}", found[0]);
        }
    }

    #[test]
    fn lost_bytes_are_counted_and_damage_no_other_line() {
        let long = "x".repeat(3 * LONGEST);
        let whole = 3 * LONGEST as u64;
        type Case<'a> = (&'a str, (u64, bool, bool), &'a str, &'a [&'a str]);
        let cases: &[Case<'_>] = &[
            ("within a line", (5, false, false), "h\ni\n", &["unseen 9", "line i"]),
            ("over several lines", (5, true, false), "h\ni\n", &["unseen 9", "line i"]),
            ("to the end of a line", (5, false, true), "h\ni\n", &["unseen 7", "line h", "line i"]),
            ("to the end of an oversized line", (whole, false, true), "h\n", &["long 3002 ", "line h"]),
            ("to the end of the stream", (5, false, false), "", &["unseen 8"]),
            ("an oversized line", (5, false, false), &format!("{long}\ni\n"), &["long 3008 ", "line i"]),
            ("all of an oversized line", (whole, false, false), "\ni\n", &["long 3003 ", "line i"]),
            ("many lines", (whole, true, false), "\ni\n", &["unseen 3003", "line i"]),
        ];
        for (case, (bytes, is_several, ends_line), after, expected) in cases {
            let mut lines = Lines::new(LONGEST);
            let mut found = Vec::new();
            let mut collect = |piece: Piece<'_>| found.push(name(piece));
            lines.feed(b"a\nabc", &mut collect);
            lines.lost(*bytes, *is_several, *ends_line, &mut collect);
            lines.feed(after.as_bytes(), &mut collect);
            lines.finish(&mut collect);
            assert_eq!(found[0], "line a", "{case}");
            assert_eq!(found[1..], **expected, "{case}");
        }
    }
}
