//! The tests: that the header says what the library is, and the library's functions called with whatever comes.
//!
//! `cargo +nightly miri test` runs all that is not about texts, in about two minutes. The black-box test of every function
//! is the C program in `tests/c`.

// It reads texts only, and slowly so under Miri.
#[cfg(not(miri))]
mod header;
mod props;
mod raw;
mod session;

use crate as ffi;
