//! What a client writes for each of its methods, what it answers when it is asked, and what it tells the application of
//! what it hears: against serde_json's values.

mod heard;
mod host;
mod requests;
mod silent;

use core::time::Duration;

use barewire::bytes::{Framer, Next, Sink};
use barewire::engine::client::{
    Answered, BoundClient, ClientFixed, ClientOptions, ClientOutcome, Incoming, InputRequired, Refusal,
    RequestError, RequestOptions, Ticket,
};
use barewire::mcp::{Capabilities, ClientCapabilities, Era, LoggingLevel, ProtocolVersion, Versions};
use barewire::rpc::{RequestId, Rules};
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::entropy::Entropy;
use crate::support::tree;
use heard::{NOTIFICATIONS, RESPONSES, Sent, end_of, expected_end, is_heard};
use host::{Act, Host};
use requests::{Call, call};

pub(super) use silent::a_host_of_nothing_refuses;

type Storage = ClientFixed<u64, CALLS>;
/// The client as it is lent for a call.
type Tested<'a> = BoundClient<'a, Storage, Host>;

/// Subscriptions stay open, so that the table is full now and then.
const CALLS: usize = 3;
const ROOM: usize = 8192;
/// Of all requests that say nothing else.
const TIMEOUT: Duration = Duration::from_secs(20);
const OFFERED: &str = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

/// A conversation of at most so many steps; the first choices are the revision and what the host offers.
pub(super) fn a_client_says_what_was_meant(entropy: &mut Entropy<'_>) {
    let version = entropy.pick(&ProtocolVersion::ALL);
    let flags = entropy.byte();
    let mut offered = ClientCapabilities::NONE;
    offered.set(ClientCapabilities::ROOTS, flags & 1 == 0);
    offered.set(ClientCapabilities::SAMPLING, flags & 2 == 0);
    offered.set(ClientCapabilities::SAMPLING_TOOLS, flags & 4 != 0);
    offered.set(ClientCapabilities::ELICITATION_FORM, flags & 8 == 0);
    offered.set(ClientCapabilities::ELICITATION_URL, flags & 16 != 0);
    offered.set(ClientCapabilities::TASKS_EXTENSION, flags & 32 == 0);
    offered.set(ClientCapabilities::ROOTS_LIST_CHANGED, flags & 64 != 0);
    let host = Host { offered, act: Act::new(&mut Entropy::new(&[])), params: json!(null), version };
    let options = ClientOptions::default()
        .with_versions(Versions::only(version))
        .with_timeout(TIMEOUT)
        .with_probe_timeout(TIMEOUT)
        .with_rules(Rules::default());
    let mut talk = Talk {
        client: Client::with(host, options),
        version,
        now: Duration::from_secs(5),
        number: 0,
        open: Vec::new(),
    };
    talk.connect(flags);
    for _ in 0..16 {
        if entropy.is_used_up() {
            break;
        }
        talk.now += Duration::from_millis(10);
        match entropy.below(8) {
            0..=2 => talk.request(entropy),
            3 | 4 => talk.is_asked(entropy),
            5 => talk.hears(entropy),
            6 => talk.tells(entropy),
            _ => talk.ends_subscription(entropy),
        }
        assert_eq!(talk.client.in_flight(), talk.open.len());
    }
}

/// An open subscription: its ticket, its number and the text of its id.
type Open = (Ticket, u64, String);

struct Talk {
    client: Client<Storage, Host>,
    version: ProtocolVersion,
    now: Duration,
    /// Of the last request.
    number: u64,
    open: Vec<Open>,
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The lines of one output, as values.
fn lines_of(out: &Sink<'_>) -> Vec<Value> {
    let text = std::str::from_utf8(out.finish().expect("what does not fit is taken back")).expect("UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'));
    assert!(!text.lines().any(tree::repeats), "{text}");
    text.lines().map(value).collect()
}

/// The only line.
fn line_of(out: &Sink<'_>) -> Value {
    let mut lines = lines_of(out);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}

impl Talk {
    fn is_modern(&self) -> bool {
        self.version.era() == Era::Modern
    }

    fn host(&mut self) -> &mut Host {
        &mut self.client.app
    }

    /// What a server says of itself, and what it offers, is seen.
    fn connect(&mut self, flags: u8) {
        let has_info = flags & 128 == 0;
        let mut memory = [0; 1024];
        let mut out = Sink::new(&mut memory);
        assert_eq!(self.client.bind().connect(self.now, &mut out), Ok(()));
        assert_eq!(self.client.is_probing(), self.is_modern());
        let asked = line_of(&out);
        let (method, info) = match self.is_modern() {
            true => ("server/discover", "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"),
            false => ("initialize", "\"serverInfo\":"),
        };
        assert_eq!((&asked["method"], &asked["id"]), (&json!(method), &json!(1)));
        let end = if self.is_modern() { "}" } else { "" };
        let about = match has_info {
            true => {
                format!(",{info}{{\"name\":\"s\",\"version\":\"\\u0032\"}}{end},\"instructions\":\"i\\n\"")
            }
            false => String::new(),
        };
        let version = self.version.as_str();
        let revision = match self.is_modern() {
            true => format!("\"resultType\":\"complete\",\"supportedVersions\":[\"{version}\"]"),
            false => format!("\"protocolVersion\":\"{version}\""),
        };
        let frame = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{{revision},\"capabilities\":{OFFERED}{about}}}}}"
        );
        let mut memory = [0; 128];
        let mut out = Sink::new(&mut memory);
        let incoming = self.client.handle_frame(frame.as_bytes(), self.now, &mut out);
        let Incoming::Connected(connected) = incoming else {
            panic!("{incoming:?}");
        };
        assert_eq!(connected.version(), self.version);
        assert_eq!(connected.capabilities().as_value().as_json(), OFFERED);
        let seen = (connected.server_name(), connected.server_version(), connected.instructions());
        let seen =
            (seen.0.map(|s| s.to_string()), seen.1.map(|s| s.to_string()), seen.2.map(|s| s.to_string()));
        let expected = |text: &str| has_info.then(|| text.to_owned());
        assert_eq!(seen, (expected("s"), expected("2"), expected("i\n")));
        let info = connected.server_info().map(|info| value(info.as_value().as_json()));
        assert_eq!(info, has_info.then(|| json!({"name": "s", "version": "2"})));
        let is_told = lines_of(&out);
        match self.is_modern() {
            true => assert!(is_told.is_empty()),
            false => assert_eq!(is_told, [json!({"jsonrpc": "2.0", "method": "notifications/initialized"})]),
        }
        assert!(
            self.client.server_capabilities().has(Capabilities::TOOLS)
                && self.client.server_capabilities().has(Capabilities::TASKS_LIST)
        );
        self.number = 1;
    }

    /// A request, and what becomes of it.
    fn request(&mut self, entropy: &mut Entropy<'_>) {
        let (call, flags) = (call(entropy), entropy.byte());
        let level = entropy.pick(&LoggingLevel::ALL);
        let timeout = Duration::from_secs(1 + entropy.below(8) as u64);
        let most = timeout * (1 + entropy.below(3) as u32) / 2;
        let is_task = flags & 12 == 12;
        let mut ask = RequestOptions::at(self.now).with_context(self.number + 1);
        if flags & 1 > 0 {
            ask = ask.with_progress();
        }
        if flags & 2 > 0 {
            ask = ask.with_log_level(level);
        }
        if is_task {
            ask = ask.as_task((flags & 16 > 0).then_some(70));
        }
        ask = match flags >> 6 {
            0 => ask,
            1 => ask.with_timeout(timeout),
            2 => ask.without_timeout(),
            _ => ask.with_timeout(timeout).extended_by_progress(most),
        };
        let wants_progress = flags & 1 > 0 || flags >> 6 == 3;
        if flags & 32 > 0 {
            ask = ask.even_if_not_offered();
        }
        let mut memory = vec![0; ROOM];
        let mut out = Sink::new(&mut memory);
        let sent = call.send(&mut self.client.bind(), ask, &mut out);
        let ticket = match (sent, self.is_refused(&call, flags)) {
            (Ok(ticket), None) => ticket,
            (Err(error), Some(expected)) => {
                assert_eq!(error, expected, "{call:?}");
                assert!(out.is_empty());
                return shows(error);
            }
            (sent, expected) => panic!("{call:?} in {}: {sent:?} and not {expected:?}", self.version),
        };
        self.number += 1;
        let mut params = call.params(self.version);
        if is_task {
            params["task"] = if flags & 16 > 0 { json!({"ttl": 70}) } else { json!({}) };
        }
        self.is_sent(&line_of(&out), &call, params, wants_progress, (flags & 2 > 0).then_some(level));
        self.is_known(ticket);
        let latest = (flags >> 6 == 3).then_some(self.now + most);
        let deadline = match flags >> 6 {
            0 => Some(self.now + TIMEOUT),
            2 => None,
            1 => Some(self.now + timeout),
            _ => Some(self.now + timeout.min(most)),
        };
        assert_eq!(self.client.next_deadline(), deadline);
        self.goes_on(ticket, wants_progress, deadline, latest.map(|latest| (timeout, latest)));
        if call.method == "subscriptions/listen" {
            return self.is_acknowledged(ticket);
        }
        let may_be_task = is_task
            || (self.is_modern()
                && call.method == "tools/call"
                && self.client.app.offered.has(ClientCapabilities::TASKS_EXTENSION));
        let sent = Sent { call: &call, version: self.version, may_be_task };
        self.ends(&sent, ticket, entropy);
    }

    fn is_refused(&self, call: &Call, flags: u8) -> Option<RequestError> {
        let is_forced = flags & 32 > 0;
        let is_task = flags & 12 == 12;
        let has_tasks = self.version == ProtocolVersion::V2025_11_25;
        let lacks_extension =
            self.is_modern() && !self.client.app.offered.has(ClientCapabilities::TASKS_EXTENSION);
        if !call.is_in(self.version) {
            return Some(RequestError::NotInRevision);
        }
        if call.method == "initialize" {
            return Some(RequestError::AlreadyConnected);
        }
        if call.is_about_a_task() && lacks_extension && !is_forced {
            return Some(RequestError::NotOffered);
        }
        if is_task && (call.method != "tools/call" || !has_tasks) {
            return Some(RequestError::NotInRevision);
        }
        (self.open.len() == CALLS).then_some(RequestError::TableFull)
    }

    /// The line of a request.
    fn is_sent(
        &self,
        line: &Value,
        call: &Call,
        mut params: Value,
        wants_progress: bool,
        level: Option<LoggingLevel>,
    ) {
        let mut line = line.clone();
        let mut meta = json!({});
        if self.is_modern() {
            let found = line["params"]["_meta"]
                .as_object_mut()
                .and_then(|meta| meta.remove("io.modelcontextprotocol/clientCapabilities"));
            let found = found.expect("capabilities");
            let offered = self.client.app.offered;
            assert_eq!(
                found["roots"].is_object(),
                offered.has(ClientCapabilities::ROOTS) || offered.has(ClientCapabilities::ROOTS_LIST_CHANGED)
            );
            assert_eq!(
                found["sampling"].is_object(),
                offered.has(ClientCapabilities::SAMPLING) || offered.has(ClientCapabilities::SAMPLING_TOOLS)
            );
            meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "1"},
            });
            if let Some(level) = level {
                meta["io.modelcontextprotocol/logLevel"] = json!(level.as_str());
            }
        }
        if wants_progress {
            meta["progressToken"] = json!(self.number);
        }
        if meta != json!({}) {
            params["_meta"] = meta;
        }
        let mut expected = json!({"jsonrpc": "2.0", "id": self.number, "method": call.method});
        if params != json!({}) {
            expected["params"] = params;
        }
        assert_eq!(line, expected);
    }

    /// What the client knows of a request that waits.
    fn is_known(&mut self, ticket: Ticket) {
        assert_eq!(self.client.context(ticket), Some(&self.number));
        assert_eq!(self.client.context_mut(ticket).copied(), Some(self.number));
        let id = self.client.with_id(ticket, |id| id.to_string());
        assert_eq!(id, Some(self.number.to_string()));
    }

    /// Progress is told, if it was asked for, and may make the time longer.
    fn goes_on(
        &mut self,
        ticket: Ticket,
        wants_progress: bool,
        deadline: Option<Duration>,
        extension: Option<(Duration, Duration)>,
    ) {
        self.now += Duration::from_millis(500);
        let frame = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":\
             {{\"progressToken\":{},\"progress\":0.5,\"total\":1e1,\"message\":\"m\"}}}}",
            self.number
        );
        let now = self.now;
        match self.client.handle_frame(frame.as_bytes(), now, &mut Sink::new(&mut [])) {
            Incoming::Progress(progress) => {
                assert!(wants_progress && progress.ticket == ticket);
                assert_eq!(progress.progress.as_str(), "0.5");
                assert_eq!(progress.total.map(|total| total.as_str()), Some("1e1"));
                assert!(progress.message.is_some_and(|message| message == "m"));
            }
            Incoming::Notification(_) => assert!(!wants_progress),
            other => panic!("{other:?}"),
        }
        let expected = deadline.map(|deadline| match extension {
            Some((timeout, latest)) => (self.now + timeout).min(latest).max(deadline),
            None => deadline,
        });
        assert_eq!(self.client.next_deadline(), expected);
    }

    /// A subscription has no time once it is acknowledged.
    fn is_acknowledged(&mut self, ticket: Ticket) {
        let frame = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":\
             {{\"notifications\":{{\"a\":1}},\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":{}}}}}}}",
            self.number
        );
        let now = self.now;
        match self.client.handle_frame(frame.as_bytes(), now, &mut Sink::new(&mut [])) {
            Incoming::Acknowledged { subscription, notifications } => {
                assert_eq!(subscription, ticket);
                assert_eq!(notifications.as_value().as_json(), "{\"a\":1}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(self.client.next_deadline(), None);
        self.open.push((ticket, self.number, self.number.to_string()));
    }

    /// The response to the last request, or time.
    fn ends(&mut self, sent: &Sent<'_>, ticket: Ticket, entropy: &mut Entropy<'_>) {
        let (response, is_too_long) = (entropy.below(RESPONSES.len() + 1), entropy.once_in(8));
        let Some(body) = RESPONSES.get(response) else {
            return self.is_given_up(ticket);
        };
        let frame = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{body}}}", self.number);
        let body = value(&format!("{{{body}}}"));
        let now = self.now;
        let incoming = match is_too_long {
            true => {
                let nowhere = &mut Sink::new(&mut []);
                for part in frame.as_bytes().chunks(9) {
                    let _ = self.client.receive(Next::Part(part), now, nowhere);
                }
                self.client.receive(Next::TooLong, now, nowhere).expect("an event")
            }
            false => self.client.handle_frame(frame.as_bytes(), now, &mut Sink::new(&mut [])),
        };
        let Incoming::Ended(ended) = incoming else {
            panic!("{frame}: {incoming:?}");
        };
        assert_eq!((ended.ticket, ended.context), (ticket, self.number));
        let method = ended.method.map(|method| method.name());
        assert_eq!(method, (sent.call.method != "x/y").then_some(sent.call.method));
        if is_too_long {
            let ClientOutcome::Invalid(fault) = ended.outcome else {
                panic!("{:?}", ended.outcome);
            };
            return assert_eq!(fault.to_string(), "not a valid response: too-long");
        }
        assert_eq!(end_of(&ended.outcome, &body), expected_end(response, sent), "{frame} {sent:?}");
        if let ClientOutcome::InputRequired(input) = ended.outcome {
            self.retries(sent.call, input, &body["result"], entropy);
        }
    }

    /// No response comes, or the caller does not want it any more.
    fn is_given_up(&mut self, ticket: Ticket) {
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let reason = match self.client.next_deadline() {
            Some(deadline) => {
                self.now = deadline;
                let incoming = self.client.expire(self.now, &mut out);
                let Some(Incoming::Ended(ended)) = incoming else {
                    panic!("{incoming:?}");
                };
                assert!(ended.ticket == ticket && matches!(ended.outcome, ClientOutcome::TimedOut));
                "timeout"
            }
            None => {
                assert_eq!(self.client.cancel(ticket, Some("r"), &mut out), Ok(self.number));
                "r"
            }
        };
        let expected = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": self.number, "reason": reason},
        });
        assert_eq!(line_of(&out), expected);
        let again = self.client.cancel(ticket, None, &mut out);
        assert_eq!(again, Err(RequestError::NotInFlight));
        shows(RequestError::NotInFlight);
    }

    /// The same request again, with what the host says to what the server asks.
    fn retries(&mut self, call: &Call, input: InputRequired<'_>, asked: &Value, entropy: &mut Entropy<'_>) {
        self.host().act = Act::new(entropy);
        let mut params = call.params(self.version);
        let mut refusal = None;
        if let Some(requests) = asked.get("inputRequests").and_then(Value::as_object) {
            let mut responses = json!({});
            for (key, request) in requests {
                self.host().params = request.get("params").cloned().unwrap_or(json!(null));
                let method = request["method"].as_str().unwrap_or_default();
                let known = ["roots/list", "sampling/createMessage", "elicitation/create"];
                let expected = match known.contains(&method) {
                    true => self.client.app.expected(method, request.get("params")),
                    false => Err(Refusal::METHOD_NOT_FOUND),
                };
                match expected {
                    Ok(Some(result)) => responses[key] = result,
                    Ok(None) => refusal = refusal.or(Some(Refusal::NOT_YET)),
                    Err(error) => refusal = refusal.or(Some(error)),
                }
            }
            params["inputResponses"] = responses;
        }
        if let Some(state) = asked.get("requestState") {
            params["requestState"] = state.clone();
        }
        let ask = RequestOptions::at(self.now).with_context(self.number + 1).answering(input);
        let mut memory = vec![0; ROOM];
        let mut out = Sink::new(&mut memory);
        let sent = call.send(&mut self.client.bind(), ask, &mut out);
        match (sent, refusal) {
            (Ok(ticket), None) => {
                self.number += 1;
                self.is_sent(&line_of(&out), call, params, false, None);
                self.is_given_up(ticket);
            }
            (Err(error), Some(refusal)) => {
                assert_eq!(error, RequestError::Refused(refusal));
                assert!(out.is_empty());
                shows(error);
                // An id that was taken for nothing is not given again.
                self.number += 1;
            }
            (sent, refusal) => panic!("{sent:?} and not {refusal:?}"),
        }
    }

    /// A request of the server's.
    fn is_asked(&mut self, entropy: &mut Entropy<'_>) {
        const ASKED: [(&str, &str); 11] = [
            ("roots/list", "{}"),
            (
                "sampling/createMessage",
                r#"{"messages":[{"role":"user"}],"maxTokens":7,"systemPrompt":"p\u0031"}"#,
            ),
            ("elicitation/create", r#"{"message":"m\n","requestedSchema":{"type":"object"}}"#),
            ("elicitation/create", r#"{"message":"m","mode":"url","url":"https://x","requestedSchema":{}}"#),
            ("ping", "{}"),
            ("x/y", "{}"),
            ("sampling/createMessage", r#"{"tools":[]}"#),
            ("elicitation/create", r#"{"message":"m","mode":"form"}"#),
            ("elicitation/create", r#"{"message":"m","mode":"other"}"#),
            ("elicitation/create", r#"{"message":7}"#),
            ("sampling/createMessage", ""),
        ];
        let (method, params) = entropy.pick(&ASKED);
        let id = entropy.pick(&["1", "\"a\\u0062\""]);
        let room = match entropy.once_in(4) {
            true => entropy.below(160),
            false => ROOM,
        };
        self.host().act = Act::new(entropy);
        let asked = (!params.is_empty()).then(|| value(params));
        self.host().params = asked.clone().unwrap_or(json!(null));
        let members = match params {
            "" => String::new(),
            params => format!(",\"params\":{params}"),
        };
        let frame = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"{members}}}");
        let expected = self.client.app.expected(method, asked.as_ref());
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        let incoming = self.client.handle_frame(frame.as_bytes(), self.now, &mut out);
        let Incoming::Request(request, answered) = incoming else {
            panic!("{incoming:?}");
        };
        assert!(request.method() == method);
        if self.is_modern() {
            // A modern server asks nothing.
            assert!(answered == Answered::Ignored && out.is_empty());
            let late = self.client.answer(RequestId::from(1), &mut out, |_| Ok(()));
            return assert!(late == Answered::Ignored && out.is_empty());
        }
        if expected == Ok(None) {
            assert!(answered == Answered::Later && out.is_empty(), "{frame}: {answered:?}");
            return self.answers_late(request.id(), id, room, entropy);
        }
        let expected = expected.map(|result| result.expect("not later"));
        is_answered(answered, &out, id, &expected);
    }

    /// What was put off.
    fn answers_late(&mut self, request: RequestId<'_>, id: &str, room: usize, entropy: &mut Entropy<'_>) {
        let refusal = Refusal::new(barewire::rpc::ErrorCode(-9), "too late");
        let expected = match entropy.once_in(3) {
            false => Ok(json!({"roots": [], "text": "t\"\n"})),
            true => Err(refusal),
        };
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        let answered = self.client.answer(request, &mut out, |reply| {
            reply.json().name("roots").begin_array().end_array();
            reply.json().name("text").string("t\"\n");
            expected.as_ref().map(|_| ()).map_err(|refusal| *refusal)
        });
        is_answered(answered, &out, id, &expected);
    }

    /// A notification, or something that went wrong on the line.
    fn hears(&mut self, entropy: &mut Entropy<'_>) {
        let at = entropy.below(NOTIFICATIONS.len() + 3);
        let nowhere = &mut Sink::new(&mut []);
        let now = self.now;
        if let Some((method, params)) = NOTIFICATIONS.get(at) {
            let is_ours = entropy.once_in(2);
            let open = self.open.first().filter(|_| is_ours);
            let id = open.map_or("77", |(.., id)| id);
            let frame = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{{params}\"_meta\":\
                 {{\"io.modelcontextprotocol/subscriptionId\":{id}}}}}}}"
            );
            let incoming = self.client.handle_frame(frame.as_bytes(), now, nowhere);
            return is_heard(at, &incoming, self.is_modern(), open.map(|(ticket, ..)| *ticket));
        }
        match at - NOTIFICATIONS.len() {
            0 => {
                assert!(matches!(self.client.receive(Next::Lost, now, nowhere), Some(Incoming::Lost)));
                assert!(self.client.receive(Next::NeedMore, now, nowhere).is_none());
            }
            1 => {
                // A request of its own that the server takes back.
                let frame =
                    br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}"#;
                match (self.client.handle_frame(frame, now, nowhere), self.is_modern()) {
                    (Incoming::Cancelled(id), false) => assert_eq!(id, RequestId::from("q")),
                    (Incoming::Notification(_), true) => {}
                    (other, _) => panic!("{other:?}"),
                }
            }
            _ => {
                let mut framer = Framer::new([0; 64]);
                framer.push(b"{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n");
                let line = framer.next();
                let incoming = self.client.receive(line, now, nowhere);
                assert!(matches!(incoming, Some(Incoming::Notification(_))));
            }
        }
    }

    /// A notification of the client's.
    fn tells(&mut self, entropy: &mut Entropy<'_>) {
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let (method, is_in) = entropy.pick(&[
            ("notifications/roots/list_changed", !self.is_modern()),
            ("notifications/x", true),
            ("notifications/message", false),
        ]);
        let told = self.client.notify(method, &mut out, |_| {});
        if is_in {
            assert_eq!(told, Ok(()));
            assert_eq!(line_of(&out), json!({"jsonrpc": "2.0", "method": method}));
        } else {
            assert_eq!(told, Err(RequestError::NotInRevision));
        }
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let expected =
            match (self.client.app.offered.has(ClientCapabilities::ROOTS_LIST_CHANGED), self.is_modern()) {
                (false, _) => Err(RequestError::NotOffered),
                (true, true) => Err(RequestError::NotInRevision),
                (true, false) => Ok(()),
            };
        assert_eq!(self.client.bind().roots_changed(&mut out), expected);
        match expected {
            Ok(()) => {
                let expected = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
                assert_eq!(line_of(&out), expected);
            }
            Err(error) => shows(error),
        }
        // Without room there is nothing.
        let full = self.client.notify("notifications/x", &mut Sink::new(&mut [0; 20]), |_| {});
        let Err(RequestError::NoRoom(full)) = full else {
            panic!("{full:?}");
        };
        assert_eq!(RequestError::NoRoom(full).to_string(), full.to_string());
    }

    /// The server, or the client, ends the oldest subscription.
    fn ends_subscription(&mut self, entropy: &mut Entropy<'_>) {
        if self.open.is_empty() {
            return;
        }
        let (ticket, number, id) = self.open.remove(0);
        let now = self.now;
        let mut memory = [0; 256];
        let mut out = Sink::new(&mut memory);
        let is_notice = entropy.once_in(2);
        let frame = match is_notice {
            true => format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}"
            ),
            false => {
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\"}}}}")
            }
        };
        let incoming = self.client.handle_frame(frame.as_bytes(), now, &mut out);
        let Incoming::Ended(ended) = incoming else {
            panic!("{incoming:?}");
        };
        assert_eq!((ended.ticket, ended.context), (ticket, number));
        match ended.outcome {
            ClientOutcome::SubscriptionEnded => assert!(is_notice),
            ClientOutcome::Result(_) => assert!(!is_notice),
            other => panic!("{other:?}"),
        }
        assert!(out.is_empty());
    }
}

/// The text of an error.
fn shows(error: RequestError) {
    let expected = match error {
        RequestError::AlreadyConnected => "the handshake has already begun".to_owned(),
        RequestError::TableFull => "too many requests are in flight".to_owned(),
        RequestError::NotInRevision => "the protocol revision has no such message".to_owned(),
        RequestError::NotOffered => "the server does not offer this".to_owned(),
        RequestError::Refused(refusal) => {
            format!("the input request is refused: {} {}", refusal.code.0, refusal.message)
        }
        RequestError::NotInFlight => "the request is not in flight".to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(error.to_string(), expected);
}

/// The result, or the error; where a result has no room, an error that says so; where that has none, nothing.
fn is_answered(answered: Answered, out: &Sink<'_>, id: &str, expected: &Result<Value, Refusal>) {
    let error = |refusal: Refusal| json!({"code": refusal.code.0, "message": refusal.message});
    let (member, body) = match expected {
        Ok(result) => ("result", result.clone()),
        Err(refusal) => ("error", error(*refusal)),
    };
    let too_large = Refusal::new(barewire::rpc::ErrorCode(-32603), "Response too large");
    let candidates = match expected {
        Ok(_) => vec![
            (member, body, Answered::Done),
            ("error", error(too_large), Answered::Refused(too_large.code)),
        ],
        Err(refusal) => vec![(member, body, Answered::Refused(refusal.code))],
    };
    for (member, body, expected) in candidates {
        let line = json!({"jsonrpc": "2.0", "id": value(id), member: body});
        // The id as it was sent, and a newline.
        let needed = line.to_string().len() - value(id).to_string().len() + id.len() + 1;
        if needed <= out.capacity() {
            assert_eq!((answered, line_of(out)), (expected, line));
            return;
        }
    }
    assert!(matches!(answered, Answered::NoRoom(_)) && out.is_empty());
}
