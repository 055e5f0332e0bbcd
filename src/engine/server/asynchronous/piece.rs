//! Texts of a frame, by their places.

use crate::json::{JsonStr, Object, RawValue};

/// Place of a text in a frame. The frame can then be moved, and lent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    start: usize,
    length: usize,
}

impl Piece {
    /// An empty text.
    pub(super) const NONE: Self = Self { start: 0, length: 0 };

    /// The place of `text` in `frame`; that of an empty text if it is not inside.
    pub(super) fn of(frame: &[u8], text: &[u8]) -> Self {
        let start = text.as_ptr().addr().wrapping_sub(frame.as_ptr().addr());
        match frame.get(start..).and_then(|rest| rest.get(..text.len())) {
            Some(_) => Self { start, length: text.len() },
            None => Self::NONE,
        }
    }

    fn get(self, frame: &[u8]) -> &[u8] {
        let rest = frame.get(self.start..).unwrap_or_default();
        rest.get(..self.length).unwrap_or_default()
    }

    /// The place of an object.
    pub(super) fn of_object(frame: &[u8], object: Object<'_>) -> Self {
        Self::of(frame, object.as_value().as_bytes())
    }

    /// The object in this place; `{}` for an empty text.
    pub(super) fn object(self, frame: &[u8]) -> Object<'_> {
        RawValue::from_valid(self.get(frame)).as_object().unwrap_or(Object::EMPTY)
    }

    /// The string whose text between the quotes is in this place.
    pub(super) fn string(self, frame: &[u8]) -> JsonStr<'_> {
        JsonStr::from_valid(self.get(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_frame_is_found_in_its_copy() {
        let frame = br#"{"a":{"b":1}}"#;
        let copy = *frame;
        for start in 0..=frame.len() {
            for end in start..=frame.len() {
                let piece = Piece::of(frame, frame.get(start..end).unwrap());
                assert_eq!(piece.get(&copy), copy.get(start..end).unwrap());
            }
        }
        assert_eq!(Piece::of(frame, &copy), Piece::NONE);
        assert_eq!(Piece::of_object(frame, Object::EMPTY).object(frame), Object::EMPTY);
    }

    #[test]
    fn a_text_that_reaches_beyond_the_frame_is_not_inside() {
        let memory = b"0123456789";
        let frame = memory.get(2..6).unwrap();
        for text in [memory.get(1..3), memory.get(5..7), memory.get(7..8), memory.get(0..1)] {
            assert_eq!(Piece::of(frame, text.unwrap()), Piece::NONE);
        }
    }
}
