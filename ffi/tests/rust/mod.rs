//! The tests: that the header says what the library is, and the library's functions called with whatever comes.
//!
//! The black-box test of every function is the C program in `tests/c`.

// It reads texts only, and slowly so under Miri.
#[cfg(not(miri))]
mod header;
mod props;
mod session;
