//! Writers of input requests.

use super::asking::{Answered, AskFault, Asking, Way};
use super::line::{Draft, Line};
use crate::engine::server::answer;
use crate::engine::server::outcome::{Made, Outcome};
use crate::engine::server::{AskError, NotKept};
#[cfg(feature = "std")]
use crate::json::Object;
use crate::json::{Kind, RawValue, Writer};
use crate::mcp::{InputRequest, Method, ProtocolVersion, TaskId};
use crate::rpc::begin;

/// End of the kept text of a question, if the handler keeps no state.
const EMPTY_STATE: &[u8] = br#",""]"#;

impl Line<'_, '_> {
    /// Writes a question.
    pub(super) fn ask(&mut self, key: &str, request: &InputRequest<'_>) {
        let Some(asking) = self.asking.as_deref_mut() else {
            self.draft.misuse = Some("a question where none can be asked");
            return;
        };
        if let Some(fault) = asking.fault(request, self.draft.version) {
            self.draft.fault.get_or_insert(fault);
            return;
        }
        match asking.way {
            Way::Result | Way::Member => {
                if !asking.has_asked {
                    if let (Way::Result, Some(context)) = (asking.way, self.request) {
                        answer::begin_input_required(&mut self.json, &context.id);
                    }
                    self.json.name("inputRequests").begin_object();
                }
                self.json.name(key).begin_object();
                request.write_members(&mut self.json, self.draft.version, None);
                self.json.end_object();
            }
            Way::Answered(answers) => {
                let [is_answered, is_open, is_malformed] = &mut asking.answered;
                match answers.get(key).map(RawValue::kind) {
                    Some(Kind::Object) => *is_answered = true,
                    Some(_) => *is_malformed = true,
                    None => *is_open = true,
                }
            }
            // The others are asked once this one is answered.
            Way::Request(_) if asking.has_asked => {}
            Way::Request(id) => {
                let id = id.unwrap_or_default();
                write_request(&mut self.json, id, request, self.draft.version, asking.related_task);
                let mut kept = Writer::new(&mut asking.kept);
                kept.begin_array();
                kept.string(key);
                let is_read = self.request.is_some_and(|context| context.method == Method::ResourcesRead);
                match is_read {
                    // The URI comes back as it was sent.
                    true => kept.json_string(asking.subject),
                    // A declared name, however the client spells it.
                    false => kept.string(asking.subject),
                };
                if is_read && asking.kept.remaining() < EMPTY_STATE.len() {
                    // Not even an empty state would fit: the client's URI is too long.
                    self.draft.fault = Some(AskFault::NotKept(NotKept::UriTooLong));
                }
            }
        }
        asking.has_asked = true;
    }

    /// Closes the questions, and keeps the state, a string that `write` writes.
    pub(super) fn keep(&mut self, write: impl FnOnce(&mut Writer<'_, '_>)) {
        let Some(asking) = self.asking.as_deref_mut().filter(|asking| asking.has_asked) else {
            return;
        };
        match asking.way {
            Way::Result => {
                self.json.end_object();
                write(self.json.name("requestState"));
            }
            Way::Member => {
                self.json.end_object();
            }
            Way::Request(_) => {
                asking.kept.write(b",");
                write(&mut Writer::new(&mut asking.kept));
                asking.kept.write(b"]");
                self.draft.kept = asking.kept.len();
                if asking.kept.is_full() {
                    self.draft.fault.get_or_insert(AskFault::NotKept(NotKept::StateTooLong));
                }
            }
            Way::Answered(_) => {}
        }
    }
}

/// Writer of the questions of a call: the call continues with the answers.
///
/// A legacy client gets one question at a time; the handler asks those that are left when the first is answered.
pub struct Questions<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> Questions<'r, 'm> {
    pub(super) fn new(mut line: Line<'r, 'm>, key: &str, request: &InputRequest<'_>) -> Self {
        line.ask(key, request);
        Self { line }
    }

    /// Asks a further question.
    pub fn ask(mut self, key: &str, request: &InputRequest<'_>) -> Self {
        self.line.ask(key, request);
        self
    }

    /// Ends the questions and keeps `state`: the call that continues finds it in [`Resumed::state`](crate::engine::Resumed::state). In
    /// the modern era it travels through the client, who can read and change it; in the legacy era it is kept in the server's
    /// storage.
    pub fn keep(mut self, state: &str) -> Outcome {
        self.line.keep(|json| {
            json.string(state);
        });
        self.line.draft.make(Made::Asked)
    }

    /// [`keep`](Self::keep) with a state that is written as JSON.
    pub fn keep_with(mut self, write: impl FnOnce(&mut Writer<'_, '_>)) -> Outcome {
        self.line.keep(|json| {
            json.quoted(write);
        });
        self.line.draft.make(Made::Asked)
    }

    /// Ends the questions without a state.
    pub fn done(self) -> Outcome {
        self.keep("")
    }
}

/// Writer of the questions of a task; see [`TaskHandler::task_questions`](crate::engine::TaskHandler::task_questions).
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     Answer, Answers, CallError, Frame, Handler, Origin, Outcome, Server, TaskHandler, TaskQuestions, TaskToken, ToolCall,
///     ToolContent, ToolReply,
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
/// #     fn tools(&self) -> &[Tool<'_>] {
/// #         const { &[Tool::new("bake", "Bakes.").with_task_support(TaskSupport::Required)] }
/// #     }
/// #
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let (task, outcome) = reply.start_task()?;
///         self.task = Some(task);
///         Ok(outcome)
///     }
///
///     fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
///         Some(self)
///     }
/// }
///
/// impl TaskHandler for Oven {
///     fn task_questions(&mut self, _: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
///         questions.ask("door", &Elicitation::form("The door is open. Bake?", NOTHING).into());
///     }
///
///     fn task_answered(&mut self, _: TaskToken, answers: Answers<'_>) {
///         self.answer = answers.get("door").and_then(Answer::elicited).map(|elicited| elicited.action);
///     }
///
/// #     fn task_result<'a>(
/// #         &mut self,
/// #         _: TaskToken,
/// #         content: ToolContent<'_, '_>,
/// #     ) -> Result<Outcome, CallError<'a>> {
/// #         Ok(content.text("a cake").done())
/// #     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut server, mut app, mut memory) = (Server::new(), Oven::default(), [0; 1024]);
/// for line in [
///     r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}}}}"#,
///     r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
///     r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bake","task":{}}}"#,
/// ] {
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut app, &mut Sink::new(&mut memory));
/// }
///
/// let task = app.task.ok_or("no task")?;
/// let mut out = Sink::new(&mut memory);
/// assert!(server.task_needs_input(task, &mut app, &mut out)?.fitted());
/// let question = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"The door is open. Bake?","#;
/// assert!(out.finish()?.starts_with(question.as_bytes()));
/// let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#;
/// let _ = server.receive(Origin::ONLY, &mut Frame::new(answer), &mut app, &mut Sink::new(&mut memory));
/// assert_eq!(app.answer, Some(ElicitAction::Decline));
/// # Ok(())
/// # }
/// ```
pub struct TaskQuestions<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> TaskQuestions<'r, 'm> {
    pub(in crate::engine::server) const fn new(
        json: Writer<'r, 'm>,
        draft: &'r mut Draft,
        asking: &'r mut Asking<'r>,
    ) -> Self {
        let mut line = Line::inside(json, draft);
        line.asking = Some(asking);
        Self { line }
    }

    /// Asks a question; a legacy client gets the first one only.
    pub fn ask(&mut self, key: &str, request: &InputRequest<'_>) -> &mut Self {
        self.line.ask(key, request);
        self
    }

    /// Number of questions that are answered.
    pub(in crate::engine::server) fn answered(&self) -> Answered {
        match &self.line.asking {
            Some(asking) => asking.answered(),
            None => Answered::All,
        }
    }

    /// Ends the questions.
    pub(in crate::engine::server) fn finish(mut self) -> Result<(), AskError> {
        self.line.keep(|json| {
            json.string("");
        });
        if let Some(fault) = self.line.draft.fault {
            return Err(fault.into());
        }
        match &self.line.asking {
            Some(asking) if asking.has_asked => Ok(()),
            _ => Err(AskError::NothingAsked),
        }
    }
}

/// A request of the server's own, a whole line.
pub(in crate::engine::server) fn write_request(
    json: &mut Writer<'_, '_>,
    id: u32,
    request: &InputRequest<'_>,
    version: ProtocolVersion,
    related_task: Option<TaskId<'_>>,
) {
    begin(json);
    json.name("id").unsigned(u64::from(id));
    request.write_members(json, version, related_task);
    answer::end_line(json);
}

/// A request of the server's own, a whole line, whose other members are those of this object.
#[cfg(feature = "std")]
pub(in crate::engine::server) fn write_written(json: &mut Writer<'_, '_>, id: u32, members: Object<'_>) {
    begin(json);
    json.name("id").unsigned(u64::from(id));
    for member in members.members() {
        json.member(member);
    }
    answer::end_line(json);
}

/// `ping`, a whole line.
pub(in crate::engine::server) fn write_ping(json: &mut Writer<'_, '_>, id: u32) {
    begin(json);
    json.name("id").unsigned(u64::from(id));
    json.name("method").string(Method::Ping.name());
    answer::end_line(json);
}
