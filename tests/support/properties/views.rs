//! The views into an accepted text against serde_json's parts of it.

use barewire::json::{Array, Kind, Object, RawValue, Repeated};

use super::{numbers, strings};
use crate::support::tree;

/// How many of an object's names, and of an array's numbers, are compared with each other.
const COMPARED: usize = 12;

/// Every value in `text`, which is accepted.
pub(super) fn show_what_serde_json_shows(text: &[u8]) {
    let value = RawValue::new(text).expect("accepted");
    shows(value, tree::value(text).expect("accepted"));
}

fn shows(value: RawValue<'_>, text: &str) {
    assert_eq!(value.as_json(), text);
    assert_eq!(value.as_bytes(), text.as_bytes());
    assert_eq!(value.to_string(), text);
    assert_eq!(format!("{value:?}"), format!("RawValue({text})"));
    let kind = match text.as_bytes()[0] {
        b'{' => Kind::Object,
        b'[' => Kind::Array,
        b'"' => Kind::String,
        b't' | b'f' => Kind::Bool,
        b'n' => Kind::Null,
        _ => Kind::Number,
    };
    assert_eq!(value.kind(), kind);
    assert_eq!(value.is_null(), kind == Kind::Null);
    assert_eq!(value.as_bool(), serde_json::from_str::<bool>(text).ok());
    assert_eq!(value.as_string().is_some(), kind == Kind::String);
    assert_eq!(value.as_number().is_some(), kind == Kind::Number);
    assert_eq!(value.as_array().is_some(), kind == Kind::Array);
    assert_eq!(value.as_object().is_some(), kind == Kind::Object);
    if let Some(string) = value.as_string() {
        strings::shows(string, text);
    }
    if let Some(number) = value.as_number() {
        numbers::shows(number, text);
    }
    if let Some(array) = value.as_array() {
        let expected = tree::elements(text).expect("an array");
        assert_eq!(array.elements().count(), expected.len());
        assert_eq!(array.is_empty(), expected.is_empty());
        assert_eq!(array.as_value(), value);
        assert_eq!(format!("{array:?}"), format!("Array({text})"));
        for (element, text) in array.into_iter().zip(&expected) {
            shows(element, text);
        }
        compares_numbers(array, &expected);
    }
    if let Some(object) = value.as_object() {
        shows_members(object, &tree::members(text).expect("an object"));
        assert_eq!(object.as_value(), value);
        assert_eq!(format!("{object:?}"), format!("Object({text})"));
    }
}

fn compares_numbers(array: Array<'_>, expected: &[&str]) {
    let numbers = array.elements().zip(expected).take(COMPARED);
    let numbers: Vec<_> = numbers.filter_map(|(element, text)| Some((element.as_number()?, *text))).collect();
    for (at, one) in numbers.iter().enumerate() {
        for other in &numbers[at..] {
            numbers::are_in_order(*one, *other);
        }
    }
}

fn shows_members(object: Object<'_>, expected: &[tree::Member<'_>]) {
    assert_eq!(object.members().count(), expected.len());
    assert_eq!(object.is_empty(), expected.is_empty());
    for (member, (name, text)) in object.into_iter().zip(expected) {
        strings::shows(member.name, name);
        shows(member.value, text);
    }
    for (name, _) in expected.iter().take(COMPARED) {
        finds(object, expected, name);
    }
    for (member, (name, _)) in object.members().zip(expected).take(COMPARED) {
        for (other, (other_name, _)) in object.members().zip(expected).take(COMPARED) {
            strings::equal_as_their_units((member.name, name), (other.name, other_name));
        }
    }
    finds(object, expected, "\"no such member\"");
}

/// The members called `name`, a token that may be no Rust string.
fn finds(object: Object<'_>, expected: &[tree::Member<'_>], name: &str) {
    let Ok(plain) = serde_json::from_str::<String>(name) else {
        return;
    };
    let all = crate::support::slow::all(expected, &plain);
    let text = |value: Option<RawValue<'_>>| value.map(|value| value.to_string());
    assert_eq!(text(object.get(&plain)).as_deref(), all.first().copied());
    match (object.get_once(&plain), all.as_slice()) {
        (Ok(found), [] | [_]) => assert_eq!(text(found).as_deref(), all.first().copied()),
        (Err(Repeated), [_, _, ..]) => assert_eq!(Repeated.to_string(), "a member occurs twice"),
        (found, _) => panic!("{name} is {found:?} and not {all:?}"),
    }
}
