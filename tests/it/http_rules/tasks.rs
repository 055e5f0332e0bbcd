//! Tasks over HTTP: each belongs to the session, or to the principal, of its call.

use barewire::bytes::Sink;
use barewire::engine::{
    CallError, Channel, Fixed, Handler, Outcome, Parts, Server, TaskHandler, TaskToken, ToolCall,
    ToolContent, ToolReply,
};
use barewire::mcp::{Capabilities, Implementation, TaskSupport, Tool};
use barewire::transport::http::{Access, Endpoint, SessionEntry, admit};
use serde_json::Value;

use super::kit::{Names, R4, R5, Request, initialize, legacy, random};

struct Shared;

impl Parts for Shared {
    const TASK_RANDOM: Option<fn(&mut [u8; 16])> = Some(random);
}

/// Its one tool goes on as a task.
struct Slow;

impl Handler for Slow {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("slow", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        offered.insert(Capabilities::TASKS);
    }

    fn tools(&self) -> &[Tool<'_>] {
        const { &[Tool::new("t", "x").with_task_support(TaskSupport::Optional)] }
    }

    fn call_tool<'a>(&mut self, _: ToolCall<'a>, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'a>> {
        let (_, outcome) = reply.start_task()?;
        Ok(outcome)
    }

    fn tasks(&mut self) -> Option<&mut dyn TaskHandler> {
        Some(self)
    }
}

impl TaskHandler for Slow {
    fn task_result<'a>(
        &mut self,
        _: TaskToken,
        content: ToolContent<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(content.text("done").done())
    }
}

type Memory = Fixed<Shared, 4, 4, 4, 1024, 4>;

struct World {
    endpoint: Endpoint<Memory, [SessionEntry; 4]>,
    exchanges: u32,
}

impl World {
    /// The response, and the session that it opens.
    fn send(&mut self, head: &Request, body: &str) -> (Value, Option<String>) {
        self.exchanges += 1;
        let channel = Channel(self.exchanges);
        let admitted = admit(&Access::LOCAL, &Names, head, true).expect("admitted");
        let mut memory = [0; 2048];
        let mut out = Sink::new(&mut memory);
        let reply = self.endpoint.receive(channel, head, &admitted, body.as_bytes(), &mut Slow, &mut out);
        let mut session = None;
        reply.fields(|name, value| {
            if name == "Mcp-Session-Id" {
                session = Some(value.to_string());
            }
        });
        (serde_json::from_slice(out.finish().expect("whole")).expect("a line"), session)
    }
}

#[test]
fn tasks_are_unknown_to_other_principals_and_sessions() {
    let endpoint = Endpoint::with_sessions(Server::with_storage(Memory::new()), [SessionEntry::FREE; 4]);
    let mut world = World { endpoint: endpoint.with_random(random), exchanges: 0 };
    let of = |head: Request, name: &str| match name {
        "" => head,
        name => head.with("Authorization", &format!("Bearer {name}")),
    };
    let meta = format!(
        r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{R5}","io.modelcontextprotocol/clientCapabilities":{{"extensions":{{"io.modelcontextprotocol/tasks":{{}}}}}}}}"#
    );
    let call = legacy("1", "tools/call", &format!(r#"{{"name":"t",{meta}}}"#));
    let (found, _) = world.send(&of(Request::call("t"), "ann"), &call);
    let task = found["result"]["taskId"].as_str().expect("a task").to_owned();
    for (name, is_known) in [("ann", true), ("mallory", false), ("", false)] {
        let head = of(Request::modern("tasks/get").with("Mcp-Name", &task), name);
        let body = legacy("2", "tasks/get", &format!(r#"{{"taskId":"{task}",{meta}}}"#));
        let (found, _) = world.send(&head, &body);
        assert_eq!(found["result"].is_object(), is_known, "{name}: {found}");
    }
    // Two sessions of one principal.
    let mut open = || world.send(&of(Request::post(), "ann"), &initialize(R4)).1.expect("a session");
    let sessions = [open(), open()];
    let head = of(Request::post().session(&sessions[0]), "ann");
    let (found, _) = world.send(&head, &legacy("1", "tools/call", r#"{"name":"t","task":{}}"#));
    let task = found["result"]["task"]["taskId"].as_str().expect("a task").to_owned();
    let get = legacy("2", "tasks/get", &format!(r#"{{"taskId":"{task}"}}"#));
    for (head, is_known) in [
        (Request::post().session(&sessions[0]), true),
        (Request::post().session(&sessions[1]), false),
        (Request::post(), false),
    ] {
        let (found, _) = world.send(&of(head, "ann"), &get);
        assert_eq!(found["result"].is_object(), is_known, "{found}");
    }
}
