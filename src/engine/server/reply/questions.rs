//! What a task asks the client.

use super::{Answered, Asking, Line, Way};
use crate::bytes::Sink;
use crate::engine::server::AskError;
use crate::json::Writer;
use crate::mcp::{InputRequest, ProtocolVersion, TaskId};

/// What a task that waits for input asks; see [`Handler::task_asks`](crate::engine::Handler::task_asks).
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     Answer, Answers, CallError, Disposition, Handler, Questions, Server, Status, TaskToken, ToolCall, ToolReply,
/// };
/// use barewire::mcp::{ElicitAction, Elicitation, Implementation, Schema, TaskSupport, Tool};
///
/// const NOTHING: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);
///
/// #[derive(Default)]
/// struct Oven { task: Option<TaskToken>, answer: Option<ElicitAction> }
///
/// impl Handler for Oven {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("oven", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("bake", "Bakes.").with_task_support(TaskSupport::Required)] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         call: ToolCall<'a>,
///         _: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         self.task = call.task();
///         self.task.map(Disposition::Task).ok_or(CallError::Internal)
///     }
///
///     fn task_asks(&mut self, _: TaskToken, questions: &mut Questions<'_, '_>) {
///         questions.ask("door", &Elicitation::form("The door is open. Bake?", NOTHING).into());
///     }
///
///     fn task_answered(&mut self, _: TaskToken, answers: Answers<'_>) {
///         self.answer = answers.get("door").and_then(Answer::elicited).map(|elicited| elicited.action);
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut memory = [0; 1024];
/// let mut server: Server<Oven> = Server::new(Oven::default());
/// for line in [
///     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}"#,
///     r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
///     r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bake","task":{}}}"#,
/// ] {
///     let _ = server.handle_frame(line.as_bytes(), &mut Sink::new(&mut memory));
/// }
///
/// let task = server.handler().task.ok_or("no task")?;
/// let mut out = Sink::new(&mut memory);
/// assert_eq!(server.task_needs_input(task, &mut out), Ok(Status::Done));
/// let question = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"The door is open. Bake?","#;
/// assert!(out.finish()?.starts_with(question.as_bytes()));
/// let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#;
/// let _ = server.handle_frame(answer, &mut Sink::new(&mut memory));
/// assert_eq!(server.handler().answer, Some(ElicitAction::Decline));
/// # Ok(())
/// # }
/// ```
pub struct Questions<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm: 'r> Questions<'r, 'm> {
    /// To a legacy client: the first as a request of the server's own.
    pub(in crate::engine::server) fn request(
        out: &'r mut Sink<'m>,
        version: ProtocolVersion,
        asking: &'r mut Asking<'r>,
        task: &'r TaskId,
    ) -> Self {
        asking.related_task = Some(task);
        Self::member(Writer::new(out), version, asking)
    }

    /// To a modern client: all as the member `inputRequests` of the object that is open.
    pub(in crate::engine::server) fn member(
        json: Writer<'r, 'm>,
        version: ProtocolVersion,
        asking: &'r mut Asking<'r>,
    ) -> Self {
        Self {
            line: Line::inside(json, version, Some(asking)),
        }
    }

    /// Asks, as [`ToolReply::ask`](super::ToolReply::ask).
    pub fn ask(&mut self, key: &str, request: &InputRequest<'_>) -> &mut Self {
        self.line.ask(key, request);
        self
    }

    /// How far what was asked is answered.
    pub(in crate::engine::server) fn answered(&self) -> Answered {
        self.line
            .asking
            .as_deref()
            .map_or(Answered::All, Asking::answered)
    }

    /// How much of the memory of the questions is used by the one that was asked, or why none was.
    pub(in crate::engine::server) fn finish(mut self) -> Result<usize, AskError> {
        let asking = self.line.asking.as_deref().ok_or(AskError::NothingAsked)?;
        if let Some(fault) = asking.fault {
            return Err(fault.into());
        }
        if !asking.has_asked || self.line.misuse.is_some() {
            return Err(AskError::NothingAsked);
        }
        match asking.way {
            Way::Member => {
                self.line.json.end_object();
            }
            _ => self.line.keep(|json| {
                json.string("");
            }),
        }
        Ok(self.line.asking.map_or(0, |asking| asking.kept.len()))
    }
}
