//! The client: its state, and the way of a frame through it.

use core::marker::PhantomData;
use core::time::Duration;

use super::handshake::Handshake;
use super::pending::{self, Pending};
use super::{
    ClientHandler, ClientParts, Counter, Ended, Fault, IdSource, Incoming, Options, Outcome, Ticket,
};
use crate::bytes::{Next, Sink};
use crate::engine::Full;
use crate::json::{Elements, RawValue};
use crate::mcp::{Capabilities, Feature, ProtocolVersion};
use crate::rpc::{
    Message, Reason, Rejection, RequestId, Skipper, classify_value, classify_with, rejected_response_id,
};

/// The longest id, quotes included, that is found in a line that is too long for the buffer.
const LONGEST_ID: usize = 40;

/// An MCP client as a state machine: all five revisions, both eras, no heap.
///
/// It keeps what the handshake has settled and the requests in flight, `CALLS` of them, each with a context `C` of the
/// caller's. The ids come from `I`. One client talks to one server; what that server asks goes to the handler `H`. `P` says
/// which [parts](ClientParts) of the protocol it is built with.
///
/// The rule of every call that takes a [`Sink`]: give it an empty one, and send what is written. Each call writes whole
/// lines or nothing.
///
/// # Examples
///
/// [The module](crate::engine::client) has a session. What is kept of the requests in flight:
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{Ask, Client, Incoming, Plain, RequestError};
/// use barewire::mcp::{Capabilities, Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut memory, now) = ([0; 512], Duration::ZERO);
/// // One request at a time, with the number of its sensor.
/// let mut client: Client<Plain, u8, 1> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory))?;
/// let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}"#;
/// let incoming = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// assert!(matches!(incoming, Incoming::Connected(_)));
/// assert!(client.server_capabilities().has(Capabilities::TOOLS));
///
/// let ticket = client.call_tool(Ask::at(now).with_context(7), "read", &mut Sink::new(&mut memory), |_| {})?;
/// assert_eq!((client.in_flight(), client.context(ticket)), (1, Some(&7)));
/// let refused = client.ping(Ask::at(now).with_context(8), &mut Sink::new(&mut memory));
/// assert_eq!(refused, Err(RequestError::TableFull));
///
/// // The link is gone, and what was in flight with it.
/// let ended = client.disconnect();
/// assert_eq!(ended.map(|ended| (ended.ticket, ended.context)), Some((ticket, 7)));
/// assert!(client.disconnect().is_none() && client.version().is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client<
    H: ClientHandler + ?Sized,
    C = (),
    const CALLS: usize = 4,
    I: IdSource = Counter,
    P: ClientParts = Full,
> {
    pub(super) options: Options,
    pub(super) handshake: Handshake<I::Id>,
    /// What the server has declared.
    pub(super) offered: Capabilities,
    pub(super) pending: Pending<C, CALLS, I>,
    pub(super) ids: I,
    skipper: Skipper<LONGEST_ID>,
    /// Place in the current batch, after the last element that was read. 0 for none.
    batch: usize,
    parts: PhantomData<fn() -> P>,
    // Last, so that a client of any handler is a client of `dyn ClientHandler` too.
    pub(super) handler: H,
}

impl<H: ClientHandler, C, const CALLS: usize> Client<H, C, CALLS> {
    /// A client before its handshake, with integers as ids. `const`, so that it can live in a `static`.
    pub const fn new(handler: H) -> Self {
        Self::with(handler, Options::DEFAULT, Counter::new())
    }
}

impl<H: ClientHandler, C, const CALLS: usize, I: IdSource> Client<H, C, CALLS, I> {
    /// [`new`](Client::new), with options and a source of ids.
    pub const fn with(handler: H, options: Options, ids: I) -> Self {
        Self::with_parts(handler, options, ids)
    }
}

impl<H: ClientHandler, C, const CALLS: usize, I: IdSource, P: ClientParts> Client<H, C, CALLS, I, P> {
    /// [`with`](Client::with), for a client that is built with the parts that its type says.
    ///
    /// ```
    /// use barewire::engine::ToolsOnly;
    /// use barewire::engine::client::{Client, Counter, Options, Plain};
    /// use barewire::mcp::Implementation;
    ///
    /// type Caller = Client<Plain, (), 4, Counter, ToolsOnly>;
    ///
    /// let client = Caller::with_parts(Plain(Implementation::new("probe", "1.0")), Options::DEFAULT, Counter::new());
    /// assert_eq!(client.in_flight(), 0);
    /// ```
    pub const fn with_parts(handler: H, options: Options, ids: I) -> Self {
        Self {
            options,
            handshake: Handshake::new(),
            offered: Capabilities::NONE,
            pending: Pending::new(),
            ids,
            skipper: Skipper::new(),
            batch: 0,
            parts: PhantomData,
            handler,
        }
    }
}

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// The application.
    pub const fn handler(&self) -> &H {
        &self.handler
    }

    /// The application.
    pub const fn handler_mut(&mut self) -> &mut H {
        &mut self.handler
    }

    /// The revision of the connection, once the handshake is done.
    pub const fn version(&self) -> Option<ProtocolVersion> {
        self.handshake.version()
    }

    /// What the server has declared.
    pub const fn server_capabilities(&self) -> Capabilities {
        self.offered
    }

    /// How many requests are in flight, those of the handshake not counted.
    pub fn in_flight(&self) -> usize {
        self.pending.len()
    }

    /// The context of a request in flight.
    pub fn context(&self, ticket: Ticket) -> Option<&C> {
        self.pending.get(ticket).map(|entry| &entry.context)
    }

    /// The same, to be changed.
    pub fn context_mut(&mut self, ticket: Ticket) -> Option<&mut C> {
        self.pending.get_mut(ticket).map(|entry| &mut entry.context)
    }

    /// Lends the id of a request in flight to `then`: for a log.
    pub fn with_id<R>(&self, ticket: Ticket, then: impl FnOnce(RequestId<'_>) -> R) -> Option<R> {
        let entry = self.pending.get(ticket)?;
        Some(I::with_id(&entry.id, then))
    }

    /// Gives the connection up: yields the requests in flight one by one, and then the client is as before its handshake
    /// (but never gives an id again that it gave before). Nothing is written.
    pub fn disconnect(&mut self) -> Option<Ended<'static, C>> {
        self.handshake = Handshake::new();
        self.offered = Capabilities::NONE;
        self.skipper.reset();
        self.batch = 0;
        let entry = self.pending.pop()?;
        Some(Ended {
            ticket: entry.ticket,
            method: entry.method,
            context: entry.context,
            outcome: Outcome::Disconnected,
        })
    }

    /// Takes what a [`Framer`](crate::bytes::Framer) found. `None` when the framer needs more bytes: then send the output,
    /// and read.
    ///
    /// While [`has_more`](Client::has_more) says so, pass the same line again
    /// ([`Framer::again`](crate::bytes::Framer::again)).
    pub fn receive<'a>(
        &mut self,
        next: Next<'a>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Option<Incoming<'a, C>> {
        match next {
            Next::Line(line) => Some(self.handle_frame(line, now, out)),
            Next::Part(part) => {
                self.skipper.feed(part);
                Some(Incoming::Nothing)
            }
            Next::TooLong => Some(self.skipped(now, out)),
            Next::Lost => {
                self.skipper.reset();
                Some(Incoming::Lost)
            }
            Next::NeedMore => None,
        }
    }

    /// Takes one frame, without or with its newline, and says what it came to. What is written is the client's part of
    /// the handshake, or the answer to a request of the server's; never an answer to what is no message.
    ///
    /// Each frame is one event, but for the batches of 2025-03-26: while [`has_more`](Client::has_more) says so, pass the
    /// same frame again.
    ///
    /// `now` is the time since the same point as in [`Ask::at`](super::Ask::at). Linear in the length of the frame and in
    /// `CALLS`, besides what the handler does.
    pub fn handle_frame<'a>(
        &mut self,
        frame: &'a [u8],
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        if !self.has_more() {
            if frame.iter().all(|byte| crate::json::is_white_space(*byte)) {
                return Incoming::Nothing;
            }
            match classify_with(frame, &self.options.rules()) {
                Err(rejection) if rejection.reason() == Reason::Batch && self.reads_batches() => {
                    let bracket = rejection.offset().unwrap_or_default();
                    self.batch = bracket.saturating_add(1);
                }
                judged => return self.handle(frame, judged, now, out),
            }
        }
        // The frame was judged when the batch began; each element is judged again, on its own. An empty batch is none
        // (JSON-RPC 2.0 section 6).
        match self.next_of_batch(frame) {
            None => Incoming::Rejected(Rejection::batch()),
            Some(element) => {
                let judged = classify_value(element, &self.options.rules());
                self.handle(element.as_bytes(), judged, now, out)
            }
        }
    }

    /// Whether the last frame was a batch, and elements of it are left.
    pub const fn has_more(&self) -> bool {
        P::LEGACY && self.batch > 0
    }

    fn reads_batches(&self) -> bool {
        let version = self.version().filter(|_| P::LEGACY);
        version.is_some_and(|version| version.has(Feature::Batches))
    }

    /// The next element of the batch; moves the place past it, or to 0 if it was the last. A function of its own, so
    /// that what it needs is off the stack when the element is handled.
    #[inline(never)]
    fn next_of_batch<'a>(&mut self, frame: &'a [u8]) -> Option<RawValue<'a>> {
        let mut elements = Elements::from_place(frame, self.batch);
        let element = elements.next();
        let place = elements.place();
        self.batch = match elements.next() {
            Some(_) => place,
            None => 0,
        };
        element
    }

    fn handle<'a>(
        &mut self,
        frame: &'a [u8],
        judged: Result<Message<'a>, Rejection<'a>>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        match judged {
            Ok(Message::Response(response)) => match response.id() {
                Some(id) if self.is_of_handshake(id) => self.handshake_response(response.outcome(), now, out),
                _ => self.response(response),
            },
            Ok(Message::Notification(notification)) => self.notification(notification, now),
            Ok(Message::Request(request)) => self.asked(request, out),
            Err(rejection) => self.rejected(frame, rejection, now, out),
        }
    }

    /// A function of its own, so that what finds an id in the frame is off the stack of all that is a message.
    #[inline(never)]
    fn rejected<'a>(
        &mut self,
        frame: &'a [u8],
        rejection: Rejection<'a>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        let is_json = !matches!(rejection.reason(), Reason::NotJson(_));
        let id = rejected_response_id(frame, is_json);
        self.malformed(id, rejection, now, out)
    }

    /// The line whose parts were handed out has ended.
    fn skipped(&mut self, now: Duration, out: &mut Sink<'_>) -> Incoming<'static, C> {
        let skipper = core::mem::take(&mut self.skipper);
        self.malformed(skipper.response_id(), Rejection::too_long(), now, out)
    }

    /// What is no message ends the request that it names, which would wait in vain.
    fn malformed<'a>(
        &mut self,
        id: Option<RequestId<'_>>,
        rejection: Rejection<'a>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'a, C> {
        let Some(id) = id else {
            return Incoming::Rejected(rejection);
        };
        let fault = Fault::Envelope(rejection.reason());
        if self.is_of_handshake(id) {
            return self.handshake_failed(fault, now, out);
        }
        match self.pending.take_id(id) {
            Some(entry) => Incoming::Ended(Ended {
                ticket: entry.ticket,
                method: entry.method,
                context: entry.context,
                outcome: Outcome::Invalid(fault),
            }),
            None => Incoming::Rejected(rejection),
        }
    }

    pub(super) fn is_of_handshake(&self, id: RequestId<'_>) -> bool {
        let own = self.handshake.id();
        own.is_some_and(|own| pending::is::<I>(own, id))
    }
}
