//! One array of bytes for all texts that the engine keeps: ids, progress tokens, URIs, states.

use core::cell::Cell;

use crate::bytes::Sink;

/// Place of a text in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) struct Span {
    at: u32,
    len: u32,
}

impl Span {
    /// Place of no text.
    pub(in crate::engine::server) const EMPTY: Self = Self { at: 0, len: 0 };

    pub(in crate::engine::server) const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Moves with the bytes after a text that was removed.
    pub(in crate::engine::server) const fn close_gap(&mut self, removed: Self) {
        if self.at > removed.at {
            self.at = self.at.saturating_sub(removed.len);
        }
    }
}

/// View of the bytes. They are always dense: text is appended at the end, and when a text is removed, the bytes after it move down.
#[derive(Debug)]
pub(in crate::engine::server) struct Arena<'a> {
    memory: &'a mut [u8],
    used: &'a mut u32,
}

impl<'a> Arena<'a> {
    pub(in crate::engine::server) const fn new(memory: &'a mut [u8], used: &'a mut u32) -> Self {
        Self { memory, used }
    }

    /// Number of bytes that can be appended.
    pub(in crate::engine::server) fn free(&self) -> usize {
        self.memory.len().saturating_sub(*self.used as usize)
    }

    /// The kept texts, and the free memory after them.
    pub(in crate::engine::server) fn split(&mut self) -> (Texts<'_>, &mut [u8]) {
        match self.memory.split_at_mut_checked(*self.used as usize) {
            Some((used, free)) => (Texts(used), free),
            None => (Texts(&[]), &mut []),
        }
    }

    pub(in crate::engine::server) fn texts(&self) -> Texts<'_> {
        Texts(self.memory.get(..*self.used as usize).unwrap_or_default())
    }

    /// Appends what `write` writes. `None`, and nothing is appended, when it does not fit.
    pub(in crate::engine::server) fn append(&mut self, write: impl FnOnce(&mut Sink<'_>)) -> Option<Span> {
        let (_, free) = self.split();
        let mut sink = Sink::new(free);
        write(&mut sink);
        let length = sink.finish().ok()?.len();
        self.keep(length)
    }

    /// Keeps the first bytes of the free memory, which were written there.
    pub(in crate::engine::server) fn keep(&mut self, length: usize) -> Option<Span> {
        let at = *self.used;
        let len = u32::try_from(length).ok()?;
        *self.used = at.checked_add(len)?;
        Some(Span { at, len })
    }

    /// Removes a text. The spans of all other texts must then [close the gap](Span::close_gap).
    pub(in crate::engine::server) fn remove(&mut self, span: Span) {
        let Some(moved) = self.memory.get_mut(span.at as usize..*self.used as usize) else {
            return;
        };
        if usize::BITS == 64 {
            moved.copy_within((span.len as usize).min(moved.len()).., 0);
            *self.used = self.used.saturating_sub(span.len);
            return;
        }
        // On a device `copy_within` would bring in 1.5 KiB of code for memory that overlaps.
        let cells = Cell::from_mut(moved).as_slice_of_cells();
        for (to, from) in cells.iter().zip(cells.get(span.len as usize..).unwrap_or_default()) {
            to.set(from.get());
        }
        *self.used = self.used.saturating_sub(span.len);
    }
}

/// The kept texts.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine::server) struct Texts<'a>(&'a [u8]);

impl<'a> Texts<'a> {
    pub(in crate::engine::server) fn get(self, span: Span) -> &'a [u8] {
        let end = span.at.saturating_add(span.len);
        self.0.get(span.at as usize..end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn append(arena: &mut Arena<'_>, text: &str) -> Option<Span> {
        arena.append(|sink| sink.write(text.as_bytes()))
    }

    #[test]
    fn texts_stay_dense_and_readable() {
        let (mut memory, mut used) = ([0; 8], 0);
        let mut arena = Arena::new(&mut memory, &mut used);
        let first = append(&mut arena, "abc").unwrap();
        let empty = append(&mut arena, "").unwrap();
        let mut second = append(&mut arena, "de").unwrap();
        let mut third = append(&mut arena, "fgh").unwrap();
        assert_eq!(append(&mut arena, "i"), None);
        assert_eq!(arena.free(), 0);
        assert!(empty.is_empty());

        arena.remove(first);
        second.close_gap(first);
        third.close_gap(first);
        assert_eq!(arena.free(), 3);
        assert_eq!(arena.texts().get(second), b"de");
        assert_eq!(arena.texts().get(third), b"fgh");
        assert_eq!(append(&mut arena, "ijkl"), None);
        let fourth = append(&mut arena, "ijk").unwrap();
        assert_eq!(arena.texts().get(fourth), b"ijk");
    }
}
