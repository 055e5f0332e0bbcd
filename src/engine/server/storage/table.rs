//! Tables of slots, in the order in which they were filled.

use core::mem::swap;
use core::ops::{Deref, DerefMut};

/// View of a table: the slots in use come first.
#[derive(Debug)]
pub(in crate::engine::server) struct Table<'a, T> {
    slots: &'a mut [T],
    used: &'a mut usize,
}

impl<'a, T: Copy> Table<'a, T> {
    pub(in crate::engine::server) const fn new(slots: &'a mut [T], used: &'a mut usize) -> Self {
        Self { slots, used }
    }

    pub(in crate::engine::server) fn is_full(&self) -> bool {
        *self.used >= self.slots.len()
    }

    /// Appends a slot. `None` when the table is full.
    pub(in crate::engine::server) fn push(&mut self, slot: T) -> Option<()> {
        *self.slots.get_mut(*self.used)? = slot;
        *self.used = self.used.saturating_add(1);
        Some(())
    }

    /// Removes the slot in this place; those after it move up.
    pub(in crate::engine::server) fn remove(&mut self, place: usize) {
        let mut slots = self.iter_mut().skip(place);
        let Some(mut to) = slots.next() else {
            return;
        };
        // Copying would bring in code for memory that overlaps: 1.5 KiB of flash.
        for next in slots {
            swap(to, next);
            to = next;
        }
        *self.used = self.used.saturating_sub(1);
    }
}

impl<T> Deref for Table<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.slots.get(..*self.used).unwrap_or_default()
    }
}

impl<T> DerefMut for Table<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.slots.get_mut(..*self.used).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn what_is_removed_is_gone_and_the_order_stays() {
        for length in 0..=4_u8 {
            for place in 0..=5_usize {
                let (mut slots, mut used) = ([0; 4], 0);
                let mut table = Table::new(&mut slots, &mut used);
                for slot in 0..length {
                    assert_eq!(table.push(slot), Some(()));
                }
                assert_eq!(table.is_full(), length == 4);
                let removed = u8::try_from(place).ok().filter(|place| *place < length);
                table.remove(place);
                let left: Vec<u8> = (0..length).filter(|slot| Some(*slot) != removed).collect();
                assert_eq!(&*table, left);
            }
        }
    }
}
