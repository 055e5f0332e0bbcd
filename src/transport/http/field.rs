//! The values of header fields of a response.

use core::fmt;

/// The value of a header field of a response, in up to ten parts, so that no memory is needed to join them.
///
/// [`Display`](fmt::Display) writes the whole value. It consists of visible ASCII characters and spaces.
#[derive(Debug, Clone, Copy)]
pub struct FieldValue<'a> {
    parts: [&'a str; 10],
}

impl<'a> FieldValue<'a> {
    pub(crate) const fn of_parts(parts: [&'a str; 10]) -> Self {
        Self { parts }
    }

    /// The parts in order; some are empty.
    pub fn parts(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.parts.iter().copied()
    }

    /// The value as one text, if it has no more than one part.
    pub fn as_str(&self) -> Option<&'a str> {
        let (first, rest) = self.parts.split_first()?;
        rest.iter().all(|part| part.is_empty()).then_some(*first)
    }
}

impl<'a> From<&'a str> for FieldValue<'a> {
    fn from(text: &'a str) -> Self {
        Self { parts: [text, "", "", "", "", "", "", "", "", ""] }
    }
}

impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|part| f.write_str(part))
    }
}
