//! Where a server can live, and what it can be made of.

use std::sync::Mutex;

use barewire::bytes::Sink;
use barewire::demo::{Demo, NoHost};
use barewire::engine::{Fixed, Frame, Full, Handler, Origin, Server};
use barewire::mcp::{Implementation, Prompt, Resource, ResourceTemplate, Tool, UriTemplate};

use crate::engine_kit::{App, Hosted, Status, answer, call, error, request, result, text};

type Large = Fixed<Full, 8>;

static SERVER: Mutex<Hosted<Demo<NoHost>, Large>> =
    Mutex::new(Hosted::of(Server::with_storage(Large::new()), Demo::new(NoHost)));

#[test]
fn in_static_memory() {
    let mut memory = [0; 128];
    let mut out = Sink::new(&mut memory);
    let status = SERVER.lock().expect("the lock").handle_frame(request("1", "ping", "").as_bytes(), &mut out);
    assert_eq!(status, Status::Done);
    assert_eq!(out.finish(), Ok(result("1", "").as_bytes()));
}

/// The server does not own its application: each call takes it, also without its type.
#[test]
fn for_any_handler() {
    let mut app = App::of_tool(|log, _, reply| {
        log.notes.push("called".to_string());
        Ok(reply.text("x"))
    });
    let mut server = Server::new();
    let mut receive = |app: &mut dyn Handler| {
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let sent = server.receive(Origin::ONLY, &mut Frame::new(call("1").as_bytes()), app, &mut out);
        assert!(sent.fitted());
        assert_eq!(out.finish(), Ok(text("1", "x", false).as_bytes()));
    };
    receive(&mut app);
    app.log.notes.push("reached".to_string());
    receive(&mut app);
    assert_eq!(app.log.notes, ["called", "reached", "called"]);
}

/// A handler needs nothing but a name.
struct Nameplate;

impl Handler for Nameplate {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("n", "0")
    }
}

#[test]
fn of_a_handler_that_offers_nothing() {
    let mut server: Hosted<Nameplate> = Hosted::new(Nameplate);
    assert_eq!(
        answer(&mut server, &request("1", "initialize", r#"{"protocolVersion":"2025-11-25"}"#)),
        result(
            "1",
            r#""protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"0"}"#
        )
    );
    assert_eq!(answer(&mut server, &request("1", "ping", "")), result("1", ""));
    for method in [
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
    ] {
        assert_eq!(
            answer(&mut server, &request("1", method, "")),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n",
            "{method}"
        );
    }
}

/// Tables, and no word about what is offered.
struct Tables {
    tools: &'static [Tool<'static>],
    resources: &'static [Resource<'static>],
    templates: &'static [ResourceTemplate<'static>],
    prompts: &'static [Prompt<'static>],
}

impl Handler for Tables {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("n", "0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        self.tools
    }

    fn resources(&self) -> &[Resource<'_>] {
        self.resources
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        self.templates
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        self.prompts
    }
}

#[test]
fn what_has_a_table_is_offered() {
    const NOTHING: Tables = Tables { tools: &[], resources: &[], templates: &[], prompts: &[] };
    const TOOLS: &[Tool<'_>] = &[Tool::new("t", "d")];
    const RESOURCES: &[Resource<'_>] = &[Resource::new("r:", "r")];
    const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(UriTemplate::new("{x}"), "t")];
    const PROMPTS: &[Prompt<'_>] = &[Prompt::new("p")];
    let cases = [
        (Tables { tools: TOOLS, ..NOTHING }, r#"{"tools":{}}"#),
        (Tables { resources: RESOURCES, ..NOTHING }, r#"{"resources":{}}"#),
        (Tables { templates: TEMPLATES, ..NOTHING }, r#"{"resources":{}}"#),
        (Tables { prompts: PROMPTS, ..NOTHING }, r#"{"prompts":{}}"#),
    ];
    for (tables, capabilities) in cases {
        let mut server: Hosted<Tables> = Hosted::new(tables);
        let line = request("1", "initialize", r#"{"protocolVersion":"2025-11-25"}"#);
        let answer = answer(&mut server, &line);
        assert!(answer.contains(&format!(r#""capabilities":{capabilities},"#)), "{answer}");
    }
    // Without a function of its own nothing can be called, read or rendered.
    let mut server: Hosted<Tables> =
        Hosted::new(Tables { tools: TOOLS, resources: RESOURCES, templates: &[], prompts: PROMPTS });
    for (method, params, code, message) in [
        ("tools/call", r#"{"name":"t"}"#, -32602, "Unknown tool"),
        ("resources/read", r#"{"uri":"r:"}"#, -32002, "Resource not found"),
        ("prompts/get", r#"{"name":"p"}"#, -32602, "Unknown prompt"),
        ("completion/complete", "{}", -32601, "Method not found"),
    ] {
        assert_eq!(answer(&mut server, &request("1", method, params)), error("1", code, message));
    }
}

/// Without its buffers and its application: what firmware of a few calls keeps. Pointers and lengths take twice as much on 64 bits, and
/// it is within the bound there too.
#[test]
fn with_four_calls_and_two_tasks_in_less_than_one_and_a_half_kibibytes() {
    let size = size_of::<Server<Fixed<Full, 4, 2, 2, 512, 1>>>();
    assert!(size < 1536, "{size}");
    // Those are the defaults.
    assert_eq!(size, size_of::<Server>());
}
