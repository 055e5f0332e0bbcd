//! Typed access to accepted text against serde_json, both ways: what one decodes the other decodes to the same, but for
//! what is documented.

#[cfg(feature = "std")]
mod buffered;
/// Without a heap serde has no such types.
#[cfg(not(feature = "std"))]
mod buffered {
    pub(super) fn is_as_by_serde_json(_: super::Both<'_>) {}
}

use core::fmt::Debug;
use std::collections::{BTreeMap, HashMap};

use barewire::json::{JsonStr, ParseError, RawValue};
use serde::Deserialize;

use crate::support::entropy::Entropy;
use crate::support::{decimal, generate, slow, texts, tree};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict<'a> {
    #[serde(borrow)]
    name: &'a str,
    level: Option<i8>,
    #[serde(default)]
    flags: (bool, bool),
    #[serde(rename = "a/b")]
    pair: Option<[u16; 2]>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Celsius(f32);

#[derive(Debug, PartialEq, Deserialize)]
struct Marker;

#[derive(Debug, PartialEq, Deserialize)]
struct Two(u8, String);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Name(String);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    A,
    Id,
    #[serde(other)]
    Other,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Name,
    Id(u64),
    Data(i16, bool),
    Code { message: Option<i32> },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Plan {
    #[serde(default)]
    data: Vec<Shape>,
    #[serde(default)]
    uri: BTreeMap<Name, i64>,
    #[serde(default)]
    code: BTreeMap<Kind, Option<bool>>,
    inner: Option<Box<Plan>>,
    id: Option<Marker>,
    name: Option<Two>,
    message: Option<Celsius>,
    a: Option<char>,
}

/// An accepted text, or choices that one is generated from; nothing is said of other texts.
pub(super) fn is_as_by_serde_json(text: &[u8]) {
    let Ok(value) = RawValue::new(text) else {
        return;
    };
    let text = value.as_json();
    let plain = decimal::with_plain_integers(text);
    let both = Both { text, plain: &plain };
    agrees::<Strict<'_>>(both, &[text]);
    agrees::<Plan>(both, &plans(text));
    agrees::<Shape>(both, &slow::all(&tree::members(text).unwrap_or_default(), "code"));
    agrees::<Vec<Shape>>(both, &[]);
    agrees::<Two>(both, &[]);
    agrees::<Marker>(both, &[]);
    agrees::<Celsius>(both, &[]);
    agrees::<Option<Option<i64>>>(both, &[]);
    agrees::<(u8, i16, Option<String>)>(both, &[]);
    agrees::<[f64; 2]>(both, &[]);
    agrees::<Vec<u32>>(both, &[]);
    agrees::<&str>(both, &[]);
    agrees::<char>(both, &[]);
    agrees::<HashMap<String, Vec<i8>>>(both, &[]);
    agrees::<BTreeMap<Name, Kind>>(both, &[]);
    agrees::<BTreeMap<Kind, Option<bool>>>(both, &[]);
    agrees::<BTreeMap<Option<String>, Option<bool>>>(both, &[]);
    buffered::is_as_by_serde_json(both);
    strings_as_sent(value);
}

/// A text, and the same for serde_json, which takes only plain digits for an integer.
#[derive(Clone, Copy)]
struct Both<'a> {
    text: &'a str,
    plain: &'a str,
}

/// Without `std` a string with escapes needs memory that lives as long as the text.
pub(super) fn parse<'a, T: Deserialize<'a>>(value: RawValue<'a>) -> Result<T, ParseError> {
    #[cfg(feature = "std")]
    return value.parse();
    #[cfg(not(feature = "std"))]
    return value.parse_in(vec![0; value.as_bytes().len()].leak());
}

/// What serde_json decodes, this crate does, and the reverse. Where this crate wants an object, `structs` are the values
/// for which serde_json takes an array too.
fn agrees<'a, T: Deserialize<'a> + PartialEq + Debug>(both: Both<'a>, structs: &[&str]) {
    let Both { text, plain } = both;
    let found = parse::<T>(RawValue::new(text.as_bytes()).expect("accepted"));
    if let Err(error) = found {
        assert_eq!(error.to_string(), texts::of_type(error));
    }
    match (found, serde_json::from_str::<T>(plain)) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
        (Err(_), Err(_)) => {}
        (Err(ParseError::TooDeep), Ok(_)) => {}
        (Err(ParseError::WrongKind), Ok(_)) if structs.iter().any(|value| value.starts_with('[')) => {}
        (Err(error), Ok(expected)) => panic!("{error} and not {expected:?}: {text}"),
        // A number without end is infinite; a name with half a pair is none that is known.
        (Ok(_), Err(_)) if numbers(text).iter().any(|number| is_endless(number)) || has_half_a_pair(text) => {
        }
        // `parse_in`, which stands in where there is no `parse`, lends what serde_json cannot.
        (Ok(_), Err(error)) if !cfg!(feature = "std") && error.to_string().contains("borrowed string") => {}
        (Ok(found), Err(error)) => panic!("{found:?} and not {error}: {text}"),
    }
}

fn is_endless(number: &str) -> bool {
    number.parse::<f32>().is_ok_and(f32::is_infinite)
}

/// All numbers in `text`, as they stand there.
fn numbers(text: &str) -> Vec<&str> {
    match text.as_bytes().first() {
        Some(b'{') => {
            let members = tree::members(text).unwrap_or_default();
            members.into_iter().flat_map(|(_, value)| numbers(value)).collect()
        }
        Some(b'[') => {
            let elements = tree::elements(text).unwrap_or_default();
            elements.into_iter().flat_map(numbers).collect()
        }
        Some(b'-' | b'0'..=b'9') => vec![text],
        _ => Vec::new(),
    }
}

fn has_half_a_pair(text: &str) -> bool {
    text.contains("\\u") && serde_json::from_str::<serde_json::Value>(text).is_err()
}

/// The values in `text` that stand where a `Plan` or a variant with members is wanted.
fn plans(text: &str) -> Vec<&str> {
    let mut plans = vec![text];
    let mut variants = Vec::new();
    let mut at = 0;
    while let Some(plan) = plans.get(at).copied() {
        let members = tree::members(plan).unwrap_or_default();
        plans.extend(slow::all(&members, "inner"));
        for list in slow::all(&members, "data") {
            for shape in tree::elements(list).unwrap_or_default() {
                variants.extend(slow::all(&tree::members(shape).unwrap_or_default(), "code"));
            }
        }
        at += 1;
    }
    [plans, variants].concat()
}

/// The types that take every string: as a value, and as a name.
fn strings_as_sent(value: RawValue<'_>) {
    let string = value.parse_in::<JsonStr<'_>>(&mut []);
    assert_eq!(string.ok(), value.as_string());
    let Ok(map) = parse::<HashMap<JsonStr<'_>, Shown<'_>>>(value) else {
        return;
    };
    let object = value.as_object().expect("what is a map is an object");
    // Of a repeated name the last one is kept.
    for member in object.members() {
        assert!(map.contains_key(&member.name), "{value:?}");
    }
    for (name, Shown(text)) in map {
        let all = object.members().filter(|member| member.name == name);
        assert_eq!(all.last().and_then(|member| member.value.as_string()), text);
    }
}

/// A string, or anything else.
struct Shown<'a>(Option<JsonStr<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Shown<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self)
    }
}

/// A text for the types of above, or nearly.
pub(super) fn fitting(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(6) {
        0 => generate::value(entropy, 4),
        1 => plan(entropy, 3),
        2 => shape(entropy),
        3 => {
            let members = [
                ("name", generate::string(entropy)),
                ("level", generate::number(entropy)),
                ("flags", "[true ,false]".to_owned()),
                ("a/b", format!("[{},7]", entropy.below(70_000))),
            ];
            object(entropy, &members)
        }
        4 => {
            let kind = entropy.pick(&["a", "ping", "id", "other"]);
            let members = [
                ("method", generate::spelt(entropy, kind)),
                ("name", generate::string(entropy)),
                ("data", "[null,true]".to_owned()),
                ("code", entropy.pick(&["null", "\"\"", "\"\\n\""]).to_owned()),
            ];
            object(entropy, &members)
        }
        _ => format!("[{},{}]", shape(entropy), generate::number(entropy)),
    }
}

fn plan(entropy: &mut Entropy<'_>, depth: usize) -> String {
    let inner = match depth == 0 || entropy.once_in(2) {
        true => "null".to_owned(),
        false => plan(entropy, depth - 1),
    };
    let map = |entropy: &mut Entropy<'_>, value: &str| {
        let known = entropy.pick(&["a", "id", "x"]);
        let (one, other) = (generate::spelt(entropy, known), generate::string(entropy));
        format!("{{{one}:{value},{other}:{value}}}")
    };
    let number = generate::number(entropy);
    let members = [
        ("data", format!("[{},{}]", shape(entropy), shape(entropy))),
        ("uri", map(entropy, &number)),
        ("code", map(entropy, "true")),
        ("inner", inner),
        ("id", "null".to_owned()),
        ("name", format!("[{},{}]", entropy.below(300), generate::string(entropy))),
        ("message", generate::number(entropy)),
        ("a", generate::string(entropy)),
    ];
    object(entropy, &members)
}

fn shape(entropy: &mut Entropy<'_>) -> String {
    match entropy.below(6) {
        0 => generate::spelt(entropy, "name"),
        1 => format!("{{{}:null}}", generate::spelt(entropy, "name")),
        2 => format!("{{{}:{}}}", generate::spelt(entropy, "id"), generate::number(entropy)),
        3 => format!("{{\"data\":[{},true]}}", generate::number(entropy)),
        4 => {
            format!("{{\"code\":{{\"message\":{},\"x\":{}}}}}", entropy.below(9), generate::value(entropy, 2))
        }
        _ => generate::value(entropy, 2),
    }
}

/// These members, some of them left out, repeated or of another kind, and others.
fn object(entropy: &mut Entropy<'_>, members: &[(&str, String)]) -> String {
    let mut texts = Vec::new();
    for (name, value) in members {
        let name = generate::spelt(entropy, name);
        let value = match entropy.once_in(24) {
            true => generate::value(entropy, 2),
            false => value.clone(),
        };
        match entropy.below(24) {
            22 => {}
            23 => texts.extend([format!("{name}:{value}"), format!("{name}:{value}")]),
            _ => texts.push(format!("{name}:{value}")),
        }
    }
    if entropy.once_in(4) {
        texts.push(format!("{}:{}", generate::string(entropy), generate::value(entropy, 2)));
    }
    format!("{{{}}}", texts.join(","))
}
