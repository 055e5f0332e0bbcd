//! The metadata of a protected resource (RFC 9728).

use super::field::FieldValue;
use crate::json::{Kind, RawValue};

/// The path of the metadata, before the path of the endpoint.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The metadata document of a protected resource (RFC 9728): which authorization servers issue tokens for the endpoint.
///
/// It is served without authorization at `/.well-known/oauth-protected-resource` and at the same path followed by the path
/// of the endpoint.
///
/// ```
/// use barewire::transport::http::ResourceMetadata;
///
/// const METADATA: ResourceMetadata<'_> = ResourceMetadata::new(
///     "https://thermo.example/.well-known/oauth-protected-resource/mcp",
///     r#"{"resource":"https://thermo.example/mcp","authorization_servers":["https://login.example"]}"#,
/// );
/// ```
///
/// A broken document does not compile:
///
/// ```compile_fail
/// # use barewire::transport::http::ResourceMetadata;
/// const BROKEN: ResourceMetadata<'_> = ResourceMetadata::new("https://thermo.example/metadata", r#"{"resource":"#);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ResourceMetadata<'a> {
    url: &'a str,
    document: &'a str,
}

impl<'a> ResourceMetadata<'a> {
    /// A document, and the URL at which clients find it.
    ///
    /// # Panics
    /// If `url` does not begin with `http://` or `https://`, or has spaces, quotes, backslashes or other characters than
    /// visible ASCII; or if `document` is not a JSON object. In a `const` this is a compile error. Use
    /// [`checked`](Self::checked) for texts that are only known at run time.
    #[allow(clippy::panic, reason = "a compile error in a `const`")]
    pub const fn new(url: &'a str, document: &'a str) -> Self {
        match Self::checked(url, document) {
            Some(metadata) => metadata,
            None => panic!("metadata is an absolute URL and a JSON object"),
        }
    }

    /// The metadata, if `url` and `document` are well-formed.
    pub const fn checked(url: &'a str, document: &'a str) -> Option<Self> {
        let is_absolute = matches!(url.as_bytes(), [b'h', b't', b't', b'p', b':' | b's', ..]);
        match RawValue::new(document.as_bytes()) {
            Ok(value) if is_absolute && is_quotable(url) && matches!(value.kind(), Kind::Object) => {
                Some(Self { url, document })
            }
            _ => None,
        }
    }

    /// The document, for the body of a response.
    pub const fn document(&self) -> &'a str {
        self.document
    }

    /// Whether the document is served at `path`, for an endpoint at `endpoint`.
    pub(super) fn is_at(path: &str, endpoint: &str) -> bool {
        path.strip_prefix(WELL_KNOWN).is_some_and(|rest| rest.is_empty() || rest == endpoint)
    }
}

const fn is_quotable_byte(byte: u8) -> bool {
    matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~')
}

/// Whether a text can stand between quotes in a challenge as it is: visible ASCII without quotes and backslashes.
const fn is_quotable(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        if !is_quotable_byte(*byte) {
            return false;
        }
        bytes = rest;
    }
    true
}

/// The value of `WWW-Authenticate` (RFC 6750 section 3). A scope that cannot be quoted is left out.
pub(super) fn challenge<'a>(
    error: Option<&'a str>,
    scope: Option<&'a str>,
    metadata: Option<ResourceMetadata<'a>>,
) -> FieldValue<'a> {
    let is_of_scope = |byte: u8| byte == b' ' || is_quotable_byte(byte);
    let scope = scope.filter(|scope| !scope.is_empty() && scope.bytes().all(is_of_scope));
    let parameters = [
        (error, " error=\"", " error=\""),
        (scope, " scope=\"", ", scope=\""),
        (metadata.map(|metadata| metadata.url), " resource_metadata=\"", ", resource_metadata=\""),
    ];
    let mut parts = [""; 10];
    let mut free = parts.iter_mut();
    let mut push = |part| {
        if let Some(place) = free.next() {
            *place = part;
        }
    };
    push("Bearer");
    let mut is_first = true;
    for (value, first, further) in parameters {
        if let Some(value) = value {
            push(if is_first { first } else { further });
            push(value);
            push("\"");
            is_first = false;
        }
    }
    FieldValue::of_parts(parts)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    const METADATA: ResourceMetadata<'_> = ResourceMetadata::new("https://a.example/m", "{}");

    #[test]
    fn h133_h134_challenges() {
        let cases = [
            (None, None, None, "Bearer"),
            (None, None, Some(METADATA), "Bearer resource_metadata=\"https://a.example/m\""),
            (None, Some("read write"), None, "Bearer scope=\"read write\""),
            (
                Some("insufficient_scope"),
                Some("read"),
                Some(METADATA),
                "Bearer error=\"insufficient_scope\", scope=\"read\", resource_metadata=\"https://a.example/m\"",
            ),
            // Nothing that could end the quotes or the field.
            (None, Some(""), None, "Bearer"),
            (None, Some("a\"b"), None, "Bearer"),
            (None, Some("a\r\nSet-Cookie: b"), None, "Bearer"),
            (None, Some("a\\"), Some(METADATA), "Bearer resource_metadata=\"https://a.example/m\""),
            (None, Some("ä"), None, "Bearer"),
        ];
        for (error, scope, metadata, expected) in cases {
            assert_eq!(challenge(error, scope, metadata).to_string(), expected);
        }
    }

    #[test]
    fn h133_broken_metadata_is_refused() {
        assert!(ResourceMetadata::checked("http://a", "{}").is_some());
        let cases = [
            ("", "{}"),
            ("/a", "{}"),
            ("ftp://a", "{}"),
            ("https://a b", "{}"),
            ("https://a\"", "{}"),
            ("https://a\\", "{}"),
            ("https://a\n", "{}"),
            ("https://ä", "{}"),
            ("https://a", ""),
            ("https://a", "[]"),
            ("https://a", "{"),
        ];
        for (url, document) in cases {
            assert!(ResourceMetadata::checked(url, document).is_none(), "{url} {document}");
        }
    }

    #[test]
    fn h133_the_two_paths_of_the_document() {
        for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
            assert!(ResourceMetadata::is_at(path, "/mcp"), "{path}");
        }
        for path in [
            "/mcp",
            "/",
            "/.well-known/oauth-protected-resource/",
            "/.well-known/oauth-protected-resource/other",
        ] {
            assert!(!ResourceMetadata::is_at(path, "/mcp"), "{path}");
        }
    }
}
