//! Two clients with equal ids, in any order of events: each line reaches the exchange that it belongs to.

use std::collections::BTreeMap;
use std::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::{
    Answer, CallError, CallToken, Channel, Event, Handler, List, Outcome, Resumed, ResumedReply, Server,
    ToolCall, ToolReply,
};
use barewire::mcp::{Capabilities, Elicitation, Implementation, LoggingLevel, Resource, Schema, Tool};
use barewire::transport::http::{self, Access, Endpoint, NoAuthorization, ReplyBody, SessionEntry, admit};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::kit::*;

const TOOLS: &[Tool<'_>] =
    &[Tool::new("now", "x"), Tool::new("log", "x"), Tool::new("later", "x"), Tool::new("ask", "x")];

/// A resource for each client.
const RESOURCES: &[Resource<'_>] = &[Resource::new("r:0", "r"), Resource::new("r:1", "r")];

/// Its texts name the exchange of the call.
#[derive(Default)]
struct Teller {
    deferred: Vec<(CallToken, u32)>,
}

impl Handler for Teller {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("teller", "1")
    }

    fn capabilities(&self, offered: &mut Capabilities) {
        *offered = offered.without(Capabilities::TASKS);
        offered.insert(
            Capabilities::TOOLS_LIST_CHANGED | Capabilities::RESOURCES_SUBSCRIBE | Capabilities::LOGGING,
        );
    }

    fn tools(&self) -> &[Tool<'_>] {
        TOOLS
    }

    fn resources(&self) -> &[Resource<'_>] {
        RESOURCES
    }

    fn call_tool<'a>(
        &mut self,
        call: ToolCall<'a>,
        mut reply: ToolReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let channel = call.context().origin().channel().0;
        let named = format!("for {channel};");
        if call.is("later") {
            let (token, outcome) = reply.defer()?;
            self.deferred.push((token, channel));
            return Ok(outcome);
        }
        if call.is("ask") {
            const FORM: Schema<'_> = Schema::new(r#"{"type":"object","properties":{}}"#);
            return Ok(reply.ask("k", &Elicitation::form(&named, FORM).into()).keep(&channel.to_string()));
        }
        if call.is("log") {
            reply.log(LoggingLevel::Error, None, named.as_str());
            reply.progress(1);
        }
        Ok(reply.text(named.as_str()))
    }

    fn resume<'a>(
        &mut self,
        call: Resumed<'a>,
        reply: ResumedReply<'_, '_>,
    ) -> Result<Outcome, CallError<'a>> {
        let ResumedReply::Tool(reply) = reply else {
            return Err(CallError::Internal);
        };
        let channel: u32 = call.state().to_string().parse().map_err(|_| CallError::Internal)?;
        if matches!(call.answer("k"), Some(Answer::Error(_))) {
            let (token, outcome) = reply.defer()?;
            self.deferred.push((token, channel));
            return Ok(outcome);
        }
        Ok(reply.text(format_args!("for {channel};")))
    }

    fn event(&mut self, event: Event<'_>) {
        if let Event::Cancelled(token) = event {
            self.deferred.retain(|(known, _)| *known != token);
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Purpose {
    Message,
    Call { id: u8 },
    Listen { id: u8 },
    Standing,
}

#[derive(Debug)]
struct Exchange {
    client: usize,
    purpose: Purpose,
    responses: u8,
    /// The response is complete.
    has_ended: bool,
    /// The client is gone.
    is_closed: bool,
}

/// The number in a text that names an exchange.
fn number_in(text: &str) -> Option<u32> {
    text.strip_prefix("for ")?.strip_suffix(';')?.parse().ok()
}

struct World {
    endpoint: Endpoint<Memory, [SessionEntry; 3]>,
    app: Teller,
    exchanges: BTreeMap<u32, Exchange>,
    sessions: [Option<String>; 2],
    /// Questions, by the client who was asked.
    questions: Vec<(usize, i64)>,
    now: u64,
}

fn random(bytes: &mut [u8; 16]) {
    static NEXT: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(1);
    // Unique for a while, which is all that these sessions need.
    bytes[0] = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    bytes[1] = 1;
}

impl World {
    fn new() -> Self {
        let endpoint = Endpoint::with_sessions(Server::with_storage(Memory::new()), [SessionEntry::FREE; 3])
            .with_random(random);
        Self {
            endpoint,
            app: Teller::default(),
            exchanges: BTreeMap::new(),
            sessions: [None, None],
            questions: Vec::new(),
            now: 0,
        }
    }

    /// Number of the next exchange.
    fn next(&self) -> u32 {
        self.exchanges.len() as u32 + 100
    }

    /// Whether a line came from a continued call, for another exchange.
    fn send(&mut self, client: usize, purpose: Purpose, head: &Request, body: &str) -> bool {
        let number = self.next();
        let channel = Channel(number);
        let exchange = Exchange { client, purpose, responses: 0, has_ended: false, is_closed: false };
        self.exchanges.insert(number, exchange);
        let offers = self.endpoint.offers_sessions();
        let admitted = admit(&Access::LOCAL, &NoAuthorization, head, offers).expect("a good head");
        let mut memory = [0; 2048];
        let mut out = Sink::new(&mut memory);
        let reply = match admitted.purpose() {
            http::Purpose::Post => {
                self.endpoint.receive(channel, head, &admitted, body.as_bytes(), &mut self.app, &mut out)
            }
            http::Purpose::Get => self.endpoint.open_stream(channel, &admitted),
            http::Purpose::Delete => self.endpoint.end_session(&admitted, &mut self.app),
            http::Purpose::Preflight | http::Purpose::Metadata => unreachable!(),
        };
        let output = String::from_utf8(out.finish().expect("whole").to_vec()).expect("text");
        reply.fields(|name, value| {
            if name == "Mcp-Session-Id" {
                self.sessions[client] = Some(value.to_string());
            }
        });
        match reply.line() {
            Some(line) => self.deliver(line.channel(), &output, line.ends()),
            None => self.deliver(channel, &output, false),
        }
        assert_eq!(
            reply.body() == ReplyBody::Json,
            reply.line().is_none() && reply.ends() && !output.is_empty() && output.lines().count() == 1
        );
        let exchange = self.exchanges.get_mut(&number).expect("known");
        exchange.has_ended |= reply.ends();
        if let (Purpose::Call { .. }, true) = (&exchange.purpose, reply.ends()) {
            assert_eq!(exchange.responses, 1, "{number}");
        }
        reply.line().is_some()
    }

    /// Takes lines for an exchange.
    fn deliver(&mut self, channel: Channel, text: &str, ends: bool) {
        let number = channel.0;
        let closed: Vec<(u32, usize)> = self
            .exchanges
            .iter()
            .filter(|(_, exchange)| exchange.is_closed)
            .map(|(number, exchange)| (*number, exchange.client))
            .collect();
        let exchange = self.exchanges.get_mut(&number).expect("a known exchange");
        assert!(!exchange.has_ended && !exchange.is_closed, "{number}: {text}");
        let client = exchange.client;
        // A line of a call: on its own exchange, or on the standing stream once that is closed.
        let is_standing = exchange.purpose == Purpose::Standing;
        let is_of = |call: Option<u32>| {
            call.is_some_and(|call| match is_standing {
                true => closed.contains(&(call, client)),
                false => call == number,
            })
        };
        for line in text.lines() {
            let message: Value = serde_json::from_str(line).expect("a message");
            let named = format!("for {number};");
            let is_stream = matches!(exchange.purpose, Purpose::Listen { .. } | Purpose::Standing);
            let params = &message["params"];
            match message["method"].as_str() {
                None => {
                    exchange.responses += 1;
                    assert_eq!(exchange.responses, 1);
                    let is_named = line.contains(&named) || !line.contains("for ");
                    assert!(is_named, "{number}: {line} {exchange:?}");
                    if let Purpose::Call { id } | Purpose::Listen { id } = exchange.purpose {
                        assert_eq!(message["id"], id);
                    }
                    assert_ne!(exchange.purpose, Purpose::Standing);
                }
                Some("notifications/message") => {
                    assert!(is_of(params["data"].as_str().and_then(number_in)), "{number}: {line}");
                }
                Some("notifications/progress") => {
                    let token = params["progressToken"].as_u64().and_then(|token| u32::try_from(token).ok());
                    assert!(is_of(token), "{number}: {line}");
                }
                Some("elicitation/create") => {
                    assert!(is_of(params["message"].as_str().and_then(number_in)), "{number}: {line}");
                    self.questions.push((client, message["id"].as_i64().expect("a number")));
                }
                Some("notifications/cancelled") => {
                    let mut asked = self.questions.iter();
                    assert!(
                        asked.any(|asked| (asked.0, Some(asked.1)) == (client, params["requestId"].as_i64()))
                    );
                }
                Some("notifications/tools/list_changed") => assert!(is_stream, "{number}: {line}"),
                Some("notifications/resources/updated") => {
                    assert!(
                        is_stream && params["uri"] == format!("r:{}", exchange.client),
                        "{number}: {line}"
                    );
                }
                Some("notifications/subscriptions/acknowledged") => {
                    assert!(matches!(exchange.purpose, Purpose::Listen { .. }));
                }
                Some(other) => panic!("{number}: {other}"),
            }
            if let Purpose::Listen { id } = exchange.purpose
                && message["method"].is_string()
            {
                assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{line}");
            }
        }
        exchange.has_ended |= ends;
    }

    fn in_session(&self, client: usize, head: Request) -> Option<Request> {
        self.sessions[client].as_deref().map(|id| head.session(id))
    }

    fn step(&mut self, client: usize, what: u8, choice: u8) {
        let id = choice % 3;
        let tool = ["now", "log", "later", "ask"][usize::from(choice / 3 % 4)];
        let token = self.next();
        let legacy_call = legacy(
            &id.to_string(),
            "tools/call",
            &format!(r#"{{"name":"{tool}","_meta":{{"progressToken":{token}}}}}"#),
        );
        match what % 19 {
            0..=4 => {
                if let Some(head) = self.in_session(client, Request::post()) {
                    self.send(client, Purpose::Call { id }, &head, &legacy_call);
                }
            }
            5 => {
                self.send(client, Purpose::Call { id }, &Request::post(), &legacy_call);
            }
            6 | 7 => {
                let body = modern(&id.to_string(), "tools/call", &format!(r#""name":"{tool}""#))
                    .replace(r#""progressToken":"t""#, &format!(r#""progressToken":{token}"#));
                self.send(client, Purpose::Call { id }, &Request::call(tool), &body);
            }
            8 => {
                let filter = format!(
                    r#""notifications":{{"toolsListChanged":true,"resourceSubscriptions":["r:{client}"]}}"#
                );
                let body = modern(&id.to_string(), "subscriptions/listen", &filter);
                self.send(client, Purpose::Listen { id }, &Request::modern("subscriptions/listen"), &body);
            }
            9 => {
                if let Some(head) = self.in_session(client, Request::new("GET")) {
                    self.send(client, Purpose::Standing, &head, "");
                }
            }
            10 => {
                let open: Vec<u32> = self.open().collect();
                if let Some(number) = open.get(usize::from(choice) % open.len().max(1)) {
                    self.exchanges.get_mut(number).expect("known").is_closed = true;
                    self.endpoint.closed(Channel(*number), &mut self.app);
                }
            }
            11 => {
                let body = notification("notifications/cancelled", &format!(r#"{{"requestId":{id}}}"#));
                if let Some(head) = self.in_session(client, Request::post()) {
                    self.send(client, Purpose::Message, &head, &body);
                }
                // Neither of these has an effect.
                let open = self.open().count();
                self.send(client, Purpose::Message, &Request::post(), &body);
                self.send(client, Purpose::Message, &Request::post().version(R5), &body);
                let ended = self.endpoint.has_ended();
                if ended {
                    self.end_silent();
                } else {
                    assert_eq!(self.open().count(), open);
                }
            }
            12 => self.complete(usize::from(choice)),
            13 => {
                let Some((token, _)) = self.pick(usize::from(choice)) else {
                    return;
                };
                let mut memory = [0; 512];
                let mut out = Sink::new(&mut memory);
                let sent =
                    self.endpoint.server().progress(token, u32::from(choice), &mut out).expect("in flight");
                self.route(sent, out);
            }
            14 => {
                let place = usize::from(choice) % self.questions.len().max(1);
                let Some((asked, question)) = self.questions.get(place).copied() else {
                    return;
                };
                let body = match choice % 3 {
                    0 => format!(r#"{{"jsonrpc":"2.0","id":{question},"error":{{"code":1,"message":"x"}}}}"#),
                    1 => format!(r#"{{"jsonrpc":"2.0","id":{question},"result":5}}"#),
                    _ => format!(r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"accept"}}}}"#),
                };
                self.send(client, Purpose::Message, &Request::post(), &body);
                if let Some(head) = self.in_session(client, Request::post()) {
                    let has_continued = self.send(client, Purpose::Message, &head, &body);
                    assert!(!has_continued || asked == client);
                }
            }
            15 => match choice % 3 {
                0 => self.endpoint.server().list_changed(List::Tools),
                other => self.endpoint.server().resource_updated(&format!("r:{}", other - 1)),
            },
            16 => self.poll(|number| u32::from(choice) >> (number % 8) & 1 == 1),
            17 => {
                if let Some(head) = self.in_session(client, Request::new("DELETE")) {
                    self.send(client, Purpose::Message, &head, "");
                    self.sessions[client] = None;
                    self.end_silent();
                }
                self.begin(client);
            }
            _ => {
                self.now += if choice < 32 { 400 } else { 1 };
                let now = Duration::from_secs(self.now);
                self.endpoint.set_time(now, now, &mut self.app);
            }
        }
    }

    /// Opens a session that watches the resource of its client.
    fn begin(&mut self, client: usize) {
        self.send(client, Purpose::Message, &Request::post(), &initialize(R4));
        let head = self.in_session(client, Request::post()).expect("a session");
        let body = legacy("9", "resources/subscribe", &format!(r#"{{"uri":"r:{client}"}}"#));
        self.send(client, Purpose::Message, &head, &body);
    }

    fn pick(&self, choice: usize) -> Option<(CallToken, u32)> {
        self.app.deferred.get(choice % self.app.deferred.len().max(1)).copied()
    }

    fn complete(&mut self, choice: usize) {
        let Some((token, number)) = self.pick(choice) else {
            return;
        };
        self.app.deferred.retain(|(known, _)| *known != token);
        let mut memory = [0; 512];
        let mut out = Sink::new(&mut memory);
        let sent = self
            .endpoint
            .server()
            .complete_tool(token, &mut self.app, &mut out, |content| {
                Ok(content.text(format_args!("for {number};")).done())
            })
            .expect("in flight");
        let is_closed = self.exchanges[&number].is_closed;
        assert_eq!(self.route(sent, out), !is_closed);
    }

    fn route(&mut self, sent: barewire::engine::Sent, mut out: Sink<'_>) -> bool {
        let Some(line) = self.endpoint.route(sent, &mut out) else {
            return false;
        };
        let text = String::from_utf8_lossy(out.finish().expect("whole")).into_owned();
        self.deliver(line.channel(), &text, line.ends());
        true
    }

    fn poll(&mut self, writable: impl Fn(u32) -> bool) {
        loop {
            let mut memory = [0; 512];
            let mut out = Sink::new(&mut memory);
            let Some(line) = self.endpoint.poll(|channel| writable(channel.0), &mut self.app, &mut out)
            else {
                return;
            };
            assert!(writable(line.channel().0));
            let text = String::from_utf8_lossy(out.finish().expect("whole")).into_owned();
            self.deliver(line.channel(), &text, line.ends());
        }
    }

    fn open(&self) -> impl Iterator<Item = u32> {
        let open = self.exchanges.iter().filter(|(_, exchange)| !exchange.has_ended && !exchange.is_closed);
        open.map(|(number, _)| *number)
    }

    /// Ends the exchanges that have ended without a line.
    fn end_silent(&mut self) {
        for (number, exchange) in &mut self.exchanges {
            exchange.has_ended |= !exchange.is_closed && !self.endpoint.is_open(Channel(*number));
        }
    }

    fn check(&mut self) {
        if self.endpoint.has_ended() {
            self.end_silent();
        }
        for (number, exchange) in &self.exchanges {
            let is_open = !exchange.has_ended && !exchange.is_closed;
            assert_eq!(self.endpoint.is_open(Channel(*number)), is_open, "{number}: {exchange:?}");
        }
    }
}

#[test]
fn h41_h77_h105_a_line_reaches_no_other_client() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let steps = vec((0usize..2, any::<u8>(), any::<u8>()), 0..120);
    TestRunner::new(config)
        .run(&steps, |steps| {
            let mut world = World::new();
            world.endpoint.set_time(Duration::ZERO, Duration::ZERO, &mut world.app);
            world.begin(0);
            world.begin(1);
            for (client, what, choice) in steps {
                world.step(client, what, choice);
                world.check();
            }
            // In the end every call that is still waited for is answered.
            while !world.app.deferred.is_empty() {
                world.complete(0);
            }
            world.now += 1000;
            world.endpoint.set_time(Duration::from_secs(world.now), Duration::ZERO, &mut world.app);
            world.poll(|_| true);
            while !world.app.deferred.is_empty() {
                world.complete(0);
            }
            world.check();
            let calls =
                world.open().filter(|number| matches!(world.exchanges[number].purpose, Purpose::Call { .. }));
            assert_eq!(calls.count(), 0);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}
