//! Asynchronous tools on tokio: several at a time, each answered once.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use barewire::engine::{
    Answer, AsyncCall, AsyncHandler, CallError, Handler, Outcome, Peer, ResourceRead, ResourceReply, Resumed,
    ResumedReply, ToolAnswer, ToolCall, ToolMode, ToolReply,
};
use barewire::json::{JsonStr, RawValue};
use barewire::mcp::{Elicitation, Implementation, InputRequest, Resource, Schema, Tool};
use barewire::transport::{AsyncStdio, Limits};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::{Barrier, Notify};
use tokio::task::JoinHandle;

use crate::engine_kit::{cancel, initialize_with, modern_of, request};

const TOOLS: &[Tool<'_>] = &[
    Tool::new("meet", "Waits for another call of it."),
    Tool::new("solo", "Waits alone."),
    Tool::new("sync", "Is not asynchronous."),
    Tool::new("panic", "Panics."),
    Tool::new("ask", "Asks for a name."),
    Tool::new("count", "Counts how often it is polled."),
    Tool::new("block", "Is not asynchronous, and waits."),
    Tool::new("block-panic", "Is not asynchronous, and panics."),
    Tool::new("block-ask", "Is not asynchronous, and asks."),
];

struct Tables;

impl Handler for Tables {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("host", "1")
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        const { &[Resource::new("r:1", "r")] }
    }
}

fn name() -> InputRequest<'static> {
    Elicitation::form("Name?", Schema::new(r#"{"type":"object"}"#)).into()
}

struct Signals {
    /// Ends a blocking tool.
    release: Mutex<Receiver<()>>,
    go: Notify,
    dropped: AtomicU32,
    polls: AtomicU32,
}

struct Host {
    two: Barrier,
    signals: Arc<Signals>,
}

struct Guard<'a>(&'a AtomicU32);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Handler for Host {
    fn info(&self) -> Implementation<'_> {
        Tables.info()
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        const { &[Resource::new("r:1", "r")] }
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        match call.index() {
            6 => {
                let _ = reply.progress(1);
                self.signals.release.lock().expect("no panic").recv_timeout(LONG).expect("in time");
                Ok(reply.text("blocked"))
            }
            7 => panic!("on purpose"),
            8 => Ok(reply.ask("name", &name()).keep("state")),
            _ => Ok(reply.text("sync")),
        }
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else { return Err(CallError::Internal) };
        assert_eq!(call.state(), "state");
        let name = call.answer("name").and_then(Answer::elicited).and_then(|it| it.content.get("name"));
        Ok(reply.text(name.and_then(RawValue::as_string).unwrap_or(JsonStr::EMPTY)))
    }

    fn read_resource<'a>(
        &mut self,
        _: ResourceRead<'a>,
        reply: ResourceReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        Ok(reply.text(None, "content"))
    }
}

impl AsyncHandler for Host {
    type Tables = Tables;
    const TABLES: Tables = Tables;

    fn mode(tool: usize) -> ToolMode {
        match tool {
            0 | 3..=5 => ToolMode::Shared,
            1 => ToolMode::Exclusive,
            _ => ToolMode::Sync,
        }
    }

    async fn call_shared(&self, call: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        let guard = Guard(&self.signals.dropped);
        let answer = match call.index() {
            0 => {
                peer.progress(1);
                self.two.wait().await;
                Ok("met".to_string())
            }
            3 => panic!("on purpose"),
            5 => {
                let mut go = pin!(self.signals.go.notified());
                poll_fn(|context| {
                    self.signals.polls.fetch_add(1, Ordering::Relaxed);
                    go.as_mut().poll(context)
                })
                .await;
                Ok("counted".to_string())
            }
            _ => {
                let question = name();
                let name = peer.ask("name", &question, |answer| {
                    let elicited = answer.elicited()?;
                    elicited.content.get("name")?.as_string().map(|name| name.to_string())
                });
                name.await.map(|name| name.unwrap_or("nobody".into()))
            }
        };
        std::mem::forget(guard);
        Text(answer)
    }

    async fn call_async(&mut self, _: AsyncCall<'_>, peer: &Peer<'_>) -> impl ToolAnswer {
        let guard = Guard(&self.signals.dropped);
        peer.progress(1);
        self.signals.go.notified().await;
        std::mem::forget(guard);
        "alone"
    }
}

struct Text(Result<String, CallError<'static>>);

impl ToolAnswer for Text {
    fn answer_tool(self, reply: ToolReply<'_, '_>) -> Result<Outcome, CallError<'static>> {
        self.0.map(|text| reply.text(&text))
    }
}

struct Client {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    signals: Arc<Signals>,
    release: Sender<()>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Client {
    fn new(drain: Duration) -> Self {
        let (near, far) = duplex(1 << 16);
        let (sender, receiver) = channel();
        let signals = Arc::new(Signals {
            release: Mutex::new(receiver),
            go: Notify::new(),
            dropped: AtomicU32::new(0),
            polls: AtomicU32::new(0),
        });
        let host = Host { two: Barrier::new(2), signals: Arc::clone(&signals) };
        let (input, output) = split(far);
        let limits = Limits { drain, ..Limits::DEFAULT };
        let server = tokio::spawn(AsyncStdio::new().with_limits(limits).serve_on(host, input, output));
        let (output, input) = split(near);
        Self { input, output: BufReader::new(output).lines(), signals, release: sender, server }
    }

    async fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.expect("it is read");
    }

    async fn call(&mut self, id: &str, tool: &str) {
        let params = format!(r#"{{"name":"{tool}","_meta":{{"progressToken":{id}}}}}"#);
        self.send(&request(id, "tools/call", &params)).await;
    }

    async fn line(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(10), self.output.next_line());
        line.await.expect("in time").expect("no error").expect("a line")
    }

    async fn expect(&mut self, parts: &[&str]) {
        for part in parts {
            let line = self.line().await;
            assert!(line.contains(part), "{part}: {line}");
        }
    }

    async fn end(mut self) -> Vec<String> {
        self.input.shutdown().await.expect("no error");
        let mut lines = Vec::new();
        while let Some(line) = self.output.next_line().await.expect("no error") {
            lines.push(line);
        }
        self.server.await.expect("no panic").expect("no error");
        lines
    }
}

const LONG: Duration = Duration::from_secs(10);

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(test);
}

#[test]
fn tools_that_share_the_application_run_at_the_same_time() {
    run(async {
        let mut client = Client::new(LONG);
        client.call("1", "meet").await;
        client.expect(&[r#""progressToken":1"#]).await;
        client.send(&request("2", "ping", "{}")).await;
        client.expect(&[r#""id":2,"result":{}"#]).await;
        client.call("3", "meet").await;
        client.expect(&[r#""progressToken":3"#, r#""text":"met""#, r#""text":"met""#]).await;
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn only_tools_that_can_go_on_are_polled() {
    const CALLS: u32 = 64;
    run(async {
        let mut client = Client::new(LONG);
        for id in 1..=CALLS {
            client.call(&id.to_string(), "count").await;
        }
        client.send(&request("100", "ping", "{}")).await;
        client.expect(&[r#""id":100"#]).await;
        for _ in 0..CALLS {
            client.signals.go.notify_one();
            client.expect(&[r#""text":"counted""#]).await;
        }
        assert_eq!(client.signals.polls.load(Ordering::Relaxed), 2 * CALLS);
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn a_synchronous_tool_does_not_block_the_server() {
    run(async {
        let mut client = Client::new(LONG);
        client.call("1", "block").await;
        client.send(&request("2", "ping", "{}")).await;
        client.expect(&[r#""id":2,"result":{}"#]).await;
        // It is cancelled, and its thread goes on; the next waits for the application.
        client.send(&cancel("1")).await;
        client.call("3", "block").await;
        client.call("4", "meet").await;
        client.send(&request("5", "tools/list", "{}")).await;
        client.expect(&[r#""id":5,"#]).await;
        for _ in 0..2 {
            client.release.send(()).expect("it is received");
        }
        client
            .expect(&[
                r#""progressToken":3"#,
                r#""id":3,"result":{"content":[{"type":"text","text":"blocked""#,
            ])
            .await;
        client.call("6", "meet").await;
        client.expect(&["progress", "progress", "met", "met"]).await;
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn a_synchronous_tool_answers_as_on_another_transport() {
    run(async {
        let mut client = Client::new(LONG);
        client.call("1", "block-panic").await;
        client.expect(&[r#""id":1,"error":{"code":-32603,"message":"Internal error"}"#]).await;
        client.send(&initialize_with("2025-11-25", r#"{"elicitation":{}}"#)).await;
        client.expect(&["protocolVersion"]).await;
        for id in ["2", "3"] {
            client.call(id, "block-ask").await;
        }
        let mut questions = Vec::new();
        for _ in 0..2 {
            let line = client.line().await;
            assert!(line.contains(r#""method":"elicitation/create""#), "{line}");
            let id = line.split(r#""id":"#).nth(1).and_then(|rest| rest.split(',').next()).expect("an id");
            questions.push(id.to_string());
        }
        assert_ne!(questions[0], questions[1]);
        for (id, question) in [("3", &questions[1]), ("2", &questions[0])] {
            let result = r#"{"action":"accept","content":{"name":"Ada"}}"#;
            client.send(&format!(r#"{{"jsonrpc":"2.0","id":{question},"result":{result}}}"#)).await;
            client
                .expect(&[&format!(r#""id":{id},"result":{{"content":[{{"type":"text","text":"Ada""#)])
                .await;
        }
        let modern = |members: &str| {
            modern_of("4", "tools/call", &format!(r#""name":"block-ask"{members}"#), r#"{"elicitation":{}}"#)
        };
        client.send(&modern("")).await;
        client.expect(&[r#""requestState":"state""#]).await;
        let answer = r#"{"name":{"action":"accept","content":{"name":"Cleo"}}}"#;
        client.send(&modern(&format!(r#","inputResponses":{answer},"requestState":"state""#))).await;
        client.expect(&[r#""text":"Cleo""#]).await;
        client.send(&request("5", "resources/read", r#"{"uri":"r:1"}"#)).await;
        client.expect(&[r#""text":"content""#]).await;
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn a_tool_that_changes_the_application_runs_alone_and_others_wait() {
    run(async {
        let mut client = Client::new(LONG);
        client.call("1", "solo").await;
        client.expect(&[r#""progressToken":1"#]).await;
        for (id, tool) in [("2", "sync"), ("3", "meet"), ("4", "meet"), ("5", "sync")] {
            client.call(id, tool).await;
        }
        client.send(&request("6", "resources/read", r#"{"uri":"r:1"}"#)).await;
        client.send(&request("7", "tools/list", "{}")).await;
        client.expect(&[r#""id":7,"result":{"tools":[{"name":"meet""#]).await;
        client.send(&cancel("5")).await;
        client.send(&request("8", "ping", "{}")).await;
        client.expect(&[r#""id":8"#]).await;
        client.signals.go.notify_one();
        client.expect(&[r#""id":1,"#, r#""id":2,"#, "progress", "progress"]).await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            let line = client.line().await;
            ids.push(line.split(r#""id":"#).nth(1).and_then(|rest| rest.chars().next()).expect("an id"));
        }
        ids.sort_unstable();
        assert_eq!(ids, ['3', '4', '6']);
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn a_cancellation_drops_the_tool() {
    run(async {
        let mut client = Client::new(LONG);
        for (id, tool) in [("1", "meet"), ("2", "solo")] {
            client.call(id, tool).await;
            client.expect(&["progress"]).await;
            client.send(&cancel(id)).await;
        }
        client.call("3", "sync").await;
        client.expect(&[r#""id":3,"#]).await;
        assert_eq!(client.signals.dropped.load(Ordering::Relaxed), 2);
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn a_panic_is_an_error_of_its_call() {
    run(async {
        let mut client = Client::new(LONG);
        client.call("1", "panic").await;
        client.expect(&[r#""id":1,"error":{"code":-32603,"message":"Internal error"}"#]).await;
        client.call("2", "sync").await;
        client.expect(&[r#""text":"sync""#]).await;
        assert!(client.end().await.is_empty());
    });
}

#[test]
fn questions_are_asked_in_both_eras() {
    run(async {
        let mut client = Client::new(LONG);
        client.send(&initialize_with("2025-11-25", r#"{"elicitation":{}}"#)).await;
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        client.expect(&["protocolVersion"]).await;
        client.call("1", "ask").await;
        client.call("2", "ask").await;
        client
            .expect(&[r#""id":1,"method":"elicitation/create""#, r#""id":2,"method":"elicitation/create""#])
            .await;
        for (id, name) in [(2, "Bob"), (1, "Ada")] {
            let result = format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#);
            client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
            client.expect(&[&format!(r#""text":"{name}""#)]).await;
        }
        let modern = |members: &str| {
            modern_of("3", "tools/call", &format!(r#""name":"ask"{members}"#), r#"{"elicitation":{}}"#)
        };
        client.send(&modern("")).await;
        client.expect(&[r#""requestState":"{}""#]).await;
        let answer = r#"{"name":{"action":"accept","content":{"name":"Cleo"}}}"#;
        client.send(&modern(&format!(r#","inputResponses":{answer},"requestState":"{{}}""#))).await;
        client.expect(&[r#""text":"Cleo""#]).await;
        client.send(&modern(&format!(r#","inputResponses":{answer},"requestState":"[]""#))).await;
        client.expect(&["Invalid params"]).await;
        // One that nobody answers any more.
        client.call("4", "ask").await;
        client.expect(&["elicitation/create"]).await;
        let lines = client.end().await;
        assert!(lines[0].contains("notifications/cancelled") && lines[1].contains(r#""text":"nobody""#));
    });
}

#[test]
fn the_end_of_the_input_waits_for_the_calls_in_flight() {
    run(async {
        let mut client = Client::new(LONG);
        client.call("1", "solo").await;
        client.call("2", "sync").await;
        client.signals.go.notify_one();
        let lines = client.end().await;
        assert_eq!(lines.len(), 3);
        // Not for ever.
        let mut client = Client::new(Duration::from_millis(20));
        client.call("1", "solo").await;
        client.call("2", "sync").await;
        let lines = client.end().await;
        assert_eq!(lines.len(), 3);
        assert!(lines[1..].iter().all(|line| line.contains("Internal error")), "{lines:?}");
    });
}

#[test]
fn a_batch_starts_several_tools() {
    run(async {
        let mut client = Client::new(LONG);
        client.send(&initialize_with("2025-03-26", "{}")).await;
        client.expect(&["2025-03-26"]).await;
        let call = |id: &str| request(id, "tools/call", r#"{"name":"meet"}"#);
        client.send(&format!("[{},{},{}]", call("1"), request("2", "ping", "{}"), call("3"))).await;
        client.expect(&[r#""id":2,"#, r#""text":"met""#, r#""text":"met""#]).await;
        assert!(client.end().await.is_empty());
    });
}
