//! Newline framing over a caller's buffer.

use core::fmt;
use core::mem;

use super::Shown;

/// Cuts a byte stream into lines, inside memory that the caller owns.
///
/// Bytes go in by [`push`](Framer::push), or without a copy by [`space`](Framer::space) and
/// [`commit`](Framer::commit); lines come out by [`next`](Framer::next), which is called until it says
/// [`NeedMore`](Next::NeedMore) before more bytes go in. The lines do not depend on how the stream was split.
///
/// A line fits when it and its newline fit the buffer. A longer one is handed out in parts and then reported once, as
/// [`TooLong`](Next::TooLong); the next line works. A UTF-8 byte order mark before the first line is dropped; a `\r`
/// before the `\n` stays (JSON counts it as white space).
///
/// Cost: each byte is searched once and moved at most once. `B` is the memory: `&mut [u8]`, `[u8; N]`, `Vec<u8>`; at
/// least one byte.
///
/// ```
/// use barewire::bytes::{Framer, Next};
///
/// let mut memory = [0; 8];
/// let mut framer = Framer::new(&mut memory);
/// assert_eq!(framer.push(b"ab\ncd"), 5);
/// assert_eq!(framer.next(), Next::Line(b"ab"));
/// assert_eq!(framer.next(), Next::NeedMore);
/// assert_eq!(framer.push(b"e\n"), 2);
/// assert_eq!(framer.next(), Next::Line(b"cde"));
/// ```
#[derive(Debug)]
pub struct Framer<B> {
    memory: B,
    /// First byte that was not handed out yet.
    start: usize,
    /// Behind the last byte received.
    end: usize,
    /// No newline stands between `start` and here.
    searched: usize,
    /// Bytes are missing here: the line around this place is damaged.
    gap: Option<usize>,
    /// The current line did not fit and is being handed out in parts.
    too_long: bool,
    /// A damaged line of which parts went out has ended; that was not reported yet.
    ended_damaged: bool,
    /// A byte order mark may still come.
    at_stream_start: bool,
    /// The line that was handed out last, still at `start`: its length, and how many bytes go with it.
    lent: Option<(usize, usize)>,
}

/// What [`Framer::next`] found.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Next<'a> {
    /// A whole line, without its newline.
    Line(&'a [u8]),
    /// The next piece of a line that is longer than the buffer.
    Part(&'a [u8]),
    /// The line whose parts came before has ended.
    TooLong,
    /// A line with missing bytes ([`Framer::lost`]) has ended; what was left of it is dropped. Parts of a line that
    /// came before belong to it.
    Lost,
    /// Nothing more until bytes go in.
    NeedMore,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl<B: AsRef<[u8]> + AsMut<[u8]>> Framer<B> {
    /// Starts at the beginning of a stream.
    pub const fn new(memory: B) -> Self {
        Self {
            memory,
            start: 0,
            end: 0,
            searched: 0,
            gap: None,
            too_long: false,
            ended_damaged: false,
            at_stream_start: true,
            lent: None,
        }
    }

    /// Forgets everything and starts at the beginning of a new stream.
    pub fn reset(&mut self) {
        self.clear();
        self.gap = None;
        self.too_long = false;
        self.ended_damaged = false;
        self.at_stream_start = true;
        self.lent = None;
    }

    /// The line that was handed out last is not needed any more.
    fn release(&mut self) {
        if let Some((_, taken)) = self.lent.take() {
            self.start = self.start.saturating_add(taken);
        }
    }

    fn clear(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
    }

    /// The free room, to read into; then [`commit`](Framer::commit) what was read. Never empty after
    /// [`next`](Framer::next) said [`NeedMore`](Next::NeedMore).
    pub fn space(&mut self) -> &mut [u8] {
        self.release();
        self.compact();
        self.memory.as_mut().get_mut(self.end..).unwrap_or_default()
    }

    /// Takes over `count` bytes that were read into [`space`](Framer::space).
    pub fn commit(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.memory.as_ref().len());
    }

    /// Copies as much of `bytes` as there is room for, and returns how much that was.
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        let space = self.space();
        let count = space.len().min(bytes.len());
        super::copy(space, bytes);
        self.commit(count);
        count
    }

    /// Moves what is not handed out to the front. A byte is moved only when a line before it went out, so once at most.
    fn compact(&mut self) {
        if self.start == 0 {
            return;
        }
        let start = self.start;
        let used = self.memory.as_mut().get_mut(..self.end);
        super::move_to_front(used.unwrap_or_default(), start);
        self.end = self.end.saturating_sub(start);
        self.searched = self.searched.saturating_sub(start);
        self.gap = self.gap.map(|gap| gap.saturating_sub(start));
        self.start = 0;
    }

    /// The next line, or why there is none.
    #[allow(clippy::should_implement_trait, reason = "a lending iterator, which `Iterator` cannot be")]
    pub fn next(&mut self) -> Next<'_> {
        self.release();
        if self.at_stream_start && !self.skip_byte_order_mark() {
            return Next::NeedMore;
        }
        if mem::take(&mut self.ended_damaged) {
            return Next::Lost;
        }
        let limit = self.gap.unwrap_or(self.end);
        if let Some(newline) = self.find_newline(limit) {
            return self.line_up_to(newline);
        }
        if let Some(gap) = self.gap {
            return self.skip_damaged(gap);
        }
        let pending = self.end.saturating_sub(self.start);
        if !self.too_long && pending >= self.memory.as_ref().len() {
            self.too_long = true;
        }
        if self.too_long && pending > 0 {
            let part = self.start..self.end;
            self.clear();
            return Next::Part(self.memory.as_ref().get(part).unwrap_or_default());
        }
        Next::NeedMore
    }

    /// The line that ends at `newline`, or the last part of one that did not fit.
    fn line_up_to(&mut self, newline: usize) -> Next<'_> {
        let line = self.start..newline;
        if self.too_long && !line.is_empty() {
            // The newline stays, for the report.
            (self.start, self.searched) = (newline, newline);
            return Next::Part(self.memory.as_ref().get(line).unwrap_or_default());
        }
        self.searched = newline.saturating_add(1);
        if mem::take(&mut self.too_long) {
            self.start = self.searched;
            return Next::TooLong;
        }
        self.lend(line.len(), line.len().saturating_add(1))
    }

    fn lend(&mut self, length: usize, taken: usize) -> Next<'_> {
        self.lent = Some((length, taken));
        self.again()
    }

    /// The [`Line`](Next::Line) that the last call handed out, once more: for a line that is worked through in several
    /// steps. [`NeedMore`](Next::NeedMore) when it was something else.
    pub fn again(&self) -> Next<'_> {
        match self.lent {
            Some((length, _)) => {
                let line = self.start..self.start.saturating_add(length);
                Next::Line(self.memory.as_ref().get(line).unwrap_or_default())
            }
            None => Next::NeedMore,
        }
    }

    /// Drops the damaged line up to its newline, if that has come.
    fn skip_damaged(&mut self, gap: usize) -> Next<'_> {
        self.searched = self.searched.max(gap);
        let Some(newline) = self.find_newline(self.end) else {
            self.clear();
            self.gap = Some(0);
            return Next::NeedMore;
        };
        self.start = newline.saturating_add(1);
        self.searched = self.start;
        self.gap = None;
        self.too_long = false;
        Next::Lost
    }

    fn find_newline(&mut self, limit: usize) -> Option<usize> {
        let window = self.memory.as_ref().get(self.searched..limit).unwrap_or_default();
        let found = search::newline(window).map(|at| self.searched.saturating_add(at));
        if found.is_none() {
            self.searched = self.searched.max(limit);
        }
        found
    }

    /// False while it is open whether the stream starts with a byte order mark.
    fn skip_byte_order_mark(&mut self) -> bool {
        let received = self.memory.as_ref().get(self.start..self.end).unwrap_or_default();
        if received.starts_with(BYTE_ORDER_MARK) {
            self.start = self.start.saturating_add(BYTE_ORDER_MARK.len());
            self.searched = self.start;
        } else if BYTE_ORDER_MARK.starts_with(received) && received.len() < self.memory.as_ref().len() {
            return false;
        }
        self.at_stream_start = false;
        true
    }

    /// Notes that the receiver lost bytes after those pushed so far (in an overrun of a UART, for example).
    ///
    /// The line they belong to is dropped up to its newline and reported as [`Next::Lost`]; whole lines before it are
    /// still handed out, and the next line works. Two losses with no call of [`next`](Framer::next) between them may be
    /// reported as one.
    pub fn lost(&mut self) {
        self.release();
        if self.at_stream_start {
            // What comes now is not the start of the stream.
            self.skip_byte_order_mark();
            self.at_stream_start = false;
        }
        if let Some(gap) = self.gap {
            self.close_gap(gap);
        }
        self.end = self.last_line_end();
        self.searched = self.searched.min(self.end);
        self.gap = Some(self.end);
    }

    /// Drops the rest of an earlier damaged line, if it has ended, so that only one gap is open at a time.
    fn close_gap(&mut self, gap: usize) {
        let damaged = self.memory.as_ref().get(gap..self.end).unwrap_or_default();
        let Some(length) = search::newline(damaged).map(|at| at.saturating_add(1)) else {
            return;
        };
        let tail = self.memory.as_mut().get_mut(gap..self.end);
        super::move_to_front(tail.unwrap_or_default(), length);
        self.end = self.end.saturating_sub(length);
        // With a whole line before the gap, that one is too long, not the damaged one.
        if gap <= self.start && mem::take(&mut self.too_long) {
            self.ended_damaged = true;
        }
    }

    /// Behind the last newline received, or the start of what is pending.
    fn last_line_end(&self) -> usize {
        let pending = self.memory.as_ref().get(self.start..self.end).unwrap_or_default();
        match pending.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => self.start.saturating_add(at).saturating_add(1),
            None => self.start,
        }
    }

    /// What is left at the end of the stream, once [`next`](Framer::next) says [`NeedMore`](Next::NeedMore): a last
    /// line without a newline, the report of one that did not fit or was damaged, or `NeedMore` for nothing. The framer
    /// is then as [`new`](Framer::new).
    pub fn finish(&mut self) -> Next<'_> {
        self.release();
        let (start, end) = (self.start, self.end);
        let damaged = self.gap.is_some();
        let too_long = self.too_long;
        self.reset();
        if damaged {
            Next::Lost
        } else if too_long {
            Next::TooLong
        } else if start == end {
            Next::NeedMore
        } else {
            (self.start, self.end, self.searched) = (start, end, end);
            let length = end.saturating_sub(start);
            self.lend(length, length)
        }
    }
}

#[cfg(feature = "std")]
impl Framer<std::vec::Vec<u8>> {
    /// Grows the memory, up to `limit` bytes, when it is full and holds no whole line, so that memory is used only as
    /// far as lines are long. Call it before [`next`](Framer::next). If the allocation fails, the line counts as too
    /// long.
    pub fn grow(&mut self, limit: usize) {
        self.release();
        let length = self.memory.len();
        let is_filled = self.end.saturating_sub(self.start) >= length;
        if !is_filled || self.too_long || self.gap.is_some() || length >= limit {
            return;
        }
        if self.find_newline(self.end).is_some() {
            return;
        }
        let longer = length.saturating_mul(2).clamp(1, limit);
        if self.memory.try_reserve_exact(longer.saturating_sub(length)).is_ok() {
            self.memory.resize(longer, 0);
        }
    }
}

impl fmt::Debug for Next<'_> {
    /// Bytes as text; of long ones the beginning.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "Line({:?})", Shown(line)),
            Self::Part(part) => write!(f, "Part({:?})", Shown(part)),
            Self::TooLong => f.write_str("TooLong"),
            Self::Lost => f.write_str("Lost"),
            Self::NeedMore => f.write_str("NeedMore"),
        }
    }
}

#[cfg(feature = "std")]
mod search {
    pub(super) fn newline(bytes: &[u8]) -> Option<usize> {
        memchr::memchr(b'\n', bytes)
    }
}

#[cfg(not(feature = "std"))]
mod search {
    pub(super) fn newline(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| *byte == b'\n')
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// All events of a stream pushed in chunks of `chunk` bytes; parts of one line joined.
    fn events(stream: &[u8], capacity: usize, chunk: usize) -> Vec<(&'static str, Vec<u8>)> {
        let mut framer = Framer::new(std::vec![0; capacity]);
        let mut found = Vec::new();
        for piece in stream.chunks(chunk) {
            let mut piece = piece;
            while !piece.is_empty() {
                let taken = framer.push(piece);
                piece = piece.get(taken..).unwrap();
                while note(framer.next(), &mut found) {}
            }
        }
        note(framer.finish(), &mut found);
        found
    }

    fn note(next: Next<'_>, found: &mut Vec<(&'static str, Vec<u8>)>) -> bool {
        match next {
            Next::Line(line) => found.push(("line", line.to_vec())),
            Next::Part(part) => match found.last_mut() {
                Some(("part", bytes)) => bytes.extend_from_slice(part),
                _ => found.push(("part", part.to_vec())),
            },
            Next::TooLong => found.push(("too long", Vec::new())),
            Next::Lost => found.push(("lost", Vec::new())),
            Next::NeedMore => return false,
        }
        true
    }

    #[test]
    fn a_line_fits_when_it_and_its_newline_fit() {
        let cases: [(&[u8], &[&str]); 7] = [
            (b"", &[]),
            (b"\n", &["line"]),
            (b"1234567\n", &["line"]),
            (b"12345678\n", &["part", "too long"]),
            (b"12345678901234567890\nab\n", &["part", "too long", "line"]),
            (b"ab", &["line"]),
            (b"12345678", &["part", "too long"]),
        ];
        for (stream, expected) in cases {
            for chunk in 1..=stream.len().max(1) {
                let found: Vec<_> = events(stream, 8, chunk).into_iter().map(|(kind, _)| kind).collect();
                assert_eq!(found, expected, "{stream:?} in chunks of {chunk}");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_is_dropped_once_at_the_start() {
        for chunk in 1..8 {
            assert_eq!(
                events(b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n", 16, chunk),
                [("line", b"a".to_vec()), ("line", b"\xEF\xBB\xBFb".to_vec())]
            );
            assert_eq!(events(b"\xEF\xBBa\n", 16, chunk), [("line", b"\xEF\xBBa".to_vec())]);
            assert_eq!(events(b"\xEF\xBB", 16, chunk), [("line", b"\xEF\xBB".to_vec())]);
        }
    }

    #[test]
    fn the_parts_of_a_long_line_are_all_of_it() {
        let mut long = std::vec![b'x'; 100];
        long.push(b'\n');
        for chunk in 1..=101 {
            assert_eq!(events(&long, 8, chunk).first(), Some(&("part", std::vec![b'x'; 100])));
        }
    }

    #[test]
    fn a_loss_drops_its_line_and_no_other() {
        let mut framer = Framer::new([0; 32]);
        framer.push(b"one\ntwo\nthr");
        framer.lost();
        framer.push(b"damaged\nfour\n");
        assert_eq!(framer.next(), Next::Line(b"one"));
        assert_eq!(framer.next(), Next::Line(b"two"));
        assert_eq!(framer.next(), Next::Lost);
        assert_eq!(framer.next(), Next::Line(b"four"));
        assert_eq!(framer.next(), Next::NeedMore);
    }

    #[test]
    fn two_losses_leave_the_line_between_them() {
        let mut framer = Framer::new([0; 64]);
        framer.push(b"one\ntwo");
        framer.lost();
        framer.push(b"xx\nthree\nfo");
        framer.lost();
        framer.push(b"yy\nfive\n");
        assert_eq!(framer.next(), Next::Line(b"one"));
        assert_eq!(framer.next(), Next::Line(b"three"));
        assert_eq!(framer.next(), Next::Lost);
        assert_eq!(framer.next(), Next::Line(b"five"));
        assert_eq!(framer.next(), Next::NeedMore);
    }

    #[cfg(feature = "std")]
    #[test]
    fn memory_that_grows_finds_the_same_lines() {
        const LIMIT: usize = 11;
        let stream = b"a\nlonger\n0123456789\n01234567890\n\n0123456789012345678\nend\n";
        let lines = |start: usize, step: usize| {
            let mut framer = Framer::new(std::vec![0; start]);
            let mut lines = Vec::new();
            for mut piece in stream.chunks(step) {
                while !piece.is_empty() {
                    let taken = framer.push(piece);
                    piece = piece.get(taken..).unwrap();
                    framer.grow(LIMIT);
                    loop {
                        match framer.next() {
                            Next::NeedMore => break,
                            Next::Part(_) => {}
                            next => lines.push(std::format!("{next:?}")),
                        }
                        framer.grow(LIMIT);
                    }
                }
            }
            (lines, framer.memory.len())
        };
        let (expected, _) = lines(LIMIT, 1);
        assert_eq!(expected.iter().filter(|line| *line == "TooLong").count(), 2, "{expected:?}");
        for start in 1..LIMIT {
            for step in 1..stream.len() {
                assert_eq!(lines(start, step), (expected.clone(), LIMIT), "{start} {step}");
            }
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn memory_grows_only_as_far_as_lines_are_long() {
        let mut framer = Framer::new(std::vec![0; 4]);
        for _ in 0..100 {
            framer.push(b"a\nb\n");
            framer.grow(1 << 20);
            assert_eq!(framer.next(), Next::Line(b"a"));
            assert_eq!(framer.next(), Next::Line(b"b"));
            assert_eq!(framer.next(), Next::NeedMore);
        }
        assert_eq!(framer.memory.len(), 4);
    }

    #[test]
    fn a_loss_inside_a_long_line_ends_as_a_loss() {
        let mut framer = Framer::new([0; 4]);
        framer.push(b"long");
        assert_eq!(framer.next(), Next::Part(b"long"));
        framer.lost();
        framer.push(b"er\n");
        assert_eq!(framer.next(), Next::Lost);
        framer.push(b"ok\n");
        assert_eq!(framer.next(), Next::Line(b"ok"));
    }

    #[test]
    fn two_losses_leave_the_report_of_a_line_in_parts() {
        let mut framer = Framer::new([0; 4]);
        framer.push(b"long");
        assert_eq!(framer.next(), Next::Part(b"long"));
        framer.lost();
        framer.push(b"\nab\n");
        framer.lost();
        assert_eq!(framer.next(), Next::Lost);
        assert_eq!(framer.next(), Next::Line(b"ab"));
        assert_eq!(framer.next(), Next::NeedMore);
        framer.push(b"\nc\n");
        assert_eq!(framer.next(), Next::Lost);
        assert_eq!(framer.next(), Next::Line(b"c"));
    }

    #[test]
    fn two_losses_behind_a_long_line_leave_it_long() {
        let mut framer = Framer::new([0; 4]);
        framer.push(b"long");
        assert_eq!(framer.next(), Next::Part(b"long"));
        framer.push(b"e\nf");
        framer.lost();
        framer.push(b"g\n");
        framer.lost();
        assert_eq!(framer.next(), Next::Part(b"e"));
        assert_eq!(framer.next(), Next::TooLong);
        assert_eq!(framer.next(), Next::NeedMore);
        framer.push(b"\nh\n");
        assert_eq!(framer.next(), Next::Lost);
        assert_eq!(framer.next(), Next::Line(b"h"));
    }

    #[test]
    fn behind_a_loss_no_byte_order_mark_is_dropped() {
        let mut framer = Framer::new([0; 8]);
        framer.lost();
        framer.push(b"\n\xEF\xBB\xBF\n");
        framer.lost();
        assert_eq!(framer.next(), Next::Line(b"\xEF\xBB\xBF"));
        framer.reset();
        framer.push(b"\xEF\xBB\xBFa\n");
        framer.lost();
        assert_eq!(framer.next(), Next::Line(b"a"));
    }

    #[test]
    fn a_line_can_be_had_again_until_the_next_call() {
        let mut framer = Framer::new([0; 8]);
        framer.push(b"ab\n\nc");
        assert_eq!(framer.again(), Next::NeedMore);
        assert_eq!(framer.next(), Next::Line(b"ab"));
        assert_eq!(framer.again(), Next::Line(b"ab"));
        assert_eq!(framer.next(), Next::Line(b""));
        assert_eq!(framer.again(), Next::Line(b""));
        assert_eq!(framer.next(), Next::NeedMore);
        assert_eq!(framer.again(), Next::NeedMore);
        assert_eq!(framer.finish(), Next::Line(b"c"));
        assert_eq!(framer.again(), Next::Line(b"c"));
        assert_eq!(framer.push(b"\xEF\xBB\xBFnext\nd"), 8);
        assert_eq!(framer.again(), Next::NeedMore);
        assert_eq!(framer.next(), Next::Line(b"next"));
    }

    #[test]
    fn a_loss_at_the_end_is_reported() {
        let mut framer = Framer::new([0; 8]);
        framer.push(b"ab");
        framer.lost();
        assert_eq!(framer.next(), Next::NeedMore);
        assert_eq!(framer.finish(), Next::Lost);
        framer.push(b"cd");
        assert_eq!(framer.next(), Next::NeedMore);
        assert_eq!(framer.finish(), Next::Line(b"cd"));
    }
}
