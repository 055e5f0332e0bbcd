//! The classifier, which reads most frames by vectors, against `validate`, which goes byte by byte.

use barewire::json::{RawValue, validate};
use barewire::rpc::{Message, Reason, classify};

/// What stands behind a text in a frame: more than a block, so that every text is read by vectors.
const BEHIND: &[u8] =
    br#","z":"                                                                        "},"id":1,"jsonrpc":"2.0"}"#;

/// `text` as a value in the params of a frame, behind so much white space and behind so long a string.
pub(super) fn means_the_same_behind(text: &[u8], lengths: impl IntoIterator<Item = usize>) {
    for length in lengths {
        let space = [br#"{"method":"x","params":{"p":"#, " ".repeat(length).as_bytes()].concat();
        let string =
            [br#"{"method":"x","params":{"s":""#, "s".repeat(length).as_bytes(), br#"","p":"#].concat();
        for before in [space, string] {
            judges_as_the_scalar_scanner(&[before.as_slice(), text, BEHIND].concat());
        }
    }
}

/// The same fault at the same place, or none.
pub fn judges_as_the_scalar_scanner(frame: &[u8]) {
    let found = classify(frame);
    match validate(frame) {
        Ok(()) => {
            let is_json = match &found {
                Ok(message) => {
                    has_its_parts(message);
                    true
                }
                Err(rejection) => !matches!(rejection.reason(), Reason::NotJson(_) | Reason::TooDeep),
            };
            assert!(is_json, "{found:?} of {}", frame.escape_ascii());
        }
        Err(error) => {
            let rejection = found.expect_err("the scalar scanner refuses it");
            let expected = match error.kind() {
                barewire::json::ErrorKind::TooDeep => Reason::TooDeep,
                kind => Reason::NotJson(kind),
            };
            assert_eq!(
                (rejection.reason(), rejection.offset()),
                (expected, Some(error.offset())),
                "{}",
                frame.escape_ascii()
            );
        }
    }
}

/// The parts are the members that a walk over the frame finds.
fn has_its_parts(message: &Message<'_>) {
    let object =
        RawValue::new(message.frame()).ok().and_then(RawValue::as_object).expect("a frame is an object");
    let text = |name| object.get(name).map(RawValue::as_bytes);
    if let Some(params) = message.params() {
        assert_eq!(Some(params.as_bytes()), text("params"));
    }
    if let Some(method) = message.method() {
        let method = format!("{method:?}");
        assert_eq!(Some(method.as_bytes()), text("method"));
    }
    if let Some(id) = message.id() {
        assert_eq!(Some(id.to_string().as_bytes()), text("id"));
    }
}
