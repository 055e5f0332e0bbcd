//! Where output goes: a caller's slice, a growable buffer, or a counter.

use core::fmt;

/// An output that did not fit, and how many bytes all of it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BufferFull {
    /// A buffer of this many bytes holds the same output.
    pub needed: usize,
}

impl fmt::Display for BufferFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "output does not fit, {} bytes are needed", self.needed)
    }
}

impl core::error::Error for BufferFull {}

/// A place in a [`Sink`] to go back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Mark(usize);

/// An output that never fails half-way.
///
/// A write that does not fit is counted instead of stored, and so is everything after it, until [`rollback`] to a mark
/// before it. So writers need no error path of their own, [`finish`] knows the exact size that was wanted, and nobody
/// ever sees a cut line: what does not fit as a whole is rolled back.
///
/// [`rollback`]: Sink::rollback
/// [`finish`]: Sink::finish
///
/// ```
/// use barewire::bytes::{BufferFull, Sink};
///
/// let mut memory = [0; 8];
/// let mut sink = Sink::new(&mut memory);
/// sink.write(b"kept ");
/// let mark = sink.mark();
/// sink.write(b"too long for it");
/// assert_eq!(sink.finish(), Err(BufferFull { needed: 20 }));
/// sink.rollback(mark);
/// sink.write(b"ok");
/// assert_eq!(sink.finish(), Ok(&b"kept ok"[..]));
/// ```
#[derive(Debug)]
pub struct Sink<'a> {
    room: Room<'a>,
    /// Bytes written or counted; more than the room holds once something did not fit.
    len: usize,
}

#[derive(Debug)]
enum Room<'a> {
    Slice(&'a mut [u8]),
    #[cfg(feature = "std")]
    Growable {
        memory: &'a mut std::vec::Vec<u8>,
        limit: usize,
    },
}

impl<'a> Room<'a> {
    fn stored(&self) -> &[u8] {
        match self {
            Self::Slice(memory) => memory,
            #[cfg(feature = "std")]
            Self::Growable { memory, .. } => memory,
        }
    }

    fn into_stored(self) -> &'a [u8] {
        match self {
            Self::Slice(memory) => memory,
            #[cfg(feature = "std")]
            Self::Growable { memory, .. } => memory,
        }
    }

    /// The first `len` bytes, if it can hold so many.
    fn grown_to(&mut self, len: usize) -> Option<&mut [u8]> {
        match self {
            Self::Slice(memory) => memory.get_mut(..len),
            #[cfg(feature = "std")]
            Self::Growable { memory, limit } if len <= *limit => {
                memory.resize(len, 0);
                Some(memory)
            }
            #[cfg(feature = "std")]
            Self::Growable { .. } => None,
        }
    }
}

impl<'a> Sink<'a> {
    /// Writes into `memory`, and never more than it holds.
    pub const fn new(memory: &'a mut [u8]) -> Self {
        Self {
            room: Room::Slice(memory),
            len: 0,
        }
    }

    /// Stores nothing: [`finish`](Sink::finish) reports how many bytes a slice needs for the same output.
    pub const fn counting() -> Self {
        Self {
            room: Room::Slice(&mut []),
            len: 0,
        }
    }

    /// Replaces the content of `memory`, which grows up to `limit` bytes.
    #[cfg(feature = "std")]
    pub fn growable(memory: &'a mut std::vec::Vec<u8>, limit: usize) -> Self {
        memory.clear();
        Self {
            room: Room::Growable { memory, limit },
            len: 0,
        }
    }

    /// Appends `bytes`, or counts them when they do not fit.
    pub fn write(&mut self, bytes: &[u8]) {
        match &mut self.room {
            Room::Slice(memory) => {
                let place = memory
                    .get_mut(self.len..)
                    .and_then(|rest| rest.split_at_mut_checked(bytes.len()));
                if let Some((place, _)) = place {
                    super::copy(place, bytes);
                }
            }
            #[cfg(feature = "std")]
            Room::Growable { memory, limit } => {
                if self.len == memory.len() && bytes.len() <= limit.saturating_sub(self.len) {
                    memory.extend_from_slice(bytes);
                }
            }
        }
        self.len = self.len.saturating_add(bytes.len());
    }

    /// Appends one byte.
    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        match &mut self.room {
            Room::Slice(memory) => {
                if let Some(place) = memory.get_mut(self.len) {
                    *place = byte;
                }
            }
            #[cfg(feature = "std")]
            Room::Growable { memory, limit } => {
                if self.len == memory.len() && self.len < *limit {
                    memory.push(byte);
                }
            }
        }
        self.len = self.len.saturating_add(1);
    }

    /// [`write`](Sink::write) for each of the three: one look at the room for all of them, where that is a slice.
    #[inline]
    pub(crate) fn write_three(&mut self, before: &[u8], text: &[u8], behind: &[u8]) {
        if let Room::Slice(memory) = &mut self.room
            && let Some(rest) = memory.get_mut(self.len..)
            && let Some((first, rest)) = rest.split_at_mut_checked(before.len())
            && let Some((second, rest)) = rest.split_at_mut_checked(text.len())
            && let Some((third, _)) = rest.split_at_mut_checked(behind.len())
        {
            super::copy(first, before);
            super::copy(second, text);
            super::copy(third, behind);
            let added = before.len().wrapping_add(text.len()).wrapping_add(behind.len());
            self.len = self.len.wrapping_add(added);
            return;
        }
        self.write(before);
        self.write(text);
        self.write(behind);
    }

    /// Bytes written so far, those that did not fit included.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was written yet.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes the room holds in all.
    pub const fn capacity(&self) -> usize {
        match &self.room {
            Room::Slice(memory) => memory.len(),
            #[cfg(feature = "std")]
            Room::Growable { limit, .. } => *limit,
        }
    }

    /// Whether something did not fit. A long-running writer may stop early.
    pub const fn is_full(&self) -> bool {
        self.len > self.capacity()
    }

    /// How many more bytes fit.
    pub const fn remaining(&self) -> usize {
        self.capacity().saturating_sub(self.len)
    }

    /// This place, to come back to.
    pub const fn mark(&self) -> Mark {
        Mark(self.len)
    }

    /// Forgets everything written after `mark`, overflow included.
    pub fn rollback(&mut self, mark: Mark) {
        self.len = self.len.min(mark.0);
        #[cfg(feature = "std")]
        if let Room::Growable { memory, .. } = &mut self.room {
            memory.truncate(self.len);
        }
    }

    /// The whole output.
    ///
    /// # Errors
    /// [`BufferFull`] with the size that was wanted, when something did not fit. A counting sink says so for anything.
    pub fn finish(&self) -> Result<&[u8], BufferFull> {
        self.since(Mark(0))
    }

    /// The whole output, for as long as the memory lives.
    ///
    /// # Errors
    /// As [`finish`](Sink::finish).
    pub fn into_written(self) -> Result<&'a [u8], BufferFull> {
        self.room
            .into_stored()
            .get(..self.len)
            .ok_or(BufferFull { needed: self.len })
    }

    /// What was written after `mark`.
    ///
    /// # Errors
    /// As [`finish`](Sink::finish).
    pub fn since(&self, mark: Mark) -> Result<&[u8], BufferFull> {
        self.room
            .stored()
            .get(mark.0..self.len)
            .ok_or(BufferFull { needed: self.len })
    }

    /// Puts `prefix` before each byte written since `mark` that is `wanted`. Linear.
    pub(crate) fn insert_before(&mut self, mark: Mark, prefix: u8, wanted: impl Fn(u8) -> bool) {
        let Ok(written) = self.since(mark) else {
            return;
        };
        let added = written.iter().filter(|byte| wanted(**byte)).count();
        let (old, new) = (self.len, self.len.saturating_add(added));
        self.len = new;
        let memory = self.room.grown_to(new);
        let Some(text) = memory.and_then(|memory| memory.get_mut(mark.0..)) else {
            return;
        };
        // From the back: the places that are written to have been read.
        let mut read = old.saturating_sub(mark.0);
        let mut write = text.len();
        while let Some(before) = read.checked_sub(1) {
            read = before;
            let byte = text.get(read).copied().unwrap_or_default();
            for byte in [Some(byte), wanted(byte).then_some(prefix)].into_iter().flatten() {
                write = write.saturating_sub(1);
                if let Some(place) = text.get_mut(write) {
                    *place = byte;
                }
            }
        }
    }

    /// Lets `fill` write into the free room and say how many bytes it used, or that there was not enough of it.
    ///
    /// For encoders that want a slice. A growable room is offered in growing sizes, so `fill` may run several times.
    pub(crate) fn fill(&mut self, mut fill: impl FnMut(&mut [u8]) -> Option<usize>) {
        let used = match &mut self.room {
            Room::Slice(memory) => memory.get_mut(self.len..).and_then(&mut fill),
            #[cfg(feature = "std")]
            Room::Growable { memory, limit } if self.len == memory.len() => {
                fill_growing(memory, *limit, &mut fill)
            }
            #[cfg(feature = "std")]
            Room::Growable { .. } => None,
        };
        // How much was wanted is not known here: one byte more than there is makes the sink full.
        let used = used.unwrap_or(self.remaining().saturating_add(1));
        self.len = self.len.saturating_add(used);
    }
}

#[cfg(feature = "std")]
fn fill_growing(
    memory: &mut std::vec::Vec<u8>,
    limit: usize,
    fill: &mut impl FnMut(&mut [u8]) -> Option<usize>,
) -> Option<usize> {
    let start = memory.len();
    let mut offered = 256;
    loop {
        let end = start.saturating_add(offered).min(limit);
        memory.resize(end.max(start), 0);
        match memory.get_mut(start..).and_then(&mut *fill) {
            Some(used) => {
                memory.truncate(start.saturating_add(used));
                return Some(used);
            }
            None if end >= limit => {
                memory.truncate(start);
                return None;
            }
            None => offered = offered.saturating_mul(4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_takes_exactly_its_length() {
        for size in 0..=6 {
            let mut memory = [0; 5];
            let mut sink = Sink::new(&mut memory);
            sink.write(b"abcde".get(..size.min(5)).unwrap());
            if size == 6 {
                sink.write(b"f");
            }
            assert_eq!(sink.is_full(), size > 5);
            assert_eq!(sink.len(), size);
        }
    }

    #[test]
    fn three_at_once_are_like_three_writes() {
        let parts: [&[u8]; 3] = [b",\"", b"name", b"\":"];
        for size in 0..12 {
            let (mut at_once, mut one_by_one) = ([0; 12], [0; 12]);
            let mut sink = Sink::new(at_once.get_mut(..size).unwrap());
            sink.write_three(parts[0], parts[1], parts[2]);
            let mut other = Sink::new(one_by_one.get_mut(..size).unwrap());
            parts.iter().for_each(|part| other.write(part));
            assert_eq!(sink.finish(), other.finish(), "{size}");
            assert_eq!(sink.len(), 8);
        }
    }

    #[test]
    fn a_short_write_after_one_that_did_not_fit_is_not_stored() {
        let mut memory = [0; 4];
        let mut sink = Sink::new(&mut memory);
        sink.write(b"abcdef");
        sink.write(b"g");
        assert_eq!(sink.finish(), Err(BufferFull { needed: 7 }));
        sink.rollback(Mark(0));
        assert_eq!(sink.finish(), Ok(&b""[..]));
        assert_eq!(memory, [0; 4]);
    }

    /// Whether it comes byte by byte or at once.
    #[cfg(feature = "std")]
    #[test]
    fn single_bytes_stop_at_the_limit_too() {
        for count in 0..6 {
            let mut memory = std::vec::Vec::new();
            let mut sink = Sink::growable(&mut memory, 3);
            (0..count).for_each(|_| sink.push(b'a'));
            let expected = b"aaa".get(..count).ok_or(BufferFull { needed: count });
            assert_eq!(sink.finish(), expected);
            assert_eq!(memory.len(), count.min(3));
        }
    }

    #[test]
    fn nothing_is_filled_behind_what_did_not_fit() {
        let fills_nothing = |mut sink: Sink<'_>| {
            sink.write(b"too long");
            sink.fill(|_| panic!("there is no room"));
            assert!(sink.is_full());
        };
        fills_nothing(Sink::new(&mut [0; 7]));
        fills_nothing(Sink::counting());
        #[cfg(feature = "std")]
        fills_nothing(Sink::growable(&mut std::vec::Vec::new(), 7));
    }

    #[cfg(feature = "std")]
    #[test]
    fn a_growable_sink_stops_at_its_limit() {
        let mut memory = std::vec::Vec::new();
        let mut sink = Sink::growable(&mut memory, 6);
        sink.write(b"abc");
        let mark = sink.mark();
        sink.write(b"defg");
        sink.write(b"h");
        assert_eq!(sink.finish(), Err(BufferFull { needed: 8 }));
        sink.rollback(mark);
        sink.write(b"def");
        assert_eq!(sink.finish(), Ok(&b"abcdef"[..]));
    }

    #[cfg(feature = "std")]
    #[test]
    fn inserting_grows_up_to_the_limit() {
        for limit in 3..=6 {
            let mut memory = std::vec::Vec::new();
            let mut sink = Sink::growable(&mut memory, limit);
            sink.write(b"\"a\"");
            sink.insert_before(Mark(0), b'\\', |byte| byte == b'"');
            let expected = match limit {
                ..5 => Err(BufferFull { needed: 5 }),
                _ => Ok(&b"\\\"a\\\""[..]),
            };
            assert_eq!(sink.finish(), expected, "{limit}");
            assert!(memory.len() <= limit);
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn filling_grows_in_steps_and_gives_up_at_the_limit() {
        let want = |n: usize| {
            move |room: &mut [u8]| {
                room.get_mut(..n)?.fill(b'x');
                Some(n)
            }
        };
        let mut memory = std::vec::Vec::new();
        let mut sink = Sink::growable(&mut memory, 5000);
        sink.fill(want(4000));
        assert_eq!(sink.len(), 4000);
        let mark = sink.mark();
        sink.fill(want(1001));
        assert!(sink.is_full());
        sink.rollback(mark);
        sink.fill(want(1000));
        assert_eq!(sink.finish().map(<[u8]>::len), Ok(5000));
    }
}
