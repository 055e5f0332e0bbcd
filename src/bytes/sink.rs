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
}

impl<'a> Sink<'a> {
    /// Writes into `memory`, and never more than it holds.
    pub const fn new(memory: &'a mut [u8]) -> Self {
        Self { room: Room::Slice(memory), len: 0 }
    }

    /// Stores nothing: [`finish`](Sink::finish) reports how many bytes a slice needs for the same output.
    pub const fn counting() -> Self {
        Self { room: Room::Slice(&mut []), len: 0 }
    }

    /// Replaces the content of `memory`, which grows up to `limit` bytes.
    #[cfg(feature = "std")]
    pub fn growable(memory: &'a mut std::vec::Vec<u8>, limit: usize) -> Self {
        memory.clear();
        Self { room: Room::Growable { memory, limit }, len: 0 }
    }

    /// Appends `bytes`, or counts them when they do not fit.
    pub fn write(&mut self, bytes: &[u8]) {
        match &mut self.room {
            Room::Slice(memory) => {
                let place =
                    memory.get_mut(self.len..).and_then(|rest| rest.split_at_mut_checked(bytes.len()));
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

    /// Forgets the last bytes.
    #[cfg(feature = "seal")]
    pub(crate) fn unwrite(&mut self, bytes: usize) {
        self.rollback(Mark(self.len.saturating_sub(bytes)));
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
        self.room.into_stored().get(..self.len).ok_or(BufferFull { needed: self.len })
    }

    /// What was written after `mark`.
    ///
    /// # Errors
    /// As [`finish`](Sink::finish).
    pub fn since(&self, mark: Mark) -> Result<&[u8], BufferFull> {
        self.room.stored().get(mark.0..self.len).ok_or(BufferFull { needed: self.len })
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
}
