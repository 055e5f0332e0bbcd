//! The JSON writer: compact text into a [`Sink`].

use serde::Serialize;

use super::typed;
use super::{JsonStr, RawValue};
use crate::bytes::{Mark, Sink};

/// Writes compact JSON, and puts the commas.
///
/// The caller keeps the structure: every [`begin_object`](Writer::begin_object) has its
/// [`end_object`](Writer::end_object), and inside an object each value follows its [`name`](Writer::name). Whatever the
/// strings contain, the text is valid: the writer escapes as RFC 8259 section 7 asks for (quote, backslash, control
/// characters) and leaves all else as UTF-8.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::json::Writer;
///
/// let mut memory = [0; 64];
/// let mut sink = Sink::new(&mut memory);
/// let mut json = Writer::new(&mut sink);
/// json.begin_object();
/// json.name("celsius").fixed(2375, 2);
/// json.name("pins").begin_array();
/// json.integer(4).integer(5);
/// json.end_array().end_object();
/// assert_eq!(sink.finish(), Ok(&br#"{"celsius":23.75,"pins":[4,5]}"#[..]));
/// ```
#[derive(Debug)]
pub struct Writer<'s, 'm> {
    sink: &'s mut Sink<'m>,
    /// A value stands before this place on the same level.
    comma: bool,
}

impl<'s, 'm> Writer<'s, 'm> {
    /// Starts one JSON text at the end of `sink`.
    pub fn new(sink: &'s mut Sink<'m>) -> Self {
        Self { sink, comma: false }
    }

    /// Goes on inside an open object or array, behind a member or an element.
    pub(crate) fn behind_value(sink: &'s mut Sink<'m>) -> Self {
        Self { sink, comma: true }
    }

    /// The sink below.
    pub(crate) fn sink(&mut self) -> &mut Sink<'m> {
        self.sink
    }

    /// This place, to come back to.
    pub(crate) fn mark(&self) -> (Mark, bool) {
        (self.sink.mark(), self.comma)
    }

    /// Forgets what was written after `mark`.
    pub(crate) fn rollback(&mut self, (mark, comma): (Mark, bool)) {
        self.sink.rollback(mark);
        self.comma = comma;
    }

    fn before_value(&mut self) {
        if self.comma {
            self.sink.write(b",");
        }
        self.comma = true;
    }

    /// `{`
    pub fn begin_object(&mut self) -> &mut Self {
        self.before_value();
        self.sink.write(b"{");
        self.comma = false;
        self
    }

    /// `}`
    pub fn end_object(&mut self) -> &mut Self {
        self.sink.write(b"}");
        self.comma = true;
        self
    }

    /// `[`
    pub fn begin_array(&mut self) -> &mut Self {
        self.before_value();
        self.sink.write(b"[");
        self.comma = false;
        self
    }

    /// `]`
    pub fn end_array(&mut self) -> &mut Self {
        self.sink.write(b"]");
        self.comma = true;
        self
    }

    /// A member's name and its colon; its value comes next.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.sink.write(b":");
        self.comma = false;
        self
    }

    /// A string.
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.before_value();
        self.sink.write(b"\"");
        self.escaped(text);
        self.sink.write(b"\"");
        self
    }

    /// A string in pieces, each of which is appended.
    pub fn string_of(&mut self, pieces: &[&str]) -> &mut Self {
        self.before_value();
        self.sink.write(b"\"");
        for piece in pieces {
            self.escaped(piece);
        }
        self.sink.write(b"\"");
        self
    }

    /// The opening quote of a string; the caller writes the rest of it, the closing quote too.
    pub(crate) fn begin_string(&mut self) -> &mut Sink<'m> {
        self.before_value();
        self.sink.write(b"\"");
        self.sink
    }

    /// A string as it was received, escapes and all.
    pub fn json_string(&mut self, string: JsonStr<'_>) -> &mut Self {
        self.before_value();
        self.sink.write(b"\"");
        self.sink.write(string.as_escaped_bytes());
        self.sink.write(b"\"");
        self
    }

    /// A value as it was received.
    pub fn raw(&mut self, value: RawValue<'_>) -> &mut Self {
        self.before_value();
        self.sink.write(value.as_bytes());
        self
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.before_value();
        self.sink.write(if value { b"true" } else { b"false" });
        self
    }

    /// `null`
    pub fn null(&mut self) -> &mut Self {
        self.raw(RawValue::NULL)
    }

    /// An integer.
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.fixed(value, 0)
    }

    /// An integer that may be above `i64::MAX`.
    pub fn unsigned(&mut self, value: u64) -> &mut Self {
        self.before_value();
        Digits::of(value, 0).write(false, self.sink);
        self
    }

    /// A fixed-point number: `fixed(2375, 2)` writes `23.75`. No float is involved.
    pub fn fixed(&mut self, value: i64, decimals: u8) -> &mut Self {
        self.before_value();
        Digits::of(value.unsigned_abs(), decimals).write(value < 0, self.sink);
        self
    }

    /// A double as ECMAScript's `Number::toString` prints it (`0.1`, `1e+21`, `0` for minus zero); `null` where it is
    /// not finite, as `JSON.stringify` has it.
    ///
    /// This pulls in the float printer (about 16 KiB of flash): a device that has decimals writes
    /// [`fixed`](Writer::fixed).
    pub fn double(&mut self, value: f64) -> &mut Self {
        if !value.is_finite() {
            return self.null();
        }
        self.before_value();
        let mut buffer = ryu_js::Buffer::new();
        self.sink.write(buffer.format_finite(value).as_bytes());
        self
    }

    /// A value of the application, through `serde-json-core`.
    ///
    /// What it would write as invalid JSON (an integer as a map key) is an error and leaves nothing behind.
    ///
    /// # Errors
    /// [`SerializeError::NotJson`](super::SerializeError::NotJson). What does not fit is no error here but, as for every
    /// other value, at the sink's [`finish`](Sink::finish).
    ///
    /// # Panics
    /// Inside `serde-json-core` for types that it does not support: see [`to_json`](super::to_json).
    pub fn serialize<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<&mut Self, super::SerializeError> {
        let before = self.mark();
        self.before_value();
        match typed::serialize(self.sink, value) {
            Ok(()) => Ok(self),
            Err(error) => {
                self.rollback(before);
                Err(error)
            }
        }
    }

    /// The characters of `text`, escaped where they must be.
    fn escaped(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while let Some(at) = rest.iter().position(|byte| needs_escape(*byte)) {
            let (run, tail) = rest.split_at_checked(at).unwrap_or((rest, &[]));
            self.sink.write(run);
            let Some((byte, tail)) = tail.split_first() else {
                return;
            };
            self.escape(*byte);
            rest = tail;
        }
        self.sink.write(rest);
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.sink.write(b"\\\""),
            b'\\' => self.sink.write(b"\\\\"),
            8 => self.sink.write(b"\\b"),
            9 => self.sink.write(b"\\t"),
            10 => self.sink.write(b"\\n"),
            12 => self.sink.write(b"\\f"),
            13 => self.sink.write(b"\\r"),
            _ => self.sink.write(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                hex_digit(byte >> 4),
                hex_digit(byte & 0xF),
            ]),
        }
    }
}

const fn needs_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1F | b'"' | b'\\')
}

const fn hex_digit(nibble: u8) -> u8 {
    match nibble {
        0..=9 => b'0'.wrapping_add(nibble),
        _ => b'a'.wrapping_sub(10).wrapping_add(nibble),
    }
}

/// The decimal digits of a number, most significant first, a point among them.
pub(crate) struct Digits {
    /// Filled from the back: a `u64` has at most 20 digits, with as many decimals as a `u8` can ask for.
    bytes: [u8; Self::ROOM],
    start: usize,
}

impl Digits {
    const ROOM: usize = 1 + 1 + u8::MAX as usize + 20;

    pub(crate) fn of(mut value: u64, decimals: u8) -> Self {
        let mut bytes = [0; Self::ROOM];
        let mut start = Self::ROOM;
        let mut places = bytes.iter_mut().rev();
        let mut written: u32 = 0;
        let decimals = u32::from(decimals);
        // At least one digit before the point.
        while value > 0 || written <= decimals {
            if written == decimals && decimals > 0 {
                put(&mut places, b'.', &mut start);
            }
            put(&mut places, b'0'.wrapping_add((value % 10) as u8), &mut start);
            value /= 10;
            written = written.wrapping_add(1);
        }
        Self { bytes, start }
    }

    fn write(&self, negative: bool, sink: &mut Sink<'_>) {
        if negative {
            sink.write(b"-");
        }
        sink.write(self.as_bytes());
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }
}

fn put<'b>(places: &mut impl Iterator<Item = &'b mut u8>, byte: u8, start: &mut usize) {
    if let Some(place) = places.next() {
        *place = byte;
        *start = start.wrapping_sub(1);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::{String, ToString};

    fn written(write: impl FnOnce(&mut Writer<'_, '_>)) -> String {
        let mut memory = [0; 512];
        let mut sink = Sink::new(&mut memory);
        write(&mut Writer::new(&mut sink));
        core::str::from_utf8(sink.finish().unwrap()).unwrap().to_string()
    }

    #[test]
    fn integers_and_fixed_point() {
        let cases = [
            (0, 0, "0"),
            (7, 0, "7"),
            (-7, 0, "-7"),
            (i64::MAX, 0, "9223372036854775807"),
            (i64::MIN, 0, "-9223372036854775808"),
            (2375, 2, "23.75"),
            (-5, 2, "-0.05"),
            (0, 3, "0.000"),
            (100, 2, "1.00"),
            (10, 1, "1.0"),
        ];
        for (value, decimals, expected) in cases {
            assert_eq!(
                written(|json| {
                    json.fixed(value, decimals);
                }),
                expected
            );
        }
        assert_eq!(
            written(|json| {
                json.unsigned(u64::MAX);
            }),
            u64::MAX.to_string()
        );
        let long = written(|json| {
            json.fixed(i64::MIN, 255);
        });
        assert_eq!(long.len(), 1 + 1 + 1 + 255);
        assert!(long.starts_with("-0.000") && long.ends_with("9223372036854775808"));
    }

    #[test]
    fn doubles_as_ecmascript_prints_them() {
        let cases = [
            (0.1 + 0.2, "0.30000000000000004"),
            (3.5, "3.5"),
            (1e21, "1e+21"),
            (123456789012345680000.0, "123456789012345680000"),
            (-0.0, "0"),
            (1e-7, "1e-7"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ];
        for (value, expected) in cases {
            assert_eq!(
                written(|json| {
                    json.double(value);
                }),
                expected
            );
        }
    }

    #[test]
    fn control_characters_are_escaped_and_nothing_else_is() {
        let all: String = (0u8..0x80).map(char::from).chain("é😀\u{2028}".chars()).collect();
        let text = written(|json| {
            json.string(&all);
        });
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), all);
        assert!(text.contains(r"\u0000") && text.contains(r"\u001f") && text.contains("\u{7f}é😀\u{2028}"));
        assert_eq!(
            written(|json| {
                json.string_of(&["a\"", "b"]);
            }),
            r#""a\"b""#
        );
    }

    #[test]
    fn commas_stand_between_values_only() {
        let text = written(|json| {
            json.begin_object();
            json.name("a").begin_array().end_array();
            json.name("b").begin_array();
            json.null().boolean(true).begin_object().end_object();
            json.end_array();
            json.name("c").string("x");
            json.end_object();
        });
        assert_eq!(text, r#"{"a":[],"b":[null,true,{}],"c":"x"}"#);
    }
}
