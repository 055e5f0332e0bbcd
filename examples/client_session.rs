//! A whole session of a client and a server in memory, line by line with what each means:
//! `cargo run --example client_session`.
//!
//! No heap is needed: neither engine uses one. Both write into arrays.

use std::error::Error;
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{Ask, Client, Incoming, Outcome};
use barewire::engine::{CallError, ClientHandler, Disposition, Handler, Server, Status, ToolCall, ToolReply};
use barewire::mcp::{
    ClientCapabilities, Implementation, ListResult, ProtocolVersion, Schema, Tool, ToolResult,
};

/// The server's application: one file.
struct Files;

const TOOLS: &[Tool<'_>] = &[
    Tool::new("read_file", "Read a UTF-8 text file by relative path.").with_schema(Schema::new(
        r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#,
    )),
];

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
        reply: &mut ToolReply<'_, '_>,
    ) -> Result<Disposition, CallError<'a>> {
        let Some(path) = call.string("path") else {
            return Err(CallError::InvalidParams);
        };
        if path == "notes.txt" {
            reply.text("remember to buy milk");
        } else {
            // A file that is missing is a failure of the tool, not of the protocol: a model can act on the text.
            reply.fail(&["Error: file '", &path.to_string(), "' not found."]);
        }
        Ok(Disposition::Done)
    }
}

/// The client's application: who it is, and what it offers to servers.
struct DemoHost;

impl ClientHandler for DemoHost {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("demo-host", "1.0.0")
    }

    fn capabilities(&self) -> ClientCapabilities {
        let mut offered = ClientCapabilities::NONE;
        offered.sampling = true;
        offered.roots = true;
        offered.roots_list_changed = true;
        offered
    }
}

/// Both ends of the wire.
struct Wire {
    client: Client<DemoHost>,
    server: Server<Files>,
}

/// The session does not last: no time passes.
const NOW: Duration = Duration::ZERO;

impl Wire {
    /// Carries what the client has written to the server, and what that answers back.
    fn carry(&mut self, request: &[u8], read: impl FnOnce(Incoming<'_, ()>)) -> Result<(), Box<dyn Error>> {
        print!("> {}", String::from_utf8_lossy(request));
        let mut memory = [0; 1024];
        let mut answer = Sink::new(&mut memory);
        assert_eq!(self.server.handle_frame(request, &mut answer), Status::Done);
        let answer = answer.finish()?;
        print!("< {}", String::from_utf8_lossy(answer));
        let mut memory = [0; 1024];
        let mut more = Sink::new(&mut memory);
        read(self.client.handle_frame(answer, NOW, &mut more));
        // The last step of the handshake: the client writes it by itself, and nobody answers it.
        let more = more.finish()?;
        if !more.is_empty() {
            print!("> {}", String::from_utf8_lossy(more));
            assert_eq!(
                self.server.handle_frame(more, &mut Sink::new(&mut [])),
                Status::Done
            );
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut wire = Wire {
        client: Client::new(DemoHost),
        server: Server::new(Files),
    };
    let mut memory = [0; 1024];

    println!(
        "# The handshake: what each is and can do. (`connect` would ask first whether the server is newer.)"
    );
    let mut out = Sink::new(&mut memory);
    wire.client
        .initialize_with(ProtocolVersion::V2025_11_25, NOW, &mut out)?;
    wire.carry(out.finish()?, |incoming| match incoming {
        Incoming::Connected(server) => println!("# connected, revision {}", server.version()),
        other => println!("# {other:?}"),
    })?;

    println!("# What can be called. Params that would be empty are left out.");
    let mut out = Sink::new(&mut memory);
    wire.client.list_tools(Ask::at(NOW), None, &mut out)?;
    wire.carry(out.finish()?, |incoming| {
        if let Incoming::Ended(ended) = incoming
            && let Outcome::Result(page) = ended.outcome
        {
            let names = ListResult::of(page)
                .entries("tools")
                .filter_map(|tool| tool.get("name"));
            names.for_each(|name| println!("# a tool: {name}"));
        }
    })?;

    for path in ["notes.txt", "missing.txt"] {
        println!("# A call: its result, or the tool's own failure, is matched by the id.");
        let mut out = Sink::new(&mut memory);
        wire.client
            .call_tool(Ask::at(NOW), "read_file", &mut out, |arguments| {
                arguments.name("path").string(path);
            })?;
        wire.carry(out.finish()?, |incoming| {
            let Incoming::Ended(ended) = incoming else {
                return;
            };
            match ended.outcome {
                Outcome::Result(result) => show("the tool says", ToolResult::of(result)),
                Outcome::ToolError(result) => show("the tool has failed", result),
                Outcome::ProtocolError(error) => println!("# refused: {} {}", error.code(), error.message()),
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
