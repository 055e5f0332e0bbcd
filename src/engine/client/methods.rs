//! The requests of MCP, each with its params. What they have in common stands at [`Client::request`].

use super::parts::sends;
use super::{Ask, Client, ClientHandler, ClientParts, IdSource, RequestError, Ticket};
use crate::bytes::Sink;
use crate::json::{JsonStr, Writer};
use crate::mcp::{Feature, LoggingLevel, Method, Text};

/// What a completion is for, and what is known so far.
#[derive(Debug, Clone, Copy)]
pub enum CompletionFor<'a> {
    /// An argument of this prompt.
    Prompt(Text<'a>),
    /// A variable of this URI template.
    Resource(Text<'a>),
}

/// What a subscription is to tell of (2026-07-28). By default nothing.
///
/// ```
/// use barewire::engine::client::Subscription;
///
/// let filter = Subscription { tools: true, resource_uris: &["file:///a"], ..Subscription::default() };
/// # let _ = filter;
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Subscription<'a> {
    /// Changes of the list of tools.
    pub tools: bool,
    /// Changes of the list of prompts.
    pub prompts: bool,
    /// Changes of the list of resources.
    pub resources: bool,
    /// Changes of these resources.
    pub resource_uris: &'a [&'a str],
    /// Changes of these tasks (extension on tasks).
    pub task_ids: &'a [&'a str],
}

impl Subscription<'_> {
    fn write(&self, json: &mut Writer<'_, '_>) {
        let flags = [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ];
        for (name, is_wanted) in flags {
            if is_wanted {
                json.name(name).boolean(true);
            }
        }
        for (name, list) in [
            ("resourceSubscriptions", self.resource_uris),
            ("taskIds", self.task_ids),
        ] {
            if !list.is_empty() {
                json.name(name).begin_array();
                for entry in list {
                    json.string(entry);
                }
                json.end_array();
            }
        }
    }
}

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// Sends any request; `params` writes the members of its params, without `_meta`.
    ///
    /// Where the revision has it, `_meta` with the client's version, capabilities and name is added to this and to every
    /// other request, and where it was asked for the progress token, which is the request's own id. Params without a
    /// member are left out.
    ///
    /// The ticket names the request until [`Incoming::Ended`](super::Incoming::Ended) comes with it, or it is
    /// [cancelled](Client::cancel). Linear in `CALLS`, besides the length of the line.
    ///
    /// # Errors
    /// [`RequestError`]; then nothing was written. A method of MCP is checked against the revision and against what the
    /// server offers; another one is not.
    pub fn request(
        &mut self,
        ask: Ask<'_, C>,
        method: &str,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let known = Method::all().find(|known| known.name() == method);
        if known.is_some_and(|known| !sends::<P>(known)) {
            return Err(RequestError::NotInRevision);
        }
        self.send_named(ask, known, method, out, params)
    }

    /// `ping` (until 2025-11-25).
    ///
    /// # Errors
    /// As [`request`](Client::request); so for every method of this list.
    pub fn ping(&mut self, ask: Ask<'_, C>, out: &mut Sink<'_>) -> Result<Ticket, RequestError> {
        self.send(ask, Method::Ping, out, |_| {})
    }

    /// `tools/list`, from `cursor` on: that of the page before ([`ListResult`](crate::mcp::ListResult)), as it came.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn list_tools(
        &mut self,
        ask: Ask<'_, C>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.list(ask, Method::ToolsList, cursor, out)
    }

    /// `resources/list`, from `cursor` on.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn list_resources(
        &mut self,
        ask: Ask<'_, C>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.list(ask, Method::ResourcesList, cursor, out)
    }

    /// `resources/templates/list`, from `cursor` on.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn list_resource_templates(
        &mut self,
        ask: Ask<'_, C>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.list(ask, Method::ResourcesTemplatesList, cursor, out)
    }

    /// `prompts/list`, from `cursor` on.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn list_prompts(
        &mut self,
        ask: Ask<'_, C>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.list(ask, Method::PromptsList, cursor, out)
    }

    /// `tasks/list`, from `cursor` on (2025-11-25 only).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn list_tasks(
        &mut self,
        ask: Ask<'_, C>,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.list(ask, Method::TasksList, cursor, out)
    }

    fn list(
        &mut self,
        ask: Ask<'_, C>,
        method: Method,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(ask, method, out, |params| {
            if let Some(cursor) = cursor {
                params.name("cursor").json_string(cursor);
            }
        })
    }

    /// `tools/call`; `arguments` writes the members of the arguments.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn call_tool<'t>(
        &mut self,
        ask: Ask<'_, C>,
        name: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
        arguments: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        self.call(ask, Method::ToolsCall, name.into(), out, arguments)
    }

    /// `prompts/get`; `arguments` writes the members of the arguments, all of them strings.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn get_prompt<'t>(
        &mut self,
        ask: Ask<'_, C>,
        name: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
        arguments: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        self.call(ask, Method::PromptsGet, name.into(), out, arguments)
    }

    fn call(
        &mut self,
        ask: Ask<'_, C>,
        method: Method,
        name: Text<'_>,
        out: &mut Sink<'_>,
        arguments: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        self.send(ask, method, out, |params| {
            params.name("name");
            name.write(params);
            params.name("arguments").begin_object();
            arguments(params);
            params.end_object();
        })
    }

    /// `resources/read`.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn read_resource<'t>(
        &mut self,
        ask: Ask<'_, C>,
        uri: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.one_text(ask, Method::ResourcesRead, "uri", uri.into(), out)
    }

    /// `resources/subscribe` (until 2025-11-25; then [`listen`](Client::listen)).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn subscribe<'t>(
        &mut self,
        ask: Ask<'_, C>,
        uri: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.one_text(ask, Method::ResourcesSubscribe, "uri", uri.into(), out)
    }

    /// `resources/unsubscribe` (until 2025-11-25).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn unsubscribe<'t>(
        &mut self,
        ask: Ask<'_, C>,
        uri: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.one_text(ask, Method::ResourcesUnsubscribe, "uri", uri.into(), out)
    }

    fn one_text(
        &mut self,
        ask: Ask<'_, C>,
        method: Method,
        member: &str,
        text: Text<'_>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(ask, method, out, |params| {
            params.name(member);
            text.write(params);
        })
    }

    /// `subscriptions/listen` (2026-07-28). The request goes on, with its place in the table, until the subscription ends:
    /// by [`cancel`](Client::cancel), or by the server. Its timeout is for
    /// [`Incoming::Acknowledged`](super::Incoming::Acknowledged).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn listen(
        &mut self,
        ask: Ask<'_, C>,
        filter: &Subscription<'_>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(ask, Method::SubscriptionsListen, out, |params| {
            params.name("notifications").begin_object();
            filter.write(params);
            params.end_object();
        })
    }

    /// `completion/complete` of the argument or variable `name`, of which `value` is typed so far. `known` writes the
    /// members of those that are chosen already, each a string (2025-06-18 and later).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn complete(
        &mut self,
        ask: Ask<'_, C>,
        of: CompletionFor<'_>,
        name: &str,
        value: &str,
        out: &mut Sink<'_>,
        known: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let has_context = self
            .version()
            .is_some_and(|version| version.has(Feature::CompletionContext));
        self.send(ask, Method::CompletionComplete, out, |params| {
            params.name("ref").begin_object();
            let (kind, member, target) = match of {
                CompletionFor::Prompt(name) => ("ref/prompt", "name", name),
                CompletionFor::Resource(uri) => ("ref/resource", "uri", uri),
            };
            params.name("type").string(kind);
            params.name(member);
            target.write(params);
            params.end_object();
            params.name("argument").begin_object();
            params.name("name").string(name);
            params.name("value").string(value);
            params.end_object();
            if has_context {
                let before = params.mark();
                params.name("context").begin_object();
                params.name("arguments").begin_object();
                let inside = params.mark();
                known(params);
                if params.mark() == inside {
                    params.rollback(before);
                } else {
                    params.end_object().end_object();
                }
            }
        })
    }

    /// `logging/setLevel` (until 2025-11-25; then [`Ask::with_log_level`]).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn set_level(
        &mut self,
        ask: Ask<'_, C>,
        level: LoggingLevel,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        let level = Text::Plain(level.as_str());
        self.one_text(ask, Method::LoggingSetLevel, "level", level, out)
    }

    /// `tasks/get`: how a task is (2025-11-25, and the extension of 2026-07-28).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn get_task<'t>(
        &mut self,
        ask: Ask<'_, C>,
        id: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.one_text(ask, Method::TasksGet, "taskId", id.into(), out)
    }

    /// `tasks/result`: waits for the result of a task (2025-11-25 only).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn task_result<'t>(
        &mut self,
        ask: Ask<'_, C>,
        id: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.one_text(ask, Method::TasksResult, "taskId", id.into(), out)
    }

    /// `tasks/cancel` (2025-11-25, and the extension of 2026-07-28).
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn cancel_task<'t>(
        &mut self,
        ask: Ask<'_, C>,
        id: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.one_text(ask, Method::TasksCancel, "taskId", id.into(), out)
    }

    /// `tasks/update`: answers what a task wants to know (extension of 2026-07-28). `responses` writes a member for each
    /// key of its `inputRequests`.
    ///
    /// # Errors
    /// As [`request`](Client::request).
    pub fn update_task<'t>(
        &mut self,
        ask: Ask<'_, C>,
        id: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
        responses: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let id = id.into();
        self.send(ask, Method::TasksUpdate, out, |params| {
            params.name("taskId");
            id.write(params);
            params.name("inputResponses").begin_object();
            responses(params);
            params.end_object();
        })
    }
}
