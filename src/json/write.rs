//! The JSON writer: compact text into a [`Sink`].

use core::fmt;

use serde::Serialize;

use super::{Digits, JsonStr, Member, RawValue};
use super::{MAX_DEPTH, Scanner, is_white_space, typed};
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
    /// The text is the inside of a JSON string: its quotes and backslashes are escaped.
    quoted: bool,
}

impl<'s, 'm> Writer<'s, 'm> {
    /// Starts one JSON text at the end of `sink`.
    pub fn new(sink: &'s mut Sink<'m>) -> Self {
        Self {
            sink,
            comma: false,
            quoted: false,
        }
    }

    /// The sink below.
    pub(crate) fn sink(&mut self) -> &mut Sink<'m> {
        self.sink
    }

    /// As if nothing had been written: the sink was rolled back to before the text.
    pub(crate) fn restart(&mut self) {
        self.comma = false;
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

    /// All text goes through here.
    fn put(&mut self, text: &[u8]) {
        if !self.quoted {
            return self.sink.write(text);
        }
        // The text is compact JSON, so it has no control characters: these two are all there is to escape.
        for run in text.split_inclusive(|byte| matches!(byte, b'"' | b'\\')) {
            match run.split_last() {
                Some((last @ (b'"' | b'\\'), before)) => {
                    self.sink.write(before);
                    self.sink.write(&[b'\\', *last]);
                }
                _ => self.sink.write(run),
            }
        }
    }

    /// A string whose content is the JSON text that `write` writes: `integer(5)` makes `"5"`.
    pub(crate) fn quoted(&mut self, write: impl FnOnce(&mut Writer<'_, 'm>)) -> &mut Self {
        self.before_value();
        self.put(b"\"");
        write(&mut Writer {
            sink: self.sink,
            comma: false,
            quoted: true,
        });
        self.put(b"\"");
        self
    }

    /// A formatted string. Only this pulls in the formatting code of `core`.
    pub fn format(&mut self, text: fmt::Arguments<'_>) -> &mut Self {
        self.string_parts(|parts| {
            // The writer itself never fails.
            let _ = fmt::Write::write_fmt(parts, text);
        })
    }

    fn before_value(&mut self) {
        if self.comma {
            self.put(b",");
        }
        self.comma = true;
    }

    /// A writer for the next value, which somebody else writes.
    pub(crate) fn value(&mut self) -> Writer<'_, 'm> {
        self.before_value();
        Writer {
            sink: self.sink,
            comma: false,
            quoted: self.quoted,
        }
    }

    /// A writer for members of the object that is open: at least one.
    pub(crate) fn members(&mut self) -> Writer<'_, 'm> {
        let comma = core::mem::replace(&mut self.comma, true);
        Writer {
            sink: self.sink,
            comma,
            quoted: self.quoted,
        }
    }

    /// `{`
    pub fn begin_object(&mut self) -> &mut Self {
        self.before_value();
        self.put(b"{");
        self.comma = false;
        self
    }

    /// `}`
    pub fn end_object(&mut self) -> &mut Self {
        self.put(b"}");
        self.comma = true;
        self
    }

    /// `[`
    pub fn begin_array(&mut self) -> &mut Self {
        self.before_value();
        self.put(b"[");
        self.comma = false;
        self
    }

    /// `]`
    pub fn end_array(&mut self) -> &mut Self {
        self.put(b"]");
        self.comma = true;
        self
    }

    /// A member's name and its colon; its value comes next.
    pub fn name(&mut self, name: &str) -> &mut Self {
        self.string(name);
        self.put(b":");
        self.comma = false;
        self
    }

    /// A string.
    pub fn string(&mut self, text: &str) -> &mut Self {
        self.string_parts(|parts| parts.plain(text))
    }

    /// A string in pieces, each of which is appended.
    pub fn string_of(&mut self, pieces: &[&str]) -> &mut Self {
        self.string_parts(|parts| {
            for piece in pieces {
                parts.plain(piece);
            }
        })
    }

    /// A string in parts of both kinds.
    pub(crate) fn string_parts(&mut self, write: impl FnOnce(&mut Escaped<'_, 's, 'm>)) -> &mut Self {
        self.before_value();
        self.put(b"\"");
        write(&mut Escaped(self));
        self.put(b"\"");
        self
    }

    /// A string in pieces that need no escape.
    pub(crate) fn plain_string(&mut self, write: impl FnOnce(&mut Sink<'m>)) -> &mut Self {
        self.before_value();
        self.put(b"\"");
        write(self.sink);
        self.put(b"\"");
        self
    }

    /// A string as it was received, escapes and all.
    pub fn json_string(&mut self, string: JsonStr<'_>) -> &mut Self {
        self.string_parts(|parts| parts.json(string))
    }

    /// A string that was received, without the escapes that it does not need: characters as UTF-8. Half a surrogate pair,
    /// which no UTF-8 can hold, stays the escape that it was.
    pub fn decoded_string(&mut self, string: JsonStr<'_>) -> &mut Self {
        if !string.has_escapes() {
            return self.json_string(string);
        }
        self.string_parts(|parts| {
            let mut steps = string.steps();
            // Characters that stand for themselves are written in runs.
            let mut run_start = steps.remaining();
            loop {
                let start = steps.remaining();
                let Some(code_point) = steps.next() else {
                    parts.json(string.between(run_start, start));
                    return;
                };
                let as_sent = string.between(start, steps.remaining());
                if as_sent.has_escapes() {
                    parts.json(string.between(run_start, start));
                    match char::from_u32(code_point) {
                        Some(character) => parts.plain(character.encode_utf8(&mut [0; 4])),
                        None => parts.json(as_sent),
                    }
                    run_start = steps.remaining();
                }
            }
        })
    }

    /// A value as it was received, but for the white space between its tokens: a line feed there would end the line.
    pub fn raw(&mut self, value: RawValue<'_>) -> &mut Self {
        self.before_value();
        let mut scanner = Scanner::new(value.as_bytes(), MAX_DEPTH);
        let mut run = 0;
        loop {
            match scanner.peek() {
                // The text is valid: it has no NUL, and no string with a fault.
                0 => break,
                b'"' => _ = scanner.string(),
                byte if is_white_space(byte) => {
                    self.put(scanner.since(run));
                    scanner.advance(1);
                    run = scanner.position();
                }
                _ => scanner.advance(1),
            }
        }
        self.put(scanner.since(run));
        self
    }

    /// A member as it was received: its name, escapes and all, and its value.
    pub fn member(&mut self, member: Member<'_>) -> &mut Self {
        self.json_name(member.name).raw(member.value)
    }

    /// A member's name as it was received, escapes and all; its value comes next.
    pub fn json_name(&mut self, name: JsonStr<'_>) -> &mut Self {
        self.json_string(name);
        self.put(b":");
        self.comma = false;
        self
    }

    /// One value, by a writer of its own.
    pub(crate) fn nested<R>(&mut self, write: impl FnOnce(Writer<'_, 'm>) -> R) -> R {
        self.before_value();
        write(Writer {
            sink: self.sink,
            comma: false,
            quoted: self.quoted,
        })
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.before_value();
        self.put(if value { b"true" } else { b"false" });
        self
    }

    /// `null`
    pub fn null(&mut self) -> &mut Self {
        self.raw(RawValue::NULL)
    }

    /// An integer.
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.before_value();
        if value < 0 {
            self.put(b"-");
        }
        self.put(Digits::of(value.unsigned_abs()).as_bytes());
        self
    }

    /// An integer that may be above `i64::MAX`.
    pub fn unsigned(&mut self, value: u64) -> &mut Self {
        self.before_value();
        self.put(Digits::of(value).as_bytes());
        self
    }

    /// A fixed-point number: `fixed(2375, 2)` writes `23.75`. No float is involved.
    pub fn fixed(&mut self, value: i64, decimals: u8) -> &mut Self {
        let decimals = usize::from(decimals);
        if decimals == 0 {
            return self.integer(value);
        }
        self.before_value();
        if value < 0 {
            self.put(b"-");
        }
        let digits = Digits::of(value.unsigned_abs());
        let digits = digits.as_bytes();
        let (whole, fraction) = digits
            .split_at_checked(digits.len().saturating_sub(decimals))
            .unwrap_or((digits, &[]));
        self.put(if whole.is_empty() { b"0" } else { whole });
        self.put(b".");
        for _ in fraction.len()..decimals {
            self.put(b"0");
        }
        self.put(fraction);
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
        self.put(buffer.format_finite(value).as_bytes());
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
        let start = self.sink.mark();
        match typed::serialize(self.sink, value) {
            Ok(()) => {
                if self.quoted {
                    self.sink
                        .insert_before(start, b'\\', |byte| matches!(byte, b'"' | b'\\'));
                }
                Ok(self)
            }
            Err(error) => {
                self.rollback(before);
                Err(error)
            }
        }
    }

    /// The characters of `text`, escaped where they must be.
    fn escaped(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        loop {
            let (run, tail) = rest.split_at_checked(plain_length(rest)).unwrap_or((rest, &[]));
            self.put(run);
            let Some((byte, tail)) = tail.split_first() else {
                return;
            };
            self.escape(*byte);
            rest = tail;
        }
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.put(b"\\\""),
            b'\\' => self.put(b"\\\\"),
            8 => self.put(b"\\b"),
            9 => self.put(b"\\t"),
            10 => self.put(b"\\n"),
            12 => self.put(b"\\f"),
            13 => self.put(b"\\r"),
            _ => self.put(&[
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

/// The inside of a string that is being written.
pub(crate) struct Escaped<'w, 's, 'm>(&'w mut Writer<'s, 'm>);

impl Escaped<'_, '_, '_> {
    /// Plain text, which is escaped.
    pub(crate) fn plain(&mut self, text: &str) {
        self.0.escaped(text);
    }

    /// A string as it was received, escapes and all.
    pub(crate) fn json(&mut self, string: JsonStr<'_>) {
        self.0.put(string.as_escaped_bytes());
    }
}

impl fmt::Write for Escaped<'_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.escaped(text);
        Ok(())
    }
}

/// How many bytes stand for themselves, up to the first that does not. Blocks first, all of each, so that the compiler can
/// look at their bytes at once.
fn plain_length(text: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let is_plain = |block: &&[u8]| {
        !block
            .iter()
            .fold(false, |found, byte| found | needs_escape(*byte))
    };
    let blocks = text.chunks_exact(BLOCK).take_while(is_plain).count();
    let start = blocks.saturating_mul(BLOCK);
    let rest = text.get(start..).unwrap_or_default();
    let left = rest.iter().take_while(|byte| !needs_escape(**byte)).count();
    start.saturating_add(left)
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
    fn decoded_strings_keep_no_escape_but_those_they_need() {
        let cases = [
            (r"plain 日本", r#""plain 日本""#),
            (r"\u0061\/\ud83d\ude00z", r#""a/😀z""#),
            (r#"\"\\\n\u0001"#, r#""\"\\\n\u0001""#),
            (r"a\ud83db\uDE00", r#""a\ud83db\uDE00""#),
            ("", r#""""#),
        ];
        for (escaped, expected) in cases {
            let found = written(|json| {
                json.decoded_string(JsonStr::from_escaped(escaped).unwrap());
            });
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn quoted_text_is_the_json_text_as_a_string() {
        let text = written(|json| {
            json.begin_array();
            json.quoted(|json| {
                json.begin_object().name("a\"").string("b\\n\n").end_object();
            });
            json.quoted(|json| {
                json.integer(5);
            });
            json.format(format_args!("{}\"{}", 1, '\n'));
            json.end_array();
        });
        let found: [String; 3] = serde_json::from_str(&text).unwrap();
        assert_eq!(found, [r#"{"a\"":"b\\n\n"}"#, "5", "1\"\n"]);
    }

    #[test]
    fn raw_values_lose_the_white_space_between_their_tokens() {
        let value = RawValue::new(b"{ \"a b\" :\n[ 1 ,\t\"\\\" \", true\r] , \"c\":{ } }").unwrap();
        let expected = r#"{"a b":[1,"\" ",true],"c":{}}"#;
        assert_eq!(
            written(|json| {
                json.raw(value);
            }),
            expected
        );
        let quoted = written(|json| {
            json.quoted(|json| {
                json.raw(value);
            });
        });
        assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), expected);
    }

    #[test]
    fn serialized_values_can_be_quoted_too() {
        #[derive(Serialize)]
        struct Reading<'a> {
            label: &'a str,
            level: u8,
        }
        let reading = Reading {
            label: "q\"\\\n",
            level: 7,
        };
        let text = written(|json| {
            json.begin_array().boolean(true);
            json.quoted(|json| {
                json.begin_array().serialize(&reading).unwrap().end_array();
            });
            json.serialize(&reading).unwrap().end_array();
        });
        let (_, quoted, plain): (bool, String, serde_json::Value) = serde_json::from_str(&text).unwrap();
        let inner: [serde_json::Value; 1] = serde_json::from_str(&quoted).unwrap();
        assert_eq!(inner[0], plain);
        assert_eq!(plain["label"], "q\"\\\n");
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
