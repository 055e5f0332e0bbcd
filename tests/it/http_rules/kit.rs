//! An endpoint with its application, and requests to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Answer, CallError, CallToken, Channel, Event, Fixed, Full, Handler, Outcome, PromptGet, PromptReply,
    ResourceRead, ResourceReply, Resumed, ResumedReply, Sent, Server, ToolCall, ToolReply,
};
use barewire::mcp::{
    Capabilities, ClientCapabilities, Elicitation, Implementation, LoggingLevel, Parameter, Prompt, Resource,
    Role, Schema, Tool, Type,
};
use barewire::rpc::ErrorCode;
use barewire::transport::http::{
    Access, Authorization, Authorizer, Endpoint, Head, HttpReply, Line, Principal, Purpose, ReplyBody,
    SessionEntry, admit, bearer_token,
};

pub(super) const R2: &str = "2025-03-26";
pub(super) const R3: &str = "2025-06-18";
pub(super) const R4: &str = "2025-11-25";
pub(super) const R5: &str = "2026-07-28";

const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);

const TOOLS: &[Tool<'_>] = &[
    Tool::new("now", "Is answered at once."),
    Tool::new("log", "Logs and reports progress before its answer."),
    Tool::new("later", "Is answered later."),
    Tool::new("ask", "Asks the client."),
    Tool::new("needs", "Needs sampling."),
    Tool::new("refuse", "Is refused."),
    Tool::new("there", "Has a header.")
        .with_parameters(&[Parameter::optional("region", Type::STRING).with_header(&"Region")]),
];

const RESOURCES: &[Resource<'_>] = &[Resource::new("r:1", "r")];
const PROMPTS: &[Prompt<'_>] = &[Prompt::new("p")];

/// The application.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) deferred: Vec<CallToken>,
    pub(super) events: Vec<String>,
}

impl Handler for Desk {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("desk", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        *offered = offered.without(Capabilities::TASKS);
        offered.insert(
            Capabilities::TOOLS_LIST_CHANGED | Capabilities::RESOURCES_SUBSCRIBE | Capabilities::LOGGING,
        );
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if call.is("now") || call.is("there") {
            return Ok(reply.text("done"));
        }
        if call.is("log") {
            reply.log(LoggingLevel::Error, None, "busy");
            reply.progress(1);
            return Ok(reply.text("done"));
        }
        if call.is("later") {
            let (token, outcome) = reply.defer()?;
            self.deferred.push(token);
            return Ok(outcome);
        }
        if call.is("ask") {
            return Ok(reply.ask("k", &Elicitation::form("Sure?", FORM).into()).keep(""));
        }
        if call.is("needs") {
            return Err(CallError::MissingCapability(ClientCapabilities::SAMPLING));
        }
        if call.is("refuse") {
            return Err(CallError::Refused { code: ErrorCode(7), message: "no", data: None });
        }
        Err(CallError::NotFound)
    }

    fn read_resource<'a>(
        &mut self,
        read: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if read.is("r:1") { Ok(reply.text(None, "r")) } else { Err(CallError::NotFound) }
    }

    fn get_prompt<'a>(
        &mut self,
        _: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.text(Role::User, "p"))
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else {
            return Err(CallError::Internal);
        };
        Ok(reply.text(match call.answer("k") {
            Some(Answer::Result(_)) => "answered",
            Some(Answer::Malformed) => "malformed",
            _ => "unanswered",
        }))
    }

    fn event(&mut self, event: Event<'_>) {
        self.events.push(match event {
            Event::Cancelled(token) => {
                self.deferred.retain(|known| *known != token);
                "cancelled".to_owned()
            }
            Event::Notification(notification) => format!("notification {}", notification.method()),
            Event::Response(_) => "response".to_owned(),
            Event::Rejected(rejection) => format!("rejected {}", rejection.reason().name()),
            Event::Initialized(version) => format!("initialized {version}"),
            _ => return,
        });
    }
}

/// The head of a request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    method: &'static str,
    fields: Vec<(&'static str, String)>,
}

impl Head for Request {
    fn method(&self) -> &str {
        self.method
    }

    fn path(&self) -> &str {
        "/mcp"
    }

    fn authority(&self) -> Option<&str> {
        None
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let named = self.fields.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_bytes())
    }
}

impl Request {
    pub(super) fn new(method: &'static str) -> Self {
        Self { method, fields: Vec::new() }
            .with("Host", "localhost")
            .with("Content-Type", "application/json")
            .with("Accept", "application/json, text/event-stream")
    }

    pub(super) fn post() -> Self {
        Self::new("POST")
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.fields.push((name, value.to_owned()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.fields.retain(|(known, _)| *known != name);
        self
    }

    pub(super) fn session(self, id: &str) -> Self {
        self.with("Mcp-Session-Id", id)
    }

    pub(super) fn version(self, version: &str) -> Self {
        self.with("MCP-Protocol-Version", version)
    }

    /// The headers of a modern request.
    pub(super) fn modern(method: &str) -> Self {
        Self::post().version(R5).with("Mcp-Method", method)
    }

    /// The headers of a modern call of a tool.
    pub(super) fn call(tool: &str) -> Self {
        Self::modern("tools/call").with("Mcp-Name", tool)
    }
}

/// A legacy request.
pub(super) fn legacy(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

pub(super) fn call(id: &str, tool: &str) -> String {
    legacy(id, "tools/call", &format!(r#"{{"name":"{tool}","_meta":{{"progressToken":"t"}}}}"#))
}

/// A modern request with members of its params besides the metadata.
pub(super) fn modern(id: &str, method: &str, members: &str) -> String {
    let comma = if members.is_empty() { "" } else { "," };
    let meta = format!(
        r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{R5}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/logLevel":"debug","progressToken":"t"}}"#
    );
    legacy(id, method, &format!("{{{members}{comma}{meta}}}"))
}

pub(super) fn modern_call(id: &str, tool: &str) -> String {
    modern(id, "tools/call", &format!(r#""name":"{tool}""#))
}

pub(super) fn initialize(version: &str) -> String {
    let params = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}"#
    );
    legacy("0", "initialize", &params)
}

pub(super) fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

pub(super) fn error(id: &str, code: i32, message: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{id},"#) };
    format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}\n")
}

pub(super) fn text(id: &str, text: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"isError\":false}}}}\n"
    )
}

/// The reply to a request, as its client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Got {
    pub(super) channel: Channel,
    pub(super) status: u16,
    pub(super) next: Option<ReplyBody>,
    pub(super) ends: bool,
    pub(super) fields: Vec<String>,
    pub(super) body: String,
    /// Lines for another exchange.
    pub(super) other: Option<(Channel, String, bool)>,
}

impl Got {
    #[track_caller]
    pub(super) fn is(&self, status: u16, body: &str) -> &Self {
        assert_eq!((self.status, self.body.as_str()), (status, body), "{self:?}");
        let is_json = self.next.is_some_and(|next| next == ReplyBody::Json);
        assert_eq!(
            is_json,
            self.fields.contains(&"Content-Type: application/json".to_owned()) && self.next.is_some()
        );
        self
    }

    #[track_caller]
    pub(super) fn is_status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find_map(|field| field.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The id of the session that this reply opens.
    pub(super) fn session(&self) -> String {
        self.field("Mcp-Session-Id").expect("a session").to_owned()
    }
}

/// Takes a client's name for its token.
pub(super) struct Names;

impl Authorizer for Names {
    fn authorize(&self, head: &impl Head) -> Authorization<'_> {
        match bearer_token(head) {
            Ok(name) => Authorization::Allowed(Principal::new(name.len() as u64)),
            Err(_) => Authorization::Allowed(Principal::ANONYMOUS),
        }
    }
}

pub(super) type Memory = Fixed<Full, 12, 4, 2, 4096, 4>;

pub(super) struct Stand {
    pub(super) endpoint: Endpoint<Memory, Vec<SessionEntry>>,
    pub(super) app: Desk,
    access: Access<'static>,
    next: u32,
    now: u64,
}

pub(super) fn random(bytes: &mut [u8; 16]) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    bytes[..8].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
}

impl Stand {
    /// With a number of sessions.
    pub(super) fn new(sessions: usize) -> Self {
        Self::with(sessions, |endpoint| endpoint)
    }

    pub(super) fn with(
        sessions: usize,
        set: impl FnOnce(Endpoint<Memory, Vec<SessionEntry>>) -> Endpoint<Memory, Vec<SessionEntry>>,
    ) -> Self {
        let server = Server::with_storage(Memory::new());
        let endpoint = Endpoint::with_sessions(server, vec![SessionEntry::FREE; sessions]);
        Self {
            endpoint: set(endpoint.with_random(random)),
            app: Desk::default(),
            access: Access::LOCAL.with_json_only_clients(),
            next: 100,
            now: 0,
        }
    }

    pub(super) fn send(&mut self, head: &Request, body: &str) -> Got {
        self.send_bytes(head, body.as_bytes(), 4096)
    }

    pub(super) fn send_bytes(&mut self, head: &Request, body: &[u8], room: usize) -> Got {
        self.next += 1;
        let channel = Channel(self.next);
        let mut fields = Vec::new();
        let admitted = match admit(&self.access, &Names, head, self.endpoint.offers_sessions()) {
            Ok(admitted) => admitted,
            Err(refusal) => {
                refusal.fields(|name, value| fields.push(format!("{name}: {value}")));
                return Got {
                    channel,
                    status: refusal.status().code(),
                    next: None,
                    ends: true,
                    fields,
                    body: refusal.body().to_owned(),
                    other: None,
                };
            }
        };
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        let reply = match admitted.purpose() {
            Purpose::Post => self.endpoint.receive(channel, head, &admitted, body, &mut self.app, &mut out),
            Purpose::Get => self.endpoint.open_stream(channel, &admitted),
            Purpose::Delete => self.endpoint.end_session(&admitted, &mut self.app),
            Purpose::Preflight | Purpose::Metadata => unreachable!("not asked for"),
        };
        let output = String::from_utf8(out.finish().expect("whole lines").to_vec()).expect("text");
        self.got(channel, reply, output)
    }

    pub(super) fn got(&mut self, channel: Channel, reply: HttpReply, output: String) -> Got {
        let mut fields = Vec::new();
        reply.fields(|name, value| fields.push(format!("{name}: {value}")));
        let (body, other) = match reply.line() {
            Some(line) => (String::new(), Some((line.channel(), output, line.ends()))),
            None => (output, None),
        };
        assert!(body.is_empty() || body.ends_with('\n'), "{body:?}");
        assert_eq!(reply.ends(), !self.endpoint.is_open(channel), "{reply:?}");
        match reply.body() {
            ReplyBody::Empty | ReplyBody::Later { .. } => assert_eq!(body, ""),
            ReplyBody::Json => assert_eq!(body.lines().count(), 1, "{body}"),
            ReplyBody::Stream => {}
        }
        Got {
            channel,
            status: reply.status().code(),
            next: Some(reply.body()),
            ends: reply.ends(),
            fields,
            body,
            other,
        }
    }

    /// Opens a session and makes it ready. Its id.
    pub(super) fn open(&mut self, version: &str) -> String {
        let id = self.send(&Request::post(), &initialize(version)).session();
        let ready = notification("notifications/initialized", "{}");
        self.send(&Request::post().session(&id), &ready).is(202, "");
        id
    }

    /// All lines that are due, for exchanges that `writable` has.
    pub(super) fn poll_for(&mut self, writable: impl Fn(Channel) -> bool) -> Vec<(Channel, String, bool)> {
        let mut lines = Vec::new();
        loop {
            let mut memory = [0; 4096];
            let mut out = Sink::new(&mut memory);
            let Some(line) = self.endpoint.poll(&writable, &mut self.app, &mut out) else {
                return lines;
            };
            lines.push((
                line.channel(),
                String::from_utf8_lossy(out.finish().unwrap()).into_owned(),
                line.ends(),
            ));
        }
    }

    pub(super) fn poll(&mut self) -> Vec<(Channel, String, bool)> {
        self.poll_for(|_| true)
    }

    /// What a call of the server writes, and for which exchange.
    pub(super) fn write(
        &mut self,
        call: impl FnOnce(&mut Server<Memory>, &mut Desk, &mut Sink<'_>) -> Sent,
    ) -> Option<(Line, String)> {
        let mut memory = [0; 4096];
        let mut out = Sink::new(&mut memory);
        let sent = call(self.endpoint.server(), &mut self.app, &mut out);
        let line = self.endpoint.route(sent, &mut out)?;
        Some((line, String::from_utf8_lossy(out.finish().unwrap()).into_owned()))
    }

    /// Answers the oldest deferred call.
    pub(super) fn complete(&mut self, answer: &str) -> Option<(Line, String)> {
        let token = self.app.deferred.remove(0);
        self.write(|server, app, out| {
            server
                .complete_tool(token, app, out, |content| Ok(content.text(answer).done()))
                .expect("in flight")
        })
    }

    pub(super) fn close(&mut self, channel: Channel) {
        self.endpoint.closed(channel, &mut self.app);
    }

    pub(super) fn wait(&mut self, seconds: u64) {
        self.now += seconds;
        let now = Duration::from_secs(self.now);
        self.endpoint.set_time(now, now, &mut self.app);
    }
}
