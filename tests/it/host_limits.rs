//! The default limits of a host: as much as `docs/limits.md` says is kept at a time, and one more is refused.

use std::io::Write;

use barewire::bytes::Sink;
use barewire::engine::{
    CallError, Frame, Full, Handler, Heap, Origin, Outcome, Sent, Server, TaskHandler, TaskToken, ToolCall,
    ToolContent, ToolReply,
};
use barewire::mcp::{
    Capabilities, Implementation, Parameter, ResourceTemplate, TaskSupport, Tool, Type, UriTemplate,
};
use barewire::transport::{Limits, Stdio};

use crate::engine_kit::{error, initialize_with, modern, request, result};

/// Each of calls, streams, watched resources and tasks.
const MOST: usize = 1024;

const TOOLS: &[Tool<'_>] = &[
    Tool::new("wait", "Is never answered."),
    Tool::new("task", "Never ends.").with_task_support(TaskSupport::Required),
    Tool::new("echo", "Answers with its argument.")
        .with_parameters(&[Parameter::required("text", Type::STRING)]),
];

struct Host;

impl Handler for Host {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("host", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::RESOURCES_SUBSCRIBE | Capabilities::TOOLS_LIST_CHANGED);
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match call.name_in(TOOLS) {
            "wait" => reply.defer().map(|(_, outcome)| outcome),
            "task" => reply.start_task().map(|(_, outcome)| outcome),
            _ => Ok(reply.text(call.string("text").ok_or(CallError::InvalidParams)?)),
        }
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        const { &[ResourceTemplate::new(UriTemplate::new("file:///{name}"), "file")] }
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }
}

impl TaskHandler for Host {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(content.text("never").done())
    }
}

fn answer(server: &mut Server<Heap<Full>>, line: &str) -> String {
    let mut memory = Vec::new();
    let mut out = Sink::growable(&mut memory, 1 << 20);
    let sent = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut Host, &mut out);
    assert_ne!(sent, Sent::NoRoom);
    String::from_utf8_lossy(out.finish().expect("room")).into_owned()
}

#[test]
fn a_host_keeps_as_much_as_is_documented() {
    let mut server = Server::with_storage(Heap::new());
    assert!(answer(&mut server, &initialize_with("2025-11-25", "{}")).contains(r#""tasks":"#));
    let wait = |id: usize| request(&id.to_string(), "tools/call", r#"{"name":"wait"}"#);
    let task = |id: usize| request(&id.to_string(), "tools/call", r#"{"name":"task","task":{}}"#);
    // Texts of a length that is common.
    let path = "directory%2F".repeat(10);
    let subscribe = |id: usize| {
        request(&id.to_string(), "resources/subscribe", &format!(r#"{{"uri":"file:///{path}{id}"}}"#))
    };
    let listen = |id: usize| {
        modern(&id.to_string(), "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#)
    };
    for id in 0..MOST {
        assert_eq!(answer(&mut server, &wait(id)), "", "{id}");
        let id = id + MOST;
        assert_eq!(answer(&mut server, &subscribe(id)), result(&id.to_string(), ""));
        let id = id + MOST;
        assert!(answer(&mut server, &listen(id)).contains("acknowledged"), "{id}");
        let id = id + MOST;
        assert!(answer(&mut server, &task(id)).contains(r#""status":"working""#), "{id}");
    }
    assert_eq!(server.in_flight(), MOST);
    for line in [wait(9999), subscribe(9999), listen(9999), task(9999)] {
        assert_eq!(answer(&mut server, &line), error("9999", -32603, "Server busy"), "{line}");
    }
    // A call that is answered at once needs no place.
    let echo = request("1", "tools/call", r#"{"name":"echo","arguments":{"text":"a"}}"#);
    assert_eq!(answer(&mut server, &echo), error("1", -32600, "Request id in use"));
    assert!(answer(&mut server, &echo.replace(r#""id":1"#, r#""id":-1"#)).contains(r#""text":"a""#));
}

#[test]
fn lines_of_a_host_are_as_long_as_is_documented() {
    let empty = request("1", "tools/call", r#"{"name":"echo","arguments":{"text":""}}"#);
    let line = |length: usize| empty.replace(r#""""#, &format!("\"{}\"", "a".repeat(length - empty.len())));
    let serve = |lines: &[String]| {
        let mut output = Vec::new();
        let input = lines.join("\n");
        Stdio::new().serve_on(Host, input.as_bytes(), &mut output).expect("no error");
        output.flush().expect("memory");
        String::from_utf8(output).expect("UTF-8")
    };
    let limit = Limits::DEFAULT.max_input;
    assert_eq!((limit, Limits::DEFAULT.max_output), (16 << 20, 16 << 20));
    let answers = serve(&[line(limit - 100), line(limit + 1), empty.clone()]);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), 3);
    assert!(
        answers[0].starts_with(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"aaa"#)
    );
    assert_eq!(answers[1].to_owned() + "\n", error("1", -32700, "Message too long"));
    assert!(answers[2].contains(r#""text":"""#));
}
