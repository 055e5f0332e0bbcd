//! Arguments against declared parameters, and URIs against templates.

use barewire::json::{JsonStr, RawValue};
use barewire::mcp::{Named, Schema, Tool, UriTemplate};

use crate::support::declarations::{Wrong, arguments, first_fault, members, with_parameters};
use crate::support::entropy::Entropy;
use crate::support::{generate, strings, template, tree};

/// Any declaration, and some arguments: the same first fault, or none.
pub(super) fn are_checked_as_by_the_plain_model(entropy: &mut Entropy<'_>) {
    let declared = members(entropy, 3);
    let allow_unknown = entropy.once_in(3);
    let texts: Vec<String> = (0..4).map(|_| arguments(entropy, &declared)).collect();
    with_parameters(&declared, &mut |parameters| {
        let tool = match allow_unknown {
            true => Tool::new("t", "d").with_open_parameters(parameters),
            false => Tool::new("t", "d").with_parameters(parameters),
        };
        for text in &texts {
            let object = RawValue::new(text.as_bytes()).expect("generated").as_object();
            let found = tool.check(object.expect("an object")).err().map(|error| {
                let shown = match error.member {
                    Named::Declared(name) => name.to_owned(),
                    Named::Sent(name) => name.to_string(),
                };
                assert_eq!(error.to_string(), format!("{shown}: {}", error.fault.as_str()));
                match error.member {
                    Named::Declared(name) => Wrong::Declared(name.to_owned(), error.fault),
                    Named::Sent(name) => Wrong::Sent(format!("{name:?}")),
                }
            });
            assert_eq!(found, first_fault(text, &declared, allow_unknown), "{declared:?}\n{text}");
        }
    });
}

/// A template and some URIs, made of the same few pieces.
pub(super) fn uris_match_as_by_trying_everything(entropy: &mut Entropy<'_>) {
    const TEMPLATES: [&str; 16] =
        ["{x}", "{y}", "a", "/", "{x}", "-", "a-", "aa", "://", "{", "}", "\u{e9}", "%20", "0", "%", "%A9"];
    const URIS: [&str; 18] = [
        "a", "/", "-", "%20", "~", "aa", "://", "\\/", "\\u0061", "\u{e9}", "\\ud800", "b", "%C3%A9", "%A9",
        "0", "%", "%00", "\\u0025",
    ];
    let text: String = (0..entropy.below(8)).map(|_| entropy.pick(&TEMPLATES)).collect();
    let expected = template::pieces(&text);
    let found = UriTemplate::checked(&text);
    assert_eq!(found.is_some(), expected.is_some(), "{text}");
    let (Some(template), Some(pieces)) = (found, expected) else {
        return;
    };
    assert_eq!(template.as_str(), text);
    for _ in 0..4 {
        let uri: String = (0..entropy.below(10)).map(|_| entropy.pick(&URIS)).collect();
        matches(template, &pieces, &uri);
    }
}

fn matches(template: UriTemplate<'_>, pieces: &[template::Piece], escaped: &str) {
    let uri = JsonStr::from_escaped(escaped).expect("made of escapes");
    let units = strings::units(&format!("\"{escaped}\""));
    let values = template::values(pieces, &units)
        .filter(|values| values.iter().all(|(_, place)| template::decoded(&units[place.clone()]).is_some()));
    assert_eq!(template.matches(uri), values.is_some(), "{template:?} {escaped}");
    for name in ["x", "y", "z", ""] {
        let found = template.variable(uri, name).map(|value| {
            let token = format!("{value:?}");
            assert!(escaped.contains(value.as_escaped()));
            strings::units(&token)
        });
        // Of two variables of one name the last counts.
        let mut named = values.iter().flatten().rev().filter(|(known, _)| known == name);
        let expected = named.next().map(|(_, place)| units[place.clone()].to_vec());
        assert_eq!(found, expected, "{name} of {template:?} in {escaped}");
        let decoded = template.decoded(uri, name).map(|value| value.to_string());
        assert_eq!(decoded, expected.and_then(|units| template::decoded(&units)));
    }
}

/// A schema says once that it is of an object; what is known at compile time says so without escapes.
pub(super) fn schemas_are_told_apart(entropy: &mut Entropy<'_>) {
    const PIECES: [&str; 9] = [
        "\"type\":\"object\"",
        "\"type\":\"string\"",
        "\"t\\u0079pe\":\"object\"",
        "\"type\":\"\\u006fbject\"",
        "\"a\":{\"type\":\"object\"}",
        "\"type\":[\"object\"]",
        "\"type\":null",
        "\"\\\"type\":\"object\"",
        "\"object\":\"type\"",
    ];
    let members: Vec<&str> = (0..entropy.below(4)).map(|_| entropy.pick(&PIECES)).collect();
    let text = match entropy.once_in(8) {
        true => generate::value(entropy, 3),
        false => format!("{{{}}}", members.join(entropy.pick(&[",", " , "]))),
    };
    let value = RawValue::new(text.as_bytes()).expect("generated");
    let types: Vec<&str> = tree::members(&text)
        .unwrap_or_default()
        .into_iter()
        .filter(|(name, _)| strings::is(name, "type"))
        .map(|(_, value)| value)
        .collect();
    let says_object = |value: &&str| value.starts_with('"') && strings::is(value, "object");
    assert_eq!(Schema::of(value).is_some(), types.len() == 1 && types.iter().all(says_object), "{text}");
    let plain: Vec<&str> = tree::members(&text)
        .unwrap_or_default()
        .into_iter()
        .filter(|(name, _)| *name == "\"type\"")
        .map(|(_, value)| value)
        .collect();
    assert_eq!(Schema::checked(&text).is_some(), plain == ["\"object\""], "{text}");
}
