//! The head of a request of the crate `http`, as the core sees it.

use barewire::transport::http::Head;
use http::request::Parts;

/// Path of the metadata of a protected resource, which comes before the path of the resource.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The head of a request, with the path that the core compares.
#[derive(Clone, Copy)]
pub(crate) struct RequestHead<'a> {
    parts: &'a Parts,
    path: &'a str,
}

impl<'a> RequestHead<'a> {
    /// The head of a request to an endpoint. `path` is the path of the endpoint if this service has to compare it; otherwise a router has
    /// done so, and may have cut the path.
    pub(crate) fn new(parts: &'a Parts, path: Option<&str>) -> Self {
        let of_request = parts.uri.path();
        let path = match path {
            Some(_) => of_request,
            None if of_request.starts_with(METADATA) => METADATA,
            None => ROUTED,
        };
        Self { parts, path }
    }
}

/// The path of every request that a router has found the endpoint for.
pub(crate) const ROUTED: &str = "/mcp";

impl Head for RequestHead<'_> {
    fn method(&self) -> &str {
        self.parts.method.as_str()
    }

    fn path(&self) -> &str {
        self.path
    }

    fn authority(&self) -> Option<&str> {
        self.parts.uri.authority().map(http::uri::Authority::as_str)
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.parts.headers.get_all(name).iter().map(http::HeaderValue::as_bytes)
    }
}
