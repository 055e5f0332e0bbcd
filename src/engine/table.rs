//! Entries out of fixed tables. What `heapless` has for it brings a panic path, or moves memory that overlaps: for that
//! the compiler needs 1.6 KiB of flash.

use core::mem::swap;

use heapless::Vec;

/// Takes the first entry that is wanted; the last one takes its place.
pub(super) fn take<T, const N: usize>(entries: &mut Vec<T, N>, wanted: impl FnMut(&T) -> bool) -> Option<T> {
    let at = entries.iter().position(wanted)?;
    swap_with_last(entries, at);
    entries.pop()
}

/// One body for all that may be wanted; the entry itself is popped where it is needed, or not looked at.
fn swap_with_last<T>(entries: &mut [T], at: usize) {
    if let Some((last, others)) = entries.split_last_mut()
        && let Some(place) = others.get_mut(at)
    {
        swap(place, last);
    }
}

/// Takes the entry in the place `at`; those behind it move up.
pub(super) fn take_in_order<T, const N: usize>(entries: &mut Vec<T, N>, at: usize) -> Option<T> {
    let mut behind = entries.iter_mut().skip(at);
    let mut place = behind.next()?;
    for next in behind {
        swap(place, next);
        place = next;
    }
    entries.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_gone_and_nothing_else_is() {
        for length in 0..=4_u8 {
            for wanted in 0..=5_u8 {
                let mut entries: Vec<u8, 4> = (0..length).collect();
                let found = take(&mut entries, |entry| *entry == wanted);
                assert_eq!(found, (wanted < length).then_some(wanted));
                entries.sort_unstable();
                let left: Vec<u8, 4> = (0..length).filter(|entry| *entry != wanted).collect();
                assert_eq!(entries, left);

                let mut entries: Vec<u8, 4> = (0..length).collect();
                assert_eq!(take_in_order(&mut entries, usize::from(wanted)), found);
                assert_eq!(entries, left);
            }
        }
    }
}
