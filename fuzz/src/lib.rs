//! What the fuzz targets run: the properties that the tests of the crate run too.

#[path = "../../tests/support/mod.rs"]
pub mod support;

pub use support::properties;
