//! Who may reach the endpoint, with texts that are known at run time.

use barewire::transport::http::{
    Access, Admitted, Authorization, Authorizer, BearerToken, Denial, Head, Hosts, NoAuthorization,
    ResourceMetadata, admit,
};
use http::HeaderMap;

use crate::fields::add_field;
use crate::head::{ROUTED, RequestHead};

/// Access to an endpoint; [`Access`] borrows from it.
pub(crate) struct AccessRules {
    pub(crate) hosts: Hosts,
    pub(crate) names: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) cors: Vec<String>,
    pub(crate) path: Option<String>,
    pub(crate) scope: Option<String>,
    pub(crate) metadata: Option<ResourceMetadata<'static>>,
    pub(crate) authorizer: Box<dyn AnyAuthorizer>,
}

impl AccessRules {
    pub(crate) fn new() -> Self {
        Self {
            hosts: Hosts::Loopback,
            names: Vec::new(),
            origins: Vec::new(),
            cors: Vec::new(),
            path: None,
            scope: None,
            metadata: None,
            authorizer: Box::new(NoAuthorization),
        }
    }

    /// Calls `judge` with the rules as the core has them.
    fn with<R>(&self, judge: impl FnOnce(&Access<'_>) -> R) -> R {
        let (names, origins, cors) = (texts(&self.names), texts(&self.origins), texts(&self.cors));
        let mut access = Access::LOCAL
            .with_hosts(self.hosts)
            .with_names(&names)
            .with_origins(&origins)
            .with_cors(&cors)
            .with_path(self.path.as_deref().unwrap_or(ROUTED));
        if let Some(scope) = &self.scope {
            access = access.with_scope(scope);
        }
        if let Some(metadata) = self.metadata {
            access = access.with_metadata(metadata);
        }
        judge(&access)
    }

    /// Judges a request by its head. `deny` makes the response to one that is refused.
    pub(crate) fn admit<R>(
        &self,
        head: &RequestHead<'_>,
        offers_sessions: bool,
        deny: impl FnOnce(&Denial<'_>) -> R,
    ) -> Result<Admitted, R> {
        let authorizer = Judge { authorizer: &*self.authorizer, head };
        self.with(|access| admit(access, &authorizer, head, offers_sessions).map_err(|denial| deny(&denial)))
    }

    /// Adds the fields that let a page in a browser read the response.
    pub(crate) fn add_cors_fields(&self, head: &RequestHead<'_>, headers: &mut HeaderMap) {
        if !self.cors.is_empty() {
            self.with(|access| access.cors_fields(head, |name, value| add_field(headers, name, value)));
        }
    }

    /// Adds the fields of the response to a preflight request.
    pub(crate) fn add_preflight_fields(&self, head: &RequestHead<'_>, headers: &mut HeaderMap) {
        self.with(|access| access.preflight_fields(head, |name, value| add_field(headers, name, value)));
    }
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

/// An authorizer of any type.
pub(crate) trait AnyAuthorizer: Send + Sync {
    fn authorize_request(&self, head: &RequestHead<'_>) -> Authorization<'_>;
}

impl<A: Authorizer + Send + Sync> AnyAuthorizer for A {
    fn authorize_request(&self, head: &RequestHead<'_>) -> Authorization<'_> {
        self.authorize(head)
    }
}

/// The judgement of an authorizer about one request.
struct Judge<'a> {
    authorizer: &'a dyn AnyAuthorizer,
    head: &'a RequestHead<'a>,
}

impl Authorizer for Judge<'_> {
    fn authorize(&self, _: &impl Head) -> Authorization<'_> {
        self.authorizer.authorize_request(self.head)
    }
}

/// A bearer token that is known at run time.
pub(crate) struct Token(pub(crate) String);

impl Authorizer for Token {
    fn authorize(&self, head: &impl Head) -> Authorization<'_> {
        match BearerToken::new(&self.0).authorize(head) {
            Authorization::Allowed(principal) => Authorization::Allowed(principal),
            Authorization::Malformed => Authorization::Malformed,
            _ => Authorization::Unauthorized,
        }
    }
}
