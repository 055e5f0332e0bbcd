//! Authorization of requests.

use core::fmt;

use super::head::{Head, once, split_once};
use super::secret::is_secret;
use crate::engine::Principal;

/// The judgement of an [`Authorizer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authorization<'a> {
    /// The request is served.
    Allowed(Principal),
    /// The token is missing, unknown or expired: status 401.
    Unauthorized,
    /// The token does not have these scopes, which are separated by spaces: status 403.
    Forbidden {
        /// All scopes that the operation needs.
        scope: &'a str,
    },
    /// The `Authorization` field is malformed: status 400.
    Malformed,
}

/// Decides whether a request is served, from its head alone.
///
/// It is called for each request to the endpoint, before any of the body is read. It must not block for long.
pub trait Authorizer {
    /// Judges a request. The token must have been issued for this server (RFC 8707).
    fn authorize(&self, head: &impl Head) -> Authorization<'_>;
}

impl<A: Authorizer + ?Sized> Authorizer for &A {
    fn authorize(&self, head: &impl Head) -> Authorization<'_> {
        (**self).authorize(head)
    }
}

/// Serves everyone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAuthorization;

impl Authorizer for NoAuthorization {
    fn authorize(&self, _head: &impl Head) -> Authorization<'_> {
        Authorization::Allowed(Principal::ANONYMOUS)
    }
}

/// Serves everyone who has one secret token. All of them are one principal.
///
/// The token is compared in a time that does not depend on how much of it is right.
#[derive(Clone, Copy)]
pub struct BearerToken<'a> {
    token: &'a str,
}

impl<'a> BearerToken<'a> {
    /// Requires a token. An empty token admits nobody.
    pub const fn new(token: &'a str) -> Self {
        Self { token }
    }
}

/// Without the token.
impl fmt::Debug for BearerToken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken")
    }
}

impl Authorizer for BearerToken<'_> {
    fn authorize(&self, head: &impl Head) -> Authorization<'_> {
        match bearer_token(head) {
            Ok(token) if is_secret(token.as_bytes(), self.token.as_bytes()) => {
                Authorization::Allowed(Principal::new(1))
            }
            Ok(_) => Authorization::Unauthorized,
            Err(judgement) => judgement,
        }
    }
}

/// The token of `Authorization: Bearer` (RFC 6750 section 2.1), for authorizers of other kinds of tokens.
///
/// # Errors
/// [`Authorization::Unauthorized`] without the field, or for another scheme; [`Authorization::Malformed`] if the field
/// occurs twice or its token is not a token.
pub fn bearer_token(head: &impl Head) -> Result<&str, Authorization<'static>> {
    let value = once(head, "authorization").map_err(|_| Authorization::Malformed)?;
    let value = value.ok_or(Authorization::Unauthorized)?;
    let (scheme, token) = split_once(value, b' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Authorization::Unauthorized);
    }
    let mut token = token;
    while let Some(rest) = token.strip_prefix(' ') {
        token = rest;
    }
    let mut characters = token;
    while let Some(rest) = characters.strip_suffix('=') {
        characters = rest;
    }
    let is_of_token =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/');
    if characters.is_empty() || !characters.bytes().all(is_of_token) {
        return Err(Authorization::Malformed);
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::head::tests::Request;
    use super::*;

    fn judge(token: &'static str, fields: &[&[u8]]) -> Authorization<'static> {
        let head =
            fields.iter().fold(Request::new("POST", "/mcp"), |head, field| head.with("Authorization", field));
        match BearerToken::new(token).authorize(&head) {
            Authorization::Allowed(principal) => Authorization::Allowed(principal),
            Authorization::Unauthorized => Authorization::Unauthorized,
            Authorization::Malformed => Authorization::Malformed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn h132_h136_h137_a_static_bearer_token() {
        let allowed = Authorization::Allowed(Principal::new(1));
        let cases: &[(&[&[u8]], Authorization<'_>)] = &[
            (&[b"Bearer s3cret+/=="], allowed),
            (&[b"bearer s3cret+/=="], allowed),
            (&[b" BEARER   s3cret+/==\t"], allowed),
            (&[], Authorization::Unauthorized),
            (&[b""], Authorization::Unauthorized),
            (&[b"Basic czNjcmV0"], Authorization::Unauthorized),
            (&[b"Bearers s3cret+/=="], Authorization::Unauthorized),
            (&[b"s3cret+/=="], Authorization::Unauthorized),
            (&[b"Bearer s3cret+/="], Authorization::Unauthorized),
            (&[b"Bearer S3cret+/=="], Authorization::Unauthorized),
            (&[b"Bearer s3cret+/==="], Authorization::Unauthorized),
            (&[b"Bearer"], Authorization::Malformed),
            (&[b"Bearer "], Authorization::Malformed),
            (&[b"Bearer ="], Authorization::Malformed),
            (&[b"Bearer s3cret+/== x"], Authorization::Malformed),
            (&[b"Bearer s=3cret"], Authorization::Malformed),
            (&[b"Bearer \"s3cret\""], Authorization::Malformed),
            (&[b"Bearer s3cret\xff"], Authorization::Malformed),
            (&["Bearer s3crét".as_bytes()], Authorization::Malformed),
            (&[b"Bearer s3cret+/==", b"Bearer s3cret+/=="], Authorization::Malformed),
        ];
        for (fields, expected) in cases {
            assert_eq!(judge("s3cret+/==", fields), *expected, "{fields:?}");
        }
    }

    #[test]
    fn h137_an_empty_token_admits_nobody() {
        for fields in [&[][..], &[&b"Bearer "[..]], &[&b"Bearer"[..]], &[&b"Bearer a"[..]]] {
            assert!(!matches!(judge("", fields), Authorization::Allowed(_)), "{fields:?}");
        }
    }

    #[test]
    fn h131_no_authorization_admits_everyone_as_anonymous() {
        let head = Request::new("POST", "/mcp");
        assert_eq!(NoAuthorization.authorize(&head), Authorization::Allowed(Principal::ANONYMOUS));
        assert_ne!(Principal::ANONYMOUS, Principal::new(1));
        assert_eq!(std::format!("{:?}", BearerToken::new("s3cret")), "BearerToken");
    }
}
