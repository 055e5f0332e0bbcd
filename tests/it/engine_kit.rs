//! An application made of tables and functions, and the ways to talk to a server of it.

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Answer, Answers, CallError, Completion, CompletionReply, Event, Handler, Outcome, Parts, PromptGet,
    PromptReply, ResourceRead, ResourceReply, Resumed, ResumedReply, Storage, TaskHandler, TaskQuestions,
    TaskToken, ToolCall, ToolContent, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, TaskSupport, Tool};
use serde_json::Value;

pub(crate) use crate::support::hosted::{Hosted, Status};

/// The profile of a server with many clients. Its task ids are not secret, but no two are equal.
pub(crate) struct Shared;

impl Parts for Shared {
    const TASK_RANDOM: Option<fn(&mut [u8; 16])> = Some(|id| {
        static LAST: AtomicU64 = AtomicU64::new(0xF0E1_D2C3_B4A5_9687);
        for bytes in id.chunks_exact_mut(8) {
            let number = LAST.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
            bytes.copy_from_slice(&(number ^ number >> 29).to_be_bytes());
        }
    });
}

pub(crate) type Replied<'a> = Result<Outcome, CallError<'a>>;

pub(crate) type Call = for<'a> fn(&mut Log, ToolCall<'a>, ToolReply<'_, '_>) -> Replied<'a>;

/// Each table is empty and each function finds nothing, unless it is set.
pub(crate) struct App {
    pub(crate) info: Implementation<'static>,
    pub(crate) instructions: Option<&'static str>,
    /// What is offered besides what has a table.
    pub(crate) offers: fn(&mut Capabilities),
    pub(crate) tools: Vec<Tool<'static>>,
    pub(crate) resources: Vec<Resource<'static>>,
    pub(crate) templates: Vec<ResourceTemplate<'static>>,
    pub(crate) prompts: Vec<Prompt<'static>>,
    pub(crate) call: Call,
    pub(crate) read: for<'a> fn(&mut Log, ResourceRead<'a>, ResourceReply<'_, '_>) -> Replied<'a>,
    pub(crate) prompt: for<'a> fn(&mut Log, PromptGet<'a>, PromptReply<'_, '_>) -> Replied<'a>,
    pub(crate) complete: for<'a> fn(&mut Log, Completion<'a>, CompletionReply<'_, '_>) -> Replied<'a>,
    pub(crate) resume: for<'a> fn(&mut Log, Resumed<'a>, ToolReply<'_, '_>) -> Replied<'a>,
    pub(crate) resume_read: for<'a> fn(&mut Log, Resumed<'a>, ResourceReply<'_, '_>) -> Replied<'a>,
    pub(crate) resume_prompt: for<'a> fn(&mut Log, Resumed<'a>, PromptReply<'_, '_>) -> Replied<'a>,
    pub(crate) task_result: fn(&mut Log, TaskToken, ToolContent<'_, '_>) -> Replied<'static>,
    pub(crate) task_questions: fn(&mut Log, TaskToken, &mut TaskQuestions<'_, '_>),
    pub(crate) task_answered: fn(&mut Log, TaskToken, Answers<'_>),
    pub(crate) log: Log,
}

/// What the functions note, and what the server tells.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) notes: Vec<String>,
    pub(crate) tokens: Vec<barewire::engine::CallToken>,
    pub(crate) cancelled: Vec<barewire::engine::CallToken>,
    pub(crate) tasks: Vec<TaskToken>,
    /// What the server asked for the application, by the tokens of the questions.
    pub(crate) answered: Vec<(barewire::engine::CallToken, String)>,
    pub(crate) events: Vec<String>,
}

impl App {
    pub(crate) fn new() -> Self {
        Self {
            info: Implementation::new("app", "1"),
            instructions: None,
            offers: |_| {},
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            call: |_, _, _| Err(CallError::NotFound),
            read: |_, _, _| Err(CallError::NotFound),
            prompt: |_, _, _| Err(CallError::NotFound),
            complete: |_, _, _| Err(CallError::NotFound),
            resume: |_, _, _| Err(CallError::InvalidParams),
            resume_read: |_, _, _| Err(CallError::InvalidParams),
            resume_prompt: |_, _, _| Err(CallError::InvalidParams),
            task_result: |_, _, _| Err(CallError::Internal),
            task_questions: |_, _, _| {},
            task_answered: |_, _, _| {},
            log: Log::default(),
        }
    }

    /// One tool `t` that does this.
    pub(crate) fn of_tool(
        call: for<'a> fn(&mut Log, ToolCall<'a>, ToolReply<'_, '_>) -> Replied<'a>,
    ) -> Self {
        Self { tools: vec![Tool::new("t", "A tool.")], call, ..Self::new() }
    }

    /// A tool of each kind: `optional` and `required` go on as tasks when they may, and say `direct` when not, `never`
    /// says so too, and `hasty` though it may. What a task comes to is the text `the result`.
    pub(crate) fn of_tasks() -> Self {
        let tool = |name, support| Tool::new(name, "A tool.").with_task_support(support);
        Self {
            tools: vec![
                tool("optional", TaskSupport::Optional),
                tool("required", TaskSupport::Required),
                tool("never", TaskSupport::Forbidden),
                tool("hasty", TaskSupport::Optional),
            ],
            offers: |offered| offered.insert(Capabilities::TASKS),
            call: |log, call, reply| {
                if !call.may_be_task() || call.is("hasty") {
                    return Ok(reply.text("direct"));
                }
                let (token, outcome) = reply.start_task()?;
                log.tasks.push(token);
                Ok(outcome)
            },
            task_result: |_, _, content| Ok(content.text("the result").done()),
            ..Self::new()
        }
    }

    /// One tool `t` whose calls are answered later.
    pub(crate) fn deferring() -> Self {
        Self::of_tool(|log, _, reply| {
            let (token, outcome) = reply.defer()?;
            log.tokens.push(token);
            Ok(outcome)
        })
    }
}

impl Handler for App {
    fn info(&self) -> Implementation<'_> {
        self.info
    }

    fn instructions(&self) -> Option<&str> {
        self.instructions
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        // Tests that need a task say so.
        *offered = offered.without(Capabilities::TASKS);
        (self.offers)(offered);
    }

    fn tools(&self) -> &[Tool<'_>] {
        &self.tools
    }

    fn call_tool<'a>(&mut self, call: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Replied<'a> {
        (self.call)(&mut self.log, call, reply)
    }

    fn resources(&self) -> &[Resource<'_>] {
        &self.resources
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        &self.templates
    }

    fn read_resource<'a>(&mut self, read: ResourceRead<'a>, reply: ResourceReply<'_, '_>) -> Replied<'a> {
        (self.read)(&mut self.log, read, reply)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        &self.prompts
    }

    fn get_prompt<'a>(&mut self, get: PromptGet<'a>, reply: PromptReply<'_, '_>) -> Replied<'a> {
        (self.prompt)(&mut self.log, get, reply)
    }

    fn complete<'a>(&mut self, completion: Completion<'a>, reply: CompletionReply<'_, '_>) -> Replied<'a> {
        (self.complete)(&mut self.log, completion, reply)
    }

    fn resume<'a>(&mut self, call: Resumed<'a>, reply: ResumedReply<'_, '_>) -> Replied<'a> {
        match reply {
            ResumedReply::Tool(reply) => (self.resume)(&mut self.log, call, reply),
            ResumedReply::Resource(reply) => (self.resume_read)(&mut self.log, call, reply),
            ResumedReply::Prompt(reply) => (self.resume_prompt)(&mut self.log, call, reply),
        }
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Cancelled(token) => self.log.cancelled.push(token),
            Event::Answered(token, answer) => self.log.answered.push((token, answer_text(Some(answer)))),
            _ => {}
        }
        self.log.events.push(match event {
            Event::Initialized(version) => format!("initialized {version}"),
            Event::Cancelled(_) => "cancelled".to_string(),
            Event::TaskCancelled(_) => "task cancelled".to_string(),
            Event::TaskForgotten(_) => "task forgotten".to_string(),
            Event::Answered(_, answer) => format!("answered {}", answer_text(Some(answer))),
            Event::Notification(notification) => format!("notification {}", notification.method()),
            Event::Response(_) => "response".to_string(),
            Event::Rejected(rejection) => format!("rejected {}", rejection.reason().name()),
            Event::Lost => "lost".to_string(),
            Event::NoRoom => "no room".to_string(),
            Event::Misuse(what) => format!("misuse: {what}"),
            _ => panic!("an event that the tests do not know"),
        });
    }
}

impl TaskHandler for App {
    fn task_result<'a>(&mut self, task: TaskToken, content: ToolContent<'_, '_>) -> Replied<'a> {
        (self.task_result)(&mut self.log, task, content)
    }

    fn task_questions(&mut self, task: TaskToken, questions: &mut TaskQuestions<'_, '_>) {
        (self.task_questions)(&mut self.log, task, questions);
    }

    fn task_answered(&mut self, task: TaskToken, answers: Answers<'_>) {
        (self.task_answered)(&mut self.log, task, answers);
    }
}

/// An answer, or that there is none, in one line.
pub(crate) fn answer_text(answer: Option<Answer<'_>>) -> String {
    match answer {
        None => "nothing".to_string(),
        Some(Answer::Result(result)) => result.as_value().as_json().to_string(),
        Some(Answer::Error(error)) => format!("error {}", error.code().0),
        Some(Answer::Malformed) => "malformed".to_owned(),
        Some(Answer::TimedOut) => "timed out".to_string(),
    }
}

/// What the server writes into an output of `room` bytes.
pub(crate) fn written<A: Handler, S: Storage, R>(
    server: &mut Hosted<A, S>,
    room: usize,
    call: impl FnOnce(&mut Hosted<A, S>, &mut Sink<'_>) -> R,
) -> (String, R) {
    let mut memory = vec![0; room];
    let mut out = Sink::new(&mut memory);
    let result = call(server, &mut out);
    let bytes = out.finish().expect("whole lines").to_vec();
    (String::from_utf8(bytes).expect("UTF-8"), result)
}

/// What the server answers to `line`, in an output of `room` bytes.
pub(crate) fn answer_in<A: Handler, S: Storage>(
    server: &mut Hosted<A, S>,
    room: usize,
    line: &str,
) -> String {
    let mut all = String::new();
    loop {
        let (lines, status) = written(server, room, |server, out| server.handle_frame(line.as_bytes(), out));
        all += &lines;
        if status == Status::Done {
            return all;
        }
    }
}

/// What the server writes into an output of `room` bytes when it is so many milliseconds past the beginning.
pub(crate) fn tick<A: Handler, S: Storage>(
    server: &mut Hosted<A, S>,
    room: usize,
    milliseconds: u64,
) -> (String, Status) {
    let now = Duration::from_millis(milliseconds);
    written(server, room, |server, out| server.tick(now, out))
}

/// The same in an output with room for everything.
pub(crate) fn answer<A: Handler, S: Storage>(server: &mut Hosted<A, S>, line: &str) -> String {
    answer_in(server, 1 << 16, line)
}

/// A request; `id` and `params` are JSON, the latter may be empty.
pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    match params {
        "" => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#),
        _ => format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#),
    }
}

/// The metadata that makes a request modern.
pub(crate) const MODERN: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// A request of the modern era; `members` are those of its params, `meta` those of its metadata besides.
pub(crate) fn modern_with(id: &str, method: &str, members: &str, meta: &str) -> String {
    let comma = |text: &str| if text.is_empty() { "" } else { "," };
    let params = format!(r#"{{{members}{}"_meta":{{{MODERN}{}{meta}}}}}"#, comma(members), comma(meta));
    request(id, method, &params)
}

/// A request of the modern era whose client has these capabilities; `members` are those of its params.
pub(crate) fn modern_of(id: &str, method: &str, members: &str, capabilities: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    let params = format!(
        r#"{{{members}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}"#
    );
    request(id, method, &params)
}

/// A request of the modern era; `members` are those of its params.
pub(crate) fn modern(id: &str, method: &str, members: &str) -> String {
    modern_with(id, method, members, "")
}

/// Requests for every method, good and bad, and the members of their params: what the demo server answers at once.
pub(crate) const DEMO_REQUESTS: [(&str, &str); 25] = [
    ("initialize", r#""protocolVersion":"2025-11-25""#),
    ("ping", ""),
    ("server/discover", ""),
    ("tools/list", ""),
    ("tools/list", r#""cursor":"3""#),
    ("tools/list", r#""cursor":"x""#),
    ("tools/call", r#""name":"echo","arguments":{"text":"a longer text, and \"quotes\""}"#),
    ("tools/call", r#""name":"add","arguments":{"a":1,"b":2}"#),
    ("tools/call", r#""name":"slow""#),
    ("tools/call", r#""name":"measure""#),
    ("tools/call", r#""name":"measure","arguments":{"unit":7}"#),
    ("tools/call", r#""name":"pixel""#),
    ("tools/call", r#""name":"nope""#),
    ("resources/list", ""),
    ("resources/templates/list", ""),
    ("resources/read", r#""uri":"demo://readme""#),
    ("resources/read", r#""uri":"demo://pixel.png""#),
    ("resources/read", r#""uri":"nope://a-longer-uri-that-does-not-exist""#),
    ("resources/subscribe", r#""uri":"demo://counter""#),
    ("resources/unsubscribe", r#""uri":"demo://counter""#),
    ("prompts/list", ""),
    ("prompts/get", r#""name":"greet","arguments":{"name":"a"}"#),
    (
        "completion/complete",
        r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":""}"#,
    ),
    ("logging/setLevel", r#""level":"debug""#),
    ("nope", ""),
];

/// A call of the tool `t`.
pub(crate) fn call(id: &str) -> String {
    request(id, "tools/call", r#"{"name":"t"}"#)
}

/// A handshake for this revision.
pub(crate) fn initialize(version: &str) -> String {
    request(r#""init""#, "initialize", &format!(r#"{{"protocolVersion":"{version}","capabilities":{{}}}}"#))
}

/// A handshake for this revision, of a client with these capabilities.
pub(crate) fn initialize_with(version: &str, capabilities: &str) -> String {
    request(
        r#""init""#,
        "initialize",
        &format!(r#"{{"protocolVersion":"{version}","capabilities":{capabilities}}}"#),
    )
}

/// The answer of a client; `result` are the members of it.
pub(crate) fn reply(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{result}}}}}"#)
}

/// A question of the server's own, with its newline; `params` is JSON, or empty for none.
pub(crate) fn question(id: u32, method: &str, params: &str) -> String {
    request(&id.to_string(), method, params) + "\n"
}

/// That the server does not wait for the answer any more, with its newline.
pub(crate) fn given_up(id: u32) -> String {
    cancel(&id.to_string()) + "\n"
}

pub(crate) fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// An error response, with its newline.
pub(crate) fn error(id: &str, code: i32, message: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}\n")
}

/// A legacy result, with its newline.
pub(crate) fn result(id: &str, members: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{{members}}}}}\n")
}

/// A legacy result of a tool: one text.
pub(crate) fn text(id: &str, text: &str, is_error: bool) -> String {
    result(id, &format!(r#""content":[{{"type":"text","text":"{text}"}}],"isError":{is_error}"#))
}

/// The one line, as JSON.
pub(crate) fn json(line: &str) -> Value {
    let line = line.strip_suffix('\n').expect("a newline");
    assert!(!line.contains('\n'), "one line");
    serde_json::from_str(line).expect("JSON")
}
