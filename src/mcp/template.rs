//! URI templates of RFC 6570 level 1: text and `{variable}`.

use super::PercentDecoded;
use super::percent::{hex_digit, is_decodable};
use crate::json::{JsonStr, Steps};

/// A URI template: `sensor:///{room}/{kind}`.
///
/// A variable stands for at least one character that is unreserved or percent-encoded (RFC 3986 section 2), so never
/// for a `/`; `%2F` does not end a value. The text between variables must be sent exactly as in the template. Values are
/// decoded once, after the match: a URI with a broken escape, with NUL or with a value that is not UTF-8 does not match.
///
/// ```
/// use barewire::json::JsonStr;
/// use barewire::mcp::UriTemplate;
///
/// const SENSOR: UriTemplate<'_> = UriTemplate::new("sensor:///{room}/{kind}");
/// let uri = JsonStr::from_escaped("sensor:///lab/heat").unwrap();
/// assert!(SENSOR.matches(uri));
/// assert!(SENSOR.variable(uri, "kind").is_some_and(|kind| kind == "heat"));
/// let uri = JsonStr::from_escaped("sensor:///%31%32/a%2Fb").unwrap();
/// assert!(SENSOR.variable(uri, "kind").is_some_and(|kind| kind == "a%2Fb"));
/// assert!(SENSOR.decoded(uri, "kind").is_some_and(|kind| kind == "a/b"));
/// assert!(!SENSOR.matches(JsonStr::from_escaped("sensor:///lab").unwrap()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UriTemplate<'a> {
    text: &'a str,
}

impl<'a> UriTemplate<'a> {
    /// The template `text`, with variables in braces.
    ///
    /// # Panics
    /// If a brace has no partner, a variable has no name or an operator of a higher level, two variables touch (so that their
    /// values could not be separated), or a `%` does not begin an escape. In a `const` this is a compile error.
    #[allow(clippy::panic, reason = "a compile error in a `const`")]
    pub const fn new(text: &'a str) -> Self {
        match Self::checked(text) {
            Some(template) => template,
            None => panic!("not a URI template of RFC 6570 level 1"),
        }
    }

    /// The template, if `text` is one.
    pub const fn checked(text: &'a str) -> Option<Self> {
        let mut rest = text.as_bytes();
        loop {
            rest = match rest {
                [] => return Some(Self { text }),
                [b'{', first, after @ ..] if is_name(*first) => match skip_name(after) {
                    [b'}', b'{', ..] => return None,
                    [b'}', after @ ..] => after,
                    _ => return None,
                },
                [b'%', high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => after,
                [b'{' | b'}' | b'%', ..] => return None,
                [_, after @ ..] => after,
            }
        }
    }

    /// The text of the template.
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Whether `uri` matches the template. Linear in the length of the URI, for a given template.
    pub fn matches(self, uri: JsonStr<'_>) -> bool {
        self.walk(uri, "").is_ok()
    }

    /// The value of the variable `name` in `uri` as it was sent, still percent-encoded; see
    /// [`decoded`](UriTemplate::decoded). `None` if the URI does not match the template.
    pub fn variable<'u>(self, uri: JsonStr<'u>, name: &str) -> Option<JsonStr<'u>> {
        self.walk(uri, name).ok().flatten()
    }

    /// The value of the variable `name` in `uri`, percent-decoded. `None` if the URI does not match the template.
    pub fn decoded<'u>(self, uri: JsonStr<'u>, name: &str) -> Option<PercentDecoded<'u>> {
        self.variable(uri, name).map(PercentDecoded::from_valid)
    }

    /// The value of the variable `name`, if the template has it. A variable takes the shortest value after which the next
    /// text matches, so that `{name}.json` works. The walk never goes back: the next variable can take whatever a longer value
    /// would have taken.
    fn walk<'u>(self, uri: JsonStr<'u>, name: &str) -> Result<Option<JsonStr<'u>>, NoMatch> {
        let mut found = None;
        let mut rest = uri.steps();
        let mut template = self.text;
        loop {
            let (literal, after) = split_once(template, b'{');
            rest = strip(rest, literal).ok_or(NoMatch)?;
            let Some(after) = after else {
                return match rest.remaining() {
                    0 => Ok(found),
                    _ => Err(NoMatch),
                };
            };
            let (variable, after) = split_once(after, b'}');
            let after = after.ok_or(NoMatch)?;
            let (next, later) = split_once(after, b'{');
            let start = rest.remaining();
            rest = skip_variable(rest, next, later.is_none()).ok_or(NoMatch)?;
            let value = uri.between(start, rest.remaining());
            if !is_decodable(value) {
                return Err(NoMatch);
            }
            if variable == name {
                found = Some(value);
            }
            template = after;
        }
    }
}

/// The URI does not match the template.
struct NoMatch;

/// The parts of `text` before and after the first `byte`, which is ASCII. (The function of `core` links a search by words.)
fn split_once(text: &str, byte: u8) -> (&str, Option<&str>) {
    let at = text.bytes().position(|other| other == byte);
    let split = at.and_then(|at| Some((text.get(..at)?, text.get(at.saturating_add(1)..)?)));
    match split {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'%')
}

/// The text after a name.
const fn skip_name(mut text: &[u8]) -> &[u8] {
    while let [byte, rest @ ..] = text
        && is_name(*byte)
    {
        text = rest;
    }
    text
}

/// The steps after `prefix`.
fn strip<'u>(mut steps: Steps<'u>, prefix: &str) -> Option<Steps<'u>> {
    for wanted in prefix.chars() {
        if steps.next()? != u32::from(wanted) {
            return None;
        }
    }
    Some(steps)
}

/// The steps after the shortest value that is followed by `next`, the text up to the next variable or to the end.
fn skip_variable<'u>(mut steps: Steps<'u>, next: &str, is_last: bool) -> Option<Steps<'u>> {
    loop {
        // A value contains whole escapes only.
        match char::from_u32(steps.next()?)? {
            '%' => {
                hex_digit(steps.next()?)?;
                hex_digit(steps.next()?)?;
            }
            character if is_unreserved(character) => {}
            _ => return None,
        }
        if strip(steps.clone(), next).is_some_and(|after| !is_last || after.remaining() == 0) {
            return Some(steps);
        }
    }
}

/// Unreserved characters (RFC 3986 section 2.3).
const fn is_unreserved(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_' | '~')
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
            ("a:///{x}", r"a:///\u00251\u0066", Some("%1f")),
            ("a:///{x}/{y}", "a:///b%2Fc/d", Some("b%2Fc")),
            ("a:///{x}/{y}", "a:///b%2Fc", None),
            ("a:///{x}", "a:///%31%32", Some("%31%32")),
            ("a:///{x}", "%61:///b", None),
            ("a:///b%20c/{x}", "a:///b%20c/d", Some("d")),
            ("a:///b%20c/{x}", "a:///b c/d", None),
            ("a:///b/{x}", "a:///%62/d", None),
            // An escape is one character: its digits are not text.
            ("a:///{x}2{y}", "a:///b%22c2d", Some("b%22c")),
            ("a:///{x}41", "a:///%4141", Some("%41")),
            ("a:///{x}%20{y}", "a:///b%20%20c", Some("b")),
            ("a:///{x}", "a:///%", None),
            ("a:///{x}", "a:///%4", None),
            ("a:///{x}", "a:///b%4Gc", None),
            ("a:///{x}", "a:///%00", None),
            ("a:///{x}", "a:///b%FFc", None),
            ("a:///{x}/{y}", "a:///b/%C3", None),
            // A value that cannot be decoded is a mismatch: no other split of the URI is tried.
            ("a:///{x}%A9{y}", "a:///%C3%A9%A9b", None),
        ];
        for (template, uri, expected) in cases {
            let template = UriTemplate::new(template);
            let uri = JsonStr::from_escaped(uri).unwrap();
            let found = template.variable(uri, "x").map(|value| value.to_string());
            assert_eq!(found.as_deref(), expected, "{template:?} {uri:?}");
            assert_eq!(template.matches(uri), expected.is_some(), "{template:?} {uri:?}");
            let decoded = template.decoded(uri, "x").map(|value| value.as_sent());
            assert_eq!(decoded, template.variable(uri, "x"));
        }
        assert!(UriTemplate::new("a:///b").matches(JsonStr::from_escaped("a:///b").unwrap()));
    }

    #[test]
    fn broken_templates_are_refused() {
        for text in [
            "{", "}", "{}", "{a", "a}", "{a}{b}", "{+a}", "{a,b}", "{a*}", "{{a}}", "%", "a%4", "%4G{a}",
            "{a}%",
        ] {
            assert!(UriTemplate::checked(text).is_none(), "{text}");
        }
        for text in ["", "a", "{a}", "{a}/{b}", "{a.b}", "x{a}y", "%41{a}", "{a}%f0"] {
            assert!(UriTemplate::checked(text).is_some(), "{text}");
        }
    }
}
