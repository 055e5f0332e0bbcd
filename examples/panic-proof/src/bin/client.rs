//! The client: every request, every event, a handler that answers all that a server asks, each kind of ids.
#![no_std]
#![no_main]

use core::time::Duration;

use barewire::bytes::{Framer, Sink};
use barewire::engine::ClientHandler;
use barewire::engine::client::{
    BoundClient, ClientAnswer, ClientElicitation, ClientEngine, ClientFixed, ClientOptions, ClientOutcome,
    ClientSampling, CompletionFor, Counter, ElicitReply, IdSource, Incoming, Incompatible, MessageReply,
    Refusal, RequestOptions, ResultReply, RootsReply, Subscription, Timestamp, Uuid,
};
use barewire::json::JsonStr;
use barewire::mcp::{
    ClientCapabilities, Implementation, ListResult, LoggingLevel, ProtocolVersion, Text, Versions,
};
use barewire::rpc::{Request, RequestId};
use panic_proof::keep;

type Tested<'a> = BoundClient<'a, ClientFixed<u64>, Host>;

struct Host {
    offered: ClientCapabilities,
    later: bool,
}

impl Host {
    fn answer(&self) -> Result<ClientAnswer, Refusal> {
        match self.later {
            true => Ok(ClientAnswer::Later),
            false => Ok(ClientAnswer::Done),
        }
    }
}

impl ClientHandler for Host {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("client", "1.0").with_title("Client")
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.offered
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        reply.root("file:///a", Some("a")).root("file:///b", None);
        self.answer()
    }

    fn create_message(
        &mut self,
        sampling: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        keep((sampling.messages().elements().count(), sampling.max_tokens()));
        keep(sampling.system_prompt().map(JsonStr::is_empty));
        reply.text("model", "text");
        self.answer()
    }

    fn elicit(
        &mut self,
        elicitation: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        keep((elicitation.message().is_empty(), elicitation.schema().is_some()));
        match elicitation.url() {
            Some(_) => reply.accept_url(),
            None => reply.accept(|content| {
                content.name("yes").boolean(true);
            }),
        }
        self.answer()
    }

    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        reply.json().name("method").json_string(request.method());
        self.answer()
    }
}

/// # Safety
/// Both pointers must be good for their lengths.
#[unsafe(no_mangle)]
unsafe extern "C" fn entry(
    input: *const u8,
    input_length: usize,
    memory: *mut u8,
    memory_length: usize,
    choices: u64,
) {
    // SAFETY: by the caller's promise.
    let (input, memory) = unsafe {
        (
            core::slice::from_raw_parts(input, input_length),
            core::slice::from_raw_parts_mut(memory, memory_length),
        )
    };
    session(input, memory, choices);
    let now = Duration::from_micros(choices);
    id(Counter::new().as_string(), now);
    id(Timestamp::new(), now);
    id(Uuid::new(|| core::hint::black_box([7; 16])), now);
}

/// The client of a session has the first kind of ids; the others differ in nothing but this.
fn id<I: IdSource>(mut ids: I, now: Duration) {
    let id = ids.next_id(now);
    keep(I::with_id(&id, |id| (id.text_len(), id == RequestId::from("a"))));
}

fn session(input: &[u8], memory: &mut [u8], choices: u64) {
    let mut offered = ClientCapabilities::NONE;
    offered.set(ClientCapabilities::ROOTS, choices & 1 != 0);
    offered.set(ClientCapabilities::SAMPLING_TOOLS, choices & 2 != 0);
    offered.set(ClientCapabilities::ELICITATION_URL, choices & 4 != 0);
    offered.set(ClientCapabilities::TASKS_LIST, choices & 8 != 0);
    offered.set(ClientCapabilities::TASKS_EXTENSION, choices & 16 != 0);
    let mut host = Host { offered, later: choices & 32 != 0 };
    let options =
        ClientOptions::DEFAULT.with_versions(Versions::ALL).with_timeout(Duration::from_micros(choices));
    let mut engine = ClientEngine::with(ClientFixed::<u64>::new(), options, Counter::new());
    let mut client = engine.bind(&mut host);
    let mut now = Duration::from_micros(choices);
    let mut out = Sink::new(memory);
    keep(client.connect(now, &mut out).is_ok());
    keep(client.initialize_with(ProtocolVersion::V2025_06_18, now, &mut out).is_ok());
    let mut buffer = [0; 256];
    let mut framer = Framer::new(&mut buffer[..]);
    let mut rest = input;
    while !rest.is_empty() {
        let taken = framer.push(rest);
        rest = rest.get(taken..).unwrap_or_default();
        loop {
            now = now.saturating_add(Duration::from_millis(1));
            let next = framer.next();
            let Some(incoming) = client.receive(next, now, &mut out) else {
                break;
            };
            event(&mut client, incoming, now, &mut out);
            while client.has_more() {
                let incoming = client.receive(framer.again(), now, &mut out);
                keep(incoming.is_some());
            }
        }
        requests(&mut client, now, &mut out, choices);
        while let Some(incoming) = client.expire(now, &mut out) {
            event(&mut client, incoming, now, &mut out);
        }
        keep(client.next_deadline());
    }
    while client.disconnect().is_some() {}
    keep(out.finish().map(<[u8]>::len));
}

fn event(client: &mut Tested<'_>, incoming: Incoming<'_, u64>, now: Duration, out: &mut Sink<'_>) {
    match incoming {
        Incoming::Connected(server) => {
            keep((server.version(), server.server_name().map(JsonStr::is_empty)));
            keep(client.server_capabilities());
        }
        Incoming::Incompatible(Incompatible::Version(name)) => keep(name.is_empty()),
        Incoming::Ended(ended) => {
            keep(ended.context);
            match ended.outcome {
                ClientOutcome::Result(result) => {
                    let page = ListResult::of(result);
                    keep(page.entries("tools").count());
                    keep(
                        client
                            .list_tools(RequestOptions::at(now).with_context(2), page.next_cursor(), out)
                            .is_ok(),
                    );
                }
                ClientOutcome::ToolError(result) => {
                    keep(result.content().filter_map(|block| block.text()).count());
                }
                ClientOutcome::ProtocolError(error) => keep(error.code()),
                ClientOutcome::InputRequired(input) => {
                    let ask = RequestOptions::at(now).answering(input).with_context(3);
                    keep(client.call_tool(ask, "tool", out, |_| {}).is_ok());
                }
                ClientOutcome::Task(task) => {
                    keep((task.status(), task.poll_interval()));
                    if let Some(id) = task.id() {
                        keep(client.get_task(RequestOptions::at(now).with_context(4), id, out).is_ok());
                    }
                }
                _ => {}
            }
        }
        Incoming::Progress(progress) => keep(progress.progress.to_i64()),
        Incoming::Log(log) => keep(log.level),
        Incoming::Request(request, answered) => {
            keep(answered);
            keep(client.answer(request.id(), out, |reply| {
                reply.json().name("a").integer(1);
                Ok(())
            }));
        }
        Incoming::Cancelled(id) => keep(id == RequestId::from(1)),
        _ => {}
    }
}

fn requests(client: &mut Tested<'_>, now: Duration, out: &mut Sink<'_>, choices: u64) {
    let ask = || {
        let ask = RequestOptions::at(now).with_context(choices);
        match choices & 64 {
            0 => ask.with_progress().with_log_level(LoggingLevel::Info),
            _ => {
                ask.as_task(Some(choices)).extended_by_progress(Duration::from_secs(9)).even_if_not_offered()
            }
        }
    };
    keep(client.ping(ask(), out).is_ok());
    keep(client.list_resources(ask(), None, out).is_ok());
    keep(client.list_resource_templates(ask(), None, out).is_ok());
    keep(client.list_prompts(ask(), None, out).is_ok());
    keep(client.list_tasks(ask(), None, out).is_ok());
    keep(client.read_resource(ask(), "a:b", out).is_ok());
    keep(client.subscribe(ask(), Text::Plain("a:b"), out).is_ok());
    keep(client.unsubscribe(ask(), "a:b", out).is_ok());
    keep(client.get_prompt(ask(), "prompt", out, |_| {}).is_ok());
    keep(client.set_level(ask(), LoggingLevel::Error, out).is_ok());
    keep(client.task_result(ask(), "task", out).is_ok());
    keep(client.cancel_task(ask(), "task", out).is_ok());
    keep(client.update_task(ask(), "task", out, |_| {}).is_ok());
    keep(client.request(ask(), "x/y", out, |_| {}).is_ok());
    keep(client.notify("notifications/x", out, |_| {}).is_ok());
    keep(client.roots_changed(out).is_ok());
    let of = CompletionFor::Prompt(Text::Plain("prompt"));
    keep(client.complete(ask(), of, "argument", "value", out, |_| {}).is_ok());
    let filter = Subscription { tools: true, resource_uris: &["a:b"], ..Subscription::default() };
    if let Ok(ticket) = client.listen(ask(), &filter, out) {
        keep(client.context(ticket).copied());
        keep(client.with_id(ticket, |id| id.to_i64()));
        keep(client.cancel(ticket, Some("enough"), out).is_ok());
    }
}
