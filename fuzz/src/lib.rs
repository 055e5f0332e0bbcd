//! What the fuzz targets run: the properties that the tests of the crate run too, and of the C interface those of its own
//! tests.

pub mod c;
#[path = "../../tests/support/mod.rs"]
pub mod support;

pub use support::properties;
