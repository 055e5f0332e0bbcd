//! A client and a server of this crate, connected in memory.

use core::time::Duration;
use std::collections::{HashMap, VecDeque};

use barewire::bytes::{Framer, Sink};
use barewire::engine::client::{
    Ask, Client, CompletionFor, Counter, Incoming, Options, Outcome, Plain, RequestError, Subscription,
    Ticket,
};
use barewire::engine::{Full, List, Progress, Server, Status};
use barewire::mcp::{Era, Implementation, LoggingLevel, ProtocolVersion, Text, Versions};
use proptest::collection::vec;
use proptest::prelude::any;

use crate::props::holds;
use crate::support::application::{Application, WAYS};
use crate::support::entropy::Entropy;

type Requester = Client<Plain, u64, 4>;
type Answerer = Server<Application, Full, 4, 4>;

/// One direction of the wire: lines on their way, and what the receiver has of the first of them.
struct Pipe {
    lines: VecDeque<Vec<u8>>,
    /// What is left of a line of which a part was delivered.
    begun: Vec<u8>,
    framer: Framer<Vec<u8>>,
}

impl Pipe {
    fn new() -> Self {
        Self {
            lines: VecDeque::new(),
            begun: Vec::new(),
            framer: Framer::new(vec![0; 1 << 14]),
        }
    }

    fn write(&mut self, out: &Sink<'_>) {
        let text = out.finish().expect("room");
        assert!(text.is_empty() || text.ends_with(b"\n"));
        let lines = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec);
        self.lines.extend(lines);
    }

    /// Hands so many bytes to the receiver's framer; true while there are some.
    fn deliver(&mut self, count: usize) -> bool {
        if self.begun.is_empty() {
            match self.lines.pop_front() {
                Some(line) => self.begun = line,
                None => return false,
            }
        }
        let count = count.clamp(1, self.begun.len());
        assert_eq!(self.framer.push(&self.begun[..count]), count);
        self.begun.drain(..count);
        true
    }

    /// Loses one of the lines of which nothing was delivered.
    fn lose(&mut self, at: usize) -> bool {
        self.lines.remove(at).is_some()
    }
}

struct Pair {
    client: Requester,
    server: Answerer,
    up: Pipe,
    down: Pipe,
    now: Duration,
    number: u64,
    /// The requests that wait, with their numbers.
    waiting: HashMap<Ticket, u64>,
    /// How each request has ended, by its number.
    ends: HashMap<u64, String>,
    events: Vec<String>,
    subscriptions: Vec<Ticket>,
    version: Option<ProtocolVersion>,
    /// Responses that come to nobody are expected: to what was cancelled or has timed out.
    given_up: usize,
    has_losses: bool,
}

impl Pair {
    fn new(versions: Versions) -> Self {
        let options = Options::DEFAULT.with_versions(versions);
        let info = Implementation::new("pair", "1");
        Self {
            client: Client::with(Plain(info), options, Counter::new()),
            server: Server::new(Application::default()),
            up: Pipe::new(),
            down: Pipe::new(),
            now: Duration::ZERO,
            number: 0,
            waiting: HashMap::new(),
            ends: HashMap::new(),
            events: Vec::new(),
            subscriptions: Vec::new(),
            version: None,
            given_up: 0,
            has_losses: false,
        }
    }

    /// The client writes.
    fn ask<R>(&mut self, call: impl FnOnce(&mut Requester, Duration, &mut Sink<'_>) -> R) -> R {
        let mut memory = [0; 4096];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.client, self.now, &mut out);
        self.up.write(&out);
        result
    }

    /// The server writes, in as many rounds as it takes.
    fn tell(&mut self, mut call: impl FnMut(&mut Answerer, &mut Sink<'_>) -> Status) {
        loop {
            let mut memory = [0; 8192];
            let mut out = Sink::new(&mut memory);
            let status = call(&mut self.server, &mut out);
            self.down.write(&out);
            if status == Status::Done {
                return;
            }
        }
    }

    fn connect(&mut self) {
        self.ask(|client, now, out| client.connect(now, out))
            .expect("room");
        self.deliver_all();
    }

    /// Sends a request; one that may not be sent is none.
    fn request(
        &mut self,
        call: impl FnOnce(&mut Requester, Ask<'_, u64>, &mut Sink<'_>) -> Result<Ticket, RequestError>,
    ) -> Result<u64, RequestError> {
        self.number += 1;
        let number = self.number;
        let ticket = self
            .ask(|client, now, out| call(client, Ask::at(now).with_context(number).with_progress(), out))?;
        assert!(self.waiting.insert(ticket, number).is_none());
        Ok(number)
    }

    fn deliver_up(&mut self, count: usize) -> bool {
        let any = self.up.deliver(count);
        loop {
            let mut memory = [0; 8192];
            let mut out = Sink::new(&mut memory);
            let status = self.server.receive(self.up.framer.next(), &mut out);
            self.down.write(&out);
            match status {
                Some(status) => assert_eq!(status, Status::Done),
                None => return any,
            }
        }
    }

    fn deliver_down(&mut self, count: usize) -> bool {
        let any = self.down.deliver(count);
        loop {
            let mut memory = [0; 4096];
            let mut out = Sink::new(&mut memory);
            let incoming = self.client.receive(self.down.framer.next(), self.now, &mut out);
            self.up.write(&out);
            let Some(incoming) = incoming else {
                return any;
            };
            note(
                &incoming,
                &mut Notes {
                    waiting: &mut self.waiting,
                    ends: &mut self.ends,
                    events: &mut self.events,
                    subscriptions: &mut self.subscriptions,
                    version: &mut self.version,
                    given_up: self.given_up,
                    has_losses: self.has_losses,
                },
            );
        }
    }

    fn deliver_all(&mut self) {
        while self.deliver_up(usize::MAX) || self.deliver_down(usize::MAX) {}
    }

    fn cancel(&mut self, ticket: Ticket) {
        let number = self.ask(|client, _, out| client.cancel(ticket, None, out));
        assert_eq!(number.ok(), self.waiting.remove(&ticket));
        self.subscriptions.retain(|open| *open != ticket);
        self.given_up += 1;
    }

    fn expire(&mut self, by: Duration) {
        self.now += by;
        loop {
            let mut memory = [0; 256];
            let mut out = Sink::new(&mut memory);
            let incoming = self.client.expire(self.now, &mut out);
            self.up.write(&out);
            match incoming {
                None => return,
                Some(Incoming::Ended(ended)) => {
                    assert!(matches!(ended.outcome, Outcome::TimedOut));
                    assert_eq!(self.waiting.remove(&ended.ticket), Some(ended.context));
                    assert!(self.ends.insert(ended.context, "timed out".to_owned()).is_none());
                    self.given_up += 1;
                }
                Some(_) => assert!(self.has_losses, "the handshake goes on by itself"),
            }
        }
    }

    /// Completes the call that the server has put off at this place.
    fn complete(&mut self, at: usize) {
        let deferred = &mut self.server.handler_mut().seen().deferred;
        if at < deferred.len() {
            let token = deferred.remove(at);
            self.tell(|server, out| {
                server
                    .complete_tool(token, out, |reply| {
                        reply.text("done");
                        Ok(())
                    })
                    .expect("in flight")
            });
        }
    }
}

/// What an event changes.
struct Notes<'a> {
    waiting: &'a mut HashMap<Ticket, u64>,
    ends: &'a mut HashMap<u64, String>,
    events: &'a mut Vec<String>,
    subscriptions: &'a mut Vec<Ticket>,
    version: &'a mut Option<ProtocolVersion>,
    given_up: usize,
    has_losses: bool,
}

fn note(incoming: &Incoming<'_, u64>, notes: &mut Notes<'_>) {
    let event = match incoming {
        Incoming::Nothing => return,
        Incoming::Connected(server) => {
            *notes.version = Some(server.version());
            assert!(server.server_name().is_some_and(|name| name == "d"));
            format!("connected {}", server.version())
        }
        Incoming::Ended(ended) => {
            assert_eq!(notes.waiting.remove(&ended.ticket), Some(ended.context));
            notes.subscriptions.retain(|open| *open != ended.ticket);
            let outcome = match ended.outcome {
                Outcome::Result(_) => "result".to_owned(),
                Outcome::ToolError(_) => "tool error".to_owned(),
                Outcome::ProtocolError(error) => {
                    assert!(
                        !matches!(error.code().0, -32700 | -32600),
                        "the server has not understood: {error:?}"
                    );
                    format!("error {}", error.code())
                }
                other => panic!("{other:?}"),
            };
            assert!(notes.ends.insert(ended.context, outcome).is_none(), "ended twice");
            return;
        }
        Incoming::Progress(progress) => {
            assert!(notes.waiting.contains_key(&progress.ticket));
            "progress".to_owned()
        }
        Incoming::Acknowledged { subscription, .. } => {
            assert!(notes.waiting.contains_key(subscription));
            notes.subscriptions.push(*subscription);
            "acknowledged".to_owned()
        }
        Incoming::ListChanged { list, .. } => format!("{list:?} changed"),
        Incoming::ResourceUpdated { uri, .. } => format!("{uri} updated"),
        Incoming::Log(log) => format!("log {:?}", log.level),
        // Of a subscription or a request that has ended meanwhile.
        Incoming::Notification(notification) => format!("{}", notification.method()),
        Incoming::Unmatched(response) => {
            assert!(response.id().is_some(), "the server has not understood");
            assert!(notes.given_up > 0 || notes.has_losses);
            "unmatched".to_owned()
        }
        Incoming::Incompatible(_) => {
            assert!(notes.has_losses);
            "incompatible".to_owned()
        }
        other => panic!("{other:?}"),
    };
    notes.events.push(event);
}

type Call = fn(&mut Requester, Ask<'_, u64>, &mut Sink<'_>) -> Result<Ticket, RequestError>;

/// Every request, the revisions that have it, and how it ends.
const REQUESTS: &[(Call, Versions, &str)] = &[
    (
        |client, ask, out| client.ping(ask, out),
        Versions::LEGACY,
        "result",
    ),
    (
        |client, ask, out| client.list_tools(ask, None, out),
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| client.list_resources(ask, None, out),
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| client.list_resource_templates(ask, None, out),
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| client.list_prompts(ask, None, out),
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| {
            client.call_tool(ask, "echo", out, |arguments| {
                arguments.name("text").string("\u{1F600}\n\"");
            })
        },
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| client.call_tool(ask, "add", out, |_| {}),
        Versions::ALL,
        "tool error",
    ),
    (
        |client, ask, out| client.call_tool(ask, "none", out, |_| {}),
        Versions::ALL,
        "error -32602",
    ),
    (
        |client, ask, out| {
            client.call_tool(ask, "behave", out, |arguments| {
                arguments.name("how").string("refuse");
            })
        },
        Versions::ALL,
        "error 7",
    ),
    (
        |client, ask, out| client.read_resource(ask, "demo://readme", out),
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| {
            client.get_prompt(ask, "greet", out, |arguments| {
                arguments.name("name").string("a");
            })
        },
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| client.get_prompt(ask, "greet", out, |_| {}),
        Versions::ALL,
        "error -32602",
    ),
    (
        |client, ask, out| client.subscribe(ask, "demo://counter", out),
        Versions::LEGACY,
        "result",
    ),
    (
        |client, ask, out| client.unsubscribe(ask, "demo://counter", out),
        Versions::LEGACY,
        "result",
    ),
    (
        |client, ask, out| client.set_level(ask, LoggingLevel::Error, out),
        Versions::LEGACY,
        "result",
    ),
    (
        |client, ask, out| {
            let of = CompletionFor::Prompt(Text::Plain("greet"));
            client.complete(ask, of, "language", "", out, |_| {})
        },
        Versions::ALL,
        "result",
    ),
    (
        |client, ask, out| client.request(ask, "x/y", out, |_| {}),
        Versions::ALL,
        "error -32601",
    ),
    (
        |client, ask, out| client.list_tasks(ask.even_if_not_offered(), None, out),
        Versions::only(ProtocolVersion::V2025_11_25),
        "result",
    ),
    (
        |client, ask, out| client.update_task(ask.even_if_not_offered(), "t", out, |_| {}),
        Versions::MODERN,
        "error -32021",
    ),
];

#[test]
fn every_request_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let mut pair = Pair::new(Versions::only(version));
        pair.connect();
        assert_eq!(pair.version, Some(version));
        for (place, (call, versions, expected)) in REQUESTS.iter().enumerate() {
            match pair.request(call) {
                Ok(number) => {
                    assert!(versions.contains(version), "{place} in {version}");
                    pair.deliver_all();
                    assert_eq!(
                        pair.ends.remove(&number).as_deref(),
                        Some(*expected),
                        "{place} in {version}"
                    );
                }
                Err(error) => {
                    assert_eq!(error, RequestError::NotInRevision, "{place} in {version}");
                    assert!(!versions.contains(version), "{place} in {version}");
                }
            }
        }
        assert!(pair.waiting.is_empty() && pair.client.in_flight() == 0);
    }
}

#[test]
fn the_newest_common_revision_is_found() {
    let cases = [
        (Versions::ALL, ProtocolVersion::V2026_07_28),
        (Versions::MODERN, ProtocolVersion::V2026_07_28),
        (Versions::LEGACY, ProtocolVersion::V2025_11_25),
    ];
    for (versions, expected) in cases {
        let mut pair = Pair::new(versions);
        pair.connect();
        assert_eq!(pair.version, Some(expected));
        let session = (expected.era() == Era::Legacy).then_some(expected);
        assert_eq!(pair.server.session(), session);
    }
}

#[test]
fn a_change_reaches_whoever_listens() {
    let mut pair = Pair::new(Versions::ALL);
    pair.connect();
    for tools in [true, false] {
        pair.request(|client, ask, out| {
            let filter = Subscription {
                tools,
                resources: true,
                resource_uris: &["demo://counter"],
                ..Subscription::default()
            };
            client.listen(ask, &filter, out)
        })
        .expect("room");
    }
    pair.deliver_all();
    assert_eq!(pair.events.split_off(1), ["acknowledged", "acknowledged"]);
    pair.tell(|server, out| server.list_changed(List::Tools, out));
    pair.tell(|server, out| server.resource_updated("demo://counter", out));
    pair.deliver_all();
    assert_eq!(
        pair.events.split_off(1),
        [
            "Tools changed",
            "demo://counter updated",
            "demo://counter updated"
        ]
    );
    // Minutes later they are still open, and the server ends them.
    pair.expire(Duration::from_secs(1000));
    pair.tell(Answerer::end_streams);
    pair.deliver_all();
    assert!(pair.waiting.is_empty());
    assert!(pair.ends.values().all(|outcome| outcome == "result") && pair.ends.len() == 2);
}

// Random sessions.

fn session(choices: &[u8]) {
    let entropy = &mut Entropy::new(choices);
    let versions = match entropy.below(4) {
        0 => Versions::only(entropy.pick(&ProtocolVersion::ALL)),
        1 => Versions::LEGACY,
        _ => Versions::ALL,
    };
    let mut pair = Pair::new(versions);
    let is_lossy = entropy.once_in(3);
    let is_disordered = entropy.once_in(2);
    pair.ask(|client, now, out| client.connect(now, out))
        .expect("room");
    for _ in 0..60 {
        match entropy.below(16) {
            0..=3 => random_request(&mut pair, entropy),
            4 => {
                let mut tickets: Vec<Ticket> = pair.waiting.keys().copied().collect();
                tickets.sort_by_key(|ticket| pair.waiting.get(ticket).copied());
                if !tickets.is_empty() {
                    let ticket = tickets[entropy.below(tickets.len())];
                    pair.cancel(ticket);
                }
            }
            5 => pair.complete(entropy.below(4)),
            6 => {
                let token = pair.server.handler_mut().seen().deferred.first().copied();
                if let Some(token) = token {
                    let progress = i64::from(entropy.byte());
                    pair.tell(|server, out| {
                        assert!(server.progress(token, &Progress::new(progress), out).is_ok());
                        Status::Done
                    });
                }
            }
            7 => {
                let list = entropy.pick(&[List::Tools, List::Resources, List::Prompts]);
                pair.tell(|server, out| server.list_changed(list, out));
            }
            8 => pair.tell(|server, out| server.resource_updated("demo://counter", out)),
            9 if is_lossy => {
                let lines = match entropy.once_in(2) {
                    true => &mut pair.up,
                    false => &mut pair.down,
                };
                let at = entropy.below(lines.lines.len().max(1));
                pair.has_losses |= lines.lose(at);
            }
            10 if is_disordered => shuffle(&mut pair, entropy),
            11..=13 => {
                let count = entropy.below(300);
                pair.deliver_up(count);
            }
            _ => {
                let count = entropy.below(600);
                pair.deliver_down(count);
            }
        }
        assert_eq!(pair.client.in_flight(), pair.waiting.len());
        pair.expire(Duration::from_millis(1));
    }
    end(pair, versions);
}

/// Two lines of the server's change places: responses come in any order.
fn shuffle(pair: &mut Pair, entropy: &mut Entropy<'_>) {
    let count = pair.down.lines.len();
    if count > 1 {
        let (a, b) = (entropy.below(count), entropy.below(count));
        let is_response = |line: &Vec<u8>| !line.windows(9).any(|part| part == b"\"method\":");
        if is_response(&pair.down.lines[a]) && is_response(&pair.down.lines[b]) {
            pair.down.lines.swap(a, b);
        }
    }
}

fn random_request(pair: &mut Pair, entropy: &mut Entropy<'_>) {
    let kind = entropy.below(REQUESTS.len() + 8);
    let way = entropy.pick(WAYS);
    let filter = Subscription {
        tools: entropy.once_in(2),
        resource_uris: &["demo://counter"],
        ..Subscription::default()
    };
    let sent = match REQUESTS.get(kind) {
        Some((call, _, _)) => pair.request(call),
        None if kind.is_multiple_of(3) => pair.request(|client, ask, out| client.listen(ask, &filter, out)),
        None if kind % 3 == 1 => pair.request(|client, ask, out| client.call_tool(ask, "slow", out, |_| {})),
        None => pair.request(|client, ask, out| {
            client.call_tool(ask, "behave", out, |arguments| {
                arguments.name("how").string(way);
            })
        }),
    };
    assert!(
        matches!(
            sent,
            Ok(_) | Err(RequestError::NotConnected | RequestError::TableFull | RequestError::NotInRevision)
        ),
        "{sent:?}"
    );
}

fn end(mut pair: Pair, versions: Versions) {
    pair.deliver_all();
    while !pair.server.handler_mut().seen().deferred.is_empty() {
        pair.complete(0);
    }
    pair.deliver_all();
    if !pair.has_losses {
        let newest = versions.newest(Era::Modern).or(versions.newest(Era::Legacy));
        assert_eq!(pair.version, newest);
        // Only streams go on.
        assert_eq!(pair.waiting.len(), pair.subscriptions.len());
        assert_eq!(pair.server.in_flight(), 0);
    }
    pair.tell(Answerer::end_streams);
    pair.deliver_all();
    if !pair.has_losses {
        assert!(pair.waiting.is_empty());
        assert!(pair.ends.values().all(|outcome| outcome != "timed out"));
    }
    for _ in 0..4 {
        pair.expire(Duration::from_secs(100));
        pair.deliver_all();
    }
    // A subscription whose end was lost is all that is left.
    assert!(
        pair.waiting
            .keys()
            .all(|ticket| pair.subscriptions.contains(ticket))
    );
    let left: Vec<Ticket> = pair.waiting.keys().copied().collect();
    for ticket in left {
        pair.cancel(ticket);
    }
    assert_eq!(pair.client.in_flight(), 0);
    assert_eq!(pair.server.handler_mut().seen().no_room, 0);
}

/// Nothing hangs, nothing ends twice. `PROPTEST_CASES` says how many sessions (256).
#[test]
fn random_sessions() {
    holds(vec(any::<u8>(), 0..500), session);
}
