//! Entries of fixed tables. The functions of `heapless` for this have a panic path, or move memory that overlaps, which takes 1.6 KiB
//! of flash.

use core::mem::swap;

use heapless::Vec;

/// Removes the first entry that is wanted; the last one takes its place.
pub(super) fn take<T, const N: usize>(entries: &mut Vec<T, N>, wanted: impl FnMut(&T) -> bool) -> Option<T> {
    let at = entries.iter().position(wanted)?;
    swap_with_last(entries, at);
    entries.pop()
}

/// Apart from [`take`], so that it is compiled once for each type of entry, and not once for each predicate.
fn swap_with_last<T>(entries: &mut [T], at: usize) {
    if let Some((last, others)) = entries.split_last_mut()
        && let Some(place) = others.get_mut(at)
    {
        swap(place, last);
    }
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
            }
        }
    }
}
