//! The client: every request of both eras, every event, and a session with a server.

use core::time::Duration;

use barewire::bytes::{Framer, Sink};
use barewire::demo::{Demo, NoHost};
use barewire::engine::ClientHandler;
use barewire::engine::client::{
    BoundClient, ClientAnswer, ClientElicitation, ClientEngine, ClientFixed, ClientOptions, ClientOutcome,
    ClientSampling, CompletionFor, Counter, ElicitReply, Incoming, MessageReply, Refusal, RequestOptions,
    RootsReply, Subscription, Timestamp,
};
use barewire::json::JsonStr;
use barewire::mcp::{ClientCapabilities, Implementation, ListResult, LoggingLevel, Text, Versions};
use barewire::rpc::RequestId;

use crate::counter::without_allocating;
use crate::hosted::{Hosted, Status};

struct Host;

impl ClientHandler for Host {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("host", "1").with_title("Host")
    }

    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::ROOTS | ClientCapabilities::SAMPLING | ClientCapabilities::ELICITATION_FORM
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        reply.root("file:///a", Some("a"));
        Ok(ClientAnswer::Done)
    }

    fn create_message(
        &mut self,
        _: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        reply.text("model", "text");
        Ok(ClientAnswer::Done)
    }

    fn elicit(
        &mut self,
        _: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        reply.decline();
        Ok(ClientAnswer::Done)
    }
}

const NOW: Duration = Duration::from_secs(7);

type Storage = ClientFixed<u32, 32>;
/// The client as it is lent for a call.
type Tested<'a> = BoundClient<'a, Storage, Host>;

/// A client that speaks these revisions, connected with the demo server.
fn connected(versions: Versions) -> ClientEngine<Storage> {
    let options = ClientOptions::DEFAULT.with_versions(versions);
    let mut engine = ClientEngine::with(Storage::new(), options, Counter::new());
    let mut host = Host;
    let mut client = engine.bind(&mut host);
    let mut server = Hosted::new(Demo::new(NoHost));
    let (mut up, mut down) = ([0; 1024], [0; 1024]);
    without_allocating("a handshake", || {
        let mut out = Sink::new(&mut up);
        client.connect(NOW, &mut out).unwrap();
        let mut answer = Sink::new(&mut down);
        assert_eq!(server.handle_frame(out.finish().unwrap(), &mut answer), Status::Done);
        let mut out = Sink::new(&mut up);
        let incoming = client.handle_frame(answer.finish().unwrap(), NOW, &mut out);
        assert!(matches!(incoming, Incoming::Connected(_)));
    });
    engine
}

#[test]
fn every_request_with_much_room_and_with_none() {
    for versions in [Versions::LEGACY, Versions::MODERN] {
        let (mut engine, mut host) = (connected(versions), Host);
        let mut client = engine.bind(&mut host);
        let mut memory = [0; 16384];
        for room in [16384, 50, 0] {
            let sent =
                without_allocating("requests", || requests(&mut client, &mut Sink::new(&mut memory[..room])));
            assert_eq!(sent > 15, room == 16384, "{room}");
        }
        let mut ends = 0;
        without_allocating("time", || {
            let late = NOW + Duration::from_secs(100);
            while client.next_deadline().is_some_and(|deadline| deadline <= late) {
                let mut out = Sink::new(&mut memory);
                assert!(matches!(client.expire(late, &mut out), Some(Incoming::Ended(_))));
                ends += 1;
            }
        });
        assert!(ends > 14);
        without_allocating("the end", || while client.disconnect().is_some() {});
    }
}

/// How many were sent.
fn requests(client: &mut Tested<'_>, out: &mut Sink<'_>) -> usize {
    let ask = || {
        RequestOptions::at(NOW)
            .with_context(1)
            .with_progress()
            .with_log_level(LoggingLevel::Info)
            .even_if_not_offered()
    };
    let cursor = JsonStr::from_escaped(r"a\u0062");
    let of = CompletionFor::Prompt(Text::Plain("p"));
    let filter = Subscription { tools: true, resource_uris: &["a:b"], ..Subscription::default() };
    let sent = [
        client.ping(ask(), out),
        client.list_tools(ask(), cursor, out),
        client.list_resources(ask(), None, out),
        client.list_resource_templates(ask(), None, out),
        client.list_prompts(ask(), None, out),
        client.list_tasks(ask(), None, out),
        client.call_tool(ask(), "t", out, |arguments| {
            arguments.name("a").string("\u{1}");
        }),
        client.call_tool(ask().as_task(Some(1)), "t", out, |_| {}),
        client.get_prompt(ask(), "p", out, |_| {}),
        client.read_resource(ask(), "a:b", out),
        client.subscribe(ask(), "a:b", out),
        client.unsubscribe(ask(), "a:b", out),
        client.listen(ask(), &filter, out),
        client.complete(ask(), of, "a", "v", out, |_| {}),
        client.set_level(ask(), LoggingLevel::Error, out),
        client.get_task(ask(), "t", out),
        client.task_result(ask(), "t", out),
        client.cancel_task(ask(), "t", out),
        client.update_task(ask(), "t", out, |_| {}),
        client.request(ask(), "x", out, |_| {}),
        client.ping(ask(), out),
        client.list_tools(ask(), None, out),
        client.list_resources(ask(), None, out),
    ];
    let notified = client.notify("notifications/x", out, |_| {}).is_ok();
    sent.iter().filter(|sent| sent.is_ok()).count() + usize::from(notified)
}

#[test]
fn every_kind_of_line() {
    let lines: &[&str] = &[
        "",
        "not-json",
        "[]",
        "{}",
        r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"c"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"result":7}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":6,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"roots/list"}"#,
        r#"{"jsonrpc":"2.0","id":"b","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
        r#"{"jsonrpc":"2.0","id":"c","method":"elicitation/create","params":{"message":"?"}}"#,
        r#"{"jsonrpc":"2.0","id":"d","method":"x"}"#,
    ];
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":6,"result":{{"a":{}{}}}}}"#, "[".repeat(200), "]".repeat(200));
    for versions in [Versions::LEGACY, Versions::MODERN] {
        let (mut engine, mut host) = (connected(versions), Host);
        let mut client = engine.bind(&mut host);
        let mut memory = [0; 4096];
        for _ in 0..6 {
            let ask = RequestOptions::at(NOW).with_context(1).with_progress();
            client.call_tool(ask, "t", &mut Sink::new(&mut memory), |_| {}).unwrap();
        }
        for frame in lines.iter().copied().chain([deep.as_str()]) {
            without_allocating(frame, || {
                let mut out = Sink::new(&mut memory);
                let incoming = client.handle_frame(frame.as_bytes(), NOW, &mut out);
                let Incoming::Ended(ended) = incoming else {
                    return;
                };
                let ask = RequestOptions::at(NOW).with_context(2);
                let again = match ended.outcome {
                    ClientOutcome::InputRequired(input) => {
                        client.call_tool(ask.answering(input), "t", &mut out, |_| {})
                    }
                    ClientOutcome::Result(page) => {
                        client.list_tools(ask, ListResult::of(page).next_cursor(), &mut out)
                    }
                    _ => client.list_tools(ask, None, &mut out),
                };
                let ticket = again.unwrap();
                assert_eq!(client.context(ticket), Some(&2));
                assert_eq!(client.cancel(ticket, Some("no"), &mut out), Ok(2));
            });
        }
        without_allocating("an answer", || {
            let mut out = Sink::new(&mut memory);
            client.answer(RequestId::from(1), &mut out, |reply| {
                reply.json().name("a").integer(1);
                Ok(())
            })
        });
    }
}

#[test]
fn lines_out_of_a_stream() {
    let storage = ClientFixed::<(), 2, Timestamp>::new();
    let options = ClientOptions::DEFAULT.with_versions(Versions::LEGACY);
    let (mut engine, mut host) = (ClientEngine::with(storage, options, Timestamp::new()), Host);
    let mut client = engine.bind(&mut host);
    let (mut input, mut output) = ([0; 128], [0; 512]);
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"7000000\",\"result\":{{\"protocolVersion\":\"{}\"}}}}\n",
        "x".repeat(200)
    );
    without_allocating("a stream", || {
        client.connect(NOW, &mut Sink::new(&mut output)).unwrap();
        let mut framer = Framer::new(input.as_mut_slice());
        let mut ends = 0;
        for piece in long.as_bytes().chunks(50) {
            framer.push(piece);
            let mut out = Sink::new(&mut output);
            while let Some(incoming) = client.receive(framer.next(), NOW, &mut out) {
                ends += usize::from(matches!(incoming, Incoming::Incompatible(_)));
            }
        }
        assert_eq!(ends, 1);
    });
}
