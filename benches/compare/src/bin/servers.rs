//! A line answered by the server engine, beside rmcp's server in the same process: `cargo run --release --bin servers`.
//!
//! Both have the same ten tools. rmcp's server is driven as it is made to be, over a pair of byte streams in memory on one
//! thread, with as many requests under way as the third column says; both are timed in turns, and the medians compared.

use std::hint::black_box;
use std::time::Instant;

use barewire::bytes::Sink;
use barewire::engine::{CallError, Disposition, Handler, Server, Status, ToolCall, ToolReply};
use barewire::mcp::{Implementation, Parameter, Tool, Type};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

const NAMES: [&str; 10] = [
    "echo", "read", "write", "list", "find", "open", "close", "move", "copy", "delete",
];
const DESCRIPTION: &str = "Answers the text that it was given, unchanged.";
const PARAMETERS: &[Parameter<'_>] = &[Parameter::required("text", Type::STRING)];
const TOOLS: [Tool<'_>; 10] = {
    let mut tools = [Tool::new("echo", DESCRIPTION).with_parameters(PARAMETERS); 10];
    let mut at = 0;
    while at < tools.len() {
        tools[at] = Tool::new(NAMES[at], DESCRIPTION).with_parameters(PARAMETERS);
        at += 1;
    }
    tools
};

struct Ten;

impl Handler for Ten {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("ten", "1.0.0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &TOOLS }
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let text = call.string("text").ok_or(CallError::Internal)?;
        reply.text_json(text);
        Ok(Disposition::Done)
    }
}

impl ServerHandler for Ten {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;
        let schema: JsonObject = serde_json::from_str(schema).expect("a schema");
        let schema = std::sync::Arc::new(schema);
        let tools = NAMES.map(|name| rmcp::model::Tool::new(name, DESCRIPTION, schema.clone()));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.get("text"))
            .and_then(|text| text.as_str())
            .ok_or_else(|| ErrorData::invalid_params("no text", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn lines() -> [(&'static str, String); 3] {
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{}"}}}}}}"#,
        "thirty bytes of plain prose... ".repeat(10)
    );
    [
        ("ping", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_string()),
        (
            "tools/list of 10",
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#.to_string(),
        ),
        ("tools/call echo, 300 B", call),
    ]
}

/// The engine with its output.
struct Engine {
    server: Server<Ten>,
    memory: Vec<u8>,
}

impl Engine {
    fn new() -> Self {
        let mut engine = Self {
            server: Server::new(Ten),
            memory: vec![0; 16 << 10],
        };
        assert!(engine.answer(INITIALIZE) > 0);
        assert_eq!(engine.answer(INITIALIZED), 0);
        engine
    }

    fn answer(&mut self, line: &str) -> usize {
        let mut out = Sink::new(&mut self.memory);
        let status = self.server.handle_frame(black_box(line.as_bytes()), &mut out);
        assert_eq!(status, Status::Done);
        black_box(out.len())
    }
}

/// A client of rmcp's server.
struct Peer {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Peer {
    async fn new() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            let service = rmcp::serve_server(Ten, tokio::io::split(theirs))
                .await
                .expect("a session");
            service.waiting().await.expect("an end");
        });
        let (from, to) = tokio::io::split(ours);
        let mut peer = Self {
            to,
            from: BufReader::new(from).lines(),
        };
        peer.answers(&[INITIALIZE, "\n"].concat(), 1).await;
        peer.send(INITIALIZED).await;
        peer
    }

    async fn send(&mut self, text: &str) {
        let line = [text, "\n"].concat();
        self.to.write_all(line.as_bytes()).await.expect("a server");
    }

    /// Sends the lines, then reads as many answers.
    async fn answers(&mut self, lines: &str, times: usize) -> usize {
        self.to.write_all(lines.as_bytes()).await.expect("a server");
        let mut length = 0;
        for _ in 0..times {
            let answer = self.from.next_line().await.expect("a server").expect("an answer");
            assert!(answer.contains("\"result\""), "{answer}");
            length += answer.len();
        }
        length
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let rounds = match std::env::args().nth(1).as_deref() {
        Some("--quick") => 3,
        _ => 41,
    };
    println!("| line | barewire, ns | under way | rmcp, ns | ratio |");
    println!("|---|---|---|---|---|");
    for (name, line) in lines() {
        let mut engine = Engine::new();
        let mut peer = Peer::new().await;
        for under_way in [1, 64] {
            // Each under way with an id of its own.
            let lines: String = (1..=under_way)
                .map(|id| line.replacen("\"id\":", &format!("\"id\":{id}"), 1) + "\n")
                .collect();
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                let start = Instant::now();
                for _ in 0..256 {
                    assert!(engine.answer(&line) > 0);
                }
                ours.push(start.elapsed().as_secs_f64() * 1e9 / 256.0);
                let start = Instant::now();
                for _ in 0..64 / under_way {
                    black_box(peer.answers(&lines, under_way).await);
                }
                theirs.push(start.elapsed().as_secs_f64() * 1e9 / 64.0);
            }
            let (ours, theirs) = (median(ours), median(theirs));
            println!(
                "| {name} | {ours:.0} | {under_way} | {theirs:.0} | {:.1} |",
                theirs / ours
            );
        }
    }
}
