//! Literals as defaults: `#[arg(default = "plain")]`.

use crate::json::RawValue;

/// A text whose default can be a literal.
#[diagnostic::on_unimplemented(
    message = "a text cannot be the default of `{Self}`",
    label = "its default is a text",
    note = "a default is a literal or an expression of the type of the argument; a text is one of `&str`, `String` and `String` of heapless 0.9"
)]
pub trait TextDefault {
    /// The most bytes.
    const CAPACITY: usize = usize::MAX;

    /// The default, which fits the capacity.
    fn from_literal(text: &'static str) -> Self;
}

impl TextDefault for &str {
    fn from_literal(text: &'static str) -> Self {
        text
    }
}

impl<const N: usize> TextDefault for heapless::String<N> {
    const CAPACITY: usize = N;

    fn from_literal(text: &'static str) -> Self {
        Self::try_from(text).unwrap_or_default()
    }
}

#[cfg(feature = "std")]
impl TextDefault for std::string::String {
    fn from_literal(text: &'static str) -> Self {
        text.into()
    }
}

/// The text, if it fits the capacity.
///
/// # Panics
/// If it does not. In a `const` this is a compile error.
pub const fn fitting(text: &'static str, capacity: usize) -> &'static str {
    assert!(text.len() <= capacity, "the default is too long for its type");
    text
}

/// A default as the schema lists it.
///
/// # Panics
/// If the text is not JSON. In a `const` this is a compile error.
#[allow(clippy::panic, reason = "a compile error in a `const`")]
pub const fn json(text: &str) -> RawValue<'_> {
    match RawValue::new(text.as_bytes()) {
        Ok(value) => value,
        Err(_) => panic!("a default is a JSON value"),
    }
}
