//! The requests of MCP, each with its params. [`BoundClient::request`] describes what they have in common.

use super::bound::BoundClient;
use super::error::RequestError;
use super::handler::ClientHandler;
use super::pending::Ticket;
use super::request_options::RequestOptions;
use super::storage::ClientStorage;
use crate::bytes::Sink;
use crate::json::{JsonStr, Writer};
use crate::mcp::{Feature, LoggingLevel, Method, Text};

/// Target of a completion.
#[derive(Debug, Clone, Copy)]
pub enum CompletionFor<'a> {
    /// An argument of this prompt.
    Prompt(Text<'a>),
    /// A variable of this URI template.
    Resource(Text<'a>),
}

/// Filter of a subscription (2026-07-28): the changes to report. By default none.
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
        for (name, list) in [("resourceSubscriptions", self.resource_uris), ("taskIds", self.task_ids)] {
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

/// Methods of the requests for a page of a list.
macro_rules! lists {
    ($(#[doc = $doc:literal] $name:ident: $method:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// As [`request`](BoundClient::request).
        pub fn $name(
            &mut self,
            options: RequestOptions<'_, S::Context>,
            cursor: Option<JsonStr<'_>>,
            out: &mut Sink<'_>,
        ) -> Result<Ticket, RequestError> {
            self.list(options, Method::$method, cursor, out)
        }
    )*};
}

/// Methods of the requests whose only param is a text, the member `$member`.
macro_rules! requests_of_a_text {
    ($(#[doc = $doc:literal] $name:ident($text:ident as $member:literal): $method:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// As [`request`](BoundClient::request).
        pub fn $name<'t>(
            &mut self,
            options: RequestOptions<'_, S::Context>,
            $text: impl Into<Text<'t>>,
            out: &mut Sink<'_>,
        ) -> Result<Ticket, RequestError> {
            self.one_text(options, Method::$method, $member, $text.into(), out)
        }
    )*};
}

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    lists! {
        /// `tools/list`, from `cursor` on: the cursor of the previous page ([`ListResult`](crate::mcp::ListResult)).
        list_tools: ToolsList;
        /// `resources/list`, from `cursor` on.
        list_resources: ResourcesList;
        /// `resources/templates/list`, from `cursor` on.
        list_resource_templates: ResourcesTemplatesList;
        /// `prompts/list`, from `cursor` on.
        list_prompts: PromptsList;
        /// `tasks/list`, from `cursor` on (2025-11-25 only).
        list_tasks: TasksList;
    }

    requests_of_a_text! {
        /// `resources/read`.
        read_resource(uri as "uri"): ResourcesRead;
        /// `resources/subscribe` (until 2025-11-25; then [`listen`](BoundClient::listen)).
        subscribe(uri as "uri"): ResourcesSubscribe;
        /// `resources/unsubscribe` (until 2025-11-25).
        unsubscribe(uri as "uri"): ResourcesUnsubscribe;
        /// `tasks/get`: the state of a task (2025-11-25, and the extension of 2026-07-28).
        get_task(id as "taskId"): TasksGet;
        /// `tasks/result`: waits for the result of a task (2025-11-25 only).
        task_result(id as "taskId"): TasksResult;
        /// `tasks/cancel` (2025-11-25, and the extension of 2026-07-28).
        cancel_task(id as "taskId"): TasksCancel;
    }

    /// `ping` (until 2025-11-25).
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn ping(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(options, Method::Ping, out, |_| {})
    }

    fn list(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Method,
        cursor: Option<JsonStr<'_>>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(options, method, out, |params| {
            if let Some(cursor) = cursor {
                params.name("cursor").json_string(cursor);
            }
        })
    }

    /// `tools/call`; `arguments` writes the members of the arguments.
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn call_tool<'t>(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        name: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
        arguments: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        self.call(options, Method::ToolsCall, name.into(), out, arguments)
    }

    /// `prompts/get`; `arguments` writes the members of the arguments, all of them strings.
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn get_prompt<'t>(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        name: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
        arguments: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        self.call(options, Method::PromptsGet, name.into(), out, arguments)
    }

    fn call(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Method,
        name: Text<'_>,
        out: &mut Sink<'_>,
        arguments: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        self.send(options, method, out, |params| {
            params.name("name");
            name.write(params);
            params.name("arguments").begin_object();
            arguments(params);
            params.end_object();
        })
    }

    fn one_text(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        method: Method,
        member: &str,
        text: Text<'_>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(options, method, out, |params| {
            params.name(member);
            text.write(params);
        })
    }

    /// `subscriptions/listen` (2026-07-28). The request stays in flight until the subscription ends: by
    /// [`cancel`](super::ClientEngine::cancel), or by the server. Its timeout applies to
    /// [`Incoming::Acknowledged`](super::Incoming::Acknowledged).
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn listen(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        filter: &Subscription<'_>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        self.send(options, Method::SubscriptionsListen, out, |params| {
            params.name("notifications").begin_object();
            filter.write(params);
            params.end_object();
        })
    }

    /// `completion/complete` of the argument or variable `name`, whose text so far is `value`. `known` writes the arguments
    /// that already have a value as members, each a string (2025-06-18 and later).
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn complete(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        of: CompletionFor<'_>,
        name: &str,
        value: &str,
        out: &mut Sink<'_>,
        known: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let has_context = self.version().is_some_and(|version| version.has(Feature::CompletionContext));
        self.send(options, Method::CompletionComplete, out, |params| {
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

    /// `logging/setLevel` (until 2025-11-25; then [`RequestOptions::with_log_level`]).
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn set_level(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        level: LoggingLevel,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        let level = Text::Plain(level.as_str());
        self.one_text(options, Method::LoggingSetLevel, "level", level, out)
    }

    /// `tasks/update`: answers the input requests of a task (extension of 2026-07-28). `responses` writes a member for each
    /// key of its `inputRequests`.
    ///
    /// # Errors
    /// As [`request`](BoundClient::request).
    pub fn update_task<'t>(
        &mut self,
        options: RequestOptions<'_, S::Context>,
        id: impl Into<Text<'t>>,
        out: &mut Sink<'_>,
        responses: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        let id = id.into();
        self.send(options, Method::TasksUpdate, out, |params| {
            params.name("taskId");
            id.write(params);
            params.name("inputResponses").begin_object();
            responses(params);
            params.end_object();
        })
    }
}
