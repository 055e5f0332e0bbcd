//! Calls of a handler for a request that came.

use super::Context;
use crate::json::{JsonStr, Number, Object, ParseError, RawValue};
use crate::mcp::{PercentDecoded, Prompt, Resource, ResourceTemplate, Tool, UriTemplate};

/// Accessors to the arguments of a call of a tool, its field `arguments`.
macro_rules! argument_methods {
    () => {
        /// The arguments; `{}` when there are none.
        pub const fn arguments(&self) -> Object<'a> {
            self.arguments
        }

        /// The argument of that name, if it was given; `null` counts as absent. Linear in the length of the arguments, as
        /// are its siblings.
        pub fn value(&self, name: &str) -> Option<RawValue<'a>> {
            let value = self.arguments.get_once(name).ok().flatten();
            value.and_then(RawValue::not_null)
        }

        /// The argument, if it was given and is a string.
        pub fn string(&self, name: &str) -> Option<JsonStr<'a>> {
            self.value(name)?.as_string()
        }

        /// The argument, if it was given and is an integer that fits: `5`, but also `5.0` and `5e0`, as for an integer
        /// parameter.
        pub fn integer(&self, name: &str) -> Option<i64> {
            self.number(name)?.to_i64().ok()
        }

        /// The argument, if it was given and is a number.
        pub fn number(&self, name: &str) -> Option<Number<'a>> {
            self.value(name)?.as_number()
        }

        /// The argument, if it was given and is a boolean.
        pub fn boolean(&self, name: &str) -> Option<bool> {
            self.value(name)?.as_bool()
        }

        /// All arguments as a type of the application. Strings with escapes are decoded into `scratch`.
        ///
        /// # Errors
        /// As [`RawValue::parse_in`].
        pub fn parse_in<'s, T: serde::Deserialize<'s>>(&self, scratch: &'s mut [u8]) -> Result<T, ParseError>
        where
            'a: 's,
        {
            self.arguments.as_value().parse_in(scratch)
        }

        /// All arguments as a type of the application, with strings of any length.
        ///
        /// # Errors
        /// As [`RawValue::parse`].
        #[cfg(feature = "std")]
        pub fn parse<T: serde::Deserialize<'a>>(&self) -> Result<T, ParseError> {
            self.arguments.as_value().parse()
        }
    };
}
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "tokio"))]
pub(super) use argument_methods;

/// A call of a tool. Its arguments fit the declared parameters.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) name: JsonStr<'a>,
    pub(super) index: usize,
    pub(super) arguments: Object<'a>,
}

impl<'a> ToolCall<'a> {
    /// Whether it is the tool of that name that is called.
    pub fn is(&self, name: &str) -> bool {
        self.name == *name
    }

    /// The tool's name as it stands in the table, which is that of [`Handler::tools`](super::Handler::tools): to dispatch by `match`. It
    /// equals [`name`](Self::name), which a client may have sent with escapes.
    ///
    /// ```
    /// use barewire::engine::{CallError, Outcome, ToolCall, ToolReply};
    /// use barewire::mcp::Tool;
    ///
    /// const TOOLS: &[Tool<'_>] = &[Tool::new("on", "Switches it on."), Tool::new("off", "Switches it off.")];
    ///
    /// fn call<'a>(call: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    ///     match call.name_in(TOOLS) {
    ///         "on" => Ok(reply.text("It is on.")),
    ///         "off" => Ok(reply.text("It is off.")),
    ///         _ => Err(CallError::NotFound),
    ///     }
    /// }
    /// ```
    pub fn name_in<'t>(&self, tools: &'t [Tool<'_>]) -> &'t str {
        tools.get(self.index).map_or("", Tool::name)
    }

    /// The tool's name as the client sent it.
    pub const fn name(&self) -> JsonStr<'a> {
        self.name
    }

    /// Whether the call may become a task, by [`ToolReply::start_task`](super::ToolReply::start_task): the client supports tasks, so does the
    /// tool by its [`TaskSupport`](crate::mcp::TaskSupport), and there is room. A call that may not is answered directly; a call of a
    /// tool that requires tasks always may, if the server offers tasks.
    pub const fn may_be_task(&self) -> bool {
        self.context.task.token.is_some()
    }

    /// Whether the client accepts nothing but a task (2025-11-25).
    pub const fn must_be_task(&self) -> bool {
        self.context.task.is_asked
    }

    /// The tool's place in [`Handler::tools`](super::Handler::tools).
    pub const fn index(&self) -> usize {
        self.index
    }

    /// The request's context: id, revision, client, progress token.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }

    argument_methods!();
}

/// A request for a resource.
#[derive(Debug, Clone, Copy)]
pub struct ResourceRead<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) uri: JsonStr<'a>,
}

impl<'a> ResourceRead<'a> {
    /// Whether it is this URI that is read.
    pub fn is(&self, uri: &str) -> bool {
        self.uri == *uri
    }

    /// The URI as it stands in the table, to dispatch by `match`; empty for a resource that is not listed.
    ///
    /// ```
    /// use barewire::engine::{CallError, Outcome, ResourceRead, ResourceReply};
    /// use barewire::mcp::{Resource, ResourceTemplate, UriTemplate};
    ///
    /// const RESOURCES: &[Resource<'_>] = &[Resource::new("home://rooms", "rooms"), Resource::new("home://door", "door")];
    /// const ROOM: UriTemplate<'_> = UriTemplate::new("home://rooms/{room}");
    /// const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(ROOM, "room")];
    ///
    /// fn read<'a>(read: ResourceRead<'a>, reply: ResourceReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
    ///     match read.uri_in(RESOURCES) {
    ///         "home://rooms" => Ok(reply.text(None, "attic, cellar")),
    ///         "home://door" => Ok(reply.text(None, "open")),
    ///         _ => match read.template_in(TEMPLATES) {
    ///             Some(ROOM) => Ok(reply.text(None, read.variable(ROOM, "room").ok_or(CallError::NotFound)?)),
    ///             _ => Err(CallError::NotFound),
    ///         },
    ///     }
    /// }
    /// ```
    pub fn uri_in<'t>(&self, resources: &'t [Resource<'_>]) -> &'t str {
        let mut uris = resources.iter().map(Resource::uri);
        uris.find(|uri| self.is(uri)).unwrap_or_default()
    }

    /// The first template in the table that the URI matches, to dispatch by `match` as in [`uri_in`](ResourceRead::uri_in).
    pub fn template_in<'t>(&self, templates: &[ResourceTemplate<'t>]) -> Option<UriTemplate<'t>> {
        let mut templates = templates.iter().map(ResourceTemplate::template);
        templates.find(|template| template.matches(self.uri))
    }

    /// The URI.
    pub const fn uri(&self) -> JsonStr<'a> {
        self.uri
    }

    /// The value of the template's variable `name` as it was sent, still percent-encoded. `None` when the URI does not
    /// match the template: then return [`CallError::NotFound`](super::CallError::NotFound).
    pub fn variable(&self, template: UriTemplate<'_>, name: &str) -> Option<JsonStr<'a>> {
        template.variable(self.uri, name)
    }

    /// The value of the template's variable `name`, percent-decoded: `%31%32` is `12`. `None` as in
    /// [`variable`](ResourceRead::variable).
    ///
    /// It may contain any character except NUL, `/` and `..` included: check it before it becomes part of a path.
    pub fn decoded(&self, template: UriTemplate<'_>, name: &str) -> Option<PercentDecoded<'a>> {
        template.decoded(self.uri, name)
    }

    /// The request's context: id, revision, client, progress token.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}

/// A request for a prompt. The prompt exists, its required arguments are there, and all are strings.
#[derive(Debug, Clone, Copy)]
pub struct PromptGet<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) name: JsonStr<'a>,
    pub(super) index: usize,
    pub(super) arguments: Object<'a>,
}

impl<'a> PromptGet<'a> {
    /// Whether it is the prompt of that name that is asked for.
    pub fn is(&self, name: &str) -> bool {
        self.name == *name
    }

    /// The prompt's name as it stands in the table, which is that of [`Handler::prompts`](super::Handler::prompts): to dispatch by `match`,
    /// as with [`ToolCall::name_in`].
    pub fn name_in<'t>(&self, prompts: &'t [Prompt<'_>]) -> &'t str {
        prompts.get(self.index).map_or("", Prompt::name)
    }

    /// The prompt's name as the client sent it.
    pub const fn name(&self) -> JsonStr<'a> {
        self.name
    }

    /// The argument of that name, if it was given.
    pub fn argument(&self, name: &str) -> Option<JsonStr<'a>> {
        self.arguments.get(name)?.as_string()
    }

    /// The request's context: id, revision, client, progress token.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}

/// Target of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reference<'a> {
    /// An argument of this prompt.
    Prompt(JsonStr<'a>),
    /// A variable of this URI template (or URI).
    Resource(JsonStr<'a>),
}

/// A request for completions of an argument.
#[derive(Debug, Clone, Copy)]
pub struct Completion<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) reference: Reference<'a>,
    pub(super) argument: JsonStr<'a>,
    pub(super) value: JsonStr<'a>,
    pub(super) resolved: Object<'a>,
}

impl<'a> Completion<'a> {
    /// The target of the completion.
    pub const fn reference(&self) -> Reference<'a> {
        self.reference
    }

    /// The name of the argument or variable.
    pub const fn argument(&self) -> JsonStr<'a> {
        self.argument
    }

    /// The text typed so far, not percent-encoded: a client encodes it only when it builds a URI from the template.
    pub const fn value(&self) -> JsonStr<'a> {
        self.value
    }

    /// The value of an argument that is already chosen (2025-06-18 and later).
    pub fn resolved(&self, name: &str) -> Option<JsonStr<'a>> {
        self.resolved.get(name)?.as_string()
    }

    /// The request's context: id, revision, client, progress token.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}
