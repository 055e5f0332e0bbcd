//! Texts of a frame, by their places.

use crate::json::{JsonStr, Object, RawValue};

/// Length of two escapes for a surrogate pair. No character has more.
const LONGEST_ESCAPE: usize = 12;

/// Place of a text in a frame. The frame can then be moved, and lent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
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

    pub(super) const fn is_empty(self) -> bool {
        self.length == 0
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

    /// Whether there is an object in this place, in which no name occurs twice.
    pub(super) fn is_object(self, frame: &[u8]) -> bool {
        let value = RawValue::new(self.get(frame));
        value.is_ok_and(|value| value.as_object().is_some() && value.has_unique_names())
    }

    /// Decodes the string whose text between the quotes is in this place, over itself. `None` if it has half a surrogate pair.
    pub(super) fn decode(self, frame: &mut [u8]) -> Option<Self> {
        let text = frame.get_mut(self.start..)?.get_mut(..self.length)?;
        let (mut read, mut written) = (0_usize, 0_usize);
        while let Some(byte) = text.get(read).copied() {
            let mut memory = [byte, 0, 0, 0];
            let (taken, decoded) = match byte {
                b'\\' => {
                    let rest = text.get(read..)?;
                    let character = JsonStr::from_valid(rest.get(..LONGEST_ESCAPE).unwrap_or(rest))
                        .chars()
                        .next()?
                        .ok()?;
                    let taken = match rest.get(1) {
                        Some(b'u') if character.len_utf16() > 1 => LONGEST_ESCAPE,
                        Some(b'u') => LONGEST_ESCAPE / 2,
                        _ => 2,
                    };
                    (taken, character.encode_utf8(&mut memory).len())
                }
                _ => (1, 1),
            };
            for (place, byte) in text.get_mut(written..)?.iter_mut().zip(memory.iter().take(decoded)) {
                *place = *byte;
            }
            read = read.saturating_add(taken);
            written = written.saturating_add(decoded);
        }
        Some(Self { start: self.start, length: written })
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
    fn a_string_is_decoded_over_itself() {
        let cases = [
            (r"", Some("")),
            (r"plain \u00e9", Some("plain \u{e9}")),
            (r#"{\"a\":\"\\u0062\"}"#, Some(r#"{"a":"\u0062"}"#)),
            (r"\ud83d\ude00 \n\t\/\b\f\r", Some("\u{1f600} \n\t/\u{8}\u{c}\r")),
            (r"\u20ac\ud83d\ude00", Some("\u{20ac}\u{1f600}")),
            (r"\ud83d", None),
            (r"\ud83dx", None),
            (r"\ud83d\u0041", None),
        ];
        for (escaped, decoded) in cases {
            let mut frame = std::format!("\"{escaped}\"").into_bytes();
            let place = Piece { start: 1, length: escaped.len() };
            let found = place.decode(&mut frame);
            assert_eq!(found.map(|piece| piece.get(&frame)), decoded.map(str::as_bytes), "{escaped}");
        }
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
