//! A string view against its UTF-16 code units and serde_json.

use core::hash::{Hash, Hasher};
use std::collections::hash_map::DefaultHasher;

use barewire::json::{JsonStr, UnescapeError};

use crate::support::strings::{characters, is, units};
use crate::support::texts;

/// `string` is the view of `token`, a string with its quotes.
pub(super) fn shows(string: JsonStr<'_>, token: &str) {
    let inside = &token[1..token.len() - 1];
    assert_eq!(string.as_escaped(), inside);
    assert_eq!(string.as_escaped_bytes(), inside.as_bytes());
    assert_eq!(string.is_empty(), inside.is_empty());
    assert_eq!(string.has_escapes(), inside.contains('\\'));
    assert_eq!(string.as_str(), (!inside.contains('\\')).then_some(inside));
    assert_eq!(format!("{string:?}"), token);
    assert_eq!(JsonStr::from_escaped(inside), Some(string));

    let expected = characters(token);
    let found: Vec<_> = string.chars().map(|character| character.map_err(|_| ())).collect();
    assert_eq!(found, expected, "{token}");
    let shown: String = expected.iter().map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    assert_eq!(string.to_string(), shown);

    match serde_json::from_str::<String>(token) {
        Ok(plain) => shows_plain(string, &plain),
        Err(_) => {
            let mut memory = vec![0; inside.len()];
            let error = string.unescape(&mut memory).expect_err("half a pair");
            assert_eq!(error, UnescapeError::LoneSurrogate, "{token}");
            assert_eq!(error.to_string(), texts::of_string(error));
            let half = string.chars().find_map(Result::err).expect("half a pair");
            assert_eq!(half.to_string(), texts::of_string(error));
            assert!(string != *shown.as_str(), "{token}");
        }
    }
}

fn shows_plain(string: JsonStr<'_>, plain: &str) {
    assert!(string == *plain && string == plain, "{string:?}");
    assert!(string != *format!("{plain}x").as_str());
    let mut memory = vec![0; plain.len()];
    assert_eq!(string.unescape(&mut memory), Ok(plain));
    if let (true, Some(less)) = (string.has_escapes(), plain.len().checked_sub(1)) {
        let expected = UnescapeError::BufferFull { needed: plain.len() };
        assert_eq!(string.unescape(&mut memory[..less]), Err(expected));
        assert_eq!(expected.to_string(), texts::of_string(expected));
    }
    for (at, character) in plain.char_indices().take(20) {
        assert!(string.starts_with(&plain[..at]));
        assert!(
            !string.starts_with(&format!("{}{character}x", &plain[..at]))
                || plain[at + character.len_utf8()..].starts_with('x')
        );
        assert!(string != plain[..at]);
    }
    let longer = format!("{plain}x");
    assert!(string.starts_with(plain) && !string.starts_with(&longer));
    assert!(string.is_prefix_of(plain) && string.is_prefix_of(&longer));
    assert!(plain.is_empty() || !string.is_prefix_of(""));
}

/// Two strings are equal when they stand for the same, and then hash alike.
pub(super) fn equal_as_their_units(one: (JsonStr<'_>, &str), other: (JsonStr<'_>, &str)) {
    let equal = units(one.1) == units(other.1);
    assert_eq!(one.0 == other.0, equal, "{} and {}", one.1, other.1);
    if equal {
        assert_eq!(hash(one.0), hash(other.0));
    }
    if let Ok(plain) = serde_json::from_str::<String>(other.1) {
        assert_eq!(one.0 == *plain.as_str(), is(one.1, &plain));
    }
}

fn hash(string: JsonStr<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    string.hash(&mut hasher);
    hasher.finish()
}
