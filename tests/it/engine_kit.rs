//! An application made of tables and functions, and the ways to talk to a server of it.

use barewire::bytes::Sink;
use barewire::engine::{
    CallError, Completion, CompletionReply, Disposition, Event, Handler, Parts, PromptGet, PromptReply,
    ResourceRead, ResourceReply, Server, Status, ToolCall, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, Prompt, Resource, ResourceTemplate, Tool};
use serde_json::Value;

type Outcome<'a> = Result<Disposition, CallError<'a>>;

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
    pub(crate) call: for<'a> fn(&mut Log, ToolCall<'a>, &mut ToolReply<'_, '_>) -> Outcome<'a>,
    pub(crate) read: for<'a> fn(&mut Log, ResourceRead<'a>, &mut ResourceReply<'_, '_>) -> Outcome<'a>,
    pub(crate) prompt: for<'a> fn(&mut Log, PromptGet<'a>, &mut PromptReply<'_, '_>) -> Outcome<'a>,
    pub(crate) complete:
        for<'a> fn(&mut Log, Completion<'a>, &mut CompletionReply<'_, '_>) -> Result<(), CallError<'a>>,
    pub(crate) log: Log,
}

/// What the functions note, and what the server tells.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) notes: Vec<String>,
    pub(crate) tokens: Vec<barewire::engine::CallToken>,
    pub(crate) cancelled: Vec<barewire::engine::CallToken>,
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
            log: Log::default(),
        }
    }

    /// One tool `t` that does this.
    pub(crate) fn of_tool(
        call: for<'a> fn(&mut Log, ToolCall<'a>, &mut ToolReply<'_, '_>) -> Outcome<'a>,
    ) -> Self {
        Self {
            tools: vec![Tool::new("t", "A tool.")],
            call,
            ..Self::new()
        }
    }

    /// One tool `t` whose calls are answered later.
    pub(crate) fn deferring() -> Self {
        Self::of_tool(|log, call, _| {
            let token = call.context().defer()?;
            log.tokens.push(token);
            Ok(Disposition::Deferred(token))
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

    fn capabilities(&self) -> Capabilities {
        let mut offered = Capabilities::NONE;
        offered.tools = !self.tools.is_empty();
        offered.resources = !self.resources.is_empty() || !self.templates.is_empty();
        offered.prompts = !self.prompts.is_empty();
        (self.offers)(&mut offered);
        offered
    }

    fn tools(&self) -> &[Tool<'_>] {
        &self.tools
    }

    fn call_tool<'a>(&mut self, call: ToolCall<'a>, reply: &mut ToolReply<'_, '_>) -> Outcome<'a> {
        (self.call)(&mut self.log, call, reply)
    }

    fn resources(&self) -> &[Resource<'_>] {
        &self.resources
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        &self.templates
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: &mut ResourceReply<'_, '_>,
    ) -> Outcome<'a> {
        (self.read)(&mut self.log, read, reply)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        &self.prompts
    }

    fn get_prompt<'a>(&mut self, get: PromptGet<'a>, reply: &mut PromptReply<'_, '_>) -> Outcome<'a> {
        (self.prompt)(&mut self.log, get, reply)
    }

    fn complete<'a>(
        &mut self,
        completion: Completion<'a>,
        reply: &mut CompletionReply<'_, '_>,
    ) -> Result<(), CallError<'a>> {
        (self.complete)(&mut self.log, completion, reply)
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Cancelled(token) = event {
            self.log.cancelled.push(token);
        }
        self.log.events.push(match event {
            Event::Initialized(version) => format!("initialized {version}"),
            Event::Cancelled(_) => "cancelled".to_string(),
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

/// What the server writes into an output of `room` bytes.
pub(crate) fn written<
    H: Handler,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
    R,
>(
    server: &mut Server<H, P, C, S, I, U, T>,
    room: usize,
    call: impl FnOnce(&mut Server<H, P, C, S, I, U, T>, &mut Sink<'_>) -> R,
) -> (String, R) {
    let mut memory = vec![0; room];
    let mut out = Sink::new(&mut memory);
    let result = call(server, &mut out);
    let bytes = out.finish().expect("whole lines").to_vec();
    (String::from_utf8(bytes).expect("UTF-8"), result)
}

/// What the server answers to `line`, in an output of `room` bytes.
pub(crate) fn answer_in<
    H: Handler,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
>(
    server: &mut Server<H, P, C, S, I, U, T>,
    room: usize,
    line: &str,
) -> String {
    let mut all = String::new();
    loop {
        let (lines, status) = written(server, room, |server, out| {
            server.handle_frame(line.as_bytes(), out)
        });
        all += &lines;
        if status == Status::Done {
            return all;
        }
    }
}

/// The same in an output with room for everything.
pub(crate) fn answer<
    H: Handler,
    P: Parts,
    const C: usize,
    const S: usize,
    const I: usize,
    const U: usize,
    const T: usize,
>(
    server: &mut Server<H, P, C, S, I, U, T>,
    line: &str,
) -> String {
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
    let params = format!(
        r#"{{{members}{}"_meta":{{{MODERN}{}{meta}}}}}"#,
        comma(members),
        comma(meta)
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
    (
        "tools/call",
        r#""name":"echo","arguments":{"text":"a longer text, and \"quotes\""}"#,
    ),
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
    (
        "resources/read",
        r#""uri":"nope://a-longer-uri-that-does-not-exist""#,
    ),
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
    request(
        r#""init""#,
        "initialize",
        &format!(r#"{{"protocolVersion":"{version}","capabilities":{{}}}}"#),
    )
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
    result(
        id,
        &format!(r#""content":[{{"type":"text","text":"{text}"}}],"isError":{is_error}"#),
    )
}

/// The one line, as JSON.
pub(crate) fn json(line: &str) -> Value {
    let line = line.strip_suffix('\n').expect("a newline");
    assert!(!line.contains('\n'), "one line");
    serde_json::from_str(line).expect("JSON")
}
