//! What an application tells the server.

use super::{
    Answers, CallError, Completion, CompletionReply, Disposition, Event, PromptGet, PromptReply, Questions,
    ResourceRead, ResourceReply, Resumed, TaskToken, ToolCall, ToolReply,
};
use crate::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, TaskSupport, Tool};

/// The application behind a [`Server`](super::Server): its tables, and what is done when one of their entries is asked
/// for. Every method but [`info`](Handler::info) has a default that offers nothing. Object safe.
///
/// The tables are borrowed anew for each request, so they may be constants in flash or change at run time.
///
/// A thermometer with a resource, a template, a prompt, and a completion; for tools see [`Server`](super::Server):
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     CallError, Completion, CompletionReply, Disposition, Handler, PromptGet, PromptReply, ResourceRead, ResourceReply,
///     Role, Server,
/// };
/// use barewire::mcp::{
///     Implementation, Prompt, PromptArgument, Resource, ResourceTemplate, UriTemplate,
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
///         reply: &mut ResourceReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         if read.is("thermo://limits") {
///             reply.text(Some("text/csv"), "low,high");
///         } else if let Some(room) = read.decoded(ROOM, "name") {
///             // `Caf%C3%A9` is `Café`. Check such a value before it becomes part of a path: it may hold `/` and `..`.
///             reply.text(None, if room == "Café" { "21.5" } else { "19" });
///         } else {
///             return Err(CallError::NotFound);
///         }
///         Ok(Disposition::Done)
///     }
///
///     fn prompts(&self) -> &[Prompt<'_>] {
///         PROMPTS
///     }
///
///     fn get_prompt<'a>(
///         &mut self,
///         get: PromptGet<'a>,
///         reply: &mut PromptReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         let room = get.argument("room").ok_or(CallError::InvalidParams)?;
///         reply.text(Role::User, "Explain the temperature of this room:").text_json(Role::User, room);
///         Ok(Disposition::Done)
///     }
///
///     fn complete<'a>(
///         &mut self,
///         completion: Completion<'a>,
///         reply: &mut CompletionReply<'_, '_>,
///     ) -> Result<(), CallError<'a>> {
///         let typed = completion.value().to_string();
///         for room in ["attic", "cellar"].iter().filter(|room| room.starts_with(&typed)) {
///             reply.value(room);
///         }
///         Ok(())
///     }
///
///     fn capabilities(&self) -> barewire::mcp::Capabilities {
///         let mut offered = barewire::mcp::Capabilities::NONE;
///         (offered.resources, offered.prompts, offered.completions) = (true, true, true);
///         offered
///     }
/// }
///
/// let mut server: Server<Thermo> = Server::new(Thermo);
/// let mut answer = |line: &str| {
///     let mut memory = [0; 512];
///     let mut out = Sink::new(&mut memory);
///     let _ = server.handle_frame(line.as_bytes(), &mut out);
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
    /// Who the server is.
    fn info(&self) -> Implementation<'_>;

    /// How to use the server: a model reads this.
    fn instructions(&self) -> Option<&str> {
        None
    }

    /// What the server offers; by default whatever has a table that is not empty.
    fn capabilities(&self) -> Capabilities {
        let mut offered = Capabilities::NONE;
        offered.tools = !self.tools().is_empty();
        offered.resources = !self.resources().is_empty() || !self.resource_templates().is_empty();
        offered.prompts = !self.prompts().is_empty();
        offered.tasks = self
            .tools()
            .iter()
            .any(|tool| tool.task_support() != TaskSupport::Forbidden);
        offered
    }

    /// The tools, in the order they are listed.
    fn tools(&self) -> &[Tool<'_>] {
        &[]
    }

    /// Runs a tool. The arguments were checked against the tool's parameters.
    ///
    /// # Errors
    /// [`CallError::Failed`] for the tool's own failure, any other for the protocol's.
    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let _ = (call, reply);
        Err(CallError::NotFound)
    }

    /// Goes on with a call of a tool that [asked](ToolReply::ask) the client. The tool exists, and the arguments, which
    /// a modern client sends again, were checked again.
    ///
    /// # Errors
    /// As [`call_tool`](Handler::call_tool); [`CallError::InvalidParams`] for a state that is not one of the handler's.
    fn resume_tool<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let _ = (call, reply);
        Err(CallError::InvalidParams)
    }

    /// Writes the result of a task that has ended: what the call would have been answered with. It may be asked for any
    /// number of times, until [`Event::TaskForgotten`].
    ///
    /// # Errors
    /// [`CallError::Failed`] for the tool's own failure, any other for the protocol's: what the task has ended with.
    fn task_result<'a>(
        &mut self,
        task: TaskToken,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        let _ = (task, reply);
        Err(CallError::Internal)
    }

    /// Says what a task asks that needs input ([`Server::task_needs_input`](super::Server::task_needs_input)). In the
    /// modern era it may be asked for this any number of times.
    fn task_asks(&mut self, task: TaskToken, questions: &mut Questions<'_, '_>) {
        let _ = (task, questions);
    }

    /// Takes the answers to what a task has asked; the task is working again. In the modern era a client may answer some of
    /// the questions: then the task goes on waiting, and [`task_asks`](Handler::task_asks) should ask for the others only.
    /// Answers to nothing that it asks do not come here.
    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        let _ = (task, answers);
    }

    /// The resources, in the order they are listed.
    fn resources(&self) -> &[Resource<'_>] {
        &[]
    }

    /// The resource templates, in the order they are listed.
    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        &[]
    }

    /// Reads a resource, listed or not.
    ///
    /// # Errors
    /// [`CallError::NotFound`] when there is none.
    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let _ = (read, reply);
        Err(CallError::NotFound)
    }

    /// Goes on with a read that asked the client; as [`resume_tool`](Handler::resume_tool).
    ///
    /// # Errors
    /// As [`resume_tool`](Handler::resume_tool).
    fn resume_read<'a>(
        &mut self,
        read: Resumed<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let _ = (read, reply);
        Err(CallError::InvalidParams)
    }

    /// The prompts, in the order they are listed.
    fn prompts(&self) -> &[Prompt<'_>] {
        &[]
    }

    /// Renders a prompt.
    ///
    /// # Errors
    /// [`CallError::InvalidParams`] for an argument that does not do.
    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let _ = (get, reply);
        Err(CallError::NotFound)
    }

    /// Goes on with a request for a prompt that asked the client; as [`resume_tool`](Handler::resume_tool).
    ///
    /// # Errors
    /// As [`resume_tool`](Handler::resume_tool).
    fn resume_prompt<'a>(
        &mut self,
        get: Resumed<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let _ = (get, reply);
        Err(CallError::InvalidParams)
    }

    /// Completes an argument of a prompt or a variable of a resource template.
    ///
    /// # Errors
    /// [`CallError::NotFound`] for a resource template that is not known.
    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        let _ = (completion, reply);
        Err(CallError::NotFound)
    }

    /// Something happened that needs no answer: for a log, and to stop cancelled work.
    fn event(&mut self, event: Event<'_>) {
        let _ = event;
    }
}

/// A reference is as good as the handler itself, so that a server can be made of either.
impl<H: Handler + ?Sized> Handler for &mut H {
    fn info(&self) -> Implementation<'_> {
        (**self).info()
    }

    fn instructions(&self) -> Option<&str> {
        (**self).instructions()
    }

    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn tools(&self) -> &[Tool<'_>] {
        (**self).tools()
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        (**self).call_tool(call, reply)
    }

    fn resume_tool<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        (**self).resume_tool(call, reply)
    }

    fn task_result<'a>(
        &mut self,
        task: TaskToken,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        (**self).task_result(task, reply)
    }

    fn task_asks(&mut self, task: TaskToken, questions: &mut Questions<'_, '_>) {
        (**self).task_asks(task, questions);
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        (**self).task_answered(task, answers);
    }

    fn resources(&self) -> &[Resource<'_>] {
        (**self).resources()
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        (**self).resource_templates()
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        (**self).read_resource(read, reply)
    }

    fn resume_read<'a>(
        &mut self,
        read: Resumed<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        (**self).resume_read(read, reply)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        (**self).prompts()
    }

    fn get_prompt<'a>(
        &mut self,
        get: PromptGet<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        (**self).get_prompt(get, reply)
    }

    fn resume_prompt<'a>(
        &mut self,
        get: Resumed<'a>,
        reply: &mut PromptReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        (**self).resume_prompt(get, reply)
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        (**self).complete(completion, reply)
    }

    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }
}
