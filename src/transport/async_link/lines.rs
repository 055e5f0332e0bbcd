//! Lines in the input: the one whose call runs, those that wait, and the incoming ones.

use core::ops::Range;

use crate::bytes::move_to_front;

/// Places of lines in an input that others own. From the front: a held line, whose call runs; queued lines, whose requests wait; incoming
/// bytes. All places but `held` count from the end of the held line.
///
/// As it owns no memory, the input can be lent in two parts while this is used.
#[derive(Debug)]
pub(super) struct Lines {
    held: usize,
    /// End of the queued lines. Unused bytes may follow.
    queued: usize,
    /// The incoming bytes that are not served.
    start: usize,
    end: usize,
    /// No newline stands between `start` and here.
    searched: usize,
    /// The incoming line, if it is a batch that is served in part.
    serving: Option<Line>,
    /// Bytes are missing here: the line around this place is damaged.
    gap: Option<usize>,
    /// A damaged line of which parts went out has ended, which was not reported yet.
    has_lost: bool,
    /// The incoming line does not fit, and is handed out in parts.
    is_too_long: bool,
    /// No byte order mark can come any more. False at first, so that a link in a `static` takes no flash.
    has_begun: bool,
}

/// A line: its text, and its end with the newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: Range<usize>,
    pub(super) end: usize,
    /// Place of the next element, if it is a batch that is served in part; else 0.
    pub(super) place: usize,
}

impl Line {
    const fn new(text: Range<usize>, end: usize) -> Self {
        Self { text, end, place: 0 }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    Line(Line),
    /// The next part of a line that is longer than the input.
    Part(Range<usize>),
    /// The line whose parts came before has ended.
    TooLong,
    /// A damaged line was dropped.
    Lost,
    NeedMore,
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn newline(memory: &[u8], within: Range<usize>) -> Option<usize> {
    let at = memory.get(within.clone())?.iter().position(|byte| *byte == b'\n')?;
    Some(within.start.saturating_add(at))
}

/// Moves the bytes up to `end` to `place`, over those between `place` and `start`.
fn close(memory: &mut [u8], place: usize, start: usize, end: usize) {
    if let Some(bytes) = memory.get_mut(place..end).filter(|_| place < start) {
        move_to_front(bytes, start.saturating_sub(place));
    }
}

impl Lines {
    pub(super) const fn new() -> Self {
        Self {
            held: 0,
            queued: 0,
            start: 0,
            end: 0,
            searched: 0,
            serving: None,
            gap: None,
            has_lost: false,
            is_too_long: false,
            has_begun: false,
        }
    }

    /// Length of the held line with its newline.
    pub(super) const fn held(&self) -> usize {
        self.held
    }

    /// The next incoming line. Without `more`, the last line ends where the input does. Parts of a line that does not fit are handed out only if
    /// that is all there is.
    pub(super) fn next(&mut self, memory: &[u8], more: bool) -> Incoming {
        if let Some(line) = self.serving.take() {
            return Incoming::Line(line);
        }
        if !self.has_begun && !self.skip_byte_order_mark(memory, more) {
            return Incoming::NeedMore;
        }
        if core::mem::take(&mut self.has_lost) {
            return Incoming::Lost;
        }
        let limit = self.gap.unwrap_or(self.end);
        if let Some(at) = newline(memory, self.searched.max(self.start)..limit) {
            return self.line_up_to(at, at.saturating_add(1));
        }
        self.searched = limit;
        if let Some(gap) = self.gap {
            return self.skip_damaged(memory, gap, more);
        }
        let is_all = self.held == 0 && self.queued == 0;
        let pending = self.end.saturating_sub(self.start);
        if !more && (pending > 0 || self.is_too_long) {
            return self.line_up_to(self.end, self.end);
        }
        self.is_too_long |= is_all && pending >= memory.len();
        if self.is_too_long && pending > 0 {
            let part = self.start..self.end;
            (self.start, self.end, self.searched) = (0, 0, 0);
            return Incoming::Part(part);
        }
        Incoming::NeedMore
    }

    /// The line that ends at `at`, and with its newline at `end`.
    fn line_up_to(&mut self, at: usize, end: usize) -> Incoming {
        let text = self.start..at;
        if self.is_too_long && !text.is_empty() {
            // The newline stays, for the report.
            (self.start, self.searched) = (at, at);
            return Incoming::Part(text);
        }
        self.searched = end;
        if core::mem::take(&mut self.is_too_long) {
            self.start = end;
            return Incoming::TooLong;
        }
        Incoming::Line(Line::new(text, end))
    }

    /// Drops a damaged line up to its newline, if that has come.
    fn skip_damaged(&mut self, memory: &[u8], gap: usize, more: bool) -> Incoming {
        let at = newline(memory, gap..self.end);
        if at.is_none() && more {
            (self.end, self.searched, self.gap) = (self.start, self.start, Some(self.start));
            return Incoming::NeedMore;
        }
        self.start = at.map_or(self.end, |at| at.saturating_add(1));
        self.searched = self.start;
        self.gap = None;
        self.is_too_long = false;
        Incoming::Lost
    }

    /// False while it is open whether the stream starts with a byte order mark.
    fn skip_byte_order_mark(&mut self, memory: &[u8], more: bool) -> bool {
        let received = memory.get(self.start..self.end).unwrap_or_default();
        if received.starts_with(BYTE_ORDER_MARK) {
            self.start = self.start.saturating_add(BYTE_ORDER_MARK.len());
        } else if more && BYTE_ORDER_MARK.starts_with(received) && received.len() < memory.len() {
            return false;
        }
        self.has_begun = true;
        true
    }

    /// Memory to read into.
    pub(super) fn space<'m>(&mut self, memory: &'m mut [u8]) -> &'m mut [u8] {
        self.compact(memory);
        memory.get_mut(self.end..).unwrap_or_default()
    }

    /// Whether there is no memory left to read into.
    pub(super) fn is_full(&self, memory: &[u8]) -> bool {
        self.end.saturating_sub(self.start.saturating_sub(self.queued)) >= memory.len()
    }

    /// Takes note that this number of bytes was read into [`space`](Self::space).
    pub(super) fn received(&mut self, count: usize, memory: &[u8]) {
        self.end = self.end.saturating_add(count).min(memory.len());
    }

    /// Moves the incoming bytes down to the queued lines.
    fn compact(&mut self, memory: &mut [u8]) {
        close(memory, self.queued, self.start, self.end);
        self.shift(0, self.start.saturating_sub(self.queued));
    }

    /// Moves all places of incoming bytes: up, then down.
    fn shift(&mut self, up: usize, down: usize) {
        let shifted = |place: usize| place.saturating_add(up).saturating_sub(down);
        for place in [&mut self.start, &mut self.end, &mut self.searched] {
            *place = shifted(*place);
        }
        self.gap = self.gap.map(shifted);
        if let Some(line) = &mut self.serving {
            line.text = shifted(line.text.start)..shifted(line.text.end);
            line.end = shifted(line.end);
        }
    }

    /// Keeps a batch that is served in part: it is the next line again.
    pub(super) fn keep_serving(&mut self, line: Line) {
        self.serving = Some(line);
    }

    /// Whether a batch is served in part.
    pub(super) const fn is_serving(&self) -> bool {
        self.serving.is_some()
    }

    /// Drops a line that is served.
    pub(super) const fn drop_line(&mut self, line: &Line) {
        self.start = line.end;
    }

    /// Queues the line that came last.
    pub(super) fn queue(&mut self, line: &Line, memory: &mut [u8]) {
        close(memory, self.queued, line.text.start, line.end);
        let length = line.end.saturating_sub(line.text.start);
        self.queued = self.queued.saturating_add(length);
        self.start = line.end;
    }

    /// The first queued line that starts at `from` or later.
    pub(super) fn queued_from(&self, from: usize, memory: &[u8]) -> Option<Line> {
        if from >= self.queued {
            return None;
        }
        Some(match newline(memory, from..self.queued) {
            Some(at) => Line::new(from..at, at.saturating_add(1)),
            None => Line::new(from..self.queued, self.queued),
        })
    }

    /// The queued line that came last.
    pub(super) fn last_queued(&self, memory: &[u8]) -> Option<Line> {
        let mut last = self.queued_from(0, memory)?;
        while let Some(line) = self.queued_from(last.end, memory) {
            last = line;
        }
        Some(last)
    }

    /// Removes a queued line.
    pub(super) fn unqueue(&mut self, line: &Line, memory: &mut [u8]) {
        close(memory, line.text.start, line.end, self.queued);
        self.queued = self.queued.saturating_sub(line.end.saturating_sub(line.text.start));
    }

    /// Holds the first queued line, or the incoming line that came last.
    pub(super) fn hold(&mut self, line: &Line, memory: &mut [u8]) {
        if self.queued == 0 {
            self.queue(line, memory);
            self.compact(memory);
        }
        self.held = line.end.saturating_sub(line.text.start);
        self.queued = self.queued.saturating_sub(self.held);
        self.shift(0, self.held);
    }

    /// Puts the held line back, as the first of the queue.
    pub(super) fn requeue(&mut self) {
        let held = core::mem::take(&mut self.held);
        self.queued = self.queued.saturating_add(held);
        self.shift(held, 0);
    }

    /// Drops the held line.
    pub(super) fn release(&mut self, memory: &mut [u8]) {
        let held = core::mem::take(&mut self.held);
        close(memory, 0, held, held.saturating_add(self.end));
    }

    /// Takes note that bytes are missing after those received so far.
    pub(super) fn lost(&mut self, memory: &mut [u8]) {
        if !self.has_begun {
            // What comes now is not the start of the stream.
            self.skip_byte_order_mark(memory, true);
            self.has_begun = true;
        }
        if let Some(gap) = self.gap.take()
            && let Some(at) = newline(memory, gap..self.end)
        {
            // The earlier damaged line has ended.
            let after = at.saturating_add(1);
            close(memory, gap, after, self.end);
            self.end = self.end.saturating_sub(after.saturating_sub(gap));
            // With a whole line before the gap, that one is too long, not the damaged one.
            if gap <= self.start && core::mem::take(&mut self.is_too_long) {
                self.has_lost = true;
            }
        }
        let pending = memory.get(self.start..self.end).unwrap_or_default();
        let last = pending.iter().rposition(|byte| *byte == b'\n');
        self.end = last.map_or(self.start, |at| self.start.saturating_add(at).saturating_add(1));
        self.searched = self.searched.min(self.end);
        self.gap = Some(self.end);
    }
}

#[cfg(test)]
mod tests;
