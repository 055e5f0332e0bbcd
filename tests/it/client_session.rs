//! A whole session, byte for byte on both sides, and single messages as an exercise has them.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{
    BoundClient, ClientEngine, ClientFixed, ClientOutcome, Incoming, RequestOptions,
};
use barewire::engine::{CallError, ClientHandler, Handler, Outcome as Answered, ToolCall, ToolReply};
use barewire::json::{Object, RawValue};
use barewire::mcp::{
    Capabilities, ClientCapabilities, Implementation, ListResult, ProtocolVersion, Schema, Tool,
};
use barewire::rpc::{ErrorCode, Message, RequestId, classify, error_response, result_response};

use crate::support::client::Client;
use crate::support::hosted::{Hosted, Status};

/// What both write: `>` the client, `<` the server.
const SESSION: &str = r#"> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{"listChanged":true}},"clientInfo":{"name":"demo-host","version":"1.0.0"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"files-server","version":"0.3.1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"read_file","description":"Read a UTF-8 text file by relative path.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"notes.txt"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"remember to buy milk"}],"isError":false}}
"#;

/// A server of two files, one of which is missing.
struct Files;

const TOOLS: &[Tool<'_>] = &[Tool::new("read_file", "Read a UTF-8 text file by relative path.").with_schema(
    Schema::new(r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#),
)];

/// Its capabilities, set by hand.
const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"files-server","version":"0.3.1"}}"#;

impl Handler for Files {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("files-server", "0.3.1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Answered, CallError<'a>> {
        let Some(path) = call.string("path") else {
            return Err(CallError::InvalidParams);
        };
        Ok(match path == "notes.txt" {
            true => reply.text("remember to buy milk"),
            false => reply.fail(["Error: file '", &path.to_string(), "' not found."]),
        })
    }
}

/// Answers one line.
fn serve(server: &mut Hosted<Files>, frame: &str) -> String {
    let mut memory = [0; 1024];
    if let Ok(Message::Request(request)) = classify(frame.as_bytes())
        && request.method() == "initialize"
    {
        let result = object(INITIALIZED);
        let line = result_response(&mut memory, request.id(), result).unwrap();
        return format!("{}\n", std::str::from_utf8(line).unwrap());
    }
    let mut out = Sink::new(&mut memory);
    assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
    String::from_utf8(out.finish().unwrap().to_vec()).unwrap()
}

fn object(text: &str) -> Object<'_> {
    RawValue::new(text.as_bytes()).unwrap().as_object().unwrap()
}

struct DemoHost;

impl ClientHandler for DemoHost {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("demo-host", "1.0.0")
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::SAMPLING | ClientCapabilities::ROOTS | ClientCapabilities::ROOTS_LIST_CHANGED
    }
}

type Bound<'a, H> = BoundClient<'a, ClientFixed, H>;

const NOW: Duration = Duration::ZERO;

/// The client, the server, and what they have written.
struct Wire {
    client: Client<ClientFixed, DemoHost>,
    server: Hosted<Files>,
    written: String,
}

impl Wire {
    fn new() -> Self {
        Self { client: Client::new(DemoHost), server: Hosted::new(Files), written: String::new() }
    }

    /// The client writes, and reads what the server answers; `read` makes something of the last event.
    fn step<R>(
        &mut self,
        write: impl FnOnce(&mut Bound<'_, DemoHost>, &mut Sink<'_>),
        read: impl FnOnce(Incoming<'_, ()>) -> R,
    ) -> R {
        let mut memory = [0; 1024];
        let mut out = Sink::new(&mut memory);
        write(&mut self.client.bind(), &mut out);
        let request = std::str::from_utf8(out.finish().unwrap()).unwrap().to_owned();
        self.note('>', &request);
        let answer = serve(&mut self.server, &request);
        self.note('<', &answer);
        let mut out = Sink::new(&mut memory);
        let result = read(self.client.handle_frame(answer.as_bytes(), NOW, &mut out));
        let more = std::str::from_utf8(out.finish().unwrap()).unwrap().to_owned();
        if !more.is_empty() {
            self.note('>', &more);
            assert_eq!(serve(&mut self.server, &more), "");
        }
        result
    }

    fn note(&mut self, who: char, line: &str) {
        self.written.push_str(&format!("{who} {line}"));
    }
}

#[test]
fn a_session_is_byte_for_byte_as_documented() {
    let mut wire = Wire::new();
    wire.step(
        |client, out| {
            client.initialize_with(ProtocolVersion::V2025_11_25, NOW, out).unwrap();
        },
        |incoming| match incoming {
            Incoming::Connected(server) => {
                assert!(server.server_name().is_some_and(|name| name == "files-server"));
                assert!(server.server_version().is_some_and(|version| version == "0.3.1"));
            }
            other => panic!("{other:?}"),
        },
    );
    let offered = wire.client.server_capabilities();
    assert!(
        offered.has(Capabilities::TOOLS)
            && offered.has(Capabilities::TOOLS_LIST_CHANGED)
            && offered.has(Capabilities::RESOURCES)
            && !offered.has(Capabilities::PROMPTS)
    );
    wire.step(
        |client, out| {
            client.list_tools(RequestOptions::at(NOW), None, out).unwrap();
        },
        |incoming| match incoming {
            Incoming::Ended(ended) => match ended.outcome {
                ClientOutcome::Result(result) => {
                    let page = ListResult::of(result);
                    let names = page.entries("tools").filter_map(|tool| tool.get("name")?.as_string());
                    assert!(names.eq(["read_file"]));
                    assert!(page.next_cursor().is_none());
                }
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        },
    );
    wire.step(
        |client, out| read_file(client, "notes.txt", out),
        |incoming| assert_eq!(text_of(incoming), (false, "remember to buy milk".to_owned())),
    );
    assert_eq!(wire.written, SESSION);
}

fn read_file(client: &mut Bound<'_, DemoHost>, path: &str, out: &mut Sink<'_>) {
    client
        .call_tool(RequestOptions::at(NOW), "read_file", out, |arguments| {
            arguments.name("path").string(path);
        })
        .unwrap();
}

/// Whether the tool failed, and its text.
fn text_of(incoming: Incoming<'_, ()>) -> (bool, String) {
    let Incoming::Ended(ended) = incoming else {
        panic!("{incoming:?}");
    };
    let (failed, result) = match ended.outcome {
        ClientOutcome::Result(result) => (false, barewire::mcp::ToolResult::of(result)),
        ClientOutcome::ToolError(result) => (true, result),
        other => panic!("{other:?}"),
    };
    let texts = result.content().filter_map(|block| Some(block.text()?.to_string()));
    (failed, texts.collect())
}

#[test]
fn a_missing_file_is_an_error_of_the_tool() {
    let mut wire = Wire::new();
    wire.step(
        |client, out| {
            client.initialize_with(ProtocolVersion::V2025_11_25, NOW, out).unwrap();
        },
        |incoming| assert!(matches!(incoming, Incoming::Connected(_))),
    );
    for _ in 2..7 {
        wire.step(
            |client, out| read_file(client, "notes.txt", out),
            |incoming| assert!(!text_of(incoming).0),
        );
    }
    wire.step(
        |client, out| read_file(client, "missing.txt", out),
        |incoming| {
            assert_eq!(text_of(incoming), (true, "Error: file 'missing.txt' not found.".to_owned()));
        },
    );
    assert!(wire.written.ends_with(concat!(
        r#"< {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Error: file 'missing.txt' not found."}],"isError":true}}"#,
        "\n"
    )));
}

// The exercises.

/// A client whose only capability is sampling.
struct Sampler;

impl ClientHandler for Sampler {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("sampler", "1.0")
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::SAMPLING
    }
}

/// The client writes; the line without its newline.
fn line(
    client: &mut Bound<'_, Sampler>,
    write: impl FnOnce(&mut Bound<'_, Sampler>, &mut Sink<'_>),
) -> String {
    let mut memory = [0; 512];
    let mut out = Sink::new(&mut memory);
    write(client, &mut out);
    let written = std::str::from_utf8(out.finish().unwrap()).unwrap();
    written.strip_suffix('\n').unwrap().to_owned()
}

#[test]
fn exercises_of_a_client() {
    let (mut engine, mut app) = (ClientEngine::new(), Sampler);
    let mut client = engine.bind(&mut app);
    // 1. `initialize` of a client that supports sampling, proposing 2025-11-25.
    assert_eq!(
        line(&mut client, |client, out| {
            client.initialize_with(ProtocolVersion::V2025_11_25, NOW, out).unwrap();
        }),
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"sampler","version":"1.0"}}}"#
    );
    let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"1"}}}"#;
    assert_eq!(
        line(&mut client, |client, out| {
            assert!(matches!(client.handle_frame(answer, NOW, out), Incoming::Connected(_)));
        }),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    );
    // 2. `tools/list`.
    assert_eq!(
        line(&mut client, |client, out| {
            client.list_tools(RequestOptions::at(NOW), None, out).unwrap();
        }),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#
    );
    // 3. `tools/call` of `create_issue`.
    assert_eq!(
        line(&mut client, |client, out| {
            client
                .call_tool(RequestOptions::at(NOW), "create_issue", out, |arguments| {
                    arguments.name("title").string("Bug");
                    arguments.name("priority").string("high");
                })
                .unwrap();
        }),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_issue","arguments":{"title":"Bug","priority":"high"}}}"#
    );
    // 4. The tracker refused: a result.
    let answer = br#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"the tracker refused, the project is archived"}],"isError":true}}"#;
    let mut out = Sink::new(&mut []);
    assert_eq!(
        text_of(client.handle_frame(answer, NOW, &mut out)),
        (true, "the tracker refused, the project is archived".to_owned())
    );
}

#[test]
fn exercises_of_a_server() {
    struct Tracker;
    impl Handler for Tracker {
        fn info(&self) -> Implementation<'_> {
            Implementation::new("tracker", "1")
        }

        fn tools(&self) -> &[Tool<'_>] {
            const { &[Tool::new("create_issue", "Creates an issue.").with_open_parameters(&[])] }
        }

        fn call_tool<'a>(
            &mut self,
            _: ToolCall<'a>,
            _: ToolReply<'_, '_>,
        ) -> Result<Answered, CallError<'a>> {
            Err(CallError::Failed("the tracker refused, the project is archived"))
        }
    }
    let mut server = Hosted::new(Tracker);
    let mut answer = |frame: &str| {
        let mut memory = [0; 512];
        let mut out = Sink::new(&mut memory);
        assert_eq!(server.handle_frame(frame.as_bytes(), &mut out), Status::Done);
        std::str::from_utf8(out.finish().unwrap()).unwrap().to_owned()
    };
    // 4. A result, with `isError`.
    assert_eq!(
        answer(
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"create_issue","arguments":{"title":"Bug","priority":"high"}}}"#
        ),
        concat!(
            r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"the tracker refused, the project is archived"}],"isError":true}}"#,
            "\n"
        )
    );
    // 5. The method `tool/call` does not exist: an error.
    let refused = r#"{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}"#;
    assert_eq!(
        answer(r#"{"jsonrpc":"2.0","id":4,"method":"tool/call","params":{"name":"create_issue"}}"#),
        format!("{refused}\n")
    );
    assert_eq!(
        error_response(&mut [0; 96], RequestId::from(4), ErrorCode::METHOD_NOT_FOUND, "Method not found")
            .unwrap(),
        refused.as_bytes()
    );
}
