//! The application of a server.

use super::{
    Answers, CallError, Completion, CompletionReply, Event, Outcome, PromptGet, PromptReply, ResourceRead,
    ResourceReply, Resumed, ResumedReply, TaskQuestions, TaskToken, ToolCall, ToolContent, ToolReply,
};
use crate::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, Tool};

/// Application of a server: its tables, and what happens when a client uses an entry of one. Every method but [`info`](Handler::info) has a
/// default that offers nothing. Object safe.
///
/// The tables are borrowed anew for each request, so they may be constants in flash or change at run time.
///
/// A thermometer with a resource, a template, a prompt, and a completion; for tools see [`Server`](super::Server):
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     CallError, Completion, CompletionReply, Frame, Handler, Origin, Outcome, PromptGet, PromptReply, ResourceRead,
///     ResourceReply, Role, Server,
/// };
/// use barewire::mcp::{
///     Capabilities, Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, UriTemplate,
/// };
///
/// struct Thermo;
///
/// const RESOURCES: &[Resource<'_>] = &[Resource::new("thermo://limits", "limits").with_mime_type("text/csv")];
/// const ROOM: UriTemplate<'_> = UriTemplate::new("thermo://room/{name}");
/// const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(ROOM, "room")];
/// const PROMPTS: &[Prompt<'_>] = &[Prompt::new("explain").with_arguments(&[PromptArgument::required("room")])];
///
/// impl Handler for Thermo {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("thermo", "1.0")
///     }
///
///     fn capabilities(&self, offered: &mut Capabilities) {
///         offered.insert(Capabilities::COMPLETIONS);
///     }
///
///     fn resources(&self) -> &[Resource<'_>] {
///         RESOURCES
///     }
///
///     fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
///         TEMPLATES
///     }
///
///     fn read_resource<'a>(
///         &mut self,
///         read: ResourceRead<'a>,
///         reply: ResourceReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         if read.is("thermo://limits") {
///             return Ok(reply.text(Some("text/csv"), "low,high"));
///         }
///         // `Caf%C3%A9` is `Café`. Check such a value before it becomes part of a path: it may hold `/` and `..`.
///         let room = read.decoded(ROOM, "name").ok_or(CallError::NotFound)?;
///         Ok(reply.text(None, if room == "Café" { "21.5" } else { "19" }))
///     }
///
///     fn prompts(&self) -> &[Prompt<'_>] {
///         PROMPTS
///     }
///
///     fn get_prompt<'a>(
///         &mut self,
///         get: PromptGet<'a>,
///         reply: PromptReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let room = get.argument("room").ok_or(CallError::InvalidParams)?;
///         let messages = reply.messages().text(Role::User, "Explain the temperature of this room:");
///         Ok(messages.text(Role::User, room).done())
///     }
///
///     fn complete<'a>(
///         &mut self,
///         completion: Completion<'a>,
///         reply: CompletionReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let typed = completion.value().to_string();
///         Ok(reply.all(["attic", "cellar"].into_iter().filter(|room| room.starts_with(&typed))))
///     }
/// }
///
/// let mut server = Server::new();
/// let mut answer = |line: &str| {
///     let mut memory = [0; 512];
///     let mut out = Sink::new(&mut memory);
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut Thermo, &mut out);
///     String::from_utf8_lossy(out.finish().unwrap_or_default()).into_owned()
/// };
/// let read = answer(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"thermo://room/Caf%C3%A9"}}"#);
/// assert!(read.contains(r#"{"uri":"thermo://room/Caf%C3%A9","text":"21.5"}"#));
/// let completed = answer(concat!(
///     r#"{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"explain"},"#,
///     r#""argument":{"name":"room","value":"c"}}}"#
/// ));
/// assert!(completed.contains(r#""values":["cellar"]"#));
/// ```
pub trait Handler {
    /// Name and version of the server.
    fn info(&self) -> Implementation<'_>;

    /// Instructions for the use of the server: a model reads them.
    fn instructions(&self) -> Option<&str> {
        None
    }

    /// Changes the capabilities that the server offers. They come with those of the tables that are not empty, and with tasks if a tool
    /// supports them; what only the application knows is added here: completions, log messages, changes of lists, subscriptions to
    /// resources. A table that may be empty now and full later is added here too.
    fn capabilities(&self, offered: &mut Capabilities) {
        let _ = offered;
    }

    /// Tools, in the order of the list.
    fn tools(&self) -> &[Tool<'_>] {
        &[]
    }

    /// Calls a tool of [`tools`](Handler::tools), with arguments that fit its parameters.
    ///
    /// # Errors
    /// See [`CallError`].
    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let _ = (call, reply);
        Err(CallError::NotFound)
    }

    /// Resources, in the order of the list.
    fn resources(&self) -> &[Resource<'_>] {
        &[]
    }

    /// Resource templates, in the order of the list.
    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        &[]
    }

    /// Reads a resource, listed or not.
    ///
    /// # Errors
    /// [`CallError::NotFound`] where there is no such resource.
    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let _ = (read, reply);
        Err(CallError::NotFound)
    }

    /// Prompts, in the order of the list.
    fn prompts(&self) -> &[Prompt<'_>] {
        &[]
    }

    /// Gets a prompt of [`prompts`](Handler::prompts), whose required arguments are there.
    ///
    /// # Errors
    /// See [`CallError`].
    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let _ = (get, reply);
        Err(CallError::NotFound)
    }

    /// Completes an argument of a prompt or of a resource template.
    ///
    /// # Errors
    /// See [`CallError`].
    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let _ = (completion, reply);
        Err(CallError::NotFound)
    }

    /// Continues a call of a tool, a read or a prompt with the client's answers to what it has asked. A modern client may send answers with
    /// any call, also of a tool that never asks: check the name with [`Resumed::is`].
    ///
    /// # Errors
    /// See [`CallError`].
    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let _ = (call, reply);
        Err(CallError::InvalidParams)
    }

    /// The part of the application that runs tasks, if there is one.
    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        None
    }

    /// Hears of something that needs no answer. The default drops it.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }
}

/// The methods of [`Handler`] for the tables, forwarded to a field.
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "std"))]
macro_rules! forward_tables {
    ($field:ident) => {
        fn info(&self) -> $crate::mcp::Implementation<'_> {
            self.$field.info()
        }

        fn instructions(&self) -> Option<&str> {
            self.$field.instructions()
        }

        fn capabilities(&self, offered: &mut $crate::mcp::Capabilities) {
            self.$field.capabilities(offered);
        }

        fn tools(&self) -> &[$crate::mcp::Tool<'_>] {
            self.$field.tools()
        }

        fn resources(&self) -> &[$crate::mcp::Resource<'_>] {
            self.$field.resources()
        }

        fn resource_templates(&self) -> &[$crate::mcp::ResourceTemplate<'_>] {
            self.$field.resource_templates()
        }

        fn prompts(&self) -> &[$crate::mcp::Prompt<'_>] {
            self.$field.prompts()
        }
    };
}
#[cfg(any(feature = "embedded-io-async-v0_7", feature = "std"))]
pub(crate) use forward_tables;

/// Tasks of an application: calls of tools that have become a task by [`ToolReply::start_task`].
pub trait TaskHandler {
    /// Writes the result of a task that has ended. Called whenever the client fetches it, so it must write the same each time.
    ///
    /// # Errors
    /// The task has an error instead of a result.
    fn task_result<'a>(
        &mut self,
        task: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>>;

    /// Writes the questions of a task that [needs input](super::Server::task_needs_input). Called whenever the client is told of them.
    fn task_questions(&mut self, task: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        let _ = (task, questions);
    }

    /// Takes the client's answers to questions of a task.
    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        let _ = (task, answers);
    }
}
