//! Lines out of what was seen of a stream, with the size of each, seen or not.
//!
//! The framer of the library reports a damaged line without its size, and copies every byte; here most lines are judged
//! where they arrived.

use barewire::rpc::{Rejection, RequestId, Skipper};
use memchr::memchr;

use super::handoff::Gap;

/// The longest line that is kept to be inspected.
pub(super) const LONGEST: usize = 1 << 20;

/// What a stream consists of. Sizes are without the newline.
pub(super) enum Piece<'a> {
    Line(&'a [u8]),
    /// A line longer than [`LONGEST`]: what its outline says, and its id, if all of it was seen.
    Long {
        bytes: u64,
        outline: Option<Rejection<'a>>,
        id: Option<RequestId<'a>>,
    },
    /// One line or more of which not everything was seen.
    Unseen {
        bytes: u64,
    },
}

/// The line that has not ended yet.
pub(super) struct Lines {
    /// Its bytes so far, while they are no more than [`LONGEST`].
    kept: Vec<u8>,
    length: u64,
    is_damaged: bool,
    skipper: Skipper<256>,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self {
            kept: Vec::new(),
            length: 0,
            is_damaged: false,
            skipper: Skipper::new(),
        }
    }

    pub(super) fn feed(&mut self, mut bytes: &[u8], found: &mut impl FnMut(Piece<'_>)) {
        while let Some(newline) = memchr(b'\n', bytes) {
            let line = &bytes[..newline];
            if self.length == 0 && line.len() <= LONGEST {
                found(Piece::Line(line));
            } else {
                self.keep(line);
                self.end(found);
            }
            bytes = &bytes[newline + 1..];
        }
        self.keep(bytes);
    }

    pub(super) fn gap(&mut self, gap: &Gap, found: &mut impl FnMut(Piece<'_>)) {
        self.kept.clear();
        self.is_damaged = true;
        self.length += gap.head;
        if gap.has_newline {
            self.end(found);
            // Without the first newline.
            let between = gap.bytes - gap.head - gap.tail - 1;
            if between > 0 {
                found(Piece::Unseen { bytes: between });
            }
            self.length = gap.tail;
            self.is_damaged = gap.tail > 0;
        }
    }

    /// At the end of the stream a last line needs no newline. Whether there was one.
    pub(super) fn finish(&mut self, found: &mut impl FnMut(Piece<'_>)) -> bool {
        let is_cut = self.length > 0;
        if is_cut {
            self.end(found);
        }
        is_cut
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if self.is_damaged {
            return;
        }
        if self.length <= LONGEST as u64 {
            self.kept.extend_from_slice(bytes);
        } else {
            self.skipper.feed(&self.kept);
            self.kept.clear();
            self.skipper.feed(bytes);
        }
    }

    fn end(&mut self, found: &mut impl FnMut(Piece<'_>)) {
        let bytes = self.length;
        found(match (self.is_damaged, bytes > LONGEST as u64) {
            (false, false) => Piece::Line(&self.kept),
            (false, true) => Piece::Long {
                bytes,
                outline: Some(self.skipper.finish()),
                id: self.skipper.id(),
            },
            (true, true) => Piece::Long {
                bytes,
                outline: None,
                id: None,
            },
            (true, false) => Piece::Unseen { bytes },
        });
        self.kept.clear();
        self.length = 0;
        self.is_damaged = false;
        self.skipper.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(piece: Piece<'_>) -> String {
        match piece {
            Piece::Line(line) => format!("line {}", String::from_utf8_lossy(line)),
            Piece::Long { bytes, id, .. } => {
                format!(
                    "long {bytes} {}",
                    id.map_or_else(String::new, |id| id.to_string())
                )
            }
            Piece::Unseen { bytes } => format!("unseen {bytes}"),
        }
    }

    #[test]
    fn lines_do_not_depend_on_the_cut() {
        let text = b"ab\n\nc\nd";
        for at in 0..=text.len() {
            let mut lines = Lines::new();
            let mut found = Vec::new();
            let mut collect = |piece: Piece<'_>| found.push(name(piece));
            lines.feed(&text[..at], &mut collect);
            lines.feed(&text[at..], &mut collect);
            assert!(lines.finish(&mut collect));
            assert_eq!(found, ["line ab", "line ", "line c", "line d"], "cut at {at}");
        }
    }

    #[test]
    fn a_long_line_has_its_size_and_its_id() {
        for (extra, expected) in [(0, "line {"), (1, "long 1048577 \"x\"")] {
            let frame = br#"{"jsonrpc":"2.0","result":{},"id":"x"}"#;
            let padding = vec![b' '; LONGEST - frame.len() + extra];
            let mut lines = Lines::new();
            let mut found = Vec::new();
            let mut collect = |piece: Piece<'_>| found.push(name(piece));
            lines.feed(frame, &mut collect);
            lines.feed(&padding, &mut collect);
            lines.feed(b"\n", &mut collect);
            assert!(!lines.finish(&mut collect));
            assert_eq!(found.len(), 1);
            assert!(found[0].starts_with(expected), "{:.60}", found[0]);
        }
    }

    #[test]
    fn a_gap_keeps_the_count() {
        let mut lines = Lines::new();
        let mut found = Vec::new();
        let mut collect = |piece: Piece<'_>| found.push(name(piece));
        lines.feed(b"abc", &mut collect);
        // "d", two whole lines of "ee" and "f", and the start "gg" of a third: d\nee\nf\ngg.
        let gap = Gap {
            bytes: 9,
            has_newline: true,
            head: 1,
            tail: 2,
        };
        lines.gap(&gap, &mut collect);
        lines.feed(b"h\ni\n", &mut collect);
        assert_eq!(found, ["unseen 4", "unseen 5", "unseen 3", "line i"]);
    }
}
