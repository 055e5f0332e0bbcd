//! Types of which serde reads the value before it knows what it is for.

use std::collections::BTreeMap;

use barewire::json::RawValue;
use serde::Deserialize;

use super::{Both, agrees, numbers, parse};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "method", rename_all = "lowercase")]
enum Tagged {
    A { name: String },
    Ping,
    Id { data: Vec<Option<bool>>, code: Option<String> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either {
    Text(String),
    Flag(bool),
    List(Vec<Either>),
    Members(BTreeMap<String, Either>),
    Nothing(()),
}

#[derive(Debug, PartialEq, Deserialize)]
struct Flat {
    id: Option<bool>,
    #[serde(flatten)]
    rest: BTreeMap<String, Either>,
}

/// The text is accepted.
pub(super) fn is_as_by_serde_json(both: Both<'_>) {
    let text = both.text;
    // serde_json, as it is built here, makes an object of a number whose kind is not known beforehand.
    if numbers(text).is_empty() {
        agrees::<Tagged>(both, &[text]);
        agrees::<Either>(both, &[]);
        agrees::<Flat>(both, &[text]);
        return;
    }
    let value = RawValue::new(text.as_bytes()).expect("accepted");
    let _ = parse::<Tagged>(value).is_ok();
    let _ = parse::<Either>(value).is_ok();
    let _ = parse::<Flat>(value).is_ok();
}
