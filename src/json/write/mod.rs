//! The JSON writer: compact text into a [`Sink`].

mod string;
#[cfg(test)]
mod tests;
mod text;

use serde::Serialize;

use super::{Digits, JsonStr, Member, RawValue};
use super::{MAX_DEPTH, Scanner, is_white_space, typed};
use crate::bytes::{Mark, Sink};

pub use text::AsText;
#[cfg(feature = "macros")]
pub(crate) use text::Escaped;

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
        Self { sink, comma: false, quoted: false }
    }

    /// Continues an object or array that another writer has begun; `comma` if it has members or elements.
    pub(crate) const fn resumed(sink: &'s mut Sink<'m>, comma: bool) -> Self {
        Self { sink, comma, quoted: false }
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

    /// One byte, without the call that copies text.
    #[cfg_attr(target_pointer_width = "64", inline)]
    fn put_byte(&mut self, byte: u8) {
        match self.quoted {
            true => self.put(&[byte]),
            false => self.sink.push(byte),
        }
    }

    /// All text goes through here.
    fn put(&mut self, text: &[u8]) {
        match self.quoted {
            true => self.put_quoted(text),
            false => self.sink.write(text),
        }
    }

    // Not inlined: in some callers the compiler does not see that a part of the text is within it, and keeps a path to a panic.
    #[inline(never)]
    fn put_quoted(&mut self, text: &[u8]) {
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
        self.put_byte(b'"');
        write(&mut Writer { sink: self.sink, comma: false, quoted: true });
        self.put_byte(b'"');
        self
    }

    fn before_value(&mut self) {
        if self.comma {
            self.put_byte(b',');
        }
        self.comma = true;
    }

    /// A writer for the next value, which somebody else writes.
    pub(crate) fn value(&mut self) -> Writer<'_, 'm> {
        self.before_value();
        self.inside()
    }

    /// A writer for members of the object that is open: at least one.
    pub(crate) fn members(&mut self) -> Writer<'_, 'm> {
        let comma = core::mem::replace(&mut self.comma, true);
        Writer { sink: self.sink, comma, quoted: self.quoted }
    }

    /// `{`
    pub fn begin_object(&mut self) -> &mut Self {
        self.before_value();
        self.put_byte(b'{');
        self.comma = false;
        self
    }

    /// `}`
    pub fn end_object(&mut self) -> &mut Self {
        self.put_byte(b'}');
        self.comma = true;
        self
    }

    /// `[`
    pub fn begin_array(&mut self) -> &mut Self {
        self.before_value();
        self.put_byte(b'[');
        self.comma = false;
        self
    }

    /// `]`
    pub fn end_array(&mut self) -> &mut Self {
        self.put_byte(b']');
        self.comma = true;
        self
    }

    /// A member's name and its colon; its value comes next.
    pub fn name(&mut self, name: &str) -> &mut Self {
        if !self.short_string(name, b"\":") {
            self.string(name);
            self.put_byte(b':');
        }
        self.comma = false;
        self
    }

    /// A piece of the text that is the same each time, as it stands there: whole tokens, from a value or a name on, without a
    /// comma at either end. One call instead of one for each token.
    pub(crate) fn verbatim(&mut self, piece: &'static str) -> &mut Self {
        let piece = piece.as_bytes();
        self.before_value();
        self.put(piece);
        self.comma = !matches!(piece.last(), Some(b'{' | b'[' | b':'));
        self
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
        self.put_byte(b':');
        self.comma = false;
        self
    }

    /// The colon after a name.
    pub(super) fn colon(&mut self) {
        self.put_byte(b':');
        self.comma = false;
    }

    /// One value, by a writer of its own.
    pub(crate) fn nested<R>(&mut self, write: impl FnOnce(Writer<'_, 'm>) -> R) -> R {
        self.before_value();
        write(self.inside())
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
        self.decimal(value < 0, value.unsigned_abs())
    }

    /// An integer that may be above `i64::MAX`.
    pub fn unsigned(&mut self, value: u64) -> &mut Self {
        self.decimal(false, value)
    }

    /// A writer of more text at the same place.
    pub(super) fn inside(&mut self) -> Writer<'_, 'm> {
        Writer { sink: self.sink, comma: false, quoted: self.quoted }
    }

    pub(super) fn decimal(&mut self, is_negative: bool, size: u64) -> &mut Self {
        self.before_value();
        if is_negative {
            self.put(b"-");
        }
        self.put(Digits::new().of(size));
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
        let mut digits = Digits::new();
        let digits = digits.of(value.unsigned_abs());
        let (whole, fraction) =
            digits.split_at_checked(digits.len().saturating_sub(decimals)).unwrap_or((digits, &[]));
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

    /// A value of the application, as [`to_json`](super::to_json) writes it.
    ///
    /// A value that has no JSON form (a map with integer keys, for example) is an error, and nothing of it is written.
    ///
    /// # Errors
    /// [`SerializeError`](super::SerializeError). A value that does not fit is reported by the sink's
    /// [`finish`](Sink::finish), as for every other value.
    pub fn serialize<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> Result<&mut Self, super::SerializeError> {
        let before = self.mark();
        if let Err(error) = typed::serialize(self, value) {
            self.rollback(before);
            return Err(error);
        }
        Ok(self)
    }
}
