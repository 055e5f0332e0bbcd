//! The methods of a server, one function each.

use super::answer::{self, Tail, Written};
use super::reply::{Finished, To};
use super::server::Session;
use super::subscriptions::{Kinds, NoRoom};
use super::{
    CallError, Completion, CompletionReply, Context, Disposition, Event, Handler, Lifecycle, PromptGet,
    PromptReply, Reference, ResourceRead, ResourceReply, Server, ToolCall, ToolReply,
};
use super::{list, notify};
use crate::bytes::Sink;
use crate::json::{Array, JsonStr, Kind, Object, RawValue, Writer};
use crate::mcp::{Era, LoggingLevel, Meta, Method, ProtocolVersion, Role, Text};
use crate::rpc::{ErrorCode, Request};

impl<H: Handler + ?Sized, const CALLS: usize, const SUBSCRIPTIONS: usize, const ID: usize, const URI: usize>
    Server<H, CALLS, SUBSCRIPTIONS, ID, URI>
{
    /// Writes the one answer to a request, or keeps the request to be answered later.
    pub(super) fn request(&mut self, request: &Request<'_>, out: &mut Sink<'_>) -> Written {
        let id = request.id();
        let method = Method::from_name(request.method());
        let meta = Meta::of(request.params());
        // The ids of the peer that is gone are no concern of the one that starts anew.
        let restarts = self.options.restart
            && method == Some(Method::Initialize)
            && meta.as_ref().is_ok_and(|meta| !meta.is_modern());
        if !restarts && (self.calls.contains(id) || self.subscriptions.contains(id)) {
            return invalid_request(out, request, "Request id in use");
        }
        let Ok(meta) = meta else {
            return error(out, request, ErrorCode::INVALID_PARAMS, "Invalid params");
        };
        let (version, capabilities) = if meta.is_modern() {
            let Some((name, capabilities)) = meta.modern() else {
                return error(out, request, ErrorCode::INVALID_PARAMS, "Invalid params");
            };
            match ProtocolVersion::from_name(name).filter(|version| version.era() == Era::Modern) {
                Some(version) => (version, Some(capabilities)),
                None => return unsupported_version(out, request, name),
            }
        } else {
            if matches!(method, Some(Method::ServerDiscover | Method::SubscriptionsListen)) {
                return error(out, request, ErrorCode::INVALID_PARAMS, "Invalid params");
            }
            if self.options.lifecycle == Lifecycle::Strict
                && self.session.version.is_none()
                && !matches!(method, Some(Method::Initialize | Method::Ping))
            {
                return invalid_request(out, request, "Not initialized");
            }
            self.session.is_ready |= self.session.version.is_some() && method != Some(Method::Ping);
            let version = self.session.version;
            (version.unwrap_or(ProtocolVersion::LATEST_LEGACY), None)
        };
        let offered = self.handler.capabilities();
        let method = method.filter(|method| {
            !method.is_notification()
                && method.is_in(version)
                && method.sender() != Role::Server
                && offered.offer(*method)
        });
        let Some(method) = method else {
            return error(out, request, ErrorCode::METHOD_NOT_FOUND, "Method not found");
        };
        let log_level = match (version.era(), meta.log_level()) {
            (Era::Modern, Ok(level)) => level,
            (Era::Legacy, _) => Some(self.session.log_level),
            (Era::Modern, Err(_)) => {
                return error(out, request, ErrorCode::INVALID_PARAMS, "Invalid params");
            }
        };
        if meta.is_malformed() {
            return error(out, request, ErrorCode::INVALID_PARAMS, "Invalid params");
        }
        let context = Context {
            id,
            method,
            version,
            params: request.params(),
            client_capabilities: capabilities,
            progress_token: meta.progress_token(),
            log_level: log_level.filter(|_| offered.logging),
            deferral: self.calls.offer(id, meta.progress_token()),
        };
        self.serve(&context, out)
    }

    fn serve(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        match context.method {
            Method::Initialize => self.initialize(context, out),
            Method::Ping => answer::empty(out, context.id, &self.tail(context.version)),
            Method::ServerDiscover => self.discover(context, out),
            Method::ToolsList => {
                let (entries, tail) = (self.handler.tools(), self.list_tail(context));
                write_list(context, out, &tail, "tools", entries, |tool, json| {
                    tool.write(json, context.version);
                })
            }
            Method::ToolsCall => self.call_tool(context, out),
            Method::ResourcesList => {
                let (entries, tail) = (self.handler.resources(), self.list_tail(context));
                write_list(context, out, &tail, "resources", entries, |resource, json| {
                    resource.write(json, context.version);
                })
            }
            Method::ResourcesTemplatesList => {
                let (entries, tail) = (self.handler.resource_templates(), self.list_tail(context));
                write_list(
                    context,
                    out,
                    &tail,
                    "resourceTemplates",
                    entries,
                    |template, json| {
                        template.write(json, context.version);
                    },
                )
            }
            Method::ResourcesRead => self.read_resource(context, out),
            Method::ResourcesSubscribe => self.subscribe(context, out),
            Method::ResourcesUnsubscribe => self.unsubscribe(context, out),
            Method::SubscriptionsListen => self.listen(context, out),
            Method::PromptsList => {
                let (entries, tail) = (self.handler.prompts(), self.list_tail(context));
                write_list(context, out, &tail, "prompts", entries, |prompt, json| {
                    prompt.write(json, context.version);
                })
            }
            Method::PromptsGet => self.get_prompt(context, out),
            Method::CompletionComplete => self.complete_argument(context, out),
            Method::LoggingSetLevel => self.set_level(context, out),
            _ => refuse(out, context, ErrorCode::METHOD_NOT_FOUND, "Method not found"),
        }
    }

    pub(super) fn tail(&self, version: ProtocolVersion) -> Tail<'_> {
        Tail::new(version, self.handler.info())
    }

    fn list_tail(&self, context: &Context<'_>) -> Tail<'_> {
        self.tail(context.version).cacheable()
    }

    /// The legacy handshake: the requested revision if it is one with a handshake, else the newest of those.
    fn initialize(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        if self.session.version.is_some() && !self.options.restart {
            return refuse(out, context, ErrorCode::INVALID_REQUEST, "Already initialized");
        }
        let Ok([Some(requested)]) = strings(context.params, ["protocolVersion"]) else {
            return invalid_params(out, context);
        };
        let version = ProtocolVersion::from_name(requested)
            .filter(|version| version.era() == Era::Legacy)
            .unwrap_or(ProtocolVersion::LATEST_LEGACY);
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, context.id, version);
        json.name("protocolVersion").string(version.as_str());
        json.name("capabilities");
        self.handler.capabilities().write(&mut json, version);
        json.name("serverInfo");
        self.handler.info().write(&mut json, version);
        self.write_instructions(&mut json);
        self.tail(version).write(&mut json);
        if out.is_full() {
            out.rollback(mark);
            return answer::too_large(out, context.id);
        }
        if self.session.version.is_some() {
            self.reset();
        }
        self.session = Session {
            version: Some(version),
            ..self.session
        };
        self.handler.event(Event::Initialized(version));
        Written::Yes
    }

    fn write_instructions(&self, json: &mut Writer<'_, '_>) {
        if let Some(instructions) = self.handler.instructions() {
            json.name("instructions").string(instructions);
        }
    }

    fn discover(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let mark = out.mark();
        let mut json = Writer::new(out);
        answer::begin(&mut json, context.id, context.version);
        write_supported(&mut json, "supportedVersions");
        json.name("capabilities");
        self.handler.capabilities().write(&mut json, context.version);
        self.write_instructions(&mut json);
        self.list_tail(context).write(&mut json);
        if out.is_full() {
            out.rollback(mark);
            return answer::too_large(out, context.id);
        }
        Written::Yes
    }

    fn call_tool(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(Ok([name, arguments])) = context
            .params
            .map(|params| params.get_each(["name", "arguments"]))
        else {
            return invalid_params(out, context);
        };
        let (Some(name), Some(arguments)) = (name.and_then(RawValue::as_string), object_or_null(arguments))
        else {
            return invalid_params(out, context);
        };
        let mut tools = self.handler.tools().iter().enumerate();
        let Some((index, tool)) = tools.find(|(_, tool)| name == tool.name()) else {
            return answer::not_found(out, context);
        };
        if let Err(fault) = tool.check(arguments) {
            let mut reply = ToolReply::new(out, &To::request(context));
            reply.set_error();
            let head = ["Invalid arguments for ", tool.name()];
            if tool.is_terse() {
                reply.text_of(&head);
            } else {
                reply.text_about(&head, fault.member, fault.fault.as_str());
            }
            let finished = reply.finish(&self.tail(context.version));
            return self.finish_tool(out, &To::request(context), finished);
        }
        let call = ToolCall {
            context: *context,
            name,
            index,
            arguments,
        };
        let mut reply = ToolReply::new(out, &To::request(context));
        let outcome = self.handler.call_tool(call, &mut reply);
        let finished = match outcome {
            Ok(Disposition::Done) => reply.finish(&self.tail(context.version)),
            Ok(Disposition::Deferred(token)) => {
                let progress = reply.take_back();
                return self.keep(context, token, progress, out);
            }
            Err(CallError::Failed(text)) => {
                reply.fail(&[text]);
                reply.finish(&self.tail(context.version))
            }
            Err(error) => {
                reply.take_back();
                return self.refuse_call(context, &error, out);
            }
        };
        self.finish_tool(out, &To::request(context), finished)
    }

    /// The end of a tool's reply: one that does not fit is replaced by a tool error, that by a protocol error.
    pub(super) fn finish_tool(&mut self, out: &mut Sink<'_>, to: &To<'_>, finished: Finished) -> Written {
        match finished {
            Finished::Written => Written::Yes,
            Finished::Misuse(what) => self.misuse(out, to, what),
            Finished::TooLarge => {
                let mut reply = ToolReply::new(out, to);
                reply.fail(&["Result too large"]);
                match reply.finish(&self.tail(to.version)) {
                    Finished::Written => Written::Yes,
                    _ => answer::too_large(out, to.id),
                }
            }
        }
    }

    /// The end of any other reply.
    pub(super) fn finish_other(&mut self, out: &mut Sink<'_>, to: &To<'_>, finished: Finished) -> Written {
        match finished {
            Finished::Written => Written::Yes,
            Finished::Misuse(what) => self.misuse(out, to, what),
            Finished::TooLarge => answer::too_large(out, to.id),
        }
    }

    fn misuse(&mut self, out: &mut Sink<'_>, to: &To<'_>, what: &'static str) -> Written {
        self.handler.event(Event::Misuse(what));
        answer::error(out, to.id, ErrorCode::INTERNAL_ERROR, "Internal error", |_| {})
    }

    /// Keeps a call that the handler deferred.
    fn keep(
        &mut self,
        context: &Context<'_>,
        token: super::CallToken,
        progress: Option<i64>,
        out: &mut Sink<'_>,
    ) -> Written {
        if context.deferral != Ok(token) {
            return self.misuse(out, &To::request(context), "a deferral without this call's token");
        }
        match self.calls.insert(context, progress) {
            Ok(()) => Written::Yes,
            Err(error) => self.refuse_call(context, &error, out),
        }
    }

    /// What a handler's error is on the wire; a tool's own failure is no matter of this.
    pub(super) fn refuse_call(
        &self,
        context: &Context<'_>,
        error: &CallError<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        match *error {
            CallError::Refused { code, message, data } => {
                answer::error(out, context.id, code, message, |json| {
                    if let Some(data) = data {
                        json.name("data").raw(data);
                    }
                })
            }
            CallError::InvalidParams => invalid_params(out, context),
            CallError::NotFound => answer::not_found(out, context),
            CallError::Failed(_) | CallError::Internal => {
                refuse(out, context, ErrorCode::INTERNAL_ERROR, "Internal error")
            }
            CallError::Busy => refuse(out, context, ErrorCode::INTERNAL_ERROR, "Server busy"),
            CallError::IdTooLong => refuse(out, context, ErrorCode::INTERNAL_ERROR, "Request id too long"),
        }
    }

    fn read_resource(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        let read = ResourceRead {
            context: *context,
            uri,
        };
        let mut reply = ResourceReply::new(out, &To::request(context), Text::Json(uri));
        let outcome = self.handler.read_resource(read, &mut reply);
        let finished = match outcome {
            Ok(Disposition::Done) => reply.finish(&self.list_tail(context)),
            Ok(Disposition::Deferred(token)) => {
                let progress = reply.take_back();
                return self.keep(context, token, progress, out);
            }
            Err(error) => {
                reply.take_back();
                return self.refuse_call(context, &error, out);
            }
        };
        self.finish_other(out, &To::request(context), finished)
    }

    fn get_prompt(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(Ok([name, arguments])) = context
            .params
            .map(|params| params.get_each(["name", "arguments"]))
        else {
            return invalid_params(out, context);
        };
        let (Some(name), Some(arguments)) = (name.and_then(RawValue::as_string), object_or_null(arguments))
        else {
            return invalid_params(out, context);
        };
        let Some(prompt) = self.handler.prompts().iter().find(|prompt| name == prompt.name()) else {
            return answer::not_found(out, context);
        };
        let all_strings = arguments
            .members()
            .all(|member| member.value.kind() == Kind::String);
        let all_there = prompt
            .arguments()
            .iter()
            .all(|argument| match arguments.get_once(argument.name()) {
                Ok(Some(_)) => true,
                Ok(None) => !argument.is_required(),
                Err(_) => false,
            });
        if !all_strings || !all_there {
            return invalid_params(out, context);
        }
        let get = PromptGet {
            context: *context,
            name,
            arguments,
        };
        let mut reply = PromptReply::new(out, &To::request(context));
        let outcome = self.handler.get_prompt(get, &mut reply);
        let finished = match outcome {
            Ok(Disposition::Done) => reply.finish(&self.tail(context.version)),
            Ok(Disposition::Deferred(token)) => {
                let progress = reply.take_back();
                return self.keep(context, token, progress, out);
            }
            Err(error) => {
                reply.take_back();
                return self.refuse_call(context, &error, out);
            }
        };
        self.finish_other(out, &To::request(context), finished)
    }

    fn complete_argument(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(asked) = context.params.and_then(asked_completion) else {
            return invalid_params(out, context);
        };
        if let Reference::Prompt(name) = asked.reference
            && !self.handler.prompts().iter().any(|prompt| name == prompt.name())
        {
            return refuse(out, context, ErrorCode::INVALID_PARAMS, "Unknown prompt");
        }
        let completion = Completion {
            context: *context,
            reference: asked.reference,
            argument: asked.argument,
            value: asked.value,
            resolved: asked.resolved,
        };
        let mut reply = CompletionReply::new(out, &To::request(context));
        let outcome = self.handler.complete(completion, &mut reply);
        let finished = match outcome {
            Ok(()) => reply.finish(&self.tail(context.version)),
            Err(error) => {
                reply.take_back();
                return self.refuse_call(context, &error, out);
            }
        };
        self.finish_other(out, &To::request(context), finished)
    }

    fn set_level(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let level = match strings(context.params, ["level"]) {
            Ok([Some(name)]) => LoggingLevel::from_name(name),
            _ => None,
        };
        let Some(level) = level else {
            return invalid_params(out, context);
        };
        self.session.log_level = level;
        answer::empty(out, context.id, &self.tail(context.version))
    }

    fn subscribe(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        if !self.knows(uri) {
            return answer::not_found(out, context);
        }
        if self.subscriptions.subscribe(uri).is_err() {
            return refuse(out, context, ErrorCode::INTERNAL_ERROR, "Server busy");
        }
        answer::empty(out, context.id, &self.tail(context.version))
    }

    fn unsubscribe(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Ok([Some(uri)]) = strings(context.params, ["uri"]) else {
            return invalid_params(out, context);
        };
        self.subscriptions.unsubscribe(uri);
        answer::empty(out, context.id, &self.tail(context.version))
    }

    /// Whether the resource is listed, or one of a listed template.
    fn knows(&self, uri: JsonStr<'_>) -> bool {
        let mut resources = self.handler.resources().iter();
        let mut templates = self.handler.resource_templates().iter();
        resources.any(|resource| uri == resource.uri())
            || templates.any(|template| template.template().matches(uri))
    }

    /// Opens a stream and acknowledges what it will be told of: what was asked for, is offered, and has room.
    fn listen(&mut self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let Some(filter) = context.params.and_then(filter) else {
            return invalid_params(out, context);
        };
        let offered = self.handler.capabilities();
        let kinds = Kinds {
            tools: filter.kinds.tools && offered.tools_list_changed,
            prompts: filter.kinds.prompts && offered.prompts_list_changed,
            resources: filter.kinds.resources && offered.resources_list_changed,
        };
        match self.subscriptions.listen(context.id, kinds) {
            Ok(()) => {}
            Err(NoRoom::TableFull) => return refuse(out, context, ErrorCode::INTERNAL_ERROR, "Server busy"),
            Err(NoRoom::IdTooLong) => {
                return refuse(out, context, ErrorCode::INTERNAL_ERROR, "Request id too long");
            }
        }
        let uris = filter
            .uris
            .filter(|_| offered.resources && offered.resources_subscribe);
        let subscriptions = &mut self.subscriptions;
        let params = |json: &mut Writer<'_, '_>| {
            json.name("notifications").begin_object();
            write_kinds(json, kinds);
            if let Some(uris) = uris {
                json.name("resourceSubscriptions").begin_array();
                for uri in uris.elements().filter_map(RawValue::as_string) {
                    if subscriptions.watch_in_last(uri) {
                        json.json_string(uri);
                    }
                }
                json.end_array();
            }
            json.end_object();
            notify::subscription_meta(json, context.id);
        };
        match notify::write(out, Method::SubscriptionsAcknowledged, Some(params)) {
            Written::Yes => Written::Yes,
            Written::No => {
                self.subscriptions.close_last();
                answer::too_large(out, context.id)
            }
        }
    }
}

fn write_kinds(json: &mut Writer<'_, '_>, kinds: Kinds) {
    let names = [
        ("toolsListChanged", kinds.tools),
        ("promptsListChanged", kinds.prompts),
        ("resourcesListChanged", kinds.resources),
    ];
    for (name, is_accepted) in names {
        if is_accepted {
            json.name(name).boolean(true);
        }
    }
}

/// One list, paged by the room in the output.
fn write_list<T>(
    context: &Context<'_>,
    out: &mut Sink<'_>,
    tail: &Tail<'_>,
    name: &str,
    entries: &[T],
    entry: impl Fn(&T, &mut Writer<'_, '_>),
) -> Written {
    match list::start(context.params, entries.len()) {
        Ok(start) => list::write(out, context.id, tail, name, entries, start, entry),
        Err(list::BadCursor::Unknown) => refuse(out, context, ErrorCode::INVALID_PARAMS, "Invalid cursor"),
        Err(list::BadCursor::Repeated) => invalid_params(out, context),
    }
}

fn write_supported(json: &mut Writer<'_, '_>, name: &str) {
    json.name(name).begin_array();
    json.string(ProtocolVersion::LATEST_MODERN.as_str());
    json.end_array();
}

fn unsupported_version(out: &mut Sink<'_>, request: &Request<'_>, requested: JsonStr<'_>) -> Written {
    answer::error(
        out,
        request.id(),
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        "Unsupported protocol version",
        |json| {
            json.name("data").begin_object();
            write_supported(json, "supported");
            json.name("requested").json_string(requested).end_object();
        },
    )
}

fn error(out: &mut Sink<'_>, request: &Request<'_>, code: ErrorCode, text: &str) -> Written {
    answer::error(out, request.id(), code, text, |_| {})
}

fn invalid_request(out: &mut Sink<'_>, request: &Request<'_>, text: &str) -> Written {
    error(out, request, ErrorCode::INVALID_REQUEST, text)
}

fn refuse(out: &mut Sink<'_>, context: &Context<'_>, code: ErrorCode, text: &str) -> Written {
    answer::error(out, context.id, code, text, |_| {})
}

fn invalid_params(out: &mut Sink<'_>, context: &Context<'_>) -> Written {
    refuse(out, context, ErrorCode::INVALID_PARAMS, "Invalid params")
}

/// Params that are not as their method needs them.
struct Malformed;

/// Members of the params that are strings; absent ones are `None`.
fn strings<'a, const N: usize>(
    params: Option<Object<'a>>,
    names: [&str; N],
) -> Result<[Option<JsonStr<'a>>; N], Malformed> {
    let Some(params) = params else {
        return Ok([None; N]);
    };
    let values = params.get_each(names).map_err(|_| Malformed)?;
    if values.iter().flatten().any(|value| value.kind() != Kind::String) {
        return Err(Malformed);
    }
    Ok(values.map(|value| value.and_then(RawValue::as_string)))
}

/// An object; `null` and absence are the empty one, as deployed clients mean them.
fn object_or_null(value: Option<RawValue<'_>>) -> Option<Object<'_>> {
    match value {
        None => Some(Object::EMPTY),
        Some(value) if value.is_null() => Some(Object::EMPTY),
        Some(value) => value.as_object(),
    }
}

/// The params of a completion.
struct AskedCompletion<'a> {
    reference: Reference<'a>,
    argument: JsonStr<'a>,
    value: JsonStr<'a>,
    resolved: Object<'a>,
}

fn asked_completion(params: Object<'_>) -> Option<AskedCompletion<'_>> {
    let [reference, argument, context] = params.get_each(["ref", "argument", "context"]).ok()?;
    let [kind, name, uri] = reference?.as_object()?.get_each(["type", "name", "uri"]).ok()?;
    let kind = kind?.as_string()?;
    let reference = if kind == "ref/prompt" {
        Reference::Prompt(name?.as_string()?)
    } else if kind == "ref/resource" {
        Reference::Resource(uri?.as_string()?)
    } else {
        return None;
    };
    let [argument, value] = argument?.as_object()?.get_each(["name", "value"]).ok()?;
    let resolved = match context {
        Some(context) => object_or_null(context.as_object()?.get_once("arguments").ok()?)?,
        None => Object::EMPTY,
    };
    Some(AskedCompletion {
        reference,
        argument: argument?.as_string()?,
        value: value?.as_string()?,
        resolved,
    })
}

/// The params of a subscription.
struct Filter<'a> {
    kinds: Kinds,
    uris: Option<Array<'a>>,
}

fn filter(params: Object<'_>) -> Option<Filter<'_>> {
    let notifications = params.get_once("notifications").ok()??.as_object()?;
    let [tools, prompts, resources, uris] = notifications
        .get_each([
            "toolsListChanged",
            "promptsListChanged",
            "resourcesListChanged",
            "resourceSubscriptions",
        ])
        .ok()?;
    let flag = |value: Option<RawValue<'_>>| match value {
        Some(value) => value.as_bool(),
        None => Some(false),
    };
    let uris = match uris {
        Some(uris) => Some(uris.as_array()?),
        None => None,
    };
    let all_strings = |uris: &Array<'_>| uris.elements().all(|uri| uri.kind() == Kind::String);
    if !uris.as_ref().is_none_or(all_strings) {
        return None;
    }
    Some(Filter {
        kinds: Kinds {
            tools: flag(tools)?,
            prompts: flag(prompts)?,
            resources: flag(resources)?,
        },
        uris,
    })
}
