//! The methods of a server: here what all requests have in common, and a file for each chapter of the specification.

mod lifecycle;
mod listen;
mod outcome;
mod params;
mod prompts;
mod resources;
mod tasks;
mod tools;

pub(super) use outcome::not_kept;
use params::{Malformed, strings};

use core::sync::atomic::AtomicBool;

use super::answer::{self, Tail, Written};
use super::list::write_list;
use super::parts::request_of;
use super::resume::Answers;
use super::{Context, Handler, Lifecycle, Parts, Resumed, Server};
use crate::bytes::Sink;
use crate::json::{JsonStr, Object, Writer};
use crate::mcp::{
    Chapter, ClientCapabilities, Era, Feature, Meta, Method, PackedCapabilities, ProtocolVersion,
};
use crate::rpc::{ErrorCode, Request, RequestId};

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// Writes the one answer to a request, or keeps the request to be answered later.
    #[inline(never)]
    pub(super) fn request(&mut self, request: &Request<'_>, out: &mut Sink<'_>) -> Written {
        // The method is known when the context is.
        let mut context = Context::new(request.id(), Method::Ping, ProtocolVersion::LATEST_LEGACY);
        match self.understand(request, &mut context) {
            Ok(()) => self.serve(&mut context, out),
            Err(Refusal::Error(code, text)) => answer::error(out, &context.id, code, text),
            Err(Refusal::Version(requested)) => unsupported_version(out, &context.id, requested),
        }
    }

    /// Finds what a request is to be served with, or why it is not. A function of its own, so that what it needs is off the
    /// stack when the request is served.
    #[inline(never)]
    fn understand<'a>(
        &mut self,
        request: &Request<'a>,
        context: &mut Context<'a>,
    ) -> Result<(), Refusal<'a>> {
        let id = context.id;
        let method = request_of::<P>(request.method());
        let meta = Meta::of(request.params());
        // The ids of the peer that is gone are no concern of the one that starts anew.
        let restarts = self.options.restart
            && method == Some(Method::Initialize)
            && meta.as_ref().is_ok_and(|meta| !(P::MODERN && meta.is_modern()));
        let is_stream = P::MODERN && P::SUBSCRIPTIONS && self.subscriptions.contains(id);
        if !restarts && (is_stream || self.calls.contains(id)) {
            return Err(Refusal::invalid_request("Request id in use"));
        }
        let Ok(meta) = meta else {
            return Err(Refusal::INVALID_PARAMS);
        };
        let (version, capabilities) = if P::MODERN && meta.is_modern() {
            let (name, capabilities) = meta.modern().ok_or(Refusal::INVALID_PARAMS)?;
            if (P::ASKING || P::TASKS) && !capabilities.as_value().has_unique_names() {
                return Err(Refusal::INVALID_PARAMS);
            }
            let version = ProtocolVersion::from_name(name).filter(|version| version.era() == Era::Modern);
            (version.ok_or(Refusal::Version(name))?, Some(capabilities))
        } else if !P::LEGACY {
            return Err(refuse_legacy(request, method));
        } else {
            if P::MODERN && matches!(method, Some(Method::ServerDiscover | Method::SubscriptionsListen)) {
                return Err(Refusal::INVALID_PARAMS);
            }
            if self.options.lifecycle == Lifecycle::Strict
                && self.session.version.is_none()
                && !matches!(method, Some(Method::Initialize | Method::Ping))
            {
                return Err(Refusal::invalid_request("Not initialized"));
            }
            // A handshake, be it refused or not, and `ping` may come before.
            self.session.is_ready |=
                self.session.version.is_some() && !matches!(method, Some(Method::Initialize | Method::Ping));
            let version = self.session.version;
            (version.unwrap_or(ProtocolVersion::LATEST_LEGACY), None)
        };
        let offered = self.offered();
        if self.handler.has_failed() {
            return Err(Refusal::Error(ErrorCode::INTERNAL_ERROR, "Internal error"));
        }
        let method = method.filter(|method| {
            method.is_in(version)
                && offered.offer(*method)
                && (P::SUBSCRIPTIONS || *method != Method::SubscriptionsListen)
        });
        let method = method.ok_or(Refusal::METHOD_NOT_FOUND)?;
        let log_level = match version.era() {
            _ if !P::LOGGING => None,
            Era::Modern => meta.log_level().map_err(|_| Refusal::INVALID_PARAMS)?,
            Era::Legacy => Some(self.session.log_level()),
        };
        if meta.is_malformed() {
            return Err(Refusal::INVALID_PARAMS);
        }
        context.method = method;
        context.version = version;
        context.params = request.params();
        context.client_capabilities = capabilities;
        context.client = self.client(method, capabilities);
        context.progress_token = meta.progress_token();
        context.log_level = log_level.filter(|_| offered.logging);
        context.deferral = self.calls.offer(context);
        Ok(())
    }

    /// What the client can do, as far as the method cares.
    fn client(&self, method: Method, capabilities: Option<Object<'_>>) -> PackedCapabilities {
        let matters = matches!(
            method,
            Method::ToolsCall
                | Method::PromptsGet
                | Method::ResourcesRead
                | Method::CompletionComplete
                | Method::SubscriptionsListen
        ) || method.chapter() == Chapter::Tasks;
        match capabilities {
            _ if !(P::ASKING || P::TASKS) || !matters => PackedCapabilities::NONE,
            Some(capabilities) => ClientCapabilities::from_object(capabilities).packed(),
            None => self.session.client,
        }
    }

    /// A request for the first time; or again, of a modern client that was asked something about `subject`.
    fn turn<'a, C>(
        &self,
        context: &'a Context<'a>,
        subject: JsonStr<'a>,
        is_malformed: &'a AtomicBool,
        first: C,
    ) -> Result<Turn<'a, C>, Malformed> {
        let is_modern = P::MODERN && context.version.has(Feature::ResultType);
        let Some(params) = context.params.filter(|_| P::ASKING && is_modern) else {
            return Ok(Turn::First(first));
        };
        Ok(match params::retry(params)? {
            None => Turn::First(first),
            Some(retry) => Turn::Again(Resumed {
                context,
                subject,
                state: retry.state,
                answers: Answers::all(retry.answers, is_malformed),
            }),
        })
    }

    fn serve(&mut self, context: &mut Context<'_>, out: &mut Sink<'_>) -> Written {
        match context.method {
            Method::Initialize if P::LEGACY => self.initialize(context, out),
            Method::Ping if P::LEGACY => self.empty(context, out),
            Method::ServerDiscover if P::MODERN => self.discover(context, out),
            Method::ToolsList => self.list(context, out),
            Method::ToolsCall => self.call_tool(context, out),
            Method::ResourcesList | Method::ResourcesTemplatesList if P::RESOURCES => self.list(context, out),
            Method::ResourcesRead if P::RESOURCES => self.read_resource(context, out),
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
            _ => refuse(out, context, ErrorCode::METHOD_NOT_FOUND, "Method not found"),
        }
    }

    /// The empty result.
    fn empty(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        answer::empty(
            out,
            &context.id,
            &Tail::<_, P>::new(&self.handler, context.version),
        )
    }

    /// The list that the method names. One function for all of them, for the flash; of its own, for the stack of all that is
    /// no list.
    #[inline(never)]
    fn list(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let (method, version) = (context.method, context.version);
        let tail = match method {
            Method::TasksList if P::TASKS => Tail::<_, P>::new(&self.handler, version),
            _ => Tail::<_, P>::cacheable(&self.handler, version),
        };
        let (name, length) = match method {
            Method::ResourcesList if P::RESOURCES => ("resources", self.handler.resources().len()),
            Method::ResourcesTemplatesList if P::RESOURCES => {
                ("resourceTemplates", self.handler.resource_templates().len())
            }
            Method::PromptsList if P::PROMPTS => ("prompts", self.handler.prompts().len()),
            Method::TasksList if P::TASKS => ("tasks", self.tasks.as_slice().len()),
            _ => ("tools", self.handler.tools().len()),
        };
        write_list(context, out, &tail, name, length, |at, json| match method {
            Method::ResourcesList if P::RESOURCES => {
                if let Some(resource) = self.handler.resources().get(at) {
                    resource.write(json, version);
                }
            }
            Method::ResourcesTemplatesList if P::RESOURCES => {
                if let Some(template) = self.handler.resource_templates().get(at) {
                    template.write(json, version);
                }
            }
            Method::PromptsList if P::PROMPTS => {
                if let Some(prompt) = self.handler.prompts().get(at) {
                    prompt.write(json, version);
                }
            }
            Method::TasksList if P::TASKS => {
                if let Some(task) = self.tasks.as_slice().get(at) {
                    json.begin_object();
                    self.view(task, version).write_members(json, version);
                    json.end_object();
                }
            }
            _ => {
                if let Some(tool) = self.handler.tools().get(at) {
                    tool.write(json, version);
                }
            }
        })
    }
}

/// A call of the handler.
pub(super) enum Turn<'a, C> {
    /// For a request that came.
    First(C),
    /// With the client's answers to what the call before has asked: never where that part is left out.
    Again(Resumed<'a>),
}

/// Does `work` in a frame of its own, where a reply may ask: what that needs is off the stack when it is known what the
/// call came to. Elsewhere a reply is small, and the compiler sees of each handler what it never returns.
fn apart<P: Parts, R>(work: impl FnOnce() -> R) -> R {
    #[inline(never)]
    fn in_a_frame<R>(work: impl FnOnce() -> R) -> R {
        work()
    }

    match P::ASKING {
        true => in_a_frame(work),
        false => work(),
    }
}

fn write_supported(json: &mut Writer<'_, '_>, name: &str) {
    json.name(name).begin_array();
    json.string(ProtocolVersion::LATEST_MODERN.as_str());
    json.end_array();
}

/// Why a request is not served.
enum Refusal<'a> {
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

/// A legacy request to a server of the modern era alone: the handshake is told what to speak instead (MCP versioning).
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

pub(super) fn refuse(out: &mut Sink<'_>, context: &Context<'_>, code: ErrorCode, text: &str) -> Written {
    answer::error(out, &context.id, code, text)
}

pub(super) fn invalid_params(out: &mut Sink<'_>, context: &Context<'_>) -> Written {
    refuse(out, context, ErrorCode::INVALID_PARAMS, "Invalid params")
}
