//! Judgement of a request by its head alone.

use super::access::{Access, Intruder};
use super::authorizer::{Authorization, Authorizer};
use super::field::FieldValue;
use super::head::{FieldError, Head, once};
use super::media::{Accepts, is_json, is_plain};
use super::metadata::{ResourceMetadata, challenge};
use super::status::Status;
use crate::engine::Principal;
use crate::mcp::ProtocolVersion;

/// A request whose head was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admitted {
    pub(crate) purpose: Purpose,
    pub(crate) principal: Principal,
    pub(crate) accepts: Accepts,
    pub(crate) session: SessionHeader,
    pub(crate) version: VersionHeader,
}

impl Admitted {
    /// The purpose of the request. It decides whether there is a body to read.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// The party on whose behalf the request is made.
    pub const fn principal(&self) -> Principal {
        self.principal
    }

    /// The forms of an answer that the client accepts.
    pub const fn accepts(&self) -> Accepts {
        self.accepts
    }

    /// The `Mcp-Session-Id` field.
    pub const fn session(&self) -> SessionHeader {
        self.session
    }

    /// The `MCP-Protocol-Version` field.
    pub const fn version(&self) -> VersionHeader {
        self.version
    }
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A message, in the body.
    Post,
    /// The standing stream of a session.
    Get,
    /// The end of a session.
    Delete,
    /// A preflight request of a browser. It is answered with [`Status::NO_CONTENT`] and
    /// [`preflight_fields`](Access::preflight_fields).
    Preflight,
    /// A request for the [metadata](Access::metadata). It is answered with the document, as `application/json`.
    Metadata,
}

/// The `Mcp-Session-Id` field of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionHeader {
    /// There is none.
    Absent,
    /// The bytes of an id in the form that this crate gives out: 32 hexadecimal digits in lower case.
    Id([u8; 16]),
    /// An id in another form, which no session of this server has.
    Foreign,
}

impl SessionHeader {
    fn of(head: &impl Head) -> Result<Self, DenialReason> {
        match once(head, "mcp-session-id") {
            Ok(None) => Ok(Self::Absent),
            Ok(Some(id)) => Ok(bytes_of_id(id).map_or(Self::Foreign, Self::Id)),
            Err(FieldError::NotText) => Ok(Self::Foreign),
            Err(FieldError::Repeated) => Err(DenialReason::RepeatedHeader),
        }
    }
}

fn bytes_of_id(id: &str) -> Option<[u8; 16]> {
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte.wrapping_sub(b'0')),
        b'a'..=b'f' => Some(byte.wrapping_sub(b'a').wrapping_add(10)),
        _ => None,
    };
    let mut digits = id.as_bytes().iter();
    let mut bytes = [0; 16];
    for byte in &mut bytes {
        *byte = (digit(digits.next()?)? << 4) | digit(digits.next()?)?;
    }
    digits.next().is_none().then_some(bytes)
}

/// The `MCP-Protocol-Version` field of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionHeader {
    /// There is none.
    Absent,
    /// A revision that this crate knows.
    Known(ProtocolVersion),
    /// Another text.
    Unknown,
    /// The field occurs twice.
    Repeated,
}

impl VersionHeader {
    fn of(head: &impl Head) -> Self {
        match once(head, "mcp-protocol-version") {
            Ok(None) => Self::Absent,
            Ok(Some(name)) => {
                let known = ProtocolVersion::ALL.into_iter().find(|version| version.as_str() == name);
                known.map_or(Self::Unknown, Self::Known)
            }
            Err(FieldError::NotText) => Self::Unknown,
            Err(FieldError::Repeated) => Self::Repeated,
        }
    }
}

/// A request that is refused by its head.
#[derive(Debug, Clone, Copy)]
pub struct Denial<'a> {
    reason: DenialReason,
    /// The methods of the path.
    allow: &'static str,
    /// For a challenge.
    scope: Option<&'a str>,
    metadata: Option<ResourceMetadata<'a>>,
}

/// Why a request is refused by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DenialReason {
    /// The host is missing or malformed.
    MalformedHost,
    /// The host is not allowed.
    HostNotAllowed,
    /// The origin is not allowed.
    OriginNotAllowed,
    /// A field that may occur once occurs twice.
    RepeatedHeader,
    /// The path is not that of the endpoint.
    UnknownPath,
    /// The endpoint does not have the method of HTTP.
    MethodNotAllowed,
    /// There is no valid token.
    Unauthorized,
    /// The token has too few scopes.
    InsufficientScope,
    /// The authorization is malformed.
    MalformedAuthorization,
    /// The body is not declared as JSON.
    UnsupportedMediaType,
    /// The body has a coding.
    UnsupportedCoding,
    /// The client does not accept the forms of an answer.
    NotAcceptable,
}

impl DenialReason {
    /// The status, and the JSON-RPC error in the body if there is one.
    const fn response(self) -> (Status, &'static str) {
        macro_rules! error {
            ($message:literal) => {
                concat!(r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":""#, $message, r#""}}"#)
            };
        }
        match self {
            Self::MalformedHost => (Status::BAD_REQUEST, error!("Malformed Host header")),
            Self::HostNotAllowed => (Status::FORBIDDEN, error!("Host not allowed")),
            Self::OriginNotAllowed => (Status::FORBIDDEN, error!("Origin not allowed")),
            Self::RepeatedHeader => (Status::BAD_REQUEST, error!("Repeated header")),
            Self::UnknownPath => (Status::NOT_FOUND, ""),
            Self::MethodNotAllowed => (Status::METHOD_NOT_ALLOWED, ""),
            Self::Unauthorized => (Status::UNAUTHORIZED, ""),
            Self::InsufficientScope => (Status::FORBIDDEN, ""),
            Self::MalformedAuthorization => (Status::BAD_REQUEST, error!("Malformed Authorization header")),
            Self::UnsupportedMediaType => {
                (Status::UNSUPPORTED_MEDIA_TYPE, error!("Content-Type must be application/json"))
            }
            Self::UnsupportedCoding => {
                (Status::UNSUPPORTED_MEDIA_TYPE, error!("Content-Encoding is not supported"))
            }
            Self::NotAcceptable => (
                Status::NOT_ACCEPTABLE,
                error!("Accept must allow the media types application/json and text/event-stream"),
            ),
        }
    }
}

impl Denial<'_> {
    /// The reason.
    pub const fn reason(&self) -> DenialReason {
        self.reason
    }

    /// The status of the response.
    pub const fn status(&self) -> Status {
        self.reason.response().0
    }

    /// The body of the response: a JSON-RPC error without an id, or nothing.
    pub const fn body(&self) -> &'static str {
        self.reason.response().1
    }

    /// Calls `field` for each header field of the response, those of [`Access::cors_fields`] apart.
    pub fn fields(&self, mut field: impl FnMut(&'static str, FieldValue<'_>)) {
        if !self.body().is_empty() {
            field("Content-Type", "application/json".into());
        }
        let error = match self.reason {
            DenialReason::MethodNotAllowed => return field("Allow", self.allow.into()),
            DenialReason::Unauthorized => None,
            DenialReason::InsufficientScope => Some("insufficient_scope"),
            DenialReason::MalformedAuthorization => Some("invalid_request"),
            _ => return,
        };
        field("WWW-Authenticate", challenge(error, self.scope, self.metadata));
    }
}

/// Judges a request by its head: host, origin, path, method, authorization, media types. The first fault is the answer.
///
/// `offers_sessions` says whether the server has sessions, and so the methods GET and DELETE.
///
/// # Errors
/// The response that the request gets. Its body must not be served.
pub fn admit<'a>(
    access: &Access<'a>,
    authorizer: &'a impl Authorizer,
    head: &impl Head,
    offers_sessions: bool,
) -> Result<Admitted, Denial<'a>> {
    let deny = |reason| Denial {
        reason,
        allow: methods(head.path() == access.path(), offers_sessions, access.has_cors()),
        scope: access.scope(),
        metadata: access.metadata(),
    };
    access.check_host(head).map_err(|intruder| match intruder {
        Intruder::Malformed => deny(DenialReason::MalformedHost),
        Intruder::NotAllowed => deny(DenialReason::HostNotAllowed),
    })?;
    access.check_origin(head).map_err(|intruder| match intruder {
        Intruder::Malformed => deny(DenialReason::RepeatedHeader),
        Intruder::NotAllowed => deny(DenialReason::OriginNotAllowed),
    })?;
    let purpose = find_purpose(access, head, offers_sessions).map_err(deny)?;
    let principal = match purpose {
        // Browsers send no token with a preflight request; the metadata says where to get one.
        Purpose::Preflight | Purpose::Metadata => Principal::ANONYMOUS,
        _ => match authorizer.authorize(head) {
            Authorization::Allowed(principal) => principal,
            Authorization::Unauthorized => return Err(deny(DenialReason::Unauthorized)),
            Authorization::Malformed => return Err(deny(DenialReason::MalformedAuthorization)),
            Authorization::Forbidden { scope } => {
                return Err(Denial { scope: Some(scope), ..deny(DenialReason::InsufficientScope) });
            }
        },
    };
    let accepts = Accepts::of(head);
    check_media(access, head, purpose, accepts).map_err(deny)?;
    let session = SessionHeader::of(head).map_err(deny)?;
    Ok(Admitted { purpose, principal, accepts, session, version: VersionHeader::of(head) })
}

/// Judges path and method.
fn find_purpose(
    access: &Access<'_>,
    head: &impl Head,
    offers_sessions: bool,
) -> Result<Purpose, DenialReason> {
    let is_endpoint = head.path() == access.path();
    let is_metadata = access.metadata().is_some() && ResourceMetadata::is_at(head.path(), access.path());
    if !is_endpoint && !is_metadata {
        return Err(DenialReason::UnknownPath);
    }
    match head.method() {
        "POST" if is_endpoint => Ok(Purpose::Post),
        "GET" if !is_endpoint => Ok(Purpose::Metadata),
        "GET" if offers_sessions => Ok(Purpose::Get),
        "DELETE" if is_endpoint && offers_sessions => Ok(Purpose::Delete),
        "OPTIONS" if access.reader(head).is_some() => Ok(Purpose::Preflight),
        _ => Err(DenialReason::MethodNotAllowed),
    }
}

/// The methods of the endpoint, or of the metadata.
const fn methods(is_endpoint: bool, offers_sessions: bool, has_cors: bool) -> &'static str {
    match (is_endpoint, offers_sessions, has_cors) {
        (true, true, true) => "POST, GET, DELETE, OPTIONS",
        (true, true, false) => "POST, GET, DELETE",
        (true, false, true) => "POST, OPTIONS",
        (true, false, false) => "POST",
        (false, _, true) => "GET, OPTIONS",
        (false, _, false) => "GET",
    }
}

/// Judges the type and the coding of the body, and the forms of an answer that the client accepts.
fn check_media(
    access: &Access<'_>,
    head: &impl Head,
    purpose: Purpose,
    accepts: Accepts,
) -> Result<(), DenialReason> {
    let is_acceptable = match purpose {
        Purpose::Post => {
            match once(head, "content-type") {
                Ok(Some(value)) if is_json(value) => {}
                Ok(_) | Err(FieldError::NotText) => return Err(DenialReason::UnsupportedMediaType),
                Err(FieldError::Repeated) => return Err(DenialReason::RepeatedHeader),
            }
            if !is_plain(head) {
                return Err(DenialReason::UnsupportedCoding);
            }
            accepts.json && (accepts.sse || access.allows_json_only())
        }
        Purpose::Get => accepts.sse,
        Purpose::Delete | Purpose::Preflight | Purpose::Metadata => true,
    };
    if is_acceptable { Ok(()) } else { Err(DenialReason::NotAcceptable) }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::Hosts;
    use super::super::authorizer::{BearerToken, NoAuthorization};
    use super::super::head::tests::Request;
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    const METADATA: ResourceMetadata<'_> =
        ResourceMetadata::new("https://a.example/.well-known/oauth-protected-resource/mcp", "{}");

    fn request(method: &'static str) -> Request<'static> {
        Request::new(method, "/mcp").with("Host", "localhost:3000")
    }

    fn post() -> Request<'static> {
        request("POST")
            .with("Content-Type", "application/json")
            .with("Accept", "application/json, text/event-stream")
    }

    fn admit_open(head: &Request<'_>) -> Result<Admitted, DenialReason> {
        admit(&Access::LOCAL, &NoAuthorization, head, true).map_err(|denial| denial.reason())
    }

    fn fields(denial: &Denial<'_>) -> Vec<String> {
        let mut fields = Vec::new();
        denial.fields(|name, value| fields.push(std::format!("{name}: {value}")));
        fields
    }

    #[test]
    fn h01_only_the_path_of_the_endpoint_is_served() {
        let at = |path| {
            let mut head = post();
            head.path = path;
            admit_open(&head).map(|admitted| admitted.purpose())
        };
        assert_eq!(at("/mcp"), Ok(Purpose::Post));
        for path in [
            "/",
            "",
            "*",
            "/mcp/",
            "/MCP",
            "/mcp2",
            "//mcp",
            "/%6dcp",
            "/.well-known/oauth-protected-resource",
        ] {
            assert_eq!(at(path), Err(DenialReason::UnknownPath), "{path}");
        }
        let access = Access::LOCAL.with_path("/");
        let mut head = post();
        head.path = "/";
        assert!(admit(&access, &NoAuthorization, &head, false).is_ok());
    }

    #[test]
    fn h02_h47_h54_h70_h141_methods() {
        let sse = "text/event-stream";
        // Method, and the purpose with sessions and without.
        let cases = [
            ("POST", Some(Purpose::Post), Some(Purpose::Post)),
            ("GET", Some(Purpose::Get), None),
            ("DELETE", Some(Purpose::Delete), None),
            ("OPTIONS", None, None),
            ("HEAD", None, None),
            ("PUT", None, None),
            ("PATCH", None, None),
            ("TRACE", None, None),
            ("CONNECT", None, None),
            ("post", None, None),
            ("", None, None),
        ];
        for (method, with, without) in cases {
            let head = request(method).with("Accept", sse).with("Accept", "application/json");
            let head = head.with("Content-Type", "application/json");
            for (offers_sessions, expected, allow) in
                [(true, with, "POST, GET, DELETE"), (false, without, "POST")]
            {
                match admit(&Access::LOCAL, &NoAuthorization, &head, offers_sessions) {
                    Ok(admitted) => assert_eq!(Some(admitted.purpose()), expected, "{method}"),
                    Err(denial) => {
                        assert_eq!(
                            (denial.status(), denial.body()),
                            (Status::METHOD_NOT_ALLOWED, ""),
                            "{method}"
                        );
                        assert_eq!(fields(&denial), [std::format!("Allow: {allow}")]);
                        assert_eq!(expected, None, "{method}");
                    }
                }
            }
        }
    }

    #[test]
    fn h11_the_first_fault_is_the_answer() {
        // Each head repairs the first fault of the one before it.
        let access = Access::LOCAL;
        let token = BearerToken::new("s3cret");
        let bad =
            Request::new("PUT", "/other").with("Origin", "http://evil.example").with("Mcp-Session-Id", "a");
        let bad =
            bad.with("Mcp-Session-Id", "a").with("Accept", "text/html").with("Content-Type", "text/plain");
        let mut head = bad;
        let mut judge = |repair: &dyn Fn(&mut Request<'static>)| {
            repair(&mut head);
            admit(&access, &token, &head, true).map_err(|denial| denial.reason()).map(|_| ())
        };
        let set = |name: &'static str, value: &'static str| {
            move |head: &mut Request<'static>| {
                head.fields.retain(|field| field.0 != name);
                head.fields.push((name, value.as_bytes()));
            }
        };
        assert_eq!(judge(&|_| ()), Err(DenialReason::MalformedHost));
        assert_eq!(judge(&set("Host", "evil.example")), Err(DenialReason::HostNotAllowed));
        assert_eq!(judge(&set("Host", "localhost")), Err(DenialReason::OriginNotAllowed));
        assert_eq!(judge(&set("Origin", "http://localhost")), Err(DenialReason::UnknownPath));
        assert_eq!(judge(&|head| head.path = "/mcp"), Err(DenialReason::MethodNotAllowed));
        assert_eq!(judge(&|head| head.method = "POST"), Err(DenialReason::Unauthorized));
        assert_eq!(judge(&set("Authorization", "Bearer s3cret")), Err(DenialReason::UnsupportedMediaType));
        assert_eq!(judge(&set("Content-Type", "application/json")), Err(DenialReason::NotAcceptable));
        assert_eq!(judge(&set("Accept", "*/*")), Err(DenialReason::RepeatedHeader));
        assert_eq!(judge(&set("Mcp-Session-Id", "a")), Ok(()));
    }

    #[test]
    fn h05_h07_a_refused_origin_gets_an_error_without_an_id() {
        let head = post().with("Origin", "null");
        let denial = admit(&Access::LOCAL, &NoAuthorization, &head, true).unwrap_err();
        assert_eq!(denial.status(), Status::FORBIDDEN);
        assert_eq!(
            denial.body(),
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Origin not allowed"}}"#
        );
        assert_eq!(fields(&denial), ["Content-Type: application/json"]);
        // On every method.
        for method in ["GET", "DELETE", "OPTIONS", "PUT"] {
            let head = request(method).with("Origin", "http://evil.example");
            assert_eq!(admit_open(&head), Err(DenialReason::OriginNotAllowed), "{method}");
        }
    }

    #[test]
    fn h12_repeated_fields() {
        let cases = [
            ("Host", "localhost:3000", DenialReason::MalformedHost),
            ("Content-Type", "application/json", DenialReason::RepeatedHeader),
        ];
        for (name, value, reason) in cases {
            assert_eq!(admit_open(&post().with(name, value)), Err(reason), "{name}");
        }
        let twice = |name, value| post().with(name, value).with(name, value);
        assert_eq!(admit_open(&twice("Origin", "http://localhost")), Err(DenialReason::RepeatedHeader));
        assert_eq!(admit_open(&twice("Mcp-Session-Id", "a")), Err(DenialReason::RepeatedHeader));
        let version = admit_open(&twice("MCP-Protocol-Version", "2026-07-28")).unwrap().version();
        assert_eq!(version, VersionHeader::Repeated);
        let (token, head) = (BearerToken::new("a"), twice("Authorization", "Bearer a"));
        let denial = admit(&Access::LOCAL, &token, &head, true);
        assert_eq!(denial.unwrap_err().status(), Status::BAD_REQUEST);
    }

    #[test]
    fn h15_h46_answers_that_the_client_does_not_accept() {
        let accepting = |method, accept| {
            let head = request(method).with("Content-Type", "application/json").with("Accept", accept);
            let admitted = |access| admit(access, &NoAuthorization, &head, true).is_ok();
            (admitted(&Access::LOCAL), admitted(&Access::LOCAL.with_json_only_clients()))
        };
        let cases = [
            ("POST", "application/json, text/event-stream", (true, true)),
            ("POST", "application/json", (false, true)),
            ("POST", "text/event-stream", (false, false)),
            ("POST", "text/html", (false, false)),
            ("GET", "text/event-stream", (true, true)),
            ("GET", "application/json", (false, false)),
            ("GET", "*/*", (true, true)),
            ("DELETE", "text/html", (true, true)),
        ];
        for (method, accept, expected) in cases {
            assert_eq!(accepting(method, accept), expected, "{method} {accept}");
        }
        let denial =
            admit(&Access::LOCAL, &NoAuthorization, &request("GET").with("Accept", "a/b"), true).unwrap_err();
        assert_eq!(denial.status(), Status::NOT_ACCEPTABLE);
    }

    #[test]
    fn h16_h29_bodies_that_are_not_json() {
        let typed =
            |value: &'static [u8]| admit_open(&request("POST").with("Content-Type", value)).map(|_| ());
        assert_eq!(typed(b"application/json; charset=utf-8"), Ok(()));
        for value in [&b"text/plain"[..], b"", b"application/json\xff", b"multipart/form-data"] {
            assert_eq!(typed(value), Err(DenialReason::UnsupportedMediaType), "{value:?}");
        }
        assert_eq!(admit_open(&request("POST")), Err(DenialReason::UnsupportedMediaType));
        assert_eq!(
            admit_open(&post().with("Content-Encoding", "gzip")),
            Err(DenialReason::UnsupportedCoding)
        );
        assert!(admit_open(&post().with("Content-Encoding", "identity")).is_ok());
    }

    #[test]
    fn h63_ids_of_sessions() {
        let session = |id: &'static [u8]| admit_open(&post().with("MCP-Session-Id", id)).unwrap().session();
        assert_eq!(admit_open(&post()).unwrap().session(), SessionHeader::Absent);
        let bytes =
            [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];
        assert_eq!(session(b" 00112233445566778899aabbccddeeff"), SessionHeader::Id(bytes));
        let foreign: [&[u8]; 6] = [
            b"",
            b"00112233445566778899AABBCCDDEEFF",
            b"00112233445566778899aabbccddeef",
            b"00112233445566778899aabbccddeeff0",
            b"0011223344556677-8899aabbccddeef",
            b"\xff",
        ];
        for id in foreign {
            assert_eq!(session(id), SessionHeader::Foreign, "{id:?}");
        }
    }

    #[test]
    fn h74_h90_version_headers() {
        let version =
            |value: &'static [u8]| admit_open(&post().with("mcp-protocol-VERSION", value)).unwrap().version();
        assert_eq!(admit_open(&post()).unwrap().version(), VersionHeader::Absent);
        assert_eq!(version(b" 2025-06-18\t"), VersionHeader::Known(ProtocolVersion::V2025_06_18));
        assert_eq!(version(b"2026-07-28"), VersionHeader::Known(ProtocolVersion::V2026_07_28));
        for value in [&b""[..], b"2026-07-29", b"DRAFT-2026", b"2025-06-18, 2025-06-18", b"\xff"] {
            assert_eq!(version(value), VersionHeader::Unknown, "{value:?}");
        }
    }

    struct Judge(Authorization<'static>);

    impl Authorizer for Judge {
        fn authorize(&self, _head: &impl Head) -> Authorization<'_> {
            self.0
        }
    }

    #[test]
    fn h132_h133_h134_h137_statuses_and_challenges() {
        let access = Access::LOCAL.with_metadata(METADATA).with_scope("tools");
        let url = "resource_metadata=\"https://a.example/.well-known/oauth-protected-resource/mcp\"";
        let cases = [
            (Authorization::Unauthorized, 401, std::format!("Bearer scope=\"tools\", {url}")),
            (
                Authorization::Forbidden { scope: "tools write" },
                403,
                std::format!("Bearer error=\"insufficient_scope\", scope=\"tools write\", {url}"),
            ),
            (
                Authorization::Malformed,
                400,
                std::format!("Bearer error=\"invalid_request\", scope=\"tools\", {url}"),
            ),
        ];
        for (judgement, status, challenge) in cases {
            let judge = Judge(judgement);
            for method in ["POST", "GET", "DELETE"] {
                let denial = admit(&access, &judge, &request(method), true).unwrap_err();
                assert_eq!(denial.status().code(), status);
                assert_eq!(fields(&denial).last(), Some(&std::format!("WWW-Authenticate: {challenge}")));
            }
        }
        let judge = Judge(Authorization::Allowed(Principal::new(7)));
        assert_eq!(admit(&access, &judge, &post(), true).unwrap().principal(), Principal::new(7));
    }

    #[test]
    fn h133_metadata_is_served_without_authorization() {
        let access = Access::LOCAL.with_metadata(METADATA).with_cors(&["https://app.example"]);
        let at = |method, path, origin: &'static str| {
            let head = Request::new(method, path).with("Host", "localhost").with("Origin", origin);
            admit(&access, &BearerToken::new("s3cret"), &head, true)
                .map(|admitted| admitted.purpose())
                .map_err(|denial| denial.reason())
        };
        let local = "http://localhost";
        for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
            assert_eq!(at("GET", path, local), Ok(Purpose::Metadata));
            assert_eq!(at("GET", path, "https://app.example"), Ok(Purpose::Metadata));
            assert_eq!(at("OPTIONS", path, "https://app.example"), Ok(Purpose::Preflight));
            assert_eq!(at("POST", path, local), Err(DenialReason::MethodNotAllowed));
            assert_eq!(at("DELETE", path, local), Err(DenialReason::MethodNotAllowed));
            let head = Request::new("POST", path).with("Host", "localhost");
            let denial = admit(&access, &NoAuthorization, &head, true).unwrap_err();
            assert_eq!(fields(&denial), ["Allow: GET, OPTIONS"]);
            assert_eq!(at("GET", path, "http://evil.example"), Err(DenialReason::OriginNotAllowed));
        }
        let other = "/.well-known/oauth-protected-resource/other";
        assert_eq!(at("GET", other, local), Err(DenialReason::UnknownPath));
    }

    #[test]
    fn h139_h141_preflight_requests_are_for_pages_of_the_cors_list() {
        let cors = Access::LOCAL.with_cors(&["https://app.example"]);
        let preflight = |access, origin: &'static str| {
            let head =
                request("OPTIONS").with("Origin", origin).with("Access-Control-Request-Method", "POST");
            admit(access, &BearerToken::new("s3cret"), &head, true)
                .map(|admitted| admitted.purpose())
                .map_err(|denial| (denial.reason(), fields(&denial).join("\n")))
        };
        assert_eq!(preflight(&cors, "https://app.example"), Ok(Purpose::Preflight));
        let (reason, allow) = preflight(&cors, "http://localhost").unwrap_err();
        assert_eq!(reason, DenialReason::MethodNotAllowed);
        assert_eq!(allow, "Allow: POST, GET, DELETE, OPTIONS");
        assert_eq!(preflight(&cors, "http://evil.example").unwrap_err().0, DenialReason::OriginNotAllowed);
        assert_eq!(
            preflight(&Access::LOCAL, "http://localhost").unwrap_err().0,
            DenialReason::MethodNotAllowed
        );
    }

    #[test]
    fn every_denial_has_an_error_status_and_a_body_that_is_json_or_empty() {
        let access = Access::LOCAL.with_hosts(Hosts::Any);
        // Fields in every combination, valid and not.
        let values = [
            ("Origin", ["http://localhost", "null", "\u{fffd}"]),
            ("Content-Type", ["application/json", "text/plain", ""]),
            ("Accept", ["*/*", "a/b", ",;"]),
            ("Authorization", ["Bearer s3cret", "Basic", "Bearer \""]),
        ];
        for combination in 0..3usize.pow(4) * 4 {
            let mut rest = combination;
            let mut take = |count: usize| {
                let taken = rest % count;
                rest /= count;
                taken
            };
            let mut head = request(["POST", "GET", "DELETE", "OPTIONS"][take(4)]);
            for (name, values) in values {
                head = head.with(name, values[take(3)]);
            }
            let token = BearerToken::new("s3cret");
            if let Err(denial) = admit(&access, &token, &head, combination % 2 == 0) {
                assert!(denial.status().is_error());
                assert!(!denial.status().reason().is_empty());
                let body = denial.body().as_bytes();
                assert!(body.is_empty() || crate::json::validate(body).is_ok());
            }
        }
    }
}
