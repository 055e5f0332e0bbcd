//! A server for tests, and clients that send raw bytes.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use barewire::engine::{
    CallError, CallToken, Event, Handler, Outcome, ResourceRead, ResourceReply, Resumed, ResumedReply,
    ToolCall, ToolReply,
};
use barewire::mcp::{Capabilities, Elicitation, Implementation, Parameter, Resource, Schema, Tool, Type};
use barewire_http::{Builder, Handle, Mcp};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the application has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Deferred(CallToken),
    Cancelled(CallToken),
    Dropped,
}

/// An application with a tool for each kind of answer.
pub(crate) struct App {
    seen: Sender<Seen>,
    handle: Handle,
}

impl Drop for App {
    fn drop(&mut self) {
        let _ = self.seen.send(Seen::Dropped);
    }
}

const TEXT: Parameter<'_> = Parameter::required("text", Type::STRING);
const TOOLS: &[Tool<'_>] = &[
    Tool::new("echo", "Answers at once.").with_parameters(&[TEXT]),
    Tool::new("steps", "Reports progress, then answers."),
    Tool::new("wait", "Answers later."),
    Tool::new("repeat", "Answers with a long text.")
        .with_parameters(&[Parameter::required("count", Type::INTEGER)]),
    Tool::new("ask", "Asks the user."),
    Tool::new("change", "Changes a list and a resource."),
    Tool::new("panic", "Panics."),
];
const RESOURCES: &[Resource<'_>] = &[Resource::new("test://clock", "clock")];
const AGREE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"agree":{"type":"boolean"}}}"#);

impl Handler for App {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("test", "1.0")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::TOOLS_LIST_CHANGED | Capabilities::RESOURCES_SUBSCRIBE);
        offered.insert(Capabilities::LOGGING);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.text(None, "12:00"))
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match call.name_in(TOOLS) {
            "echo" => Ok(reply.text(call.string("text").ok_or(CallError::InvalidParams)?)),
            "steps" => {
                reply.progress(1);
                reply.progress(2);
                Ok(reply.text("done"))
            }
            "wait" => {
                let (token, outcome) = reply.defer()?;
                self.seen.send(Seen::Deferred(token)).map_err(|_| CallError::Internal)?;
                Ok(outcome)
            }
            "repeat" => {
                let count = call.integer("count").unwrap_or_default();
                Ok(reply.text("x".repeat(usize::try_from(count).unwrap_or_default())))
            }
            "ask" => Ok(reply.ask("agree", &Elicitation::form("Agree?", AGREE).into()).done()),
            "change" => {
                self.handle.list_changed(barewire::engine::List::Tools);
                self.handle.resource_updated("test://clock");
                Ok(reply.text("changed"))
            }
            _ => panic!("a panic of the application, as the test wants it"),
        }
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else {
            return Err(CallError::InvalidParams);
        };
        let has_agreed = call.answer("agree").is_some_and(|answer| answer.elicited().is_some());
        Ok(reply.text(if has_agreed { "answered" } else { "not answered" }))
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Cancelled(token) = event {
            let _ = self.seen.send(Seen::Cancelled(token));
        }
    }
}

/// A server, and what its application sees.
pub(crate) struct Server {
    pub(crate) mcp: Mcp,
    pub(crate) handle: Handle,
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Receiver<Seen>>>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::start_with(Mcp::builder()).await
    }

    pub(crate) async fn start_with(builder: Builder) -> Self {
        let (mcp, seen) = build(builder);
        let address = serve(mcp.clone()).await;
        Self { handle: mcp.handle(), mcp, address, seen }
    }

    /// The next thing that the application sees.
    pub(crate) async fn seen(&self) -> Seen {
        let seen = Arc::clone(&self.seen);
        let next = move || seen.lock().unwrap().recv_timeout(Duration::from_secs(10)).unwrap();
        tokio::task::spawn_blocking(next).await.unwrap()
    }

    /// The token of the call that is deferred next.
    pub(crate) async fn deferred(&self) -> CallToken {
        match self.seen().await {
            Seen::Deferred(token) => token,
            seen => panic!("{seen:?}"),
        }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client::connect(self.address).await
    }

    /// The answer to a request on a connection of its own.
    pub(crate) async fn answer(&self, request: impl AsRef<[u8]>) -> String {
        let mut client = self.connect().await;
        client.send(request).await;
        client.response().await
    }
}

pub(crate) fn build(builder: Builder) -> (Mcp, Arc<Mutex<Receiver<Seen>>>) {
    let (sender, seen) = channel();
    let mcp = builder.build_with(|handle| App { seen: sender, handle });
    (mcp, Arc::new(Mutex::new(seen)))
}

/// Serves HTTP/1.1 and HTTP/2 on a port of its own.
pub(crate) async fn serve(mcp: Mcp) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(mcp.clone());
            tokio::spawn(async move {
                let server = auto::Builder::new(TokioExecutor::new());
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    address
}

/// A client that sends and receives bytes.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.unwrap(), received: Vec::new() }
    }

    pub(crate) async fn send(&mut self, request: impl AsRef<[u8]>) {
        self.stream.write_all(request.as_ref()).await.unwrap();
    }

    /// Receives up to and with this text.
    pub(crate) async fn until(&mut self, end: &str) -> String {
        loop {
            let found = self.received.windows(end.len()).position(|bytes| bytes == end.as_bytes());
            if let Some(place) = found {
                return self.take(place + end.len());
            }
            self.receive().await;
        }
    }

    /// Receives a whole response: with its length, or in chunks.
    pub(crate) async fn response(&mut self) -> String {
        let head = self.head().await;
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        if let Some(length) = field("content-length: ") {
            let length = length.parse().unwrap();
            while self.received.len() < length {
                self.receive().await;
            }
            return head + &self.take(length);
        }
        if field("transfer-encoding: chunked").is_some() {
            let chunks = self.until("0\r\n\r\n").await;
            return head + &chunks;
        }
        head
    }

    /// Receives a head, without its date.
    pub(crate) async fn head(&mut self) -> String {
        let head = self.until("\r\n\r\n").await;
        let lines = head.split_inclusive("\r\n");
        lines.filter(|line| !line.starts_with("date: ")).collect()
    }

    fn take(&mut self, count: usize) -> String {
        let rest = self.received.split_off(count);
        String::from_utf8(std::mem::replace(&mut self.received, rest)).unwrap()
    }

    async fn receive(&mut self) {
        let read = self.stream.read_buf(&mut self.received);
        let count = tokio::time::timeout(Duration::from_secs(20), read).await;
        let count = count.unwrap_or_else(|_| panic!("after {:?}", String::from_utf8_lossy(&self.received)));
        assert_ne!(count.unwrap(), 0, "{:?}", String::from_utf8_lossy(&self.received));
    }
}

/// A request with these further fields, each with its line end.
pub(crate) fn request(method: &str, fields: &str, body: &str) -> String {
    let length = match method {
        "POST" => format!("Content-Length: {}\r\n", body.len()),
        _ => String::new(),
    };
    format!("{method} /mcp HTTP/1.1\r\nHost: localhost\r\n{fields}{length}\r\n{body}")
}

const ACCEPT: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

/// A message of a legacy client.
pub(crate) fn post(body: &str) -> String {
    post_with("", body)
}

/// A message of a legacy client with these further fields.
pub(crate) fn post_with(fields: &str, body: &str) -> String {
    request("POST", &format!("{ACCEPT}{fields}"), body)
}

/// A request of a modern client; `params` are its parameters but `_meta`, with a comma after each.
pub(crate) fn modern(id: u32, method: &str, params: &str) -> String {
    modern_with("", id, method, params)
}

pub(crate) fn modern_with(fields: &str, id: u32, method: &str, params: &str) -> String {
    let name = params.strip_prefix(r#""name":""#).and_then(|rest| rest.split('"').next());
    let name = name.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
    let fields = format!("{fields}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}");
    post_with(
        &fields,
        &format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"progressToken":{id},"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}}}}}}}}}}}}"#
        ),
    )
}

pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}"#;

/// Opens a legacy session: the field with its id.
pub(crate) async fn initialize(address: SocketAddr) -> String {
    let mut client = Client::connect(address).await;
    client.send(post(INITIALIZE)).await;
    let response = client.response().await;
    let id = response.lines().find(|line| line.starts_with("mcp-session-id: "));
    let session = format!("{}\r\nMCP-Protocol-Version: 2025-11-25\r\n", id.unwrap());
    client.send(post_with(&session, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)).await;
    assert_eq!(client.response().await, "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    session
}

impl Server {
    pub(crate) async fn open_session(&self) -> String {
        initialize(self.address).await
    }
}

/// A legacy call of a tool.
pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":"p"}}}}}}"#
    )
}

/// The response with this body.
pub(crate) fn json(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
}

/// The result of a legacy call.
pub(crate) fn result(id: &str, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}],"isError":false}}}}"#
    )
}

/// Parameters of a modern call of `echo`.
pub(crate) const ECHO: &str = r#""name":"echo","arguments":{"text":"hi"},"#;

/// The result of a modern call.
pub(crate) fn modern_result(id: u32, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}],"isError":false,"_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"test","version":"1.0"}}}}}}}}"#
    )
}

/// A progress notification.
pub(crate) fn progress(token: u32, progress: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}}}"#
    )
}

/// A line as an event.
pub(crate) fn event(line: &str) -> String {
    format!("data: {line}\n\n")
}

/// An event in a chunk.
pub(crate) fn chunk(event: &str) -> String {
    format!("{:X}\r\n{event}\r\n", event.len())
}

pub(crate) const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\ntransfer-encoding: chunked\r\n\r\n";
