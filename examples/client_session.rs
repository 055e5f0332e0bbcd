//! A whole session of a client and a server in memory. Each line is explained:
//! `cargo run --example client_session`.
//!
//! No heap is needed: neither engine uses one. Both write into arrays.

use std::error::Error;
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{self, ClientEngine, Incoming, RequestOptions};
use barewire::engine::{
    CallError, ClientHandler, Frame, Handler, Origin, Outcome, Server, ToolCall, ToolReply,
};
use barewire::mcp::{
    ClientCapabilities, Implementation, ListResult, ProtocolVersion, Schema, Tool, ToolResult,
};

/// The server's application: one file.
struct Files;

const TOOLS: &[Tool<'_>] = &[Tool::new("read_file", "Read a UTF-8 text file by relative path.").with_schema(
    Schema::new(r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#),
)];

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
    ) -> Result<Outcome, CallError<'a>> {
        let path = call.string("path").ok_or(CallError::InvalidParams)?;
        if path == "notes.txt" {
            return Ok(reply.text("remember to buy milk"));
        }
        // A missing file is a tool error, not a protocol error: a model can act on the text.
        Ok(reply.fail(format_args!("Error: file '{path}' not found.")))
    }
}

/// The client's application: its name and its capabilities.
struct DemoHost;

impl ClientHandler for DemoHost {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("demo-host", "1.0.0")
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::SAMPLING | ClientCapabilities::ROOTS | ClientCapabilities::ROOTS_LIST_CHANGED
    }
}

/// Both ends of the wire.
struct Wire {
    client: ClientEngine,
    host: DemoHost,
    server: Server,
    files: Files,
}

/// No time passes in this session.
const NOW: Duration = Duration::ZERO;

impl Wire {
    /// Carries a line of the client to the server, and the answer back.
    fn carry(&mut self, request: &[u8], read: impl FnOnce(Incoming<'_, ()>)) -> Result<(), Box<dyn Error>> {
        print!("> {}", String::from_utf8_lossy(request));
        let mut memory = [0; 1024];
        let mut answer = Sink::new(&mut memory);
        self.serve(request, &mut answer);
        let answer = answer.finish()?;
        print!("< {}", String::from_utf8_lossy(answer));
        let mut memory = [0; 1024];
        let mut more = Sink::new(&mut memory);
        read(self.client.bind(&mut self.host).handle_frame(answer, NOW, &mut more));
        // The last step of the handshake: a notification, which the server does not answer.
        let more = more.finish()?;
        if !more.is_empty() {
            print!("> {}", String::from_utf8_lossy(more));
            self.serve(more, &mut Sink::new(&mut []));
        }
        Ok(())
    }

    /// Lets the server answer a line.
    fn serve(&mut self, line: &[u8], out: &mut Sink<'_>) {
        let mut frame = Frame::new(line);
        let sent = self.server.receive(Origin::ONLY, &mut frame, &mut self.files, out);
        assert!(sent.fitted());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut wire = Wire { client: ClientEngine::new(), host: DemoHost, server: Server::new(), files: Files };
    let mut memory = [0; 1024];

    println!(
        "# The handshake: what each is and can do. (`connect` would ask first whether the server is newer.)"
    );
    let mut out = Sink::new(&mut memory);
    wire.client.bind(&mut wire.host).initialize_with(ProtocolVersion::V2025_11_25, NOW, &mut out)?;
    wire.carry(out.finish()?, |incoming| match incoming {
        Incoming::Connected(server) => println!("# connected, revision {}", server.version()),
        other => println!("# {other:?}"),
    })?;

    println!("# What can be called. Params that would be empty are left out.");
    let mut out = Sink::new(&mut memory);
    wire.client.bind(&mut wire.host).list_tools(RequestOptions::at(NOW), None, &mut out)?;
    wire.carry(out.finish()?, |incoming| {
        if let Incoming::Ended(ended) = incoming
            && let client::ClientOutcome::Result(page) = ended.outcome
        {
            let names = ListResult::of(page).entries("tools").filter_map(|tool| tool.get("name"));
            names.for_each(|name| println!("# a tool: {name}"));
        }
    })?;

    for path in ["notes.txt", "missing.txt"] {
        println!("# A call: its result, or the tool's own failure, is matched by the id.");
        let mut out = Sink::new(&mut memory);
        wire.client.bind(&mut wire.host).call_tool(
            RequestOptions::at(NOW),
            "read_file",
            &mut out,
            |arguments| {
                arguments.name("path").string(path);
            },
        )?;
        wire.carry(out.finish()?, |incoming| {
            let Incoming::Ended(ended) = incoming else {
                return;
            };
            match ended.outcome {
                client::ClientOutcome::Result(result) => show("the tool says", ToolResult::of(result)),
                client::ClientOutcome::ToolError(result) => show("the tool has failed", result),
                client::ClientOutcome::ProtocolError(error) => {
                    println!("# refused: {} {}", error.code(), error.message())
                }
                other => println!("# {other:?}"),
            }
        })?;
    }
    Ok(())
}

fn show(what: &str, result: ToolResult<'_>) {
    for text in result.content().filter_map(|block| block.text()) {
        println!("# {what}: {text}");
    }
}
