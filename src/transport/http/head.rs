//! The head of a request.

use crate::mcp::is_token_byte;

/// The head of an HTTP request, as a transport has read it.
///
/// The transport has checked the syntax: names are tokens, and values have no line ends and no NUL.
pub trait Head {
    /// The method, as sent: `POST`.
    fn method(&self) -> &str;

    /// The path of the request target, without the query.
    fn path(&self) -> &str;

    /// The authority of a request target in absolute form, or `:authority` of HTTP/2. It replaces `Host`.
    fn authority(&self) -> Option<&str>;

    /// The values of all fields with a name, in the order of the head. `name` is in lower case; names in the head match
    /// regardless of case.
    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]>;
}

impl<H: Head + ?Sized> Head for &H {
    fn method(&self) -> &str {
        (**self).method()
    }

    fn path(&self) -> &str {
        (**self).path()
    }

    fn authority(&self) -> Option<&str> {
        (**self).authority()
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        (**self).values(name)
    }
}

/// Why a field that occurs at most once has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldError {
    /// The field occurs twice.
    Repeated,
    /// The value has bytes other than visible ASCII characters, spaces and tabs.
    NotText,
}

/// The value of a field that occurs at most once, without the spaces and tabs around it.
pub(crate) fn once<'h>(head: &'h impl Head, name: &str) -> Result<Option<&'h str>, FieldError> {
    let mut values = head.values(name);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(FieldError::Repeated);
    }
    text(value).map(Some).ok_or(FieldError::NotText)
}

/// A value as text, without the spaces and tabs around it, if it consists of visible ASCII characters, spaces and tabs.
pub(crate) fn text(value: &[u8]) -> Option<&str> {
    let value = trim(value);
    let is_text = value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    if is_text { core::str::from_utf8(value).ok() } else { None }
}

/// A value without the spaces and tabs around it (RFC 9110 section 5.5).
pub(crate) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// The parts of a text before and after the first `byte`, which is ASCII. The function of `core` keeps a panic path.
pub(crate) fn split_once(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|other| other == byte)?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}

/// Whether `name` is a token (RFC 9110 section 5.6.2).
pub(crate) fn is_token(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| is_token_byte(*byte))
}

#[cfg(test)]
pub(crate) mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// A head as tests write it down: method, path, fields.
    pub(crate) struct Request<'t> {
        pub(crate) method: &'t str,
        pub(crate) path: &'t str,
        pub(crate) authority: Option<&'t str>,
        pub(crate) fields: Vec<(&'t str, &'t [u8])>,
    }

    impl<'t> Request<'t> {
        pub(crate) fn new(method: &'t str, path: &'t str) -> Self {
            Self { method, path, authority: None, fields: Vec::new() }
        }

        pub(crate) fn with(mut self, name: &'t str, value: &'t (impl AsRef<[u8]> + ?Sized)) -> Self {
            self.fields.push((name, value.as_ref()));
            self
        }

        pub(crate) fn with_authority(mut self, authority: &'t str) -> Self {
            self.authority = Some(authority);
            self
        }
    }

    impl Head for Request<'_> {
        fn method(&self) -> &str {
            self.method
        }

        fn path(&self) -> &str {
            self.path
        }

        fn authority(&self) -> Option<&str> {
            self.authority
        }

        fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
            assert_eq!(name, name.to_ascii_lowercase(), "names are looked up in lower case");
            self.fields.iter().filter(move |field| field.0.eq_ignore_ascii_case(name)).map(|field| field.1)
        }
    }

    #[test]
    fn h12_a_field_that_occurs_twice_is_an_error() {
        let head = Request::new("GET", "/").with("Host", "a").with("HOST", "a").with("Origin", "b");
        assert_eq!(once(&head, "host"), Err(FieldError::Repeated));
        assert_eq!(once(&head, "origin"), Ok(Some("b")));
        assert_eq!(once(&head, "accept"), Ok(None));
    }

    #[test]
    fn h91_spaces_and_tabs_around_a_value_do_not_count() {
        let cases: [(&[u8], Option<&str>); 8] = [
            (b" \ta b\t ", Some("a b")),
            (b"", Some("")),
            (b" \t ", Some("")),
            (b"a\tb", Some("a\tb")),
            (b"a\0b", None),
            (b"a\x7f", None),
            (b"\xff", None),
            ("ä".as_bytes(), None),
        ];
        for (value, expected) in cases {
            assert_eq!(text(value), expected, "{value:?}");
        }
    }

    #[test]
    fn tokens_have_no_separators() {
        for name in ["a", "Mcp-Param-Region", "!#$%&'*+-.^_`|~09"] {
            assert!(is_token(name.as_bytes()), "{name}");
        }
        for name in ["", "a b", "a:b", "a\"", "ä", "a\0", "(a)", "a/b", "a,b", "a\n"] {
            assert!(!is_token(name.as_bytes()), "{name}");
        }
    }
}
