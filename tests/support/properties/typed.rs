//! Typed access against serde_json with the same types.

use core::fmt::Debug;
use std::collections::BTreeMap;

use barewire::json::{JsonStr, ParseError, RawValue, to_json, validate};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::decoding::parse;
use crate::support::entropy::Entropy;
use crate::support::{generate, slow, tree};

#[derive(Debug, PartialEq, Deserialize)]
#[allow(dead_code, reason = "read by comparison")]
struct Settings {
    pin: u8,
    level: i64,
    ratio: Option<f64>,
    label: String,
    mode: Mode,
    range: (i16, u32),
    tags: Vec<String>,
    inner: Option<Inner>,
    #[serde(default)]
    on: bool,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Inner {
    #[serde(default)]
    depth: i8,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Off,
    Set(u8),
    Pair(u8, String),
    Blink { hz: u16, text: String },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Reading {
    pin: u64,
    level: i32,
    ratio: f64,
    label: String,
    history: Vec<Option<i64>>,
    state: State,
    by_name: BTreeMap<String, bool>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum State {
    Idle,
    Busy { since: u32 },
}

/// Any accepted text, into types that have nothing to do with it.
pub(super) fn decoding_never_panics(text: &[u8]) {
    agrees::<Settings>(text);
    agrees::<Mode>(text);
    agrees::<BTreeMap<String, i64>>(text);
    agrees::<Vec<Option<bool>>>(text);
    agrees::<(i8, u64)>(text);
    agrees::<String>(text);
    agrees::<f64>(text);
    agrees::<u16>(text);
    agrees::<()>(text);
    let value = RawValue::new(text).expect("accepted");
    assert_eq!(value.parse_in::<JsonStr<'_>>(&mut []).ok(), value.as_string());
}

/// Arguments that fit a type, or nearly.
pub(super) fn decoding_agrees_with_serde_json(entropy: &mut Entropy<'_>) {
    agrees::<Settings>(generate::arguments(entropy).as_bytes());
}

/// What serde_json decodes, this crate decodes to the same, but for the limits that it documents.
fn agrees<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) {
    let value = RawValue::new(text).expect("accepted");
    let found = parse::<T>(value);
    // As many bytes as the text has are enough for every string in it.
    assert_eq!(value.parse_in::<T>(&mut vec![0; text.len()]).is_ok(), found.is_ok());
    let Ok(expected) = serde_json::from_slice::<T>(text) else {
        return;
    };
    match found {
        Ok(found) => assert_eq!(found, expected, "{}", text.escape_ascii()),
        Err(ParseError::TooDeep) => {}
        // serde_json takes the fields of a struct from an array too.
        Err(ParseError::WrongKind) if has_array_for_struct(text) => {}
        Err(error) => panic!("{error}: {}", text.escape_ascii()),
    }
}

fn has_array_for_struct(text: &[u8]) -> bool {
    let text = tree::value(text).expect("accepted");
    let values = |text, name| slow::all(&tree::members(text).unwrap_or_default(), name);
    let mut structs = vec![text];
    structs.extend(values(text, "inner"));
    for mode in [vec![text], values(text, "mode")].concat() {
        structs.extend(values(mode, "blink"));
    }
    structs.iter().any(|value| value.starts_with('['))
}

/// A value of the application: valid JSON, which serde_json and this crate read back.
pub(super) fn what_is_encoded_is_valid(entropy: &mut Entropy<'_>) {
    let reading = Reading {
        pin: entropy.number(),
        level: entropy.number() as i32,
        ratio: Some(f64::from_bits(entropy.number())).filter(|ratio| ratio.is_finite()).unwrap_or(0.5),
        label: generate::text(entropy),
        history: (0..entropy.below(4))
            .map(|_| Some(entropy.number().cast_signed()).filter(|n| n % 3 != 0))
            .collect(),
        state: match entropy.below(2) {
            0 => State::Idle,
            _ => State::Busy { since: entropy.byte().into() },
        },
        by_name: (0..entropy.below(3)).map(|at| (generate::text(entropy), at == 1)).collect(),
    };
    let mut memory = [0; 4096];
    let text = to_json(&reading, &mut memory).expect("it has a JSON form").as_bytes();
    assert_eq!(validate(text), Ok(()));
    let back: Reading = serde_json::from_slice(text).expect("valid");
    assert_eq!(back, reading, "{}", text.escape_ascii());
    assert_eq!(parse(RawValue::new(text).expect("valid")), Ok(reading));
    let mut less = vec![0; text.len() - 1];
    assert!(to_json(&back, &mut less).is_err());
}
