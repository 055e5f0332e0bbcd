//! The scanner against serde_json, `from_utf8` and a count of brackets.

use barewire::json::{ErrorKind, MAX_DEPTH, RawValue, validate};

use crate::support::{fault, texts, tree};

/// True when `text` is accepted. A refusal names the first fault and its place.
pub(super) fn judges_as_serde_json(text: &[u8]) -> bool {
    let expected = fault::first(text, usize::from(MAX_DEPTH));
    let found = validate(text).err().map(|error| (error.kind(), error.offset()));
    assert_eq!(found, expected, "{}", text.escape_ascii());
    if let Err(error) = validate(text) {
        let expected = format!("{} at byte {}", texts::of_fault(error.kind()), error.offset());
        assert_eq!(error.to_string(), expected);
    }
    match RawValue::new(text) {
        Ok(value) => {
            assert_eq!(expected, None);
            assert_eq!(Some(value.as_json()), tree::value(text));
        }
        Err(error) => assert_eq!(Some((error.kind(), error.offset())), expected),
    }
    // The same, said without the search for the place.
    let is_json = tree::value(text).is_some();
    let too_deep = matches!(found, Some((ErrorKind::TooDeep, _)));
    assert!(found.is_none() == is_json || too_deep, "{}", text.escape_ascii());
    found.is_none()
}
