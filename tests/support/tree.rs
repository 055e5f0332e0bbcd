//! The members and elements of a text by serde_json, in order, duplicates kept, every part as it stands in the text.

use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::strings;

/// A member: the tokens of its name and its value.
pub type Member<'a> = (&'a str, &'a str);

/// The members of the object `text`, or `None` when it is another value.
pub fn members(text: &str) -> Option<Vec<Member<'_>>> {
    text.starts_with('{').then(|| {
        let Members(members) = serde_json::from_str(text).expect("an object");
        members
    })
}

/// The elements of the array `text`, or `None` when it is another value.
pub fn elements(text: &str) -> Option<Vec<&str>> {
    text.starts_with('[').then(|| {
        let elements: Vec<&RawValue> = serde_json::from_str(text).expect("an array");
        elements.into_iter().map(RawValue::get).collect()
    })
}

/// The value that `text` is, without the white space around it; `None` when it is not JSON, however deep.
pub fn value(text: &[u8]) -> Option<&str> {
    let text = core::str::from_utf8(text).ok()?;
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

/// The value at the start of `text`, an object or an array; anything may follow it.
pub fn first_value(text: &[u8]) -> Option<&str> {
    let first = serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>().next()?.ok()?.get();
    first.starts_with(['{', '[']).then_some(first)
}

/// Where `part`, which is a piece of `text`, starts in it.
pub fn place(text: &[u8], part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

struct Members<'a>(Vec<Member<'a>>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            members.push((name.get(), value.get()));
        }
        Ok(Members(members))
    }
}

/// The value without the white space between its tokens.
pub fn compact(text: &str) -> String {
    if let Some(members) = members(text) {
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("{name}:{}", compact(value))).collect();
        return format!("{{{}}}", members.join(","));
    }
    match elements(text) {
        Some(elements) => {
            let elements: Vec<String> = elements.into_iter().map(compact).collect();
            format!("[{}]", elements.join(","))
        }
        None => text.to_string(),
    }
}

/// The value at the end of this path of members; of repeated ones the first.
pub fn at<'a>(text: &'a str, path: &[&str]) -> Option<&'a str> {
    let Some((name, rest)) = path.split_first() else {
        return Some(text);
    };
    let members = members(text)?;
    let (_, value) = members.iter().find(|(token, _)| strings::is(token, name))?;
    at(value, rest)
}

/// Whether an object in it has two members of one name.
pub fn repeats(text: &str) -> bool {
    if let Some(members) = members(text) {
        let names: Vec<Vec<u16>> = members.iter().map(|(name, _)| strings::units(name)).collect();
        let is_repeated = |(at, name): (usize, &Vec<u16>)| names[..at].contains(name);
        return names.iter().enumerate().any(is_repeated) || members.iter().any(|(_, value)| repeats(value));
    }
    elements(text).is_some_and(|elements| elements.into_iter().any(repeats))
}

/// Whether there is such a member.
pub fn has(text: &str, path: &[&str]) -> bool {
    at(text, path).is_some()
}
