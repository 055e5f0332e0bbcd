//! A panic of the application fails only the call that it was handling, and the server goes on.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::borrow::ToOwned;
use std::format;
use std::string::String;

use super::Output;
use crate::engine::{
    CallError, Completion, CompletionReply, Event, Handler, Outcome, PromptGet, PromptReply, ResourceRead,
    ResourceReply, Resumed, ResumedReply, Role, TaskEnd, TaskHandler, TaskToken, ToolCall, ToolContent,
    ToolReply,
};
use crate::mcp::{
    Capabilities, Implementation, Prompt, Resource, ResourceTemplate, TaskSupport, Tool, UriTemplate,
};
use crate::transport::{Jobs, Stdio, jobs};

/// A handler that panics once, in the method of this name.
struct Fragile {
    jobs: Jobs,
    place: &'static str,
    /// Calls of the method until the panic.
    countdown: AtomicUsize,
}

impl Fragile {
    fn is_at(&self, place: &str) {
        if place == self.place && self.countdown.fetch_sub(1, Ordering::Relaxed) == 1 {
            panic!("in {place}");
        }
    }
}

const TOOLS: &[Tool<'_>] = &[
    Tool::new("work", "Works."),
    Tool::new("later", "Works on a thread."),
    Tool::new("task", "Takes its time.").with_task_support(TaskSupport::Optional),
];
const RESOURCES: &[Resource<'_>] = &[Resource::new("x://a", "a")];
const TEMPLATES: &[ResourceTemplate<'_>] = &[ResourceTemplate::new(UriTemplate::new("x://{b}"), "b")];
const PROMPTS: &[Prompt<'_>] = &[Prompt::new("p")];

impl Handler for Fragile {
    fn info(&self) -> Implementation<'_> {
        self.is_at("info");
        Implementation::new("fragile", "1")
    }

    fn instructions(&self) -> Option<&str> {
        self.is_at("instructions");
        None
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        self.is_at("capabilities");
        offered.insert(Capabilities::COMPLETIONS);
    }

    fn tools(&self) -> &[Tool<'_>] {
        self.is_at("tools");
        TOOLS
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        if call.may_be_task() {
            let (task, outcome) = reply.start_task()?;
            let panics = self.place == "work of a task";
            self.jobs.run_task(task, move |_| {
                assert!(!panics, "told to");
                TaskEnd::Completed
            });
            self.is_at("call_tool");
            return Ok(outcome);
        }
        if call.is("later") {
            let (token, outcome) = reply.defer()?;
            self.jobs.run(token, |_| |content| Ok(content.text("late").done()));
            return Ok(outcome);
        }
        let content = reply.content().text("half");
        self.is_at("call_tool");
        Ok(content.text("whole").done())
    }

    fn resume<'a>(&mut self, _: Resumed<'a>, reply: ResumedReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let (place, outcome) = match reply {
            ResumedReply::Tool(reply) => ("resume a tool", reply.text("half")),
            ResumedReply::Resource(reply) => ("resume a read", reply.text(None, "half")),
            ResumedReply::Prompt(reply) => ("resume a prompt", reply.text(Role::User, "half")),
        };
        self.is_at(place);
        Ok(outcome)
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        self.is_at("tasks");
        Some(self)
    }

    fn resources(&self) -> &[Resource<'_>] {
        self.is_at("resources");
        RESOURCES
    }

    fn resource_templates(&self) -> &[ResourceTemplate<'_>] {
        self.is_at("resource_templates");
        TEMPLATES
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = reply.text(None, "half");
        self.is_at("read_resource");
        Ok(outcome)
    }

    fn prompts(&self) -> &[Prompt<'_>] {
        self.is_at("prompts");
        PROMPTS
    }

    fn get_prompt<'a>(
        &mut self,
        _: PromptGet<'a>,
        reply: PromptReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = reply.text(Role::User, "half");
        self.is_at("get_prompt");
        Ok(outcome)
    }

    fn complete<'a>(
        &mut self,
        _: Completion<'a>,
        reply: CompletionReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let outcome = reply.values().value("half").done();
        self.is_at("complete");
        Ok(outcome)
    }

    fn event(&mut self, event: Event<'_>) {
        let place = match event {
            Event::Initialized(_) => "event: initialized",
            Event::Notification(_) => "event: notification",
            Event::Response(_) => "event: response",
            Event::Rejected(_) => "event: rejected",
            _ => return,
        };
        self.is_at(place);
    }
}

impl TaskHandler for Fragile {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let content = content.text("half");
        self.is_at("task_result");
        Ok(content.done())
    }
}

/// The output of a server that panics in this place, for this input.
fn served(place: &'static str, input: &str) -> String {
    served_until(place, 1, input)
}

/// The same where it panics in the call of this number.
fn served_until(place: &'static str, call: usize, input: &str) -> String {
    let (jobs, queue) = jobs();
    // The loop looks at each table once before it serves.
    let looks =
        ["tools", "resources", "resource_templates", "prompts"].iter().filter(|table| **table == place);
    let handler = Fragile { jobs, place, countdown: AtomicUsize::new(call + looks.count()) };
    let output = Output::default();
    Stdio::new().with_jobs(queue, 1).serve_on(handler, input.as_bytes(), output.clone()).unwrap();
    let written = output.0.lock().unwrap().clone();
    String::from_utf8(written).unwrap()
}

fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#) + "\n"
}

fn internal(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"Internal error"}}}}"#)
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

#[test]
fn a_panic_is_an_internal_error_of_the_one_call() {
    let version = r#""protocolVersion":"2025-11-25""#;
    let modern = |params: &str| [params, ",", META].concat();
    let again = |params: &str| modern(&[params, r#","requestState":"s","inputResponses":{}"#].concat());
    let rows = [
        ("info", "initialize", version.to_owned()),
        ("info", "tools/call", modern(r#""name":"work""#)),
        ("info", "server/discover", META.to_owned()),
        ("instructions", "initialize", version.to_owned()),
        ("capabilities", "initialize", version.to_owned()),
        ("capabilities", "tools/list", String::new()),
        ("tools", "tools/list", String::new()),
        ("tools", "tools/call", r#""name":"work""#.to_owned()),
        ("call_tool", "tools/call", r#""name":"work""#.to_owned()),
        ("call_tool", "tools/call", modern(r#""name":"work""#)),
        ("resume a tool", "tools/call", again(r#""name":"work""#)),
        ("resources", "resources/list", String::new()),
        ("resource_templates", "resources/templates/list", String::new()),
        ("read_resource", "resources/read", r#""uri":"x://a""#.to_owned()),
        ("resume a read", "resources/read", again(r#""uri":"x://a""#)),
        ("prompts", "prompts/list", String::new()),
        ("prompts", "prompts/get", r#""name":"p""#.to_owned()),
        ("get_prompt", "prompts/get", r#""name":"p""#.to_owned()),
        ("resume a prompt", "prompts/get", again(r#""name":"p""#)),
        (
            "complete",
            "completion/complete",
            r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}"#.to_owned(),
        ),
    ];
    for (place, method, params) in rows {
        let input = [request(1, method, &params), request(2, method, &params)].concat();
        let written = served(place, &input);
        let (first, second) = written.split_once('\n').unwrap();
        assert_eq!(first, internal(1), "{place} in {method}");
        assert!(second.starts_with(r#"{"jsonrpc":"2.0","id":2,"result":{"#), "{place} in {method}: {second}");
    }
}

#[test]
fn an_event_that_panics_changes_no_answer() {
    let initialize = request(1, "initialize", r#""protocolVersion":"2025-11-25""#);
    let rows = [
        ("event: initialized", initialize.as_str(), 1),
        ("event: notification", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n", 0),
        ("event: response", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", 0),
        ("event: rejected", "{\n", 1),
    ];
    for (place, line, answers) in rows {
        let ping = request(9, "ping", "");
        let written = served(place, &[line, &ping].concat());
        assert_eq!(written.lines().count(), answers + 1, "{place}: {written}");
        assert_eq!(written, served("nowhere", &[line, &ping].concat()), "{place}");
    }
}

#[test]
fn the_result_of_a_task_that_panics_on_a_thread_is_an_error_and_the_pool_keeps_its_only_thread() {
    let call = |id| request(id, "tools/call", r#""name":"task","task":{}"#);
    let result = |id, task: &str| request(id, "tasks/result", &format!(r#""taskId":"{task}""#));
    let input = [
        request(1, "initialize", r#""protocolVersion":"2025-11-25""#),
        call(2),
        result(3, "e220a8397b1dcdaf"),
        call(4),
        result(5, "6e789e6aa1b965f4"),
    ]
    .concat();
    let written = served("task_result", &input);
    let errors = written.lines().filter(|line| line.contains("error")).count();
    assert!(written.contains(&(internal(3) + "\n")) || written.contains(&(internal(5) + "\n")), "{written}");
    assert_eq!(errors, 1, "{written}");
    assert!(written.contains(r#""result":{"content":[{"type":"text","text":"half"}]"#), "{written}");
}

/// The handler, which does not know of the panic, would write a result.
#[test]
fn a_task_whose_work_panics_has_failed() {
    let input = [
        request(1, "initialize", r#""protocolVersion":"2025-11-25""#),
        request(2, "tools/call", r#""name":"task","task":{}"#),
        request(3, "tasks/result", r#""taskId":"e220a8397b1dcdaf""#),
        request(4, "tasks/get", r#""taskId":"e220a8397b1dcdaf""#),
        request(5, "ping", ""),
    ]
    .concat();
    let written = served("work of a task", &input);
    assert!(written.contains(&internal(3)), "{written}");
    assert!(written.contains(r#"{"jsonrpc":"2.0","id":5,"result":{}}"#), "{written}");
    assert!(written.contains(r#""status":"failed""#), "{written}");
}

/// Work that began under the token of a failed call must not answer another call.
#[test]
fn a_task_that_panics_where_it_begins_is_an_error_and_the_next_one_is_another() {
    let call = |id| request(id, "tools/call", r#""name":"task","task":{}"#);
    let input = [request(1, "initialize", r#""protocolVersion":"2025-11-25""#), call(2), call(3)].concat();
    let written = served("call_tool", &input);
    assert!(written.contains(&internal(2)), "{written}");
    assert!(written.contains(r#""taskId":"6e789e6aa1b965f4""#), "{written}");
    assert!(!written.contains("e220a8397b1dcdaf"), "{written}");
}

#[test]
fn a_panic_in_a_batch_is_an_error_of_its_element() {
    let batch = [
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x"},"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"work"}},"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}]"#,
        "\n",
    ]
    .concat();
    let session = request(0, "initialize", r#""protocolVersion":"2025-03-26""#);
    let written = served("call_tool", &[session, batch].concat());
    let (_, written) = written.split_once('\n').unwrap();
    let pong = |id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
    assert_eq!(written, format!("{}\n{}\n{}\n", pong(1), internal(2), pong(3)));
}

/// The capabilities are read several times for one request: a panic in each of them is tried.
#[test]
fn a_panic_in_capabilities_keeps_nothing_and_is_answered_once() {
    let modern = |params: &str| [params, ",", META].concat();
    for (method, params, expected) in [
        ("tools/call", r#""name":"later""#.to_owned(), r#""text":"late""#),
        ("tools/call", modern(r#""name":"later""#), r#""text":"late""#),
        ("subscriptions/listen", modern(r#""notifications":{"toolsListChanged":true}"#), "acknowledged"),
    ] {
        let line = request(1, method, &params);
        // The second request has the same id: it is not in use any more.
        let input = line.repeat(2);
        let mut panics = 0;
        loop {
            let written = served_until("capabilities", panics + 1, &input);
            let (first, second) = written.split_once('\n').unwrap();
            if first != internal(1) {
                break;
            }
            panics += 1;
            assert!(second.contains(expected), "{method}: {written}");
            assert!(!second.contains("error"), "{method}: {written}");
        }
        assert!(panics > 0, "{method}");
    }
}
