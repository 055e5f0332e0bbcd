//! The C interface, called with whatever bytes there are.

use barewire_ffi as ffi;

#[path = "../../ffi/tests/rust/raw/mod.rs"]
mod raw;

pub use raw::calls;
