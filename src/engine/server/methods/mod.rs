//! The methods of a server: here what all requests have in common, and a file for each chapter of the specification.

mod lifecycle;
mod list;
mod listen;
pub(super) mod params;
mod prompts;
mod resources;
mod tasks;
mod tools;

use params::{Malformed, strings};

use super::answer::{self, Written};
use super::engine::Engine;
use super::parts::request_of;
use super::storage::SessionSlot;
use super::{Context, Handler, Lifecycle, Origin, Parts};
use crate::bytes::Sink;
use crate::json::{JsonStr, Object, Writer};
use crate::mcp::{
    Capabilities, Chapter, ClientCapabilities, Era, LoggingLevel, Meta, Method, ProtocolVersion,
};
use crate::rpc::{ErrorCode, Request, RequestId};

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// Writes the one answer to a request, or keeps the request to answer it later.
    pub(super) fn request(&mut self, origin: Origin, request: &Request<'_>, out: &mut Sink<'_>) -> Written {
        // The method is known when the context is.
        let mut context = Context::new(origin, request.id(), Method::Ping, ProtocolVersion::LATEST_LEGACY);
        match self.understand(request, &mut context) {
            Ok(()) => self.serve(&mut context, out),
            Err(refusal) => refusal.write(&context.id, out),
        }
    }

    /// Fills the context of a request, or says why it is refused. Out of line: what it needs is off the stack when the request is served.
    pub(super) fn understand<'a>(
        &mut self,
        request: &Request<'a>,
        context: &mut Context<'a>,
    ) -> Result<(), Refusal<'a>> {
        let (origin, id) = (context.origin, context.id);
        let method = request_of::<P>(request.method());
        let meta = Meta::of(request.params());
        let is_modern = P::MODERN && meta.as_ref().is_ok_and(Meta::is_modern);
        // The ids of the peer that is gone do not concern the one that starts anew.
        let restarts = self.state.core.options.restart && method == Some(Method::Initialize) && !is_modern;
        let is_stream =
            P::MODERN && P::SUBSCRIPTIONS && self.state.find_stream(origin.channel(), id).is_some();
        if !restarts && (is_stream || self.state.find_call(origin.scope(is_modern), id).is_some()) {
            return Err(Refusal::invalid_request("Request id in use"));
        }
        let Ok(meta) = meta else {
            return Err(Refusal::INVALID_PARAMS);
        };
        let (version, capabilities) = if is_modern {
            let (name, capabilities) = meta.modern().ok_or(Refusal::INVALID_PARAMS)?;
            if (P::ASKING || P::TASKS) && !capabilities.as_value().has_unique_names() {
                return Err(Refusal::INVALID_PARAMS);
            }
            let version = ProtocolVersion::from_name(name).filter(|version| version.era() == Era::Modern);
            (version.ok_or(Refusal::Version(name))?, Some(capabilities))
        } else if !P::LEGACY {
            return Err(refuse_legacy(request, method));
        } else {
            (self.legacy_version(context, method)?, None)
        };
        let method = method.filter(|method| method.is_in(version));
        let method = method.ok_or(Refusal::METHOD_NOT_FOUND)?;
        // The application is asked only where it matters.
        let offered = match method.needs_server() {
            true => self.offered(origin),
            false => Capabilities::NONE,
        };
        if self.app.has_failed() {
            return Err(Refusal::Error(ErrorCode::INTERNAL_ERROR, "Internal error"));
        }
        if !offered.offers(method, version) {
            return Err(Refusal::METHOD_NOT_FOUND);
        }
        let log_level = match version.era() {
            _ if !P::LOGGING => None,
            Era::Modern => meta.log_level().map_err(|_| Refusal::INVALID_PARAMS)?,
            Era::Legacy => {
                Some(self.state.session(origin.session()).map_or(LoggingLevel::Info, SessionSlot::log_level))
            }
        };
        if meta.is_malformed() {
            return Err(Refusal::INVALID_PARAMS);
        }
        context.method = method;
        context.version = version;
        context.params = request.params();
        context.client_capabilities = capabilities;
        context.client = self.client(origin, method, capabilities);
        context.progress_token = meta.progress_token();
        context.log_level = log_level.filter(|_| offered.has(Capabilities::LOGGING));
        context.deferral = self.state.offer(context);
        Ok(())
    }

    /// The revision of a legacy request: that of its session, or without one the revision that the context has already.
    fn legacy_version<'a>(
        &mut self,
        context: &Context<'_>,
        method: Option<Method>,
    ) -> Result<ProtocolVersion, Refusal<'a>> {
        if P::MODERN && matches!(method, Some(Method::ServerDiscover | Method::SubscriptionsListen)) {
            return Err(Refusal::INVALID_PARAMS);
        }
        let origin = context.origin;
        let version = self.state.version(origin.session());
        // A handshake, be it refused or not, and `ping` may come before.
        if !matches!(method, Some(Method::Initialize | Method::Ping)) {
            if version.is_none() && self.state.core.options.lifecycle == Lifecycle::Strict {
                return Err(Refusal::invalid_request("Not initialized"));
            }
            if let Some(session) = self.state.session_mut(origin.session()) {
                session.phase.get_ready();
            }
        }
        Ok(version.unwrap_or(context.version))
    }

    /// Capabilities of the client, as far as the method needs them.
    fn client(&self, origin: Origin, method: Method, capabilities: Option<Object<'_>>) -> ClientCapabilities {
        let matters = matches!(
            method,
            Method::ToolsCall
                | Method::PromptsGet
                | Method::ResourcesRead
                | Method::CompletionComplete
                | Method::SubscriptionsListen
        ) || method.chapter() == Chapter::Tasks;
        match capabilities {
            _ if !(P::ASKING || P::TASKS) || !matters => ClientCapabilities::NONE,
            Some(capabilities) => ClientCapabilities::from_object(capabilities),
            None => self
                .state
                .session(origin.session())
                .map_or(ClientCapabilities::NONE, |session| session.client),
        }
    }

    pub(super) fn serve(&mut self, context: &mut Context<'_>, out: &mut Sink<'_>) -> Written {
        match context.method {
            Method::Initialize if P::LEGACY => self.initialize(context, out),
            Method::Ping if P::LEGACY => self.empty(context, out),
            Method::ServerDiscover if P::MODERN => self.discover(context, out),
            Method::ToolsCall => self.call_tool(context, out),
            Method::ToolsList => self.list(context, out),
            Method::ResourcesRead if P::RESOURCES => self.read_resource(context, out),
            Method::ResourcesList | Method::ResourcesTemplatesList if P::RESOURCES => self.list(context, out),
            Method::ResourcesSubscribe if P::LEGACY && P::RESOURCES && P::SUBSCRIPTIONS => {
                self.subscribe(context, out)
            }
            Method::ResourcesUnsubscribe if P::LEGACY && P::RESOURCES && P::SUBSCRIPTIONS => {
                self.unsubscribe(context, out)
            }
            Method::SubscriptionsListen if P::MODERN && P::SUBSCRIPTIONS => self.listen(context, out),
            Method::PromptsList if P::PROMPTS => self.list(context, out),
            Method::PromptsGet if P::PROMPTS => self.get_prompt(context, out),
            Method::CompletionComplete if P::COMPLETIONS => self.complete_argument(context, out),
            Method::LoggingSetLevel if P::LEGACY && P::LOGGING => self.set_level(context, out),
            Method::TasksGet
            | Method::TasksResult
            | Method::TasksCancel
            | Method::TasksList
            | Method::TasksUpdate
                if P::TASKS =>
            {
                self.task_method(context, out)
            }
            _ => answer::error(out, &context.id, ErrorCode::METHOD_NOT_FOUND, "Method not found"),
        }
    }
}

fn write_supported(json: &mut Writer<'_, '_>, name: &str) {
    json.name(name).begin_array();
    json.string(ProtocolVersion::LATEST_MODERN.as_str());
    json.end_array();
}

/// Why a request is not served.
pub(super) enum Refusal<'a> {
    Error(ErrorCode, &'static str),
    /// It is of a revision that is not spoken.
    Version(JsonStr<'a>),
}

impl Refusal<'_> {
    const INVALID_PARAMS: Self = Self::Error(ErrorCode::INVALID_PARAMS, "Invalid params");
    const METHOD_NOT_FOUND: Self = Self::Error(ErrorCode::METHOD_NOT_FOUND, "Method not found");

    const fn invalid_request(text: &'static str) -> Self {
        Self::Error(ErrorCode::INVALID_REQUEST, text)
    }

    /// Writes the error response.
    pub(super) fn write(self, id: &RequestId<'_>, out: &mut Sink<'_>) -> Written {
        match self {
            Self::Error(code, text) => answer::error(out, id, code, text),
            Self::Version(requested) => unsupported_version(out, id, requested),
        }
    }

    /// Code of the error response.
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::Error(code, _) => *code,
            Self::Version(_) => ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        }
    }
}

fn unsupported_version(out: &mut Sink<'_>, id: &RequestId<'_>, requested: JsonStr<'_>) -> Written {
    answer::error_with(
        out,
        id,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        "Unsupported protocol version",
        |json| {
            json.begin_object();
            write_supported(json, "supported");
            json.name("requested").json_string(requested).end_object();
        },
    )
}

/// The error for a legacy request to a server of the modern era alone: that of the handshake names the revisions to speak (MCP versioning).
fn refuse_legacy<'a>(request: &Request<'a>, method: Option<Method>) -> Refusal<'a> {
    match method {
        Some(Method::Initialize) => match strings(request.params(), ["protocolVersion"]) {
            Ok([requested]) => Refusal::Version(requested.unwrap_or(JsonStr::EMPTY)),
            Err(Malformed) => Refusal::INVALID_PARAMS,
        },
        Some(method) if method.is_in(ProtocolVersion::LATEST_MODERN) => Refusal::INVALID_PARAMS,
        _ => Refusal::METHOD_NOT_FOUND,
    }
}
