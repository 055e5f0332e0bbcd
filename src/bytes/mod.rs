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

pub use line::{Framer, Next};
pub(crate) use reader::Reader;
pub(crate) use shown::Shown;
pub use sink::{BufferFull, Mark, Sink};

/// Copies as much of `from` as `to` has room for.
///
/// A loop, since `copy_from_slice` keeps its panic for unequal lengths wherever it is not inlined. The compiler makes a
/// block copy of it.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    for (place, byte) in to.iter_mut().zip(from) {
        *place = *byte;
    }
}

/// Moves what starts at `start` to the front. As with [`copy`], `copy_within` would keep a panic path.
fn move_to_front(bytes: &mut [u8], start: usize) {
    let cells = core::cell::Cell::from_mut(bytes).as_slice_of_cells();
    for (place, byte) in cells.iter().zip(cells.get(start..).unwrap_or_default()) {
        place.set(byte.get());
    }
}
