//! L0: bytes in and out. Knows no JSON.
//!
//! - [`Sink`]: where every writer of this crate puts its output; a slice, a growable buffer (feature `std`), or nothing
//!   but a count.
//! - [`Framer`]: cuts a byte stream into lines inside a buffer that the caller owns.
//! - `Reader`: the checked forward reader below the JSON scanner.

mod line;
mod reader;
mod shown;
mod sink;
mod wide;

pub use line::{Framer, Next};
pub(crate) use reader::Reader;
pub(crate) use shown::Shown;
pub use sink::{BufferFull, Mark, Sink};
pub(crate) use wide::Wide;

/// Copies as much of `from` as `to` has room for.
///
/// A loop, since `copy_from_slice` keeps its panic for unequal lengths wherever it is not inlined. The compiler makes a
/// block copy of it.
///
/// Most texts are short, and their lengths differ: where there is room for the code, those are copied without a call.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    if usize::BITS == 64 && from.len() <= 16 && to.len() == from.len() {
        return copy_short(to, from);
    }
    for (place, byte) in to.iter_mut().zip(from) {
        *place = *byte;
    }
}

/// Up to 16 bytes, into as many.
#[inline(always)]
fn copy_short(to: &mut [u8], from: &[u8]) {
    if from.len() >= 8 {
        copy_ends::<8>(to, from);
    } else if from.len() >= 4 {
        copy_ends::<4>(to, from);
    } else if from.len() >= 2 {
        copy_ends::<2>(to, from);
    } else {
        copy_ends::<1>(to, from);
    }
}

/// The first `N` bytes and the last, which overlap where there are fewer than two times `N`; both slices are equally long.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        if let Some(place) = to.first_chunk_mut::<N>() {
            *place = *first;
        }
        if let Some(place) = to.last_chunk_mut::<N>() {
            *place = *last;
        }
    }
}

/// Moves what starts at `start` to the front. As with [`copy`], `copy_within` would keep a panic path.
pub(crate) fn move_to_front(bytes: &mut [u8], start: usize) {
    let cells = core::cell::Cell::from_mut(bytes).as_slice_of_cells();
    for (place, byte) in cells.iter().zip(cells.get(start..).unwrap_or_default()) {
        place.set(byte.get());
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_copy_has_every_byte_that_there_is_room_for() {
        for length in 0..70u8 {
            for room in length.saturating_sub(1)..length + 2 {
                let from: Vec<u8> = (1..=length).collect();
                let mut to = std::vec![0; usize::from(room)];
                copy(&mut to, &from);
                let (copied, behind) = to.split_at(from.len().min(to.len()));
                assert_eq!(copied, &from[..copied.len()], "{length} into {room}");
                assert!(behind.iter().all(|byte| *byte == 0), "{length} into {room}");
            }
        }
    }
}
