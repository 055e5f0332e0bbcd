//! Who may reach the endpoint: hosts, origins, paths and CORS.

use super::authority::{Authority, PageOrigin};
use super::field::FieldValue;
use super::head::{FieldError, Head, is_token, once, trim};
use super::metadata::ResourceMetadata;

/// Which hosts are allowed beside the names of [`Access::with_names`].
///
/// A page in a browser can let its own name point to any address (DNS rebinding). Its requests then carry that name in
/// `Host`, so a server that knows its names is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hosts {
    /// `localhost`, `127.0.0.0/8` and `[::1]`, with any port.
    Loopback,
    /// The same, and every IP address: for devices, which learn their address only from the network.
    IpLiterals,
    /// Every host: for servers behind a proxy that checks it.
    Any,
}

/// Who may reach the endpoint: hosts, origins of pages, and the path.
///
/// ```
/// use barewire::transport::http::{Access, Hosts};
///
/// const ACCESS: Access<'_> = Access::LOCAL.with_hosts(Hosts::IpLiterals).with_names(&["thermo.local"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    hosts: Hosts,
    names: &'a [&'a str],
    origins: &'a [&'a str],
    cors: &'a [&'a str],
    path: &'a str,
    scope: Option<&'a str>,
    metadata: Option<ResourceMetadata<'a>>,
    allows_json_only: bool,
}

/// Why a host or an origin is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intruder {
    /// The field is missing, malformed or repeated.
    Malformed,
    /// The host or origin is not in the list.
    NotAllowed,
}

impl<'a> Access<'a> {
    /// Clients on the same machine, at the path `/mcp`: loopback hosts, loopback origins, no CORS.
    pub const LOCAL: Self = Self {
        hosts: Hosts::Loopback,
        names: &[],
        origins: &[],
        cors: &[],
        path: "/mcp",
        scope: None,
        metadata: None,
        allows_json_only: false,
    };

    /// The hosts that are allowed.
    pub const fn with_hosts(mut self, hosts: Hosts) -> Self {
        self.hosts = hosts;
        self
    }

    /// Further hosts, such as `thermo.local` or `example.com:8443`. Without a port, every port is allowed. A malformed entry
    /// allows nothing.
    pub const fn with_names(mut self, names: &'a [&'a str]) -> Self {
        self.names = names;
        self
    }

    /// Origins of pages whose requests are served, beside those of this machine: `https://app.example`. `null` stands for
    /// pages without an origin. A malformed entry allows nothing.
    pub const fn with_origins(mut self, origins: &'a [&'a str]) -> Self {
        self.origins = origins;
        self
    }

    /// Origins of pages whose requests are served, and which may read the responses (CORS). Without such a list, browsers
    /// keep responses from pages of other origins.
    pub const fn with_cors(mut self, origins: &'a [&'a str]) -> Self {
        self.cors = origins;
        self
    }

    /// The path of the endpoint, `/mcp` by default. It is compared byte for byte.
    pub const fn with_path(mut self, path: &'a str) -> Self {
        self.path = path;
        self
    }

    /// The scopes that a client needs, separated by spaces, for the challenge of a 401 response.
    pub const fn with_scope(mut self, scope: &'a str) -> Self {
        self.scope = Some(scope);
        self
    }

    /// The metadata of the endpoint as a protected resource, which is served without authorization.
    pub const fn with_metadata(mut self, metadata: ResourceMetadata<'a>) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// Serves clients that accept `application/json` only, as long as an answer is one message.
    pub const fn with_json_only_clients(mut self) -> Self {
        self.allows_json_only = true;
        self
    }

    /// The metadata of the endpoint as a protected resource.
    pub const fn metadata(&self) -> Option<ResourceMetadata<'a>> {
        self.metadata
    }

    pub(super) const fn path(&self) -> &'a str {
        self.path
    }

    pub(super) const fn scope(&self) -> Option<&'a str> {
        self.scope
    }

    pub(super) const fn allows_json_only(&self) -> bool {
        self.allows_json_only
    }

    pub(super) const fn has_cors(&self) -> bool {
        !self.cors.is_empty()
    }

    /// Judges the host of a request.
    pub(super) fn check_host(&self, head: &impl Head) -> Result<(), Intruder> {
        // Also with an authority that replaces it, a repeated `Host` is refused.
        let host = once(head, "host").map_err(|_| Intruder::Malformed)?;
        let host = head.authority().or(host).ok_or(Intruder::Malformed)?;
        let host = Authority::parse(host).ok_or(Intruder::Malformed)?;
        let is_allowed = match self.hosts {
            Hosts::Any => true,
            Hosts::IpLiterals => host.is_loopback() || host.is_ip(),
            Hosts::Loopback => host.is_loopback(),
        };
        let is_listed = |name: &&str| {
            Authority::parse(name).is_some_and(|name| {
                name.has_host_of(&host) && (name.port.is_none() || name.port == host.port)
            })
        };
        if is_allowed || self.names.iter().any(is_listed) { Ok(()) } else { Err(Intruder::NotAllowed) }
    }

    /// Judges the origin of a request. Most clients send none.
    pub(super) fn check_origin(&self, head: &impl Head) -> Result<(), Intruder> {
        match once(head, "origin") {
            Ok(None) => Ok(()),
            Ok(Some(origin))
                if is_listed(self.origins, origin)
                    || is_listed(self.cors, origin)
                    || PageOrigin::parse(origin).is_some_and(|origin| origin.is_loopback()) =>
            {
                Ok(())
            }
            Ok(Some(_)) | Err(FieldError::NotText) => Err(Intruder::NotAllowed),
            Err(FieldError::Repeated) => Err(Intruder::Malformed),
        }
    }

    /// The origin of the request, if its page may read responses.
    pub(super) fn reader<'h>(&self, head: &'h impl Head) -> Option<&'h str> {
        once(head, "origin").ok().flatten().filter(|origin| is_listed(self.cors, origin))
    }

    /// Calls `field` for each field that lets a page read the response to a request, whatever its status. Without a CORS
    /// list, there are none.
    pub fn cors_fields(&self, head: &impl Head, mut field: impl FnMut(&'static str, FieldValue<'_>)) {
        if !self.has_cors() {
            return;
        }
        field("Vary", "Origin".into());
        if let Some(origin) = self.reader(head) {
            field("Access-Control-Allow-Origin", origin.into());
            field("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate".into());
        }
    }

    /// Calls `field` for each field of the response to a preflight request ([`Purpose::Preflight`](super::Purpose::Preflight)),
    /// those of [`cors_fields`](Self::cors_fields) apart. A name can occur several times.
    pub fn preflight_fields(&self, head: &impl Head, mut field: impl FnMut(&'static str, FieldValue<'_>)) {
        field("Access-Control-Allow-Methods", "POST, GET, DELETE".into());
        field("Access-Control-Allow-Headers", ALLOWED_HEADERS.into());
        let asked =
            head.values("access-control-request-headers").flat_map(|list| list.split(|byte| *byte == b','));
        for name in asked.map(trim).filter(|name| is_parameter_header(name)) {
            if let Ok(name) = core::str::from_utf8(name) {
                field("Access-Control-Allow-Headers", name.into());
            }
        }
        field("Access-Control-Max-Age", "7200".into());
        if matches!(once(head, "access-control-request-private-network"), Ok(Some("true"))) {
            field("Access-Control-Allow-Private-Network", "true".into());
        }
    }
}

/// The request headers that pages may send, beside those of parameters.
const ALLOWED_HEADERS: &str = "content-type, accept, authorization, last-event-id, mcp-session-id, mcp-protocol-version, \
    mcp-method, mcp-name";

/// Whether a header carries the value of a parameter.
fn is_parameter_header(name: &[u8]) -> bool {
    const PREFIX: &[u8] = b"mcp-param-";
    let prefix = name.get(..PREFIX.len());
    prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PREFIX))
        && name.len() > PREFIX.len()
        && is_token(name)
}

/// Whether a list of origins has an origin.
fn is_listed(list: &[&str], origin: &str) -> bool {
    let parsed = PageOrigin::parse(origin);
    list.iter().any(|entry| match (&parsed, PageOrigin::parse(entry)) {
        (Some(origin), Some(entry)) => origin.is_same(&entry),
        (None, None) => origin == "null" && *entry == "null",
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::super::head::tests::Request;
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    const OK: Result<(), Intruder> = Ok(());
    const MALFORMED: Result<(), Intruder> = Err(Intruder::Malformed);
    const NOT_ALLOWED: Result<(), Intruder> = Err(Intruder::NotAllowed);

    const LISTED: Access<'_> = Access::LOCAL.with_names(&[
        "Thermo.Local",
        "example.com:8443",
        "[fe80::1]",
        "192.168.1.5.",
        "bro ken",
    ]);

    fn post() -> Request<'static> {
        Request::new("POST", "/mcp")
    }

    #[test]
    fn h04_hosts_that_are_allowed() {
        let devices = LISTED.with_hosts(Hosts::IpLiterals);
        let any = Access::LOCAL.with_hosts(Hosts::Any);
        // Host, and the judgements of a closed list, of a list of names, of a device, and of a server that takes any host.
        let cases = [
            ("localhost", OK, OK, OK, OK),
            ("LOCALHOST:3000", OK, OK, OK, OK),
            (" [::1]:80\t", OK, OK, OK, OK),
            ("thermo.local", NOT_ALLOWED, OK, OK, OK),
            ("THERMO.LOCAL.:9", NOT_ALLOWED, OK, OK, OK),
            ("thermo.local.evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, OK),
            ("evil-thermo.local", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, OK),
            ("example.com:8443", NOT_ALLOWED, OK, OK, OK),
            ("example.com", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, OK),
            ("example.com:443", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, OK),
            ("[FE80::1]:5", NOT_ALLOWED, OK, OK, OK),
            ("10.0.2.15:80", NOT_ALLOWED, NOT_ALLOWED, OK, OK),
            ("[2001:db8::1]", NOT_ALLOWED, NOT_ALLOWED, OK, OK),
            ("10.0.2.15.evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, OK),
            ("bro ken", MALFORMED, MALFORMED, MALFORMED, MALFORMED),
            ("", MALFORMED, MALFORMED, MALFORMED, MALFORMED),
            ("localhost:x", MALFORMED, MALFORMED, MALFORMED, MALFORMED),
            ("evil@localhost", MALFORMED, MALFORMED, MALFORMED, MALFORMED),
        ];
        for (host, local, listed, device, any_host) in cases {
            let head = post().with("Host", host);
            assert_eq!(Access::LOCAL.check_host(&head), local, "{host}");
            assert_eq!(LISTED.check_host(&head), listed, "{host}");
            assert_eq!(devices.check_host(&head), device, "{host}");
            assert_eq!(any.check_host(&head), any_host, "{host}");
        }
    }

    #[test]
    fn h01_h12_an_authority_replaces_host_and_a_repeated_host_is_malformed() {
        let access = Access::LOCAL;
        assert_eq!(access.check_host(&post()), MALFORMED);
        assert_eq!(access.check_host(&post().with("Host", b"localhost\xff")), MALFORMED);
        assert_eq!(access.check_host(&post().with("Host", "localhost").with("host", "localhost")), MALFORMED);
        assert_eq!(access.check_host(&post().with_authority("localhost")), OK);
        assert_eq!(access.check_host(&post().with_authority("localhost").with("Host", "evil.example")), OK);
        assert_eq!(
            access.check_host(&post().with_authority("evil.example").with("Host", "localhost")),
            NOT_ALLOWED
        );
        assert_eq!(access.check_host(&post().with_authority("user@localhost")), MALFORMED);
        let twice = post().with_authority("localhost").with("Host", "localhost").with("Host", "localhost");
        assert_eq!(access.check_host(&twice), MALFORMED);
    }

    #[test]
    fn h05_h06_origins_that_are_allowed() {
        let listed = Access::LOCAL.with_origins(&[
            "https://App.example",
            "vscode-webview://ab12",
            "https://b.example/",
        ]);
        let null = Access::LOCAL.with_origins(&["null"]);
        let cors = Access::LOCAL.with_cors(&["https://app.example"]);
        let cases = [
            ("http://localhost", OK, OK, OK, OK),
            ("http://127.0.0.1:5173", OK, OK, OK, OK),
            ("https://[::1]:8443", OK, OK, OK, OK),
            ("null", NOT_ALLOWED, NOT_ALLOWED, OK, NOT_ALLOWED),
            ("NULL", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("https://app.example", NOT_ALLOWED, OK, NOT_ALLOWED, OK),
            ("HTTPS://APP.EXAMPLE.:443", NOT_ALLOWED, OK, NOT_ALLOWED, OK),
            ("http://app.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("https://app.example:8443", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("https://app.example.evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("vscode-webview://ab12", NOT_ALLOWED, OK, NOT_ALLOWED, NOT_ALLOWED),
            ("https://b.example/", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("https://b.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("http://10.0.2.15", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("http://evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("http://localhost http://evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
            ("", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED),
        ];
        for (origin, local, in_list, with_null, in_cors) in cases {
            let head = post().with("Origin", origin);
            assert_eq!(Access::LOCAL.check_origin(&head), local, "{origin}");
            assert_eq!(listed.check_origin(&head), in_list, "{origin}");
            assert_eq!(null.check_origin(&head), with_null, "{origin}");
            assert_eq!(cors.check_origin(&head), in_cors, "{origin}");
        }
        assert_eq!(Access::LOCAL.check_origin(&post()), OK);
        assert_eq!(Access::LOCAL.check_origin(&post().with("Origin", b"http://localhost\xff")), NOT_ALLOWED);
        let twice = post().with("Origin", "http://localhost").with("Origin", "http://localhost");
        assert_eq!(Access::LOCAL.check_origin(&twice), MALFORMED);
    }

    fn fields(visit: impl FnOnce(&mut dyn FnMut(&'static str, FieldValue<'_>))) -> Vec<String> {
        let mut fields = Vec::new();
        visit(&mut |name, value| fields.push(std::format!("{name}: {value}")));
        fields
    }

    #[test]
    fn h139_pages_of_the_cors_list_may_read_responses() {
        let cors = Access::LOCAL.with_cors(&["https://app.example"]);
        let origin = |origin| post().with("Origin", origin);
        assert!(fields(|field| Access::LOCAL.cors_fields(&origin("http://localhost"), field)).is_empty());
        assert_eq!(
            fields(|field| cors.cors_fields(&origin("https://APP.example"), field)),
            [
                "Vary: Origin",
                "Access-Control-Allow-Origin: https://APP.example",
                "Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate",
            ]
        );
        // Allowed, but not in the list; not allowed; none; repeated.
        for head in [
            origin("http://localhost"),
            origin("https://evil.example"),
            post(),
            origin("https://app.example").with("Origin", "https://app.example"),
        ] {
            assert_eq!(fields(|field| cors.cors_fields(&head, field)), ["Vary: Origin"]);
        }
    }

    #[test]
    fn h139_h140_the_answer_to_a_preflight_request() {
        let cors = Access::LOCAL.with_cors(&["https://app.example"]);
        let head = Request::new("OPTIONS", "/mcp")
            .with("Access-Control-Request-Headers", "content-type, Mcp-Param-Region,x-evil, mcp-param-")
            .with("Access-Control-Request-Headers", b"mcp-param-\xff, mcp-param-a b, MCP-PARAM-b")
            .with("Access-Control-Request-Private-Network", "true");
        assert_eq!(
            fields(|field| cors.preflight_fields(&head, field)),
            [
                "Access-Control-Allow-Methods: POST, GET, DELETE",
                "Access-Control-Allow-Headers: content-type, accept, authorization, last-event-id, mcp-session-id, \
                 mcp-protocol-version, mcp-method, mcp-name",
                "Access-Control-Allow-Headers: Mcp-Param-Region",
                "Access-Control-Allow-Headers: MCP-PARAM-b",
                "Access-Control-Max-Age: 7200",
                "Access-Control-Allow-Private-Network: true",
            ]
        );
    }
}
