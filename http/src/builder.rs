//! Settings of a server.

use std::io;
use std::sync::{Arc, Weak};

use barewire::engine::{Handler, Options, Server};
use barewire::transport::http::{Authorizer, Endpoint, Hosts, ResourceMetadata, SessionEntry};
use barewire::transport::{JobHost, JobQueue, print_faults};

use crate::access::{AccessRules, Token};
use crate::handle::Handle;
use crate::hub::Hub;
use crate::limits::HttpLimits;
use crate::service::Mcp;
use crate::storage::{Storage, random};

impl Mcp {
    /// A server for clients on the same machine: requests for other hosts than loopback ones, or from pages of other origins, are refused.
    pub fn new(app: impl Handler + Send + 'static) -> Self {
        Self::builder().build(app)
    }

    /// A server with other settings.
    pub fn builder() -> Builder {
        Builder::new()
    }
}

/// Settings of an [`Mcp`] service.
///
/// ```
/// # use barewire::{Handler, mcp::Implementation};
/// # struct Thermo;
/// # impl Handler for Thermo {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("thermo", "1.0")
/// #     }
/// # }
/// use barewire_http::Mcp;
///
/// let token = std::env::var("THERMO_TOKEN").unwrap_or_default();
/// let mcp = Mcp::builder().hosts(["thermo.example"]).token(token).build(Thermo);
/// ```
#[must_use]
pub struct Builder {
    rules: AccessRules,
    limits: HttpLimits,
    sessions: u16,
    requires_sessions: bool,
    options: Options,
    #[cfg(feature = "seal")]
    seal: Option<barewire::engine::Seal>,
    jobs: Option<JobHost>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Builder")
    }
}

/// Number of legacy sessions by default.
const SESSIONS: u16 = 64;

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            rules: AccessRules::new(),
            limits: HttpLimits::DEFAULT,
            sessions: SESSIONS,
            requires_sessions: false,
            options: Options::DEFAULT,
            #[cfg(feature = "seal")]
            seal: None,
            jobs: None,
        }
    }

    /// Adds hosts that requests may be for, such as `thermo.example` or `thermo.example:8443`, beside the loopback ones. Without a port, every
    /// port is allowed. They are the names by which clients reach the server, as a proxy passes them on.
    ///
    /// A page in a browser can let its own name point to any address (DNS rebinding). A server that knows its names refuses such requests.
    pub fn hosts(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rules.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets which hosts are allowed beside those of [`hosts`](Builder::hosts): [`Hosts::Any`] behind a proxy that checks the host.
    pub fn allow_hosts(mut self, hosts: Hosts) -> Self {
        self.rules.hosts = hosts;
        self
    }

    /// Adds origins of pages whose requests are served, such as `https://app.example`, beside those of this machine.
    pub fn origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rules.origins.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Adds origins of pages whose requests are served, and which may read the responses (CORS).
    pub fn cors(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rules.cors.extend(origins.into_iter().map(Into::into));
        self
    }

    /// Sets the path of the endpoint, for a program without a router: requests for other paths get the status 404. By default the path is not
    /// looked at, since a router has chosen the service by it.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.rules.path = Some(path.into());
        self
    }

    /// Requires this bearer token. An empty one admits nobody.
    pub fn token(self, token: impl Into<String>) -> Self {
        self.authorizer(Token(token.into()))
    }

    /// Sets what judges the authorization of each request, before its body is read.
    pub fn authorizer(mut self, authorizer: impl Authorizer + Send + Sync + 'static) -> Self {
        self.rules.authorizer = Box::new(authorizer);
        self
    }

    /// Sets the scopes that a client needs, separated by spaces, for the challenge of a response with the status 401.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.rules.scope = Some(scope.into());
        self
    }

    /// Sets the metadata of the endpoint as a protected resource. It is named in challenges, and served without authorization to requests whose path
    /// begins with `/.well-known/oauth-protected-resource`: a router has to lead those here too.
    pub fn metadata(mut self, metadata: ResourceMetadata<'static>) -> Self {
        self.rules.metadata = Some(metadata);
        self
    }

    /// Sets the number of legacy sessions, 64 by default. When there are more, the one that was idle for the longest time ends. 0: legacy requests are
    /// served, each by itself.
    pub fn sessions(mut self, count: u16) -> Self {
        self.sessions = count;
        self
    }

    /// Refuses legacy requests without a session. By default they are served, since many clients lose the id of their session.
    pub fn require_sessions(mut self, required: bool) -> Self {
        self.requires_sessions = required;
        self
    }

    /// Sets the options of the server. Task ids are random, whatever their seed.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Sets the [seal](Server::with_seal) of state that travels through modern clients.
    #[cfg(feature = "seal")]
    pub fn seal(mut self, seal: barewire::engine::Seal) -> Self {
        self.seal = Some(seal);
        self
    }

    /// Sets the limits of memory and time.
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Starts this number of threads for the work of `queue`, as [`Stdio::with_jobs`](barewire::transport::Stdio::with_jobs) does.
    ///
    /// # Errors
    /// A thread could not be started.
    pub fn jobs(mut self, queue: JobQueue, threads: usize) -> io::Result<Self> {
        self.jobs = Some(JobHost::start(queue, threads.max(1))?);
        Ok(self)
    }

    /// The service of this application.
    pub fn build(self, app: impl Handler + Send + 'static) -> Mcp {
        self.build_with(|_| app)
    }

    /// The service of an application that needs a handle to its server.
    pub fn build_with<H: Handler + Send + 'static>(self, app: impl FnOnce(Handle) -> H) -> Mcp {
        #[cfg(feature = "seal")]
        let seal = self.seal;
        let Self { rules, limits, sessions, requires_sessions, options, jobs, .. } = self;
        let hub = Arc::new_cyclic(|hub: &Weak<Hub>| {
            if let Some(jobs) = &jobs {
                let hub = Weak::clone(hub);
                jobs.set_waker(move || {
                    if let Some(hub) = hub.upgrade() {
                        hub.has_jobs();
                    }
                });
            }
            let mut server = Server::with_storage(Storage::with_sessions(sessions)).with_options(options);
            #[cfg(feature = "seal")]
            if let Some(seal) = seal {
                server.set_seal(seal);
            }
            let app = Box::new(app(Handle::new(Weak::clone(hub))));
            print_faults(&mut server, &*app);
            let endpoint = Endpoint::with_sessions(server, vec![SessionEntry::FREE; sessions.into()])
                .with_random(random)
                .with_idle_timeout(limits.idle)
                .with_required_sessions(requires_sessions);
            Hub::new(rules, limits, sessions, endpoint, jobs, app)
        });
        Mcp::of(hub)
    }
}
