//! Request ids: borrowed, compared by value and type, echoed byte for byte.

use core::fmt;
use core::hash::{Hash, Hasher};

use heapless::Vec;

use crate::bytes::Sink;
use crate::json::{Digits, JsonStr, Kind, Number, RawValue, Writer};

/// The id of a request: a string or an integer (MCP forbids `null`; JSON-RPC 2.0 section 4, MCP base protocol).
///
/// Two ids are equal when their types and values are: `1` is not `"1"`, `"a\u002db"` is `"a-b"`. Progress tokens and
/// subscription ids have the same form, and this type too. An id that was received is written as it was received.
///
/// ```
/// use barewire::rpc::RequestId;
///
/// assert_eq!(RequestId::parse(br#""a\u002db""#), Some(RequestId::from("a-b")));
/// assert_eq!(RequestId::parse(b"7"), Some(RequestId::from(7)));
/// assert_ne!(RequestId::from(7), RequestId::from("7"));
/// assert_eq!(RequestId::parse(b"7.0"), None);
/// ```
#[derive(Clone, Copy)]
pub struct RequestId<'a>(Form<'a>);

#[derive(Clone, Copy)]
enum Form<'a> {
    /// An integer as it was received; of any length.
    Number(Number<'a>),
    /// A string as it was received, still escaped.
    String(JsonStr<'a>),
    /// An integer of this program's.
    Integer(i64),
    /// A string of this program's.
    Text(&'a str),
}

impl<'a> RequestId<'a> {
    /// The id that `token` is, or `None` when it is no JSON string and no integer. Linear.
    pub fn parse(token: &'a [u8]) -> Option<Self> {
        Self::of(RawValue::new(token).ok()?)
    }

    /// The id that `value` is, or `None` when it is no string and no integer.
    pub fn of(value: RawValue<'a>) -> Option<Self> {
        match value.kind() {
            Kind::String => value.as_string().map(|string| Self(Form::String(string))),
            Kind::Number => value
                .as_number()
                .filter(|number| number.is_plain_integer())
                .map(|number| Self(Form::Number(number))),
            _ => None,
        }
    }

    /// Whether it is a string; else it is an integer.
    pub const fn is_string(self) -> bool {
        matches!(self.0, Form::String(_) | Form::Text(_))
    }

    /// The string, if it is one and has no escapes.
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Form::String(string) => string.as_str(),
            Form::Text(text) => Some(text),
            Form::Number(_) | Form::Integer(_) => None,
        }
    }

    /// The integer, if it is one and fits.
    pub fn to_i64(self) -> Option<i64> {
        match self.0 {
            Form::Number(number) => number.plain_to_i64(),
            Form::Integer(integer) => Some(integer),
            Form::String(_) | Form::Text(_) => None,
        }
    }

    /// How many bytes its JSON text has. No cost for an id that was received.
    pub fn text_len(self) -> usize {
        match self.0 {
            Form::Number(number) => number.as_bytes().len(),
            Form::String(string) => string.as_escaped_bytes().len().saturating_add(2),
            Form::Integer(_) | Form::Text(_) => {
                let mut sink = Sink::counting();
                self.write(&mut Writer::new(&mut sink));
                sink.len()
            }
        }
    }

    /// Its JSON text, for a log.
    #[cfg(feature = "defmt")]
    pub(super) fn format_text(self, f: defmt::Formatter<'_>) {
        match self.0 {
            Form::Number(number) => defmt::Format::format(&number, f),
            Form::String(string) => defmt::Format::format(&string, f),
            Form::Integer(integer) => defmt::write!(f, "{=i64}", integer),
            Form::Text(text) => defmt::write!(f, "\"{=str}\"", text),
        }
    }

    /// Appends its JSON text.
    pub(crate) fn append_to<const N: usize>(self, text: &mut Vec<u8, N>) -> Result<(), IdTooLong> {
        let mut memory = [0; N];
        let mut sink = Sink::new(&mut memory);
        self.write(&mut Writer::new(&mut sink));
        let own = sink.finish().map_err(|_| IdTooLong)?;
        text.extend_from_slice(own).map_err(|_| IdTooLong)
    }

    /// The id of a text that was made by [`append_to`](Self::append_to).
    pub(crate) fn from_appended(text: &'a [u8]) -> Self {
        Self::of(RawValue::from_valid(text)).unwrap_or(Self(Form::Text("")))
    }

    /// Whether both were received as the same text. Equal ids may be spelled in different ways: `"a"`, `"\u0061"`.
    pub(crate) fn is_written_as(self, other: Self) -> bool {
        match (self.0, other.0) {
            (Form::Number(a), Form::Number(b)) => a.as_bytes() == b.as_bytes(),
            (Form::String(a), Form::String(b)) => a.as_escaped_bytes() == b.as_escaped_bytes(),
            _ => false,
        }
    }

    /// Writes it as a value.
    pub fn write(self, json: &mut Writer<'_, '_>) {
        match self.0 {
            Form::Number(number) => json.raw(RawValue::from_valid(number.as_bytes())),
            Form::String(string) => json.json_string(string),
            Form::Integer(integer) => json.integer(integer),
            Form::Text(text) => json.string(text),
        };
    }

    /// For integers: the digits and whether they are below zero.
    fn with_digits<R>(self, then: impl FnOnce(bool, &[u8]) -> R) -> Option<R> {
        match self.0 {
            Form::Number(number) => Some(match spelling(number) {
                [b'-', digits @ ..] => then(true, digits),
                digits => then(false, digits),
            }),
            Form::Integer(integer) => Some(then(integer < 0, Digits::new().of(integer.unsigned_abs()))),
            Form::String(_) | Form::Text(_) => None,
        }
    }
}

impl From<i64> for RequestId<'_> {
    fn from(integer: i64) -> Self {
        Self(Form::Integer(integer))
    }
}

impl<'a> From<&'a str> for RequestId<'a> {
    fn from(text: &'a str) -> Self {
        Self(Form::Text(text))
    }
}

impl PartialEq for RequestId<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Form::String(a), Form::String(b)) => a == b,
            (Form::String(a), Form::Text(b)) | (Form::Text(b), Form::String(a)) => a == *b,
            (Form::Text(a), Form::Text(b)) => a == b,
            (Form::Integer(a), Form::Integer(b)) => a == b,
            (Form::Number(a), Form::Integer(b)) | (Form::Integer(b), Form::Number(a)) => {
                a.plain_to_i64() == Some(b)
            }
            (Form::Number(a), Form::Number(b)) => spelling(a) == spelling(b),
            _ => false,
        }
    }
}

/// JSON has one spelling for each integer but 0.
fn spelling(integer: Number<'_>) -> &[u8] {
    match integer.as_bytes() {
        b"-0" => b"0",
        text => text,
    }
}

impl Eq for RequestId<'_> {}

impl Hash for RequestId<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Form::String(string) => string.hash(state),
            Form::Text(text) => {
                // As `JsonStr` hashes.
                for character in text.chars() {
                    state.write_u32(u32::from(character));
                }
                state.write_u32(u32::MAX);
            }
            Form::Number(_) | Form::Integer(_) => {
                self.with_digits(|sign, digits| (sign, digits).hash(state));
            }
        }
    }
}

/// The id as its JSON text, so that `7` and `"7"` look different in a log.
impl fmt::Display for RequestId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Number(number) => write!(f, "{number}"),
            Form::String(string) => write!(f, "{string:?}"),
            Form::Integer(integer) => write!(f, "{integer}"),
            Form::Text(text) => quoted(f, text),
        }
    }
}

/// `text` as the writer has it. `str`'s own `Debug` escapes as Rust does.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    use fmt::Write;
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' | '\\' => write!(f, "\\{character}")?,
            '\u{8}' => f.write_str("\\b")?,
            '\t' => f.write_str("\\t")?,
            '\n' => f.write_str("\\n")?,
            '\u{C}' => f.write_str("\\f")?,
            '\r' => f.write_str("\\r")?,
            '\0'..='\u{1F}' => write!(f, "\\u{:04x}", u32::from(character))?,
            plain => f.write_char(plain)?,
        }
    }
    f.write_char('"')
}

impl fmt::Debug for RequestId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({self})")
    }
}

/// An id that outlives its frame: a copy of its text in at most `N` bytes.
///
/// ```
/// # fn main() -> Result<(), barewire::rpc::IdTooLong> {
/// use barewire::rpc::{RequestId, StoredId};
///
/// let stored: StoredId<16> = StoredId::new(RequestId::from("abc"))?;
/// assert_eq!(stored.view(), RequestId::from("abc"));
/// assert!(StoredId::<4>::new(RequestId::from("abc")).is_err()); // the quotes count
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct StoredId<const N: usize> {
    token: Vec<u8, N>,
}

/// An id whose text is longer than the memory for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct IdTooLong;

impl fmt::Display for IdTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id is too long to be kept")
    }
}

impl core::error::Error for IdTooLong {}

impl<const N: usize> StoredId<N> {
    /// Copies `id`.
    ///
    /// # Errors
    /// [`IdTooLong`] when its text has more than `N` bytes.
    pub fn new(id: RequestId<'_>) -> Result<Self, IdTooLong> {
        let mut token = Vec::new();
        id.append_to(&mut token)?;
        Ok(Self { token })
    }

    /// The id.
    pub fn view(&self) -> RequestId<'_> {
        RequestId::from_appended(&self.token)
    }
}

impl<const N: usize> PartialEq for StoredId<N> {
    fn eq(&self, other: &Self) -> bool {
        self.view() == other.view()
    }
}

impl<const N: usize> Eq for StoredId<N> {}

impl<const N: usize> fmt::Debug for StoredId<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredId({})", self.view())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::collections::hash_map::DefaultHasher;
    use std::string::ToString;

    fn hash(id: RequestId<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn only_strings_and_integers_are_ids() {
        for token in ["0", "-0", "-7", "123456789012345678901234567890", r#""""#, r#""\ud800""#] {
            assert!(RequestId::parse(token.as_bytes()).is_some(), "{token}");
        }
        for token in ["1.0", "1e2", "null", "true", "[]", "{}", "", "01", r#"""#, "1 2"] {
            assert!(RequestId::parse(token.as_bytes()).is_none(), "{token}");
        }
    }

    #[test]
    fn equality_is_of_type_and_value_and_equal_ids_hash_alike() {
        let id = |token: &'static str| RequestId::parse(token.as_bytes()).unwrap();
        let equal = [
            (id("7"), RequestId::from(7)),
            (id("-7"), RequestId::from(-7)),
            (id("-0"), RequestId::from(0)),
            (id("-0"), id("0")),
            (id(r#""a\u002db""#), RequestId::from("a-b")),
            (id(r#""a\u002db""#), id(r#""a-b""#)),
            (id("9223372036854775807"), RequestId::from(i64::MAX)),
            (RequestId::from("x"), RequestId::from("x")),
            (RequestId::from(7), RequestId::from(7)),
        ];
        for (a, b) in equal {
            assert_eq!(a, b);
            assert_eq!(hash(a), hash(b), "{a}");
        }
        let different = [
            (id("7"), id(r#""7""#)),
            (id("7"), RequestId::from(-7)),
            (id("9223372036854775808"), RequestId::from(i64::MIN)),
            (RequestId::from(7), RequestId::from("7")),
            (RequestId::from(7), RequestId::from(8)),
            (RequestId::from("x"), RequestId::from("y")),
            (id(r#""a""#), id(r#""A""#)),
        ];
        for (a, b) in different {
            assert_ne!(a, b);
            // Not promised, but a table of such ids is of no use otherwise.
            assert_ne!(hash(a), hash(b), "{a}, {b}");
        }
    }

    #[test]
    fn ids_are_written_alike_where_they_were_received_as_the_same_text() {
        let id = |token: &'static str| RequestId::parse(token.as_bytes()).unwrap();
        let tokens = ["7", "8", "-0", "0", r#""7""#, r#""a""#, r#""\u0061""#];
        for a in tokens {
            for b in tokens {
                assert_eq!(id(a).is_written_as(id(b)), a == b, "{a} and {b}");
            }
        }
        assert!(!RequestId::from(7).is_written_as(RequestId::from(7)));
        assert!(!id("7").is_written_as(RequestId::from(7)));
    }

    #[test]
    fn stored_ids_echo_their_text() {
        for token in ["123456789012345678901234567890", r#""a\u0062""#, "-0"] {
            let stored: StoredId<30> = StoredId::new(RequestId::parse(token.as_bytes()).unwrap()).unwrap();
            assert_eq!(stored.view().to_string(), token);
        }
        assert!(StoredId::<3>::new(RequestId::from(1234)).is_err());
        assert_eq!(StoredId::<4>::new(RequestId::from(1234)).unwrap().view(), RequestId::from(1234));
    }
}
