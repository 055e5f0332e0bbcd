//! Media types and codings: `Accept`, `Content-Type`, `Content-Encoding`.

use super::head::{Head, trim};

/// The forms of an answer that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepts {
    /// `application/json`.
    pub json: bool,
    /// `text/event-stream`.
    pub sse: bool,
}

impl Accepts {
    /// The forms that the `Accept` fields allow. Without such a field, or with empty ones, every form is accepted (RFC 9110
    /// section 12.5.1).
    pub(crate) fn of(head: &impl Head) -> Self {
        let (mut json, mut sse) = (Preference::UNKNOWN, Preference::UNKNOWN);
        let mut is_empty = true;
        for element in head.values("accept").flat_map(elements) {
            is_empty = false;
            json.consider(element, b"application", b"json");
            sse.consider(element, b"text", b"event-stream");
        }
        Self { json: is_empty || json.accepted, sse: is_empty || sse.accepted }
    }
}

/// Whether a media type is accepted, by the most specific range so far.
#[derive(Clone, Copy)]
struct Preference {
    /// 0: no range, 1: `*/*`, 2: `type/*`, 3: `type/subtype`.
    precision: u8,
    accepted: bool,
}

impl Preference {
    const UNKNOWN: Self = Self { precision: 0, accepted: false };

    /// Takes a media range of `Accept` into account.
    fn consider(&mut self, range: &[u8], main: &[u8], sub: &[u8]) {
        let mut parts = split(range, b';');
        let Some((found_main, found_sub)) = parts.next().and_then(halves) else {
            return;
        };
        let precision = match (found_main, found_sub) {
            (b"*", b"*") => 1,
            (found, b"*") if found.eq_ignore_ascii_case(main) => 2,
            (found, found_sub) if found.eq_ignore_ascii_case(main) && found_sub.eq_ignore_ascii_case(sub) => {
                3
            }
            _ => return,
        };
        let accepted = !parts.any(is_zero_weight);
        if precision > self.precision {
            *self = Self { precision, accepted };
        } else if precision == self.precision {
            self.accepted |= accepted;
        }
    }
}

/// The main type and the subtype of a media type or range.
fn halves(media: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut halves = media.splitn(2, |byte| *byte == b'/');
    Some((trim(halves.next()?), trim(halves.next()?)))
}

/// Whether a parameter is a weight of zero: `q=0`, `q=0.000`.
fn is_zero_weight(parameter: &[u8]) -> bool {
    match trim(parameter) {
        [b'q' | b'Q', b'=', b'0', fraction @ ..] => fraction.iter().all(|byte| matches!(byte, b'.' | b'0')),
        _ => false,
    }
}

/// Whether the body is declared as JSON, whatever the parameters.
pub(crate) fn is_json(content_type: &str) -> bool {
    let media = split(content_type.as_bytes(), b';').next().unwrap_or_default();
    trim(media).eq_ignore_ascii_case(b"application/json")
}

/// Whether the body has no coding other than `identity`.
pub(crate) fn is_plain(head: &impl Head) -> bool {
    head.values("content-encoding").flat_map(elements).all(|coding| coding.eq_ignore_ascii_case(b"identity"))
}

/// The elements of a list, without empty ones (RFC 9110 section 5.6.1).
fn elements(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    split(list, b',').map(trim).filter(|element| !element.is_empty())
}

/// The parts of a text between separators outside of quoted strings.
fn split(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(move |byte| {
        let was_escaped = core::mem::take(&mut is_escaped);
        match byte {
            _ if was_escaped => {}
            b'"' => is_quoted = !is_quoted,
            b'\\' => is_escaped = is_quoted,
            _ => {}
        }
        *byte == separator && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::head::tests::Request;
    use super::*;

    #[test]
    fn h15_accept_with_wildcards_weights_and_parameters() {
        let cases: &[(&[&[u8]], bool, bool)] = &[
            (&[], true, true),
            (&[b""], true, true),
            (&[b" , "], true, true),
            (&[b"*/*"], true, true),
            (&[b"application/json, text/event-stream"], true, true),
            (&[b"application/json", b"text/event-stream"], true, true),
            (&[b"text/event-stream,application/json"], true, true),
            (&[b"Application/JSON;charset=utf-8, TEXT/Event-Stream ; q=0.5"], true, true),
            (&[b"application/*, text/*"], true, true),
            (&[b"application/*"], true, false),
            (&[b"text/*"], false, true),
            (&[b"application/json"], true, false),
            (&[b"text/event-stream"], false, true),
            (&[b"text/html"], false, false),
            (&[b"*/*, text/event-stream;q=0"], true, false),
            (&[b"text/event-stream;q=0, */*"], true, false),
            (&[b"application/json, text/*;q=0.000"], true, false),
            (&[b"application/json; Q=0, application/*, text/event-stream"], false, true),
            (&[b"*/*;q=0"], false, false),
            (&[b"*/*;q=0, text/event-stream;q=0.001"], false, true),
            (&[b"*/*;q=1.000"], true, true),
            (&[b"text/html;a=\", */*\""], false, false),
            (&[b"text/html;a=\"\\\", */*"], false, false),
            (&[b"text/html;a=\"\\\"\", */*"], true, true),
            (&[b"application/json;a=\"q=0\", text/event-stream;a=\";q=0\""], true, true),
            (&[b"json, event-stream"], false, false),
            (&[b"*"], false, false),
            (&[b"*/json"], false, false),
            (&[b"application/json2, text/event-streams"], false, false),
            (&[b"\xff/\xff, application/json"], true, false),
            (&[b"/", b";", b"\"", b"*/*"], true, true),
        ];
        for (fields, json, sse) in cases {
            let head =
                fields.iter().fold(Request::new("POST", "/mcp"), |head, field| head.with("Accept", field));
            assert_eq!(Accepts::of(&head), Accepts { json: *json, sse: *sse }, "{fields:?}");
        }
    }

    #[test]
    fn h16_content_type_regardless_of_case_and_parameters() {
        let accepted = [
            "application/json",
            "Application/JSON",
            "application/json;charset=utf-8",
            "application/json ; x=\"a;b\"",
        ];
        for value in accepted {
            assert!(is_json(value), "{value}");
        }
        for value in [
            "",
            "text/plain",
            "application/jsonx",
            "application/json-rpc",
            "json",
            "text/plain;application/json",
        ] {
            assert!(!is_json(value), "{value}");
        }
        assert!(!is_json("application/json, text/plain"));
    }

    #[test]
    fn h29_codings_other_than_identity_are_not_plain() {
        let cases: &[(&[&[u8]], bool)] = &[
            (&[], true),
            (&[b""], true),
            (&[b"identity"], true),
            (&[b"Identity, IDENTITY"], true),
            (&[b"gzip"], false),
            (&[b"identity", b"br"], false),
            (&[b"identity, gzip"], false),
            (&[b"\xff"], false),
        ];
        for (fields, plain) in cases {
            let head = fields
                .iter()
                .fold(Request::new("POST", "/mcp"), |head, field| head.with("Content-Encoding", field));
            assert_eq!(is_plain(&head), *plain, "{fields:?}");
        }
    }
}
