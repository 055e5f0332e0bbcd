//! A client ends each of its requests once, and answers nothing but requests of a legacy server.

use core::time::Duration;

use barewire::bytes::Sink;
use barewire::engine::ClientHandler;
use barewire::engine::client::IdSource;
use barewire::engine::client::{
    Answered, BoundClient, ClientAnswer, ClientElicitation, ClientEngine, ClientFixed, ClientOptions,
    ClientOutcome, ClientSampling, CompletionFor, Counter, ElicitReply, Ended, Incoming, MessageReply,
    Refusal, RequestError, RequestOptions, ResultReply, RootsReply, StringCounter, Subscription, Ticket,
};
use barewire::mcp::{ClientCapabilities, Era, Implementation, LoggingLevel, ProtocolVersion, Text, Versions};
use barewire::rpc::Request;

use super::super::client::Client;
use super::super::entropy::Entropy;
use super::super::slow::{self, Leniency, Verdict};
use super::super::{generate, strings, tree};

/// A host that does what the last choice says.
struct Host {
    offered: ClientCapabilities,
    mood: usize,
}

impl Host {
    fn outcome(&mut self) -> Result<ClientAnswer, Refusal> {
        self.mood = (self.mood + 1) % 7;
        match self.mood {
            0 => Err(Refusal::REJECTED_BY_USER),
            1 => Ok(ClientAnswer::Later),
            _ => Ok(ClientAnswer::Done),
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
        reply.root("file:///a", None);
        self.outcome()
    }

    fn create_message(
        &mut self,
        sampling: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        assert!(sampling.messages().elements().count() < usize::MAX);
        if self.mood != 3 {
            reply.text("m", "t");
        }
        self.outcome()
    }

    fn elicit(
        &mut self,
        elicitation: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        if elicitation.url().is_none() {
            reply.accept(|content| {
                content.name("a").json_string(elicitation.message());
            });
        }
        self.outcome()
    }

    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        reply.json().name("method").json_string(request.method());
        self.outcome()
    }
}

/// A session of at most so many steps; the first choices are the form of the ids, the room in the output, what the host
/// offers, and which revisions it speaks.
pub(super) fn a_session_ends_each_request_once(entropy: &mut Entropy<'_>) {
    match entropy.once_in(4) {
        false => Session::new(entropy, Counter::new()).go(entropy),
        true => Session::new(entropy, Counter::new().as_string()).go(entropy),
    }
}

/// A source whose ids are known to the test by their text.
trait Known: IdSource {}
impl Known for Counter {}
impl Known for StringCounter {}

/// Small, so that it is full now and then.
const CALLS: usize = 3;

type Storage<I> = ClientFixed<u64, CALLS, I>;

/// What the test knows of a request.
#[derive(Debug, Clone)]
struct Pending {
    ticket: Ticket,
    /// The text of its id.
    id: String,
    number: u64,
    is_listen: bool,
}

struct Session<I: Known> {
    client: Client<Storage<I>, Host>,
    room: usize,
    now: Duration,
    pending: Vec<Pending>,
    speaks_legacy: bool,
    /// The id and the method of the handshake's last request.
    handshake: Option<(String, String)>,
    /// The texts of all ids that were sent.
    used: Vec<String>,
    number: u64,
}

/// What one call wrote: its lines, each valid. (As text: serde_json decodes no half of a surrogate pair.)
type Lines = Vec<String>;

fn lines_of(out: &Sink<'_>) -> Lines {
    let text = out.finish().expect("what does not fit is taken back");
    let text = core::str::from_utf8(text).expect("output is UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'));
    let lines: Lines = text.lines().map(str::to_owned).collect();
    assert!(lines.iter().all(|line| tree::value(line.as_bytes()) == Some(line.as_str())));
    lines
}

/// The token of a member, down this path.
fn member<'a>(line: &'a str, path: &[&str]) -> Option<&'a str> {
    path.iter().try_fold(line, |value, name| {
        let members = tree::members(value)?;
        slow::all(&members, name).first().copied()
    })
}

fn has_method(line: &str, method: &str) -> bool {
    member(line, &["method"]).is_some_and(|token| strings::is(token, method))
}

impl<I: Known> Session<I> {
    fn new(entropy: &mut Entropy<'_>, ids: I) -> Self {
        let room = match entropy.below(4) {
            0 => entropy.below(200),
            1 => 400,
            _ => 8192,
        };
        let mut offered = ClientCapabilities::NONE;
        let flags = entropy.byte();
        offered.set(ClientCapabilities::ROOTS, flags & 1 == 0);
        offered.set(ClientCapabilities::SAMPLING, flags & 2 == 0);
        offered.set(ClientCapabilities::SAMPLING_TOOLS, flags & 4 != 0);
        offered.set(ClientCapabilities::ELICITATION_FORM, flags & 8 == 0);
        offered.set(ClientCapabilities::ELICITATION_URL, flags & 16 != 0);
        offered.set(ClientCapabilities::TASKS_EXTENSION, flags & 32 != 0);
        let versions = match entropy.below(6) {
            3 => Versions::LEGACY,
            4 => Versions::MODERN,
            5 => Versions::only(entropy.pick(&ProtocolVersion::ALL)),
            _ => Versions::ALL,
        };
        let options = ClientOptions::DEFAULT.with_versions(versions);
        Self {
            client: Client {
                engine: ClientEngine::with(ClientFixed::new(), options, ids),
                app: Host { offered, mood: 1 },
            },
            room,
            now: Duration::from_secs(1),
            pending: Vec::new(),
            speaks_legacy: ProtocolVersion::ALL
                .iter()
                .any(|version| version.era() == Era::Legacy && versions.contains(*version)),
            handshake: None,
            used: Vec::new(),
            number: 0,
        }
    }

    fn go(mut self, entropy: &mut Entropy<'_>) {
        for _ in 0..40 {
            self.now += Duration::from_millis(entropy.below(300) as u64);
            match entropy.below(16) {
                0 => self.connect(entropy),
                1..=3 => self.request(entropy),
                4 => self.cancel(entropy),
                5 => self.expire(self.now + Duration::from_secs(entropy.below(70) as u64)),
                6 if entropy.once_in(4) => self.disconnect(),
                7 => self.notify(entropy),
                8..=10 => self.well_formed(entropy),
                _ => self.arbitrary(entropy),
            }
            assert_eq!(self.client.in_flight(), self.pending.len());
            assert_eq!(self.client.is_connecting(), self.handshake.is_some());
        }
        // Whatever goes on ends in time.
        for _ in 0..8 {
            self.now += Duration::from_secs(10_000);
            self.expire(self.now);
        }
        self.pending.retain(|pending| pending.is_listen);
        assert!(self.handshake.is_none());
        self.disconnect();
    }

    /// The lines that one call wrote.
    fn written<R>(
        &mut self,
        call: impl FnOnce(&mut BoundClient<'_, Storage<I>, Host>, Duration, &mut Sink<'_>) -> R,
    ) -> (Lines, R) {
        let mut memory = vec![0; self.room];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.client.bind(), self.now, &mut out);
        (lines_of(&out), result)
    }

    /// The request of the handshake among these lines, if there is one; the others are its notification.
    fn note_handshake(&mut self, lines: &[String]) {
        self.handshake = None;
        for line in lines {
            let begun = ["initialize", "server/discover"].into_iter().find(|method| has_method(line, method));
            match begun {
                Some(method) => {
                    let id = self.new_id(line);
                    assert!(self.handshake.replace((id, method.to_owned())).is_none());
                }
                None => {
                    assert!(has_method(line, "notifications/initialized"), "{line}");
                    assert!(self.client.version().is_some());
                }
            }
        }
    }

    /// An id that was never used before.
    fn new_id(&mut self, request: &str) -> String {
        let id = member(request, &["id"]).expect("an id").to_owned();
        assert!(!self.used.contains(&id), "{id} was used before");
        self.used.push(id.clone());
        id
    }

    fn connect(&mut self, entropy: &mut Entropy<'_>) {
        let version = match entropy.once_in(2) {
            true => Some(entropy.pick(&ProtocolVersion::ALL)),
            false => None,
        };
        let is_begun = self.client.is_connecting() || self.client.version().is_some();
        let (lines, begun) = self.written(|client, now, out| match version {
            Some(version) => client.initialize_with(version, now, out),
            None => client.connect(now, out),
        });
        match begun {
            Ok(()) => {
                assert!(!is_begun && lines.len() == 1);
                self.note_handshake(&lines);
            }
            Err(error) => {
                assert!(lines.is_empty());
                match is_begun {
                    true => assert_eq!(error, RequestError::AlreadyConnected),
                    false => assert!(matches!(error, RequestError::NoRoom(_))),
                }
            }
        }
    }

    fn request(&mut self, entropy: &mut Entropy<'_>) {
        self.number += 1;
        let number = self.number;
        let kind = entropy.below(20);
        let flags = entropy.byte();
        let level = entropy.pick(&LoggingLevel::ALL);
        let (lines, sent) = self.written(|client, now, out| {
            let mut ask = RequestOptions::at(now).with_context(number);
            if flags & 1 != 0 {
                ask = ask.with_progress();
            }
            if flags & 2 != 0 {
                ask = ask.even_if_not_offered();
            }
            if flags & 4 != 0 {
                ask = ask.with_log_level(level);
            }
            if flags & 24 == 24 {
                ask = ask.as_task(Some(u64::from(flags)));
            }
            send(client, ask, kind, out)
        });
        self.sent(number, kind == LISTEN, &lines, sent);
    }

    /// A request was sent, or not.
    fn sent(&mut self, number: u64, is_listen: bool, lines: &[String], sent: Result<Ticket, RequestError>) {
        match sent {
            Ok(ticket) => {
                let [request] = lines else {
                    panic!("one line for a request: {lines:?}");
                };
                assert!(self.client.version().is_some());
                let id = self.new_id(request);
                self.pending.push(Pending { ticket, id, number, is_listen });
                assert!(self.pending.len() <= CALLS);
            }
            Err(error) => {
                assert!(lines.is_empty(), "{error}");
                if self.client.version().is_none() {
                    assert_eq!(error, RequestError::NotConnected);
                }
            }
        }
    }

    fn cancel(&mut self, entropy: &mut Entropy<'_>) {
        if self.pending.is_empty() {
            return;
        }
        let at = entropy.below(self.pending.len());
        let cancelled = self.pending[at].clone();
        let (lines, context) = self.written(|client, _, out| client.cancel(cancelled.ticket, None, out));
        match context {
            Ok(context) => {
                assert_eq!(context, cancelled.number);
                self.pending.remove(at);
                assert_eq!(lines.len(), 1);
                assert_eq!(member(&lines[0], &["params", "requestId"]), Some(cancelled.id.as_str()));
                let (_, again) = self.written(|client, _, out| client.cancel(cancelled.ticket, None, out));
                assert_eq!(again, Err(RequestError::NotInFlight));
            }
            Err(error) => {
                assert!(lines.is_empty() && matches!(error, RequestError::NoRoom(_)));
            }
        }
    }

    fn notify(&mut self, entropy: &mut Entropy<'_>) {
        let method =
            entropy.pick(&["notifications/x", "notifications/progress", "notifications/roots/list_changed"]);
        let (lines, sent) = self.written(|client, _, out| client.notify(method, out, |_| {}));
        assert_eq!(lines.len(), usize::from(sent.is_ok()));
        assert!(lines.iter().all(|line| member(line, &["id"]).is_none()));
    }

    /// A request has ended: it was waiting, and waits no more.
    fn ended(&mut self, ended: &Ended<'_, u64>) -> Pending {
        let at = self.pending.iter().position(|pending| pending.ticket == ended.ticket);
        let pending = self.pending.remove(at.expect("a request that waits"));
        assert_eq!(pending.number, ended.context);
        pending
    }

    fn expire(&mut self, now: Duration) {
        self.now = self.now.max(now);
        for _ in 0..20 {
            let mut memory = vec![0; self.room];
            let mut out = Sink::new(&mut memory);
            let incoming = self.client.expire(now, &mut out);
            let lines = lines_of(&out);
            match incoming {
                None => {
                    assert!(lines.is_empty());
                    assert!(self.client.next_deadline().is_none_or(|deadline| deadline > now));
                    return;
                }
                Some(Incoming::Ended(ended)) => {
                    assert!(matches!(ended.outcome, ClientOutcome::TimedOut));
                    let pending = self.ended(&ended);
                    for line in &lines {
                        assert!(has_method(line, "notifications/cancelled"));
                        assert_eq!(member(line, &["params", "requestId"]), Some(pending.id.as_str()));
                    }
                    assert!(lines.len() <= 1);
                }
                Some(Incoming::Nothing | Incoming::Incompatible(_)) => self.note_handshake(&lines),
                Some(other) => panic!("{other:?}"),
            }
        }
        panic!("time passes for ever");
    }

    fn disconnect(&mut self) {
        while let Some(ended) = self.client.disconnect() {
            assert!(matches!(ended.outcome, ClientOutcome::Disconnected));
            self.ended(&ended);
        }
        assert!(self.pending.is_empty() && self.client.version().is_none());
        self.handshake = None;
    }

    // What comes in.

    /// What a server may send in this place, or nearly.
    fn well_formed(&mut self, entropy: &mut Entropy<'_>) {
        if let Some((id, method)) = self.handshake.clone() {
            let frame = handshake_answer(entropy, &id, &method);
            return self.frame(entropy, frame.as_bytes());
        }
        let id = match self.pending.is_empty() {
            true => "77".to_owned(),
            false => self.pending[entropy.below(self.pending.len())].id.clone(),
        };
        let frame = match entropy.below(4) {
            0 => notification(entropy, &id),
            1 => server_request(entropy),
            _ => response(entropy, &id),
        };
        self.frame(entropy, frame.as_bytes());
    }

    fn arbitrary(&mut self, entropy: &mut Entropy<'_>) {
        let frame = match entropy.below(6) {
            0 => {
                let length = entropy.below(60);
                (0..length).map(|_| entropy.byte()).collect()
            }
            1 => generate::deep(entropy),
            3 => {
                let id = self.pending.first().map_or("77", |pending| &pending.id);
                let text = response(entropy, id).into_bytes();
                generate::damaged(entropy, text)
            }
            2 => match self.pending.first() {
                // A message with the id of a request in the place of its own.
                Some(pending) => {
                    let text = String::from_utf8_lossy(&generate::message(entropy)).into_owned();
                    text.replacen("\"id\":", &format!("\"id\":{},\"x\":", pending.id), 1).into_bytes()
                }
                None => generate::message(entropy),
            },
            _ => generate::message(entropy),
        };
        self.frame(entropy, &frame);
    }

    /// The request that the text of an id belongs to.
    fn waiting(&self, id: &str) -> Option<Pending> {
        let is_it = |pending: &&Pending| is_same_id(&pending.id, id);
        self.pending.iter().find(is_it).cloned()
    }

    fn is_of_handshake(&self, id: &str) -> bool {
        self.handshake.as_ref().is_some_and(|(own, _)| is_same_id(own, id))
    }

    fn frame(&mut self, entropy: &mut Entropy<'_>, frame: &[u8]) {
        let is_legacy_2025_03_26 = self.client.version() == Some(ProtocolVersion::V2025_03_26);
        let elements = tree::value(frame).and_then(tree::elements);
        if let (true, Some(elements)) = (is_legacy_2025_03_26, elements)
            && !matches!(
                slow::classify(frame, &[LENIENCY]).remove(0),
                Verdict::Invalid { reason: barewire::rpc::Reason::TooDeep, .. }
            )
        {
            return self.batch(frame, &elements);
        }
        if entropy.once_in(8) {
            return self.too_long(frame);
        }
        self.one(frame, frame);
        assert!(!self.client.has_more());
    }

    fn batch(&mut self, frame: &[u8], elements: &[&str]) {
        for element in elements {
            self.one(frame, element.as_bytes());
        }
        if elements.is_empty() {
            self.one(frame, frame);
        }
        assert!(!self.client.has_more());
    }

    /// One message, of a frame that may be a batch.
    fn one(&mut self, frame: &[u8], message: &[u8]) {
        let era = self.client.version().map(ProtocolVersion::era);
        let is_initializing = self.is_sending("initialize");
        let is_probing = self.is_sending("server/discover");
        let mut memory = vec![0; self.room];
        let mut out = Sink::new(&mut memory);
        let incoming = self.client.handle_frame(frame, self.now, &mut out);
        let lines = lines_of(&out);
        let shown = String::from_utf8_lossy(message).into_owned();
        if message.iter().all(|byte| b" \t\r\n".contains(byte)) {
            assert!(lines.is_empty() && matches!(incoming, Incoming::Nothing));
            return;
        }
        match slow::classify(message, &[LENIENCY]).remove(0) {
            Verdict::Request { id, .. } => {
                let Incoming::Request(_, answered) = incoming else {
                    panic!("{shown}: {incoming:?}");
                };
                let may_answer =
                    era == Some(Era::Legacy) || is_initializing || is_probing && self.speaks_legacy;
                match answered {
                    Answered::Done | Answered::Refused(_) => {
                        assert!(may_answer && lines.len() == 1, "{shown}");
                        assert_eq!(member(&lines[0], &["id"]), Some(id), "{shown}");
                        assert!(member(&lines[0], &["method"]).is_none());
                    }
                    Answered::Ignored => assert!(!may_answer && lines.is_empty(), "{shown}"),
                    Answered::Later | Answered::NoRoom(_) => {
                        assert!(may_answer && lines.is_empty(), "{shown}")
                    }
                }
            }
            Verdict::Notification { method, .. } => {
                assert!(lines.is_empty(), "{shown}");
                if let Incoming::Ended(ended) = incoming {
                    assert!(strings::is(method, "notifications/cancelled") && era == Some(Era::Modern));
                    assert!(matches!(ended.outcome, ClientOutcome::SubscriptionEnded));
                    assert!(self.ended(&ended).is_listen);
                }
            }
            Verdict::Result { id, .. } | Verdict::Error { id: Some(id), .. } => {
                self.response(id, &incoming, &lines, &shown);
                self.retry(&incoming);
            }
            Verdict::Error { id: None, .. } => {
                assert!(lines.is_empty() && matches!(incoming, Incoming::Unmatched(_)), "{shown}");
            }
            Verdict::Invalid { reason, .. } => {
                let mended = mended(message);
                let id = match reason {
                    barewire::rpc::Reason::NotJson(_) => named_by_response(&mended),
                    _ => named(message),
                };
                match id {
                    Some(id) if self.waiting(id).is_some() || self.is_of_handshake(id) => {
                        self.response(id, &incoming, &lines, &shown);
                    }
                    _ => {
                        assert!(lines.is_empty(), "{shown}");
                        assert!(matches!(incoming, Incoming::Rejected(_)), "{shown}: {incoming:?}");
                    }
                }
            }
        }
    }

    /// Whether the handshake has sent this method last, and goes on.
    fn is_sending(&self, method: &str) -> bool {
        self.handshake.as_ref().is_some_and(|(_, sent)| sent == method)
    }

    /// A response with this id, well-formed or not.
    fn response(&mut self, id: &str, incoming: &Incoming<'_, u64>, lines: &[String], shown: &str) {
        if self.is_of_handshake(id) {
            assert!(
                matches!(incoming, Incoming::Nothing | Incoming::Connected(_) | Incoming::Incompatible(_)),
                "{shown}: {incoming:?}"
            );
            return self.note_handshake(lines);
        }
        assert!(lines.is_empty(), "{shown}");
        match (self.waiting(id), incoming) {
            (Some(pending), Incoming::Ended(ended)) => {
                assert_eq!(self.ended(ended).ticket, pending.ticket, "{shown}");
            }
            (None, Incoming::Unmatched(_)) => {}
            (_, other) => panic!("{shown}: {other:?}"),
        }
    }

    /// Asks again where the server wants to know something.
    fn retry(&mut self, incoming: &Incoming<'_, u64>) {
        let Incoming::Ended(ended) = incoming else {
            return;
        };
        let ClientOutcome::InputRequired(input) = ended.outcome else {
            return;
        };
        self.number += 1;
        let number = self.number;
        let (lines, sent) = self.written(|client, now, out| {
            let ask = RequestOptions::at(now).with_context(number).answering(input).even_if_not_offered();
            client.call_tool(ask, "t", out, |_| {})
        });
        if let (Ok(_), Some(state)) = (&sent, input.state()) {
            let sent = member(&lines[0], &["params", "requestState"]);
            assert_eq!(sent, Some(format!("\"{}\"", state.as_escaped()).as_str()));
        }
        self.sent(number, false, &lines, sent);
    }

    /// The frame in pieces, as a line that is longer than the buffer.
    fn too_long(&mut self, frame: &[u8]) {
        if frame.contains(&b'\n') {
            return;
        }
        let room = self.room;
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        for piece in frame.chunks(7) {
            let incoming = self.client.receive(barewire::bytes::Next::Part(piece), self.now, &mut out);
            assert!(matches!(incoming, Some(Incoming::Nothing)));
        }
        let incoming = self.client.receive(barewire::bytes::Next::TooLong, self.now, &mut out);
        let incoming = incoming.expect("an event");
        let lines = lines_of(&out);
        let shown = String::from_utf8_lossy(frame).into_owned();
        if tree::value(frame).is_none() {
            // Whether such a line is JSON stays unknown; what it seems to name may end.
            match &incoming {
                Incoming::Ended(ended) => drop(self.ended(ended)),
                Incoming::Rejected(_) => assert!(lines.is_empty()),
                _ => self.note_handshake(&lines),
            }
            return;
        }
        match named(frame) {
            Some(id) if self.waiting(id).is_some() || self.is_of_handshake(id) => {
                self.response(id, &incoming, &lines, &shown);
            }
            _ => assert!(lines.is_empty() && matches!(incoming, Incoming::Rejected(_)), "{shown}"),
        }
    }
}

const LENIENCY: Leniency = Leniency { error_without_id: true, ..Leniency::STRICT };

/// The id that a text names that is no message, and has no method: of the request that it may be the response to.
fn named(text: &[u8]) -> Option<&str> {
    let members = tree::members(tree::value(text)?)?;
    let ids = slow::all(&members, "id");
    match (slow::all(&members, "method").is_empty(), &ids[..]) {
        (true, [id]) if slow::is_id(id) => Some(id),
        _ => None,
    }
}

/// The same of a line that looks like a response.
fn named_by_response(text: &[u8]) -> Option<&str> {
    let members = tree::members(tree::value(text)?)?;
    let has = |name| !slow::all(&members, name).is_empty();
    named(text).filter(|_| has("result") || has("error"))
}

/// The text with an `x` in the place of each control character, and each byte outside ASCII, of its strings.
fn mended(text: &[u8]) -> Vec<u8> {
    let (mut in_string, mut is_escaped) = (false, false);
    let mend = |byte: &u8| match (in_string, byte) {
        _ if is_escaped => {
            is_escaped = false;
            *byte
        }
        (_, b'"') => {
            in_string = !in_string;
            *byte
        }
        (true, b'\\') => {
            is_escaped = true;
            *byte
        }
        (true, ..b' ' | 0x80..) => b'x',
        _ => *byte,
    };
    text.iter().map(mend).collect()
}

/// Of the same type and value. Own ids are plain: digits, or a string of digits.
fn is_same_id(own: &str, other: &str) -> bool {
    match (own.starts_with('"'), other.starts_with('"')) {
        (true, true) => strings::units(own) == strings::units(other),
        (false, false) => own == other,
        _ => false,
    }
}

const LISTEN: usize = 8;

fn send<I: IdSource>(
    client: &mut BoundClient<'_, Storage<I>, Host>,
    ask: RequestOptions<'_, u64>,
    kind: usize,
    out: &mut Sink<'_>,
) -> Result<Ticket, RequestError> {
    match kind {
        0 => client.ping(ask, out),
        1 => client.list_tools(ask, None, out),
        2 => client.list_resources(ask, None, out),
        3 => client.list_resource_templates(ask, None, out),
        4 => client.list_prompts(ask, None, out),
        5 => client.read_resource(ask, "a:b", out),
        6 => client.subscribe(ask, "a:b", out),
        7 => client.get_prompt(ask, "p", out, |_| {}),
        LISTEN => client.listen(ask, &Subscription::default(), out),
        9 => client.set_level(ask, LoggingLevel::Info, out),
        10 => client.get_task(ask, "t", out),
        11 => client.list_tasks(ask, None, out),
        12 => client.complete(ask, CompletionFor::Prompt(Text::Plain("p")), "a", "", out, |_| {}),
        13 => client.request(ask, "x/y", out, |_| {}),
        _ => client.call_tool(ask, "t", out, |arguments| {
            arguments.name("a").string("\u{1}\"é");
        }),
    }
}

const CAPABILITIES: &str = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{},"tasks":{"list":{},"requests":{"tools":{"call":{}}}},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

fn handshake_answer(entropy: &mut Entropy<'_>, id: &str, method: &str) -> String {
    let list = entropy.pick(&[
        r#"["2026-07-28"]"#,
        r#"["2026-07-28","2025-11-25"]"#,
        r#"["2025-06-18"]"#,
        r#"["2031-01-01"]"#,
        "[]",
        "7",
    ]);
    let version = entropy.pick(&["2025-11-25", "2025-03-26", "2025-03-26", "2024-11-05", "2026-07-28", "x"]);
    let capabilities = entropy.pick(&[CAPABILITIES, "{}", "[]"]);
    match (method, entropy.below(5)) {
        ("server/discover", 0..=2) => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","supportedVersions":{list},"capabilities":{capabilities}}}}}"#
        ),
        ("initialize", 0..=2) => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"protocolVersion":"{version}","capabilities":{capabilities}}}}}"#
        ),
        (_, 3) => {
            let code = entropy.pick(&["-32022", "-32601", "-32602"]);
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"","data":{{"supported":{list}}}}}}}"#
            )
        }
        _ => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}}}"#, generate::value(entropy, 2)),
    }
}

fn response(entropy: &mut Entropy<'_>, id: &str) -> String {
    let body = entropy.pick(&[
        r#""result":{}"#,
        r#""result":{"content":[],"isError":true}"#,
        r#""result":{"resultType":"complete","content":[{"type":"text","text":"\ud83d"}]}"#,
        r#""result":{"resultType":"input_required","requestState":"s\u0031\n"}"#,
        r#""result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{"message":"\u0061"}},"c":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}}"#,
        r#""result":{"resultType":"input_required","inputRequests":{"a":{"method":"tools/list"}},"requestState":""}"#,
        r#""result":{"resultType":"input_required"}"#,
        r#""result":{"resultType":"task","taskId":"t","status":"working"}"#,
        r#""result":{"task":{"taskId":"t"}}"#,
        r#""result":{"resultType":"other"}"#,
        r#""result":[]"#,
        r#""error":{"code":-32602,"message":"no"}"#,
        r#""error":{"code":1}"#,
        r#""result":{},"error":{"code":1,"message":""}"#,
    ]);
    match entropy.below(8) {
        7 => format!(r#"{{"jsonrpc":"2.0",{body},"\u0069d":{id},"id":{id}}}"#),
        6 => format!(r#"{{"jsonrpc":"2.0",{body},"\u0069d":{id}}}"#),
        _ => format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#),
    }
}

fn notification(entropy: &mut Entropy<'_>, id: &str) -> String {
    let meta = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#);
    let (method, params) = match entropy.below(7) {
        0 => ("progress", format!(r#""progressToken":{id},"progress":1"#)),
        1 => ("message", r#""level":"info","data":1"#.to_owned()),
        2 => ("tools/list_changed", meta),
        3 => ("resources/updated", format!(r#""uri":"a:b",{meta}"#)),
        4 => ("subscriptions/acknowledged", format!(r#""notifications":{{}},{meta}"#)),
        5 => ("cancelled", format!(r#""requestId":{id}"#)),
        _ => ("x", String::new()),
    };
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{{params}}}}}"#)
}

fn server_request(entropy: &mut Entropy<'_>) -> String {
    let (method, params) = entropy.pick(&[
        ("ping", "{}"),
        ("roots/list", "{}"),
        ("sampling/createMessage", r#"{"messages":[],"maxTokens":1}"#),
        ("sampling/createMessage", r#"{"messages":[],"tools":[]}"#),
        ("elicitation/create", r#"{"message":"a\u0062"}"#),
        ("elicitation/create", r#"{"message":"a","mode":"url","url":"https://x"}"#),
        ("x", "{}"),
    ]);
    let id = entropy.pick(&["1", "2", r#""a\u0062""#]);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}
