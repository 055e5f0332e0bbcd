//! A handler that has tables, and does nothing of its own.

use barewire::bytes::Sink;
use barewire::engine::{
    AskError, CallError, Frame, Handler, Origin, Outcome, Sent, Server, TaskEnd, TaskToken, ToolCall,
    ToolReply,
};
use barewire::mcp::{
    Capabilities, Implementation, Prompt, Resource, ResourceTemplate, TaskSupport, Tool, UriTemplate,
};
use serde_json::{Value, json};

use crate::support::entropy::Entropy;

/// Which tables there are: a bit for each of tools, resources, templates, prompts, tools that may be tasks.
#[derive(Debug, Clone, Copy)]
struct Nothing(u8);

const TOOLS: &[Tool<'_>] = &[Tool::new("t", "")];
const TASKS: &[Tool<'_>] = &[Tool::new("t", "").with_task_support(TaskSupport::Optional)];
const RESOURCES: &[Resource<'_>] = &[Resource::new("r:x", "r")];
const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(UriTemplate::new("r:{x}"), "r")];
const PROMPTS: &[Prompt<'_>] = &[Prompt::new("p")];

impl Nothing {
    const fn has(self, bit: u8) -> bool {
        self.0 >> bit & 1 == 1
    }

    fn has_tools(self) -> bool {
        self.has(0) || self.has(4)
    }

    fn has_resources(self) -> bool {
        self.has(1) || self.has(2)
    }
}

impl Handler for Nothing {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("nothing", "0")
    }
}

/// The same with its tables.
struct Tables(Nothing);

impl Handler for Tables {
    fn info(&self) -> Implementation<'_> {
        self.0.info()
    }

    fn tools(&self) -> &[Tool<'_>] {
        match (self.0.has(4), self.0.has(0)) {
            (true, _) => TASKS,
            (false, true) => TOOLS,
            _ => self.0.tools(),
        }
    }

    fn resources(&self) -> &[Resource<'_>] {
        if self.0.has(1) { RESOURCES } else { self.0.resources() }
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        if self.0.has(2) { TEMPLATES } else { self.0.resource_templates() }
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        if self.0.has(3) { PROMPTS } else { self.0.prompts() }
    }
}

/// The same, and it says that it completes.
struct Completing(Tables);

impl Handler for Completing {
    fn info(&self) -> Implementation<'_> {
        self.0.info()
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        PROMPTS
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::COMPLETIONS);
    }
}

/// A tool goes on as a task, of which nobody knows anything.
#[derive(Default)]
struct Beginning(Option<TaskToken>);

impl Handler for Beginning {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("nothing", "0")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TASKS
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let (token, outcome) = reply.start_task()?;
        self.0 = Some(token);
        Ok(outcome)
    }
}

fn ask(server: &mut Server, app: &mut dyn Handler, method: &str, params: &str, is_modern: bool) -> Value {
    let meta = match is_modern {
        true => {
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"
        }
        false => "\"_meta\":{}",
    };
    let frame =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{meta}}}}}");
    let mut memory = [0; 2048];
    let mut out = Sink::new(&mut memory);
    let sent = server.receive(Origin::ONLY, &mut Frame::new(frame.as_bytes()), app, &mut out);
    assert!(matches!(sent, Sent::To(_)));
    serde_json::from_slice(out.finish().expect("room")).expect("one line")
}

fn error(answer: &Value) -> (i64, &str) {
    let error = &answer["error"];
    (error["code"].as_i64().unwrap_or_default(), error["message"].as_str().unwrap_or_default())
}

const UNKNOWN_METHOD: (i64, &str) = (-32601, "Method not found");
const INVALID: (i64, &str) = (-32602, "Invalid params");

/// It offers what it has tables of, and whatever is asked for is not there.
pub(in super::super) fn a_handler_of_nothing_answers_so(entropy: &mut Entropy<'_>) {
    let (has, is_modern) = (Nothing(entropy.byte()), entropy.once_in(2));
    let (server, app) = (&mut Server::new(), &mut Tables(has));
    offers_its_tables(server, app, is_modern);
    let no_resource = match is_modern {
        true => (-32602, "Resource not found"),
        false => (-32002, "Resource not found"),
    };
    let again = "\"requestState\":\"s\",";
    // Each, as it is asked first and again, in which only the modern era sees a second time.
    let rows = [
        ("tools/call", "\"name\":\"t\",", has.has_tools(), (-32602, "Unknown tool")),
        ("resources/read", "\"uri\":\"r:x\",", has.has_resources(), no_resource),
        ("prompts/get", "\"name\":\"p\",", has.has(3), (-32602, "Unknown prompt")),
    ];
    for (method, params, is_offered, refusal) in rows {
        let expected = if is_offered { refusal } else { UNKNOWN_METHOD };
        assert_eq!(error(&ask(server, app, method, params, is_modern)), expected, "{has:?}");
        let expected = match is_offered && is_modern {
            true => INVALID,
            false => expected,
        };
        let params = format!("{params}{again}");
        assert_eq!(error(&ask(server, app, method, &params, is_modern)), expected, "{has:?}");
    }
    let completion =
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":\"a\",\"value\":\"\"},";
    assert_eq!(error(&ask(server, app, "completion/complete", completion, is_modern)), UNKNOWN_METHOD);
    assert_eq!(
        error(&ask(
            &mut Server::new(),
            &mut Completing(Tables(has)),
            "completion/complete",
            completion,
            is_modern
        )),
        INVALID
    );
    nobody_knows_of_a_task(is_modern);
}

fn offers_its_tables(server: &mut Server, app: &mut Tables, is_modern: bool) {
    let has = app.0;
    let mut expected = json!({});
    if has.has_tools() {
        expected["tools"] = json!({});
    }
    if has.has_resources() {
        expected["resources"] = json!({});
    }
    if has.has(3) {
        expected["prompts"] = json!({});
    }
    let answer = match is_modern {
        true => {
            if has.has(4) {
                expected["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
            }
            ask(server, app, "server/discover", "", true)
        }
        false => {
            if has.has(4) {
                expected["tasks"] = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
            }
            let params = "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},";
            ask(server, app, "initialize", params, false)
        }
    };
    assert_eq!(answer["result"]["capabilities"], expected, "{has:?}: {answer}");
    assert!(answer["result"]["instructions"].is_null());
}

/// Of a task nobody has anything to ask, and nobody knows what it has come to.
fn nobody_knows_of_a_task(is_modern: bool) {
    let (mut server, mut app) = (Server::new(), Beginning::default());
    let begun = |server: &mut Server, app: &mut Beginning| {
        let answer = ask(server, app, "tools/call", "\"name\":\"t\",\"task\":{},", is_modern);
        let task = match is_modern {
            true => &answer["result"],
            false => &answer["result"]["task"],
        };
        assert_eq!(task["status"], "working", "{answer}");
        let token = app.0.expect("a task");
        assert_eq!(TaskToken::from_bits(token.to_bits()), token);
        (token, format!("\"taskId\":{},", task["taskId"]))
    };
    let (_, id) = begun(&mut server, &mut app);
    let cancelled = ask(&mut server, &mut app, "tasks/cancel", &id, is_modern);
    assert!(cancelled["error"].is_null(), "{cancelled}");
    let gone = ask(&mut server, &mut app, "tasks/get", &id, is_modern);
    assert_eq!(gone["result"]["status"], "cancelled", "{gone}");

    let (token, id) = begun(&mut server, &mut app);
    let mut memory = [0; 256];
    let out = &mut Sink::new(&mut memory);
    let error = match is_modern {
        true => AskError::NothingAsked,
        // There is no session in which to ask.
        false => AskError::NoSession,
    };
    assert_eq!(server.task_needs_input(token, &mut app, out), Err(error));
    assert_eq!(server.finish_task(token, TaskEnd::Completed), Ok(()));
    assert_eq!(server.poll(|_| true, &mut app, out), Sent::Nothing);
    assert!(out.is_empty());
    let internal = json!({"code": -32603, "message": "Internal error"});
    match is_modern {
        true => {
            let failed = ask(&mut server, &mut app, "tasks/get", &id, true);
            assert_eq!(failed["result"]["error"], internal, "{failed}");
        }
        false => assert_eq!(ask(&mut server, &mut app, "tasks/result", &id, false)["error"], internal),
    }
}
