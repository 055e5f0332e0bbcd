//! A client and a server of this crate, connected in memory, and what must hold of each line that comes through.
#![allow(missing_docs, reason = "the fields say what they are")]

mod requests;

use core::time::Duration;
use std::collections::{HashMap, VecDeque};

use barewire::bytes::{Framer, Sink};
use barewire::engine::client::{
    BoundClient, ClientFixed, ClientOptions, ClientOutcome, Incoming, Plain, RequestError, RequestOptions,
    Ticket,
};
use barewire::engine::{Fixed, Full, Server};
use barewire::mcp::{Implementation, ProtocolVersion, Versions};

use super::application::Application;
use super::client::Client;
use super::hosted::{Hosted, Status};

pub use requests::{Call, requests};

/// A client with a table of this size.
pub type Requester<'a, const N: usize> = BoundClient<'a, ClientFixed<u64, N>, Plain>;
/// A server with tables of this size.
pub type Answerer<const N: usize> = Hosted<Application, Fixed<Full, N, N>>;

/// One direction of the wire: lines on their way, and what the receiver has of the first of them.
pub struct Pipe {
    pub lines: VecDeque<Vec<u8>>,
    /// What is left of a line of which a part was delivered.
    begun: Vec<u8>,
    framer: Framer<Vec<u8>>,
}

impl Pipe {
    fn new() -> Self {
        Self { lines: VecDeque::new(), begun: Vec::new(), framer: Framer::new(vec![0; 1 << 14]) }
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
    pub fn lose(&mut self, at: usize) -> bool {
        self.lines.remove(at).is_some()
    }
}

/// Both peers, with tables of this size, and the wire between them.
pub struct Pair<const N: usize> {
    pub client: Client<ClientFixed<u64, N>, Plain>,
    pub server: Answerer<N>,
    pub up: Pipe,
    pub down: Pipe,
    pub now: Duration,
    number: u64,
    /// The requests that wait, with their numbers.
    pub waiting: HashMap<Ticket, u64>,
    /// How each request has ended, by its number.
    pub ends: HashMap<u64, String>,
    pub events: Vec<String>,
    pub subscriptions: Vec<Ticket>,
    pub version: Option<ProtocolVersion>,
    /// Responses that come to nobody are expected: to what was cancelled or has timed out.
    given_up: usize,
    /// Lines were lost, or had no room.
    pub has_losses: bool,
    /// The room in the client's output for a request, and in the server's for anything.
    rooms: [usize; 2],
}

/// Room for everything that the two have to say.
pub const ROOMS: [usize; 2] = [4096, 8192];

impl<const N: usize> Pair<N> {
    pub fn new(versions: Versions, rooms: [usize; 2]) -> Self {
        let options = ClientOptions::DEFAULT.with_versions(versions);
        let info = Implementation::new("pair", "1");
        Self {
            client: Client::with(Plain(info), options),
            server: Hosted::of(Server::with_storage(Fixed::new()), Application::default()),
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
            rooms,
        }
    }

    /// The client writes.
    pub fn ask<R>(&mut self, call: impl FnOnce(&mut Requester<'_, N>, Duration, &mut Sink<'_>) -> R) -> R {
        self.ask_in(ROOMS[0], call)
    }

    fn ask_in<R>(
        &mut self,
        room: usize,
        call: impl FnOnce(&mut Requester<'_, N>, Duration, &mut Sink<'_>) -> R,
    ) -> R {
        let mut memory = vec![0; room];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.client.bind(), self.now, &mut out);
        self.up.write(&out);
        result
    }

    /// The server writes, and then everything that is due.
    pub fn tell<R>(&mut self, call: impl FnOnce(&mut Answerer<N>, &mut Sink<'_>) -> R) -> R {
        let result = self.serve(call);
        while self.serve(Answerer::drain) == Status::More {}
        result
    }

    fn serve<R>(&mut self, call: impl FnOnce(&mut Answerer<N>, &mut Sink<'_>) -> R) -> R {
        let mut memory = vec![0; self.rooms[1]];
        let mut out = Sink::new(&mut memory);
        let result = call(&mut self.server, &mut out);
        self.down.write(&out);
        result
    }

    pub fn connect(&mut self) {
        self.ask(|client, now, out| client.connect(now, out)).expect("room");
        self.deliver_all();
    }

    /// Sends a request; one that may not be sent is none.
    pub fn request(
        &mut self,
        mut call: impl FnMut(
            &mut Requester<'_, N>,
            RequestOptions<'_, u64>,
            &mut Sink<'_>,
        ) -> Result<Ticket, RequestError>,
    ) -> Result<u64, RequestError> {
        self.number += 1;
        let number = self.number;
        let mut ask = |pair: &mut Self, room| {
            pair.ask_in(room, |client, now, out| {
                call(client, RequestOptions::at(now).with_context(number).with_progress(), out)
            })
        };
        let mut sent = ask(self, self.rooms[0]);
        // As much room as is needed is enough, unless the next id has a digit more, which stands there twice.
        for more in [0, 2] {
            if let Err(RequestError::NoRoom(full)) = sent {
                sent = ask(self, full.needed + more);
            }
        }
        let ticket = sent?;
        assert!(self.waiting.insert(ticket, number).is_none());
        Ok(number)
    }

    pub fn deliver_up(&mut self, count: usize) -> bool {
        let any = self.up.deliver(count);
        let mut has_more = false;
        loop {
            let mut memory = vec![0; self.rooms[1]];
            let mut out = Sink::new(&mut memory);
            let next = match has_more {
                true => self.up.framer.again(),
                false => self.up.framer.next(),
            };
            let status = self.server.receive(next, &mut out);
            self.down.write(&out);
            match status {
                Some(status) => has_more = status == Status::More,
                None => return any,
            }
        }
    }

    pub fn deliver_down(&mut self, count: usize) -> bool {
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

    pub fn deliver_all(&mut self) {
        while self.deliver_up(usize::MAX) || self.deliver_down(usize::MAX) {}
    }

    pub fn cancel(&mut self, ticket: Ticket) {
        let number = self.ask(|client, _, out| client.cancel(ticket, None, out));
        assert_eq!(number.ok(), self.waiting.remove(&ticket));
        self.subscriptions.retain(|open| *open != ticket);
        self.given_up += 1;
    }

    pub fn expire(&mut self, by: Duration) {
        self.now += by;
        loop {
            let mut memory = [0; 256];
            let mut out = Sink::new(&mut memory);
            let incoming = self.client.expire(self.now, &mut out);
            self.up.write(&out);
            match incoming {
                None => return,
                Some(Incoming::Ended(ended)) => {
                    assert!(matches!(ended.outcome, ClientOutcome::TimedOut));
                    assert_eq!(self.waiting.remove(&ended.ticket), Some(ended.context));
                    assert!(self.ends.insert(ended.context, "timed out".to_owned()).is_none());
                    self.given_up += 1;
                }
                Some(_) => assert!(self.has_losses, "the handshake goes on by itself"),
            }
        }
    }

    /// Completes the call that the server has put off at this place.
    pub fn complete(&mut self, at: usize) {
        let deferred = &mut self.server.handler_mut().seen().deferred;
        if at < deferred.len() {
            let token = deferred.remove(at);
            let completed = self.tell(|server, out| {
                server.complete_tool(token, out, |content| Ok(content.text("done").done()))
            });
            assert_eq!(completed, Ok(Status::Done));
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
                ClientOutcome::Result(_) => "result".to_owned(),
                ClientOutcome::ToolError(_) => "tool error".to_owned(),
                ClientOutcome::ProtocolError(error) => {
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
