//! State of a client.

use core::time::Duration;

use super::error::RequestError;
use super::event::{ClientOutcome, Ended};
use super::ids::{Counter, IdSource};
use super::line::write_cancelled;
use super::options::ClientOptions;
use super::parts::{ClientParts, is_modern};
use super::pending::{self, Entry, Ticket};
use super::step::{Handshake, Step};
use super::storage::{ClientFixed, ClientStorage, IdOf};
use crate::bytes::Sink;
use crate::mcp::{Capabilities, Era, ProtocolVersion};
use crate::rpc::{RequestId, Skipper};

/// Longest id, quotes included, that can be read in a line that is longer than the buffer.
const LONGEST_ID: usize = 40;

/// State machine of an MCP client: all five revisions, both eras, no heap.
///
/// The engine keeps the result of the handshake and the requests in flight, in a [`ClientStorage`]. It talks to one server. The
/// application is not part of it: [`bind`](ClientEngine::bind) lends the engine a [`ClientHandler`](super::ClientHandler)
/// for sending requests and receiving frames.
///
/// Give each call that takes a [`Sink`] an empty one, and send what it wrote: whole lines or nothing.
///
/// # Examples
///
/// [The module](crate::engine::client) has a session. The requests in flight:
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{
///     ClientEngine, ClientFixed, ClientOptions, Counter, Incoming, Plain, RequestError, RequestOptions,
/// };
/// use barewire::mcp::{Capabilities, Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut memory, now) = ([0; 512], Duration::ZERO);
/// // One request at a time, whose context is the number of a sensor.
/// let storage = ClientFixed::<u8, 1>::new();
/// let mut engine = ClientEngine::with(storage, ClientOptions::DEFAULT, Counter::new());
/// let mut app = Plain(Implementation::new("probe", "1.0"));
/// let mut client = engine.bind(&mut app);
/// client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory))?;
/// let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}"#;
/// let incoming = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// assert!(matches!(incoming, Incoming::Connected(_)));
/// assert!(client.server_capabilities().has(Capabilities::TOOLS));
///
/// let options = RequestOptions::at(now);
/// let ticket = client.call_tool(options.with_context(7), "read", &mut Sink::new(&mut memory), |_| {})?;
/// assert_eq!((client.in_flight(), client.context(ticket)), (1, Some(&7)));
/// let refused = client.ping(options.with_context(8), &mut Sink::new(&mut memory));
/// assert_eq!(refused, Err(RequestError::TableFull));
///
/// // The link is gone, and the request in flight with it.
/// let ended = client.disconnect();
/// assert_eq!(ended.map(|ended| (ended.ticket, ended.context)), Some((ticket, 7)));
/// assert!(client.disconnect().is_none() && client.version().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ClientEngine<S: ClientStorage = ClientFixed> {
    pub(super) options: ClientOptions,
    pub(super) handshake: Handshake<IdOf<S>>,
    /// Capabilities of the server.
    pub(super) offered: Capabilities,
    pub(super) ids: S::Ids,
    pub(super) skipper: Skipper<LONGEST_ID>,
    /// Position in the current batch after the last element that was read. 0 without a batch.
    pub(super) batch: usize,
    pub(super) next_ticket: u32,
    pub(super) storage: S,
}

impl ClientEngine {
    /// A client before its handshake, with default options, integers as ids and [`ClientFixed`] as storage. `const`, so
    /// that it can live in a `static`.
    pub const fn new() -> Self {
        Self::with(ClientFixed::new(), ClientOptions::DEFAULT, Counter::new())
    }
}

impl Default for ClientEngine {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: ClientStorage> ClientEngine<S> {
    /// A client before its handshake, with this storage, these options and this source of ids.
    pub const fn with(storage: S, options: ClientOptions, ids: S::Ids) -> Self {
        Self {
            options,
            handshake: Handshake::new(),
            offered: Capabilities::NONE,
            ids,
            skipper: Skipper::new(),
            batch: 0,
            next_ticket: 0,
            storage,
        }
    }

    /// Revision of the connection, once the handshake is complete.
    pub const fn version(&self) -> Option<ProtocolVersion> {
        self.handshake.version()
    }

    /// Whether the handshake is in progress.
    pub const fn is_connecting(&self) -> bool {
        self.handshake.id().is_some()
    }

    /// Whether `server/discover` waits for its response. A server that ends the connection now is a legacy server that does
    /// not survive a request before `initialize`: [`disconnect`](ClientEngine::disconnect), restart the server, and call
    /// [`initialize_with`](super::BoundClient::initialize_with).
    pub const fn is_probing(&self) -> bool {
        S::Parts::MODERN && matches!(self.handshake.step, Step::Probing { .. })
    }

    /// Capabilities of the server.
    pub const fn server_capabilities(&self) -> Capabilities {
        self.offered
    }

    /// Number of requests in flight, without those of the handshake.
    pub fn in_flight(&self) -> usize {
        self.storage.pending().len()
    }

    /// Context of a request in flight.
    pub fn context(&self, ticket: Ticket) -> Option<&S::Context> {
        self.entry(ticket).map(|entry| &entry.context)
    }

    /// Mutable context of a request in flight.
    pub fn context_mut(&mut self, ticket: Ticket) -> Option<&mut S::Context> {
        self.entry_mut(ticket).map(|entry| &mut entry.context)
    }

    /// Passes the id of a request in flight to `then`: for a log.
    pub fn with_id<R>(&self, ticket: Ticket, then: impl FnOnce(RequestId<'_>) -> R) -> Option<R> {
        let entry = self.entry(ticket)?;
        Some(S::Ids::with_id(&entry.id, then))
    }

    /// Whether the last frame was a batch with further elements: then pass the same frame again.
    pub const fn has_more(&self) -> bool {
        S::Parts::LEGACY && self.batch > 0
    }

    /// Time of the next timeout. Before it, [`expire`](super::BoundClient::expire) has nothing to do.
    pub fn next_deadline(&self) -> Option<Duration> {
        let mut next = self.handshake.deadline();
        for deadline in self.storage.pending().iter().filter_map(|entry| entry.time.deadline) {
            next = Some(next.map_or(deadline, |next| next.min(deadline)));
        }
        next
    }

    /// Cancels a request, notifies the server, and returns the context. A late response is [`Incoming::Unmatched`].
    ///
    /// A task continues; cancel it with [`cancel_task`](super::BoundClient::cancel_task).
    ///
    /// # Errors
    /// [`RequestError::NotInFlight`]; [`RequestError::NoRoom`], and the request stays in flight.
    ///
    /// [`Incoming::Unmatched`]: super::Incoming::Unmatched
    pub fn cancel(
        &mut self,
        ticket: Ticket,
        reason: Option<&str>,
        out: &mut Sink<'_>,
    ) -> Result<S::Context, RequestError> {
        let entry = self.entry(ticket).ok_or(RequestError::NotInFlight)?;
        S::Ids::with_id(&entry.id, |id| write_cancelled(out, id, reason))?;
        let entry = self.take(ticket).ok_or(RequestError::NotInFlight)?;
        Ok(entry.context)
    }

    /// Gives up the connection: each call returns one of the requests in flight. After the last one the client is as before
    /// its handshake, except that ids are not reused. Nothing is written.
    pub fn disconnect(&mut self) -> Option<Ended<'static, S::Context>> {
        self.handshake = Handshake::new();
        self.offered = Capabilities::NONE;
        self.skipper.reset();
        self.batch = 0;
        let entry = self.storage.pending_mut().pop()?;
        Some(Ended::of(entry, ClientOutcome::Disconnected))
    }

    /// Newest legacy revision that the client speaks.
    pub(super) fn newest_legacy(&self) -> Option<ProtocolVersion> {
        let versions = self.options.versions();
        versions.newest(Era::Legacy).filter(|_| S::Parts::LEGACY)
    }

    /// Newest modern revision that the client speaks.
    pub(super) fn newest_modern(&self) -> Option<ProtocolVersion> {
        let versions = self.options.versions();
        versions.newest(Era::Modern).filter(|_| S::Parts::MODERN)
    }

    pub(super) fn is_modern(&self) -> bool {
        self.version().is_some_and(is_modern::<S::Parts>)
    }

    pub(super) fn entry(&self, ticket: Ticket) -> Option<&Entry<S::Context, IdOf<S>>> {
        self.storage.pending().iter().find(|entry| entry.ticket == ticket)
    }

    pub(super) fn entry_mut(&mut self, ticket: Ticket) -> Option<&mut Entry<S::Context, IdOf<S>>> {
        let mut pending = self.storage.pending_mut().iter_mut();
        pending.find(|entry| entry.ticket == ticket)
    }

    pub(super) fn entry_of(&self, id: RequestId<'_>) -> Option<&Entry<S::Context, IdOf<S>>> {
        let mut pending = self.storage.pending().iter();
        pending.find(|entry| pending::is::<S::Ids>(&entry.id, id))
    }

    pub(super) fn take(&mut self, ticket: Ticket) -> Option<Entry<S::Context, IdOf<S>>> {
        pending::take(self.storage.pending_mut(), |entry| entry.ticket == ticket)
    }

    pub(super) fn take_id(&mut self, id: RequestId<'_>) -> Option<Entry<S::Context, IdOf<S>>> {
        pending::take(self.storage.pending_mut(), |entry| pending::is::<S::Ids>(&entry.id, id))
    }
}
