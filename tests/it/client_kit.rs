//! A client whose application is made of settings, and events as text.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::client::{
    BoundClient, ClientAnswer, ClientElicitation, ClientEngine, ClientFixed, ClientOptions, ClientOutcome,
    ClientSampling, Counter, ElicitReply, Ended, Incoming, Incompatible, MessageReply, Refusal,
    RequestOptions, ResultReply, RootsReply,
};
use barewire::engine::{ClientHandler, ClientParts, Full};
use barewire::json::RawValue;
use barewire::mcp::{ClientCapabilities, Implementation, ProtocolVersion};
use barewire::rpc::Request;

use crate::support::client::Client;

/// A host that declares what it is told to, and answers all of it.
#[derive(Default)]
pub(crate) struct Host {
    pub(crate) offered: ClientCapabilities,
    /// In the place of every answer.
    pub(crate) refusal: Option<Refusal>,
    pub(crate) later: bool,
    /// What was asked.
    pub(crate) asked: Vec<String>,
}

impl Host {
    pub(crate) fn offering(offer: impl FnOnce(&mut ClientCapabilities)) -> Self {
        let mut host = Self::default();
        offer(&mut host.offered);
        host
    }

    fn outcome(&self) -> Result<ClientAnswer, Refusal> {
        match (self.refusal, self.later) {
            (Some(refusal), _) => Err(refusal),
            (None, true) => Ok(ClientAnswer::Later),
            (None, false) => Ok(ClientAnswer::Done),
        }
    }
}

impl ClientHandler for Host {
    fn info(&self) -> Implementation<'_> {
        Implementation::new("host", "1")
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.offered
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        self.asked.push("roots".to_owned());
        reply.root("file:///a", Some("a")).root("file:///b", None);
        self.outcome()
    }

    fn create_message(
        &mut self,
        sampling: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        self.asked.push(format!(
            "sampling of {} messages, {:?} tokens, {:?}",
            sampling.messages().elements().count(),
            sampling.max_tokens(),
            sampling.system_prompt().map(|prompt| prompt.to_string()),
        ));
        reply.text("model", "hello");
        self.outcome()
    }

    fn elicit(
        &mut self,
        elicitation: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        self.asked.push(format!("elicit {}", elicitation.message()));
        match elicitation.url() {
            Some(_) => reply.accept_url(),
            None => reply.accept(|content| {
                content.name("yes").boolean(true);
            }),
        }
        self.outcome()
    }

    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        self.asked.push(format!("other {}", request.method()));
        if request.method() == "x/known" {
            reply.json().name("n").integer(1);
            return self.outcome();
        }
        Err(Refusal::METHOD_NOT_FOUND)
    }
}

/// Storage of the client, for this many requests and with these parts.
pub(crate) type Storage<const CALLS: usize = 4, P = Full> = ClientFixed<&'static str, CALLS, Counter, P>;

pub(crate) type HostClient<const CALLS: usize = 4, P = Full> = Client<Storage<CALLS, P>, Host>;

/// The client as it is lent for a call.
pub(crate) type Bound<'a, const CALLS: usize = 4, P = Full> = BoundClient<'a, Storage<CALLS, P>, Host>;

/// The moment of all that has no time of its own.
pub(crate) const NOW: Duration = Duration::from_secs(100);

pub(crate) fn ask() -> RequestOptions<'static, &'static str> {
    RequestOptions::at(NOW).with_context("c")
}

pub(crate) fn client() -> HostClient {
    HostClient::new(Host::default())
}

pub(crate) fn client_of(host: Host, options: ClientOptions) -> HostClient {
    HostClient::with(host, options)
}

/// A client in a connection of this revision, with a server that offers all there is. Its next id is 2.
pub(crate) fn connected(version: ProtocolVersion) -> HostClient {
    connected_with(Host::default(), version)
}

pub(crate) const OFFERS_ALL: &str = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

pub(crate) fn connected_with(host: Host, version: ProtocolVersion) -> HostClient {
    connect(host, version, OFFERS_ALL)
}

/// The same with a server that declares these capabilities.
pub(crate) fn connect(host: Host, version: ProtocolVersion, offered: &str) -> HostClient {
    connect_parts(host, version, offered)
}

/// A client before its handshake, of any parts.
pub(crate) fn with_parts<const CALLS: usize, P: ClientParts>(host: Host) -> HostClient<CALLS, P> {
    Client { engine: ClientEngine::with(Storage::new(), ClientOptions::DEFAULT, Counter::new()), app: host }
}

/// The same of any parts.
pub(crate) fn connect_parts<P: ClientParts>(
    host: Host,
    version: ProtocolVersion,
    offered: &str,
) -> HostClient<4, P> {
    let mut client = with_parts(host);
    let line = match version {
        ProtocolVersion::V2026_07_28 => {
            written(&mut client, |client, out| client.connect(NOW, out).unwrap());
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{offered},"ttlMs":0,"cacheScope":"private"}}}}"#
            )
        }
        legacy => {
            written(&mut client, |client, out| {
                client.initialize_with(legacy, NOW, out).unwrap();
            });
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{version}","capabilities":{offered},"serverInfo":{{"name":"s","version":"1"}}}}}}"#
            )
        }
    };
    let (event, _) = feed(&mut client, &line);
    assert!(event.starts_with("connected"), "{event}");
    assert_eq!(client.version(), Some(version));
    client
}

/// What a call writes.
pub(crate) fn written<const CALLS: usize, P: ClientParts, R>(
    client: &mut HostClient<CALLS, P>,
    call: impl FnOnce(&mut Bound<'_, CALLS, P>, &mut Sink<'_>) -> R,
) -> String {
    written_and(client, call).0
}

/// The same, with what the call returns.
pub(crate) fn written_and<const CALLS: usize, P: ClientParts, R>(
    client: &mut HostClient<CALLS, P>,
    call: impl FnOnce(&mut Bound<'_, CALLS, P>, &mut Sink<'_>) -> R,
) -> (String, R) {
    let mut memory = [0; 4096];
    let mut out = Sink::new(&mut memory);
    let result = call(&mut client.bind(), &mut out);
    let text = out.finish().expect("what does not fit is taken back");
    (String::from_utf8(text.to_vec()).expect("UTF-8"), result)
}

/// What a frame comes to, and what is written.
pub(crate) fn feed<const CALLS: usize, P: ClientParts>(
    client: &mut HostClient<CALLS, P>,
    line: &str,
) -> (String, String) {
    let (written, event) =
        written_and(client, |client, out| show(&client.handle_frame(line.as_bytes(), NOW, out)));
    (event, written)
}

/// What a frame comes to that nothing is written to.
pub(crate) fn event<const CALLS: usize, P: ClientParts>(
    client: &mut HostClient<CALLS, P>,
    line: &str,
) -> String {
    let (event, written) = feed(client, line);
    assert_eq!(written, "", "{line}");
    event
}

fn ended(ended: &Ended<'_, &'static str>) -> String {
    let method = ended.method.map_or("other", |method| method.name());
    let outcome = match ended.outcome {
        ClientOutcome::Result(result) => format!("result {}", result.as_value()),
        ClientOutcome::ToolError(result) => format!("tool error {}", result.object().as_value()),
        ClientOutcome::ProtocolError(error) => {
            let data = error.data().map_or(String::new(), |data| format!(" {data}"));
            format!("protocol error {} {}{data}", error.code(), error.message())
        }
        ClientOutcome::InputRequired(input) => {
            let requests: Vec<String> =
                input.requests().map(|request| format!("{} {}", request.key, request.method)).collect();
            let state = input.state().map(|state| state.as_escaped().to_owned());
            format!("input required [{}] {state:?}", requests.join(", "))
        }
        ClientOutcome::Task(task) => format!("task {:?} {:?}", task.id(), task.status()),
        ClientOutcome::Invalid(fault) => format!("invalid {fault:?}"),
        ClientOutcome::SubscriptionEnded => "subscription ended".to_owned(),
        ClientOutcome::TimedOut => "timed out".to_owned(),
        ClientOutcome::Disconnected => "disconnected".to_owned(),
        _ => unreachable!("no other outcome"),
    };
    format!("{method} {}: {outcome}", ended.context)
}

/// An event, as text.
pub(crate) fn show(incoming: &Incoming<'_, &'static str>) -> String {
    match incoming {
        Incoming::Nothing => "nothing".to_owned(),
        Incoming::Connected(server) => format!(
            "connected {} to {:?} {:?}",
            server.version(),
            server.server_name().map(|name| name.to_string()),
            server.instructions().map(|text| text.to_string()),
        ),
        Incoming::Incompatible(why) => match why {
            Incompatible::Version(name) => format!("incompatible: version {name}"),
            Incompatible::NoCommonVersion(names) => {
                format!("incompatible: no common version {}", names.as_value())
            }
            Incompatible::Refused(error) => {
                format!("incompatible: refused {} {}", error.code(), error.message())
            }
            Incompatible::Invalid(fault) => format!("incompatible: invalid {fault:?}"),
            Incompatible::TimedOut => "incompatible: timed out".to_owned(),
            Incompatible::NoRoom(_) => "incompatible: no room".to_owned(),
            _ => unreachable!("no other reason"),
        },
        Incoming::Ended(of) => ended(of),
        Incoming::Progress(progress) => format!(
            "progress {} of {:?} {:?}",
            progress.progress,
            progress.total.map(|total| total.to_string()),
            progress.message.map(|message| message.to_string()),
        ),
        Incoming::Log(log) => {
            format!("log {:?} {:?} {}", log.level, log.logger.map(|logger| logger.to_string()), log.data)
        }
        Incoming::ListChanged { list, subscription } => {
            format!("{list:?} changed, {}", of_subscription(subscription.is_some()))
        }
        Incoming::ResourceUpdated { uri, subscription } => {
            format!("{uri} updated, {}", of_subscription(subscription.is_some()))
        }
        Incoming::Acknowledged { notifications, .. } => {
            format!("acknowledged {}", notifications.as_value())
        }
        Incoming::Cancelled(id) => format!("cancelled {id}"),
        Incoming::Notification(notification) => format!("notification {}", notification.method()),
        Incoming::Request(request, answered) => format!("request {}: {answered:?}", request.method()),
        Incoming::Unmatched(response) => match response.id() {
            Some(id) => format!("unmatched {id}"),
            None => "unmatched without id".to_owned(),
        },
        Incoming::Rejected(rejection) => format!("rejected {}", rejection.reason().name()),
        Incoming::Lost => "lost".to_owned(),
        Incoming::NoRoom(_) => "no room".to_owned(),
        _ => unreachable!("no other event"),
    }
}

fn of_subscription(is_subscribed: bool) -> &'static str {
    match is_subscribed {
        true => "subscribed",
        false => "unsubscribed",
    }
}

/// A line without its newline.
pub(crate) fn line(text: &str) -> &str {
    let line = text.strip_suffix('\n').expect("a whole line");
    assert!(!line.contains('\n') && RawValue::new(line.as_bytes()).is_ok(), "{line}");
    line
}

/// What the client sends when it asks for this.
pub(crate) fn sent<const CALLS: usize, P: ClientParts, T: std::fmt::Debug, E: std::fmt::Debug>(
    client: &mut HostClient<CALLS, P>,
    call: impl FnOnce(&mut Bound<'_, CALLS, P>, &mut Sink<'_>) -> Result<T, E>,
) -> String {
    let (text, result) = written_and(client, call);
    result.expect("it is sent");
    line(&text).to_owned()
}

/// Why the client does not send this. Nothing is written.
pub(crate) fn unsent<const CALLS: usize, P: ClientParts, T: std::fmt::Debug, E>(
    client: &mut HostClient<CALLS, P>,
    call: impl FnOnce(&mut Bound<'_, CALLS, P>, &mut Sink<'_>) -> Result<T, E>,
) -> E {
    let before = client.in_flight();
    let (text, result) = written_and(client, call);
    assert_eq!(text, "");
    assert_eq!(client.in_flight(), before);
    match result {
        Ok(done) => panic!("{done:?}"),
        Err(error) => error,
    }
}

/// `_meta` of a modern request of [`Host::default`].
pub(crate) const MODERN_META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"host","version":"1"}}"#;
