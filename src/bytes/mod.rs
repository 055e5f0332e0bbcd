//! L0: bytes in and out. Knows no JSON.
//!
//! - [`Sink`]: where every writer of this crate puts its output; a slice, a growable buffer (feature `std`), or nothing
//!   but a count.
//! - [`Framer`]: cuts a byte stream into lines inside a buffer that the caller owns.
//! - `Reader`: the checked forward reader below the JSON scanner.

mod line;
mod reader;
mod sink;

pub use line::{Framer, Next};
pub(crate) use reader::Reader;
pub use sink::{BufferFull, Mark, Sink};
