//! Values, objects and arrays as views into accepted text.

use core::fmt;

use super::string::str_of;
use super::{Error, JsonStr, MAX_DEPTH, Number, Scanner};
use crate::bytes::Reader;

/// One JSON value, as its text: borrowed, and known to be valid (grammar, depth, UTF-8).
///
/// The text has no white space around it. Two are equal when their texts are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RawValue<'a> {
    text: &'a [u8],
}

/// The seven kinds of RFC 8259 section 3, with `true` and `false` as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the grammar's")]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl<'a> RawValue<'a> {
    /// The value that `text` is, white space around it dropped. Linear in the length of `text`.
    ///
    /// # Errors
    /// As [`validate`](super::validate).
    ///
    /// ```
    /// # fn main() -> Result<(), barewire::json::Error> {
    /// use barewire::json::RawValue;
    ///
    /// let value = RawValue::new(br#" {"pin": 4, "on": true} "#)?;
    /// let object = value.as_object().unwrap();
    /// assert_eq!(object.get("pin").and_then(|pin| pin.as_number()?.to_i64().ok()), Some(4));
    /// assert_eq!(object.get("on").and_then(|on| on.as_bool()), Some(true));
    /// # Ok(())
    /// # }
    /// ```
    pub const fn new(text: &'a [u8]) -> Result<Self, Error> {
        Self::with_max_depth(text, MAX_DEPTH)
    }

    pub(crate) const fn with_max_depth(text: &'a [u8], max_depth: u8) -> Result<Self, Error> {
        let mut scanner = Scanner::new(text, max_depth);
        scanner.white_space();
        let start = scanner.position();
        if let Err(kind) = scanner.value(0) {
            return Err(scanner.first_fault(kind));
        }
        let end = scanner.position();
        if let Err(error) = scanner.end() {
            return Err(error);
        }
        // Both places are inside the text, so both branches are the first.
        let (text, _) = match text.split_at_checked(end) {
            Some(split) => split,
            None => (text, text),
        };
        match text.split_at_checked(start) {
            Some((_, text)) => Ok(Self { text }),
            None => Ok(Self { text }),
        }
    }

    /// `text` must be one valid value without white space around it.
    pub(crate) const fn from_valid(text: &'a [u8]) -> Self {
        Self { text }
    }

    /// The literal `null`.
    pub const NULL: RawValue<'static> = RawValue { text: b"null" };

    /// The text as bytes. No cost.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.text
    }

    /// The JSON text: that of a string has its quotes and its escapes; the characters are those of
    /// [`as_string`](RawValue::as_string). Linear: this checks the UTF-8 again, since the crate has no `unsafe`.
    pub fn as_json(self) -> &'a str {
        str_of(self.text)
    }

    /// What kind of value it is; by its first byte.
    pub const fn kind(self) -> Kind {
        match self.text.first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// Whether it is `null`.
    pub const fn is_null(self) -> bool {
        matches!(self.kind(), Kind::Null)
    }

    /// The value, unless it is `null`: for members where `null` means that they are absent.
    pub(crate) fn not_null(self) -> Option<Self> {
        (!self.is_null()).then_some(self)
    }

    /// The object, if it is one.
    pub const fn as_object(self) -> Option<Object<'a>> {
        match self.kind() {
            Kind::Object => Some(Object { text: self.text }),
            _ => None,
        }
    }

    /// The array, if it is one.
    pub const fn as_array(self) -> Option<Array<'a>> {
        match self.kind() {
            Kind::Array => Some(Array { text: self.text }),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub const fn as_string(self) -> Option<JsonStr<'a>> {
        match self.text {
            [b'"', escaped @ .., b'"'] => Some(JsonStr::from_valid(escaped)),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub const fn as_number(self) -> Option<Number<'a>> {
        match self.kind() {
            Kind::Number => Some(Number::from_valid(self.text)),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub const fn as_bool(self) -> Option<bool> {
        match self.text.first() {
            Some(b't') => Some(true),
            Some(b'f') => Some(false),
            _ => None,
        }
    }
}

impl fmt::Display for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_json())
    }
}

impl fmt::Debug for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawValue({self})")
    }
}

/// A JSON object, as its text.
///
/// ```
/// # fn main() -> Result<(), barewire::json::Error> {
/// use barewire::json::RawValue;
///
/// let value = RawValue::new(br#"{"rooms":[{"name":"attic","celsius":23.75},{"name":"cellar","celsius":-1}]}"#)?;
/// let rooms = value.as_object().and_then(|object| object.get("rooms")?.as_array()).unwrap();
/// let mut cold = 0;
/// for room in rooms {
///     for member in room.as_object().unwrap() {
///         if member.name == "celsius" {
///             // In hundredths, without a float.
///             cold += i64::from(member.value.as_number().unwrap().to_fixed(2).unwrap() < 0);
///         }
///     }
/// }
/// assert_eq!(cold, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Object<'a> {
    text: &'a [u8],
}

/// A name and its value (RFC 8259 section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Member<'a> {
    /// The name; compared after unescaping.
    pub name: JsonStr<'a>,
    /// The value.
    pub value: RawValue<'a>,
}

impl<'a> Object<'a> {
    /// The object `{}`.
    pub const EMPTY: Object<'static> = Object { text: b"{}" };

    /// The members in the order of the text. Walking all of them is linear in the length of the text.
    pub const fn members(self) -> Members<'a> {
        Members { reader: Reader::at(self.text, 1) }
    }

    /// The value of the first member called `name`. Linear in the length of the text up to it.
    ///
    /// Where a second one must not be overlooked, use [`get_once`](Object::get_once).
    pub fn get(self, name: &str) -> Option<RawValue<'a>> {
        self.members().find(|member| member.name == *name).map(|member| member.value)
    }

    /// The value of the only member called `name`, or `None` when there is none. Linear in the length of the text.
    ///
    /// # Errors
    /// [`Repeated`] when there are two: another parser may take the other one.
    pub fn get_once(self, name: &str) -> Result<Option<RawValue<'a>>, Repeated> {
        self.get_each([name]).map(|[value]| value)
    }

    /// The values of several members in one pass, in the order of `names`.
    ///
    /// # Errors
    /// [`Repeated`] when one of them occurs twice.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use barewire::json::RawValue;
    ///
    /// let object = RawValue::new(br#"{"name":"echo","arguments":{}}"#)?.as_object().unwrap();
    /// let [name, cursor] = object.get_each(["name", "cursor"])?;
    /// assert!(name.is_some() && cursor.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_each<const N: usize>(self, names: [&str; N]) -> Result<[Option<RawValue<'a>>; N], Repeated> {
        let mut values = [None; N];
        self.find_each(&names, &mut values)?;
        Ok(values)
    }

    /// One body for every count of names.
    fn find_each(self, names: &[&str], values: &mut [Option<RawValue<'a>>]) -> Result<(), Repeated> {
        for member in self.members() {
            for (name, value) in names.iter().zip(&mut *values) {
                if member.name == **name && value.replace(member.value).is_some() {
                    return Err(Repeated);
                }
            }
        }
        Ok(())
    }

    /// Whether it has no member.
    pub fn is_empty(self) -> bool {
        self.members().next().is_none()
    }

    /// It, as a value.
    pub const fn as_value(self) -> RawValue<'a> {
        RawValue { text: self.text }
    }

    /// The text as bytes, braces included.
    pub const fn as_bytes(self) -> &'a [u8] {
        self.text
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({})", self.as_value())
    }
}

/// A member name that occurs twice where two parsers must not disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Repeated;

impl fmt::Display for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member occurs twice")
    }
}

impl core::error::Error for Repeated {}

/// The members of an [`Object`], in order.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    reader: Reader<'a>,
}

impl<'a> Members<'a> {
    /// The members of an object in `text` after the place `at`, which follows its opening bracket or one of the
    /// members.
    pub(crate) const fn from_place(text: &'a [u8], at: usize) -> Self {
        Self { reader: Reader::at(text, at) }
    }

    /// Behind the last member that came out.
    pub(crate) const fn place(&self) -> usize {
        self.reader.position()
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let mut scanner = Scanner::over(self.reader, MAX_DEPTH);
        scanner.comma();
        let start = scanner.position();
        scanner.name().ok()?;
        let [_, name @ .., _] = scanner.since(start) else {
            return None;
        };
        scanner.colon().ok()?;
        let start = scanner.position();
        scanner.value(0).ok()?;
        self.reader = scanner.reader();
        Some(Member { name: JsonStr::from_valid(name), value: RawValue::from_valid(scanner.since(start)) })
    }
}

/// A JSON array, as its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Array<'a> {
    text: &'a [u8],
}

impl<'a> Array<'a> {
    /// The array `[]`.
    pub const EMPTY: Array<'static> = Array { text: b"[]" };

    /// The elements in order. Walking all of them is linear in the length of the text.
    pub const fn elements(self) -> Elements<'a> {
        Elements { reader: Reader::at(self.text, 1) }
    }

    /// Whether it has no element.
    pub fn is_empty(self) -> bool {
        self.elements().next().is_none()
    }

    /// It, as a value.
    pub const fn as_value(self) -> RawValue<'a> {
        RawValue { text: self.text }
    }
}

impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({})", self.as_value())
    }
}

/// The elements of an [`Array`], in order.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    reader: Reader<'a>,
}

impl<'a> Elements<'a> {
    /// The elements of an array in `text` after the place `at`. Where there is no array nothing that comes
    /// out is valid: it must be judged before it is used.
    pub(crate) const fn from_place(text: &'a [u8], at: usize) -> Self {
        Self { reader: Reader::at(text, at) }
    }

    /// Behind the last element that came out.
    pub(crate) const fn place(&self) -> usize {
        self.reader.position()
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = RawValue<'a>;

    fn next(&mut self) -> Option<RawValue<'a>> {
        let mut scanner = Scanner::over(self.reader, MAX_DEPTH);
        scanner.comma();
        let start = scanner.position();
        scanner.value(0).ok()?;
        self.reader = scanner.reader();
        Some(RawValue::from_valid(scanner.since(start)))
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = Member<'a>;
    type IntoIter = Members<'a>;

    /// Its [`members`](Object::members).
    fn into_iter(self) -> Members<'a> {
        self.members()
    }
}

impl<'a> IntoIterator for Array<'a> {
    type Item = RawValue<'a>;
    type IntoIter = Elements<'a>;

    /// Its [`elements`](Array::elements).
    fn into_iter(self) -> Elements<'a> {
        self.elements()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn value(text: &str) -> RawValue<'_> {
        RawValue::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn kinds_and_only_their_accessor() {
        let cases = [
            ("null", Kind::Null),
            ("true", Kind::Bool),
            ("false", Kind::Bool),
            ("-1e2", Kind::Number),
            ("0", Kind::Number),
            (r#""""#, Kind::String),
            ("[]", Kind::Array),
            ("{}", Kind::Object),
        ];
        for (text, kind) in cases {
            let v = value(text);
            assert_eq!(v.kind(), kind, "{text}");
            assert_eq!(v.is_null(), kind == Kind::Null, "{text}");
            assert_eq!(v.as_bool().is_some(), kind == Kind::Bool, "{text}");
            assert_eq!(v.as_number().is_some(), kind == Kind::Number, "{text}");
            assert_eq!(v.as_string().is_some(), kind == Kind::String, "{text}");
            assert_eq!(v.as_array().is_some(), kind == Kind::Array, "{text}");
            assert_eq!(v.as_object().is_some(), kind == Kind::Object, "{text}");
        }
    }

    #[test]
    fn white_space_around_a_value_is_not_part_of_it() {
        assert_eq!(value(" \t\r\n[ 1 ] \n").as_json(), "[ 1 ]");
    }

    #[test]
    fn objects_and_arrays_can_be_walked_by_for() {
        let mut found = String::new();
        for member in value(r#"{"a":[1,2],"b":[3]}"#).as_object().unwrap() {
            found += member.name.as_escaped();
            for element in member.value.as_array().unwrap() {
                found += &element.to_string();
            }
        }
        assert_eq!(found, "a12b3");
    }

    #[test]
    fn members_and_elements_are_walked_whole() {
        let text = r#"{ "a" : [1, "]", {"x":"}"} ] ,"\u0062":{} , "":null,"q\"":-1.5e3}"#;
        let found: Vec<(String, String)> = value(text)
            .as_object()
            .unwrap()
            .members()
            .map(|m| (m.name.to_string(), m.value.to_string()))
            .collect();
        let expected = [("a", r#"[1, "]", {"x":"}"} ]"#), ("b", "{}"), ("", "null"), ("q\"", "-1.5e3")]
            .map(|(n, v)| (n.to_string(), v.to_string()));
        assert_eq!(found, expected);

        let text = r#"[ 1 ,"a,b", [] , [[2],3] ,true]"#;
        let found: Vec<_> = value(text).as_array().unwrap().elements().map(|e| e.to_string()).collect();
        assert_eq!(found, ["1", r#""a,b""#, "[]", "[[2],3]", "true"]);
        assert!(value("[ ]").as_array().unwrap().is_empty());
        assert!(value("{ }").as_object().unwrap().is_empty());
    }

    #[test]
    fn a_walk_goes_on_from_its_place() {
        let text = br#" [ 1 , "a,b",[[2],3] ] "#;
        let (mut place, mut found) = (2, Vec::new());
        loop {
            let mut elements = Elements::from_place(text, place);
            let Some(element) = elements.next() else { break };
            found.push(element.to_string());
            place = elements.place();
        }
        assert_eq!(found, ["1", r#""a,b""#, "[[2],3]"]);

        let text = br#" { "a" : 1 ,"b":[{}] } "#;
        let (mut place, mut found) = (2, Vec::new());
        loop {
            let mut members = Members::from_place(text, place);
            let Some(member) = members.next() else { break };
            found.push(member.name.to_string() + &member.value.to_string());
            place = members.place();
        }
        assert_eq!(found, ["a1", "b[{}]"]);
    }

    #[test]
    fn a_repeated_member_is_seen_through_its_escapes() {
        let object = value(r#"{"a":1,"b":2,"\u0061":3}"#).as_object().unwrap();
        assert_eq!(object.get("a").map(|v| v.to_string()).as_deref(), Some("1"));
        assert_eq!(object.get_once("a"), Err(Repeated));
        assert_eq!(object.get_once("b").map(|v| v.map(|v| v.as_bytes() == b"2")), Ok(Some(true)));
        assert_eq!(object.get_once("c"), Ok(None));
    }
}
