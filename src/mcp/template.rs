//! URI templates of RFC 6570 level 1: text and `{variable}`.

use crate::json::{JsonStr, Steps};

/// A URI template: `sensor:///{room}/{kind}`.
///
/// A variable stands for at least one character that is unreserved or percent-encoded (RFC 3986 section 2), so never
/// for a `/`. What it stands for is handed out as it was sent, percent-encoding and all.
///
/// ```
/// use barewire::json::JsonStr;
/// use barewire::mcp::UriTemplate;
///
/// const SENSOR: UriTemplate<'_> = UriTemplate::new("sensor:///{room}/{kind}");
/// let uri = JsonStr::from_escaped("sensor:///lab/heat").unwrap();
/// assert!(SENSOR.matches(uri));
/// assert!(SENSOR.variable(uri, "kind").is_some_and(|kind| kind == "heat"));
/// assert!(!SENSOR.matches(JsonStr::from_escaped("sensor:///lab").unwrap()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UriTemplate<'a> {
    text: &'a str,
}

impl<'a> UriTemplate<'a> {
    /// `text` with its variables in braces.
    ///
    /// # Panics
    /// When a brace has no partner, a variable has no name or an operator of a higher level, or two variables touch (no
    /// reader could tell them apart); in a `const` that is a compile error.
    #[allow(
        clippy::panic,
        reason = "where tables live, in a `const`, it is a compile error"
    )]
    pub const fn new(text: &'a str) -> Self {
        match Self::checked(text) {
            Some(template) => template,
            None => panic!("not a URI template of RFC 6570 level 1"),
        }
    }

    /// The template, if `text` is one.
    #[allow(
        clippy::indexing_slicing,
        reason = "behind a check of the length; `get` is not const"
    )]
    pub const fn checked(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'{' => {
                    let start = at.saturating_add(1);
                    at = start;
                    while at < bytes.len() && is_name(bytes[at]) {
                        at = at.saturating_add(1);
                    }
                    let closed = at < bytes.len() && bytes[at] == b'}';
                    let next = at.saturating_add(1);
                    let touches = next < bytes.len() && bytes[next] == b'{';
                    if at == start || !closed || touches {
                        return None;
                    }
                }
                b'}' => return None,
                _ => {}
            }
            at = at.saturating_add(1);
        }
        Some(Self { text })
    }

    /// Its text.
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Whether `uri` is one of its URIs. Linear in the length of the URI, for a given template.
    pub fn matches(self, uri: JsonStr<'_>) -> bool {
        self.walk(uri, "").is_ok()
    }

    /// What the variable `name` stands for in `uri`, if that is one of the template's URIs.
    pub fn variable<'u>(self, uri: JsonStr<'u>, name: &str) -> Option<JsonStr<'u>> {
        self.walk(uri, name).ok().flatten()
    }

    /// Walks both; a variable takes as little as lets the text behind it match, so that `{name}.json` works. There is
    /// no going back: whatever a longer value would take, the next variable can take too. What the variable `name` stands
    /// for, if there is one.
    fn walk<'u>(self, uri: JsonStr<'u>, name: &str) -> Result<Option<JsonStr<'u>>, NoMatch> {
        let mut found = None;
        let mut rest = uri.steps();
        let mut template = self.text;
        loop {
            let (literal, behind) = split_once(template, b'{');
            rest = strip(rest, literal).ok_or(NoMatch)?;
            let Some(behind) = behind else {
                return match rest.remaining() {
                    0 => Ok(found),
                    _ => Err(NoMatch),
                };
            };
            let (variable, behind) = split_once(behind, b'}');
            let behind = behind.ok_or(NoMatch)?;
            let (next, later) = split_once(behind, b'{');
            let start = rest.remaining();
            rest = skip_variable(rest, next, later.is_none()).ok_or(NoMatch)?;
            if variable == name {
                found = Some(uri.between(start, rest.remaining()));
            }
            template = behind;
        }
    }
}

/// The URI is none of the template's.
struct NoMatch;

/// What stands before the first `byte`, an ASCII one, and behind it. (That of `core` has a search by words.)
fn split_once(text: &str, byte: u8) -> (&str, Option<&str>) {
    let at = text.bytes().position(|other| other == byte);
    let split = at.and_then(|at| Some((text.get(..at)?, text.get(at.saturating_add(1)..)?)));
    match split {
        Some((before, behind)) => (before, Some(behind)),
        None => (text, None),
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'%')
}

/// What follows `prefix`.
fn strip<'u>(mut steps: Steps<'u>, prefix: &str) -> Option<Steps<'u>> {
    for wanted in prefix.chars() {
        if steps.next()? != u32::from(wanted) {
            return None;
        }
    }
    Some(steps)
}

/// What follows the shortest value before `next`, the text up to the next variable or to the end.
fn skip_variable<'u>(mut steps: Steps<'u>, next: &str, is_last: bool) -> Option<Steps<'u>> {
    loop {
        let character = steps.next()?;
        if !is_unreserved_or_percent(character) {
            return None;
        }
        if strip(steps.clone(), next).is_some_and(|behind| !is_last || behind.remaining() == 0) {
            return Some(steps);
        }
    }
}

/// RFC 3986 section 2.3, and the percent sign of 2.1.
fn is_unreserved_or_percent(character: u32) -> bool {
    char::from_u32(character)
        .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~' | '%'))
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn what_matches_and_what_the_variables_are() {
        let cases = [
            ("a:///{x}", "a:///1", Some("1")),
            ("a:///{x}", "a:///", None),
            ("a:///{x}", "a:///1/2", None),
            ("a:///{x}", "b:///1", None),
            ("a:///{x}.json", "a:///b.c.json", Some("b.c")),
            ("a:///{x}.json", "a:///.json", None),
            ("a:///{x}.json", "a:///b.jso", None),
            ("a:///{x}/{y}", "a:///b/c", Some("b")),
            ("a:///{y}-{x}", "a:///b-c-d", Some("c-d")),
            ("{x}", "b%20c", Some("b%20c")),
            ("{x}", "ä", None),
            ("a:///{x}", r"a:\/\/\/\u0031", Some("1")),
        ];
        for (template, uri, expected) in cases {
            let template = UriTemplate::new(template);
            let uri = JsonStr::from_escaped(uri).unwrap();
            let found = template.variable(uri, "x").map(|value| value.to_string());
            assert_eq!(found.as_deref(), expected, "{template:?} {uri:?}");
            assert_eq!(template.matches(uri), expected.is_some());
        }
        assert!(UriTemplate::new("a:///b").matches(JsonStr::from_escaped("a:///b").unwrap()));
    }

    #[test]
    fn broken_templates_are_refused() {
        for text in [
            "{", "}", "{}", "{a", "a}", "{a}{b}", "{+a}", "{a,b}", "{a*}", "{{a}}",
        ] {
            assert!(UriTemplate::checked(text).is_none(), "{text}");
        }
        for text in ["", "a", "{a}", "{a}/{b}", "{a.b}", "x{a}y"] {
            assert!(UriTemplate::checked(text).is_some(), "{text}");
        }
    }
}
