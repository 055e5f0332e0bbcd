//! Peers of a server: where a frame came from, and where a line goes.

use core::fmt;

use crate::bytes::Wide;

/// Number of the stream, or of the HTTP exchange, that a frame came from. The caller chooses it; where there is one stream only,
/// it is [`Channel::ONLY`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Channel(pub u32);

impl Channel {
    /// The channel of a server with a single stream.
    pub const ONLY: Self = Self(0);
    /// In the context of a call that continues: the HTTP exchange that it came from is closed. Not to be used as the number of a channel.
    pub const CLOSED: Self = Self(u32::MAX);
}

/// Number of the user or program that a frame was authorized for; [`ANONYMOUS`](Self::ANONYMOUS) where the caller authorizes nobody, as on
/// stdio.
///
/// The caller chooses the number: it is the same in each frame of a principal, and no two principals have the same. For example it is the
/// place in a table of tokens, or the first bytes of a keyed hash of issuer and subject.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Principal(Wide);

impl Principal {
    /// No principal.
    pub const ANONYMOUS: Self = Self::new(0);

    /// The principal with this number, which is not 0.
    pub const fn new(number: u64) -> Self {
        Self(Wide::new(number))
    }

    /// Number of the principal.
    pub const fn number(self) -> u64 {
        self.0.get()
    }
}

impl Default for Principal {
    fn default() -> Self {
        Self::ANONYMOUS
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Principal").field(&self.number()).finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Principal {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "Principal({=u64})", self.number());
    }
}

/// Channel, legacy session and principal of a frame.
///
/// On a stream the session belongs to the channel: requests in flight are told apart by channel and id. Each stream needs a place of
/// its own for its session, so the storage needs as many as there are streams. Over HTTP several
/// exchanges, each a channel of its own, belong to one session: a legacy request in a session is told apart by session and id, any
/// other by channel and id.
///
/// Two streams, and a call of each with the same id:
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{
///     Address, CallError, CallToken, Channel, Fixed, Frame, Full, Handler, Origin, Outcome, Sent, Server, ToolCall,
///     ToolReply,
/// };
/// use barewire::mcp::{Implementation, Tool};
///
/// #[derive(Default)]
/// struct Board {
///     waiting: Vec<CallToken>,
/// }
///
/// impl Handler for Board {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("board", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("measure", "Measures.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         _: ToolCall<'a>,
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let (token, outcome) = reply.defer()?;
///         self.waiting.push(token);
///         Ok(outcome)
///     }
/// }
///
/// // Four deferred calls, whose texts have 256 bytes in all, and two sessions.
/// let mut server = Server::with_storage(Fixed::<Full, 4, 0, 0, 256, 2>::new());
/// let mut board = Board::default();
/// let mut memory = [0; 256];
/// let call = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"measure"}}"#;
/// for peer in [Origin::stream(Channel(0), 0), Origin::stream(Channel(1), 1)] {
///     let mut out = Sink::new(&mut memory);
///     let sent = server.receive(peer, &mut Frame::new(call), &mut board, &mut out);
///     assert_eq!(sent, Sent::Nothing);
/// }
///
/// let second = board.waiting[1];
/// let mut out = Sink::new(&mut memory);
/// let sent = server.complete_tool(second, &mut board, &mut out, |result| Ok(result.text("20 C").done()));
/// assert_eq!(sent, Ok(Sent::To(Address::Request(Channel(1)))));
/// assert!(out.finish().is_ok_and(|line| line.starts_with(br#"{"jsonrpc":"2.0","id":7,"result":"#)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Origin {
    channel: Channel,
    /// Place in the table of sessions.
    session: Option<u16>,
    /// The session has several channels.
    is_exchange: bool,
    principal: Principal,
}

impl Origin {
    /// The only stream of a server, with the first session of its storage.
    pub const ONLY: Self = Self::stream(Channel::ONLY, 0);

    /// A stream, whose legacy session is kept in this place of the storage, counted from 0.
    pub const fn stream(channel: Channel, session: u16) -> Self {
        Self { channel, session: Some(session), is_exchange: false, principal: Principal::ANONYMOUS }
    }

    /// An HTTP exchange without a legacy session.
    pub const fn exchange(channel: Channel) -> Self {
        Self { channel, session: None, is_exchange: true, principal: Principal::ANONYMOUS }
    }

    /// An HTTP exchange of the legacy session in this place of the storage, counted from 0.
    pub const fn exchange_in(channel: Channel, session: u16) -> Self {
        Self { channel, session: Some(session), is_exchange: true, principal: Principal::ANONYMOUS }
    }

    /// The same peer, authorized as this principal.
    pub const fn of(self, principal: Principal) -> Self {
        Self { principal, ..self }
    }

    /// Principal that the frame was authorized for.
    pub const fn principal(self) -> Principal {
        self.principal
    }

    /// Channel of the frame.
    pub const fn channel(self) -> Channel {
        self.channel
    }

    /// Place of the legacy session, if there may be one.
    pub const fn session(self) -> Option<u16> {
        self.session
    }

    /// Whether the channel is an HTTP exchange.
    pub(super) const fn is_exchange(self) -> bool {
        self.is_exchange
    }

    /// Scope of the ids of a request from here.
    pub(super) const fn scope(self, is_modern: bool) -> Scope {
        match self.session {
            Some(session) if self.is_exchange && !is_modern => Scope::Session(session),
            _ => Scope::Channel(self.channel),
        }
    }
}

/// Within a scope the ids of requests in flight are unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Channel(Channel),
    Session(u16),
}

/// Receiver of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Address {
    /// The channel of a request: its response, and before that what belongs to the running request (progress, log messages, legacy
    /// input requests).
    Request(Channel),
    /// The channel of a `subscriptions/listen` stream.
    Stream(Channel),
    /// The legacy session in this place of the storage: its stream, or over HTTP its standing (GET) stream.
    Session(u16),
}

/// Outcome of writing a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Sent {
    /// Whole lines for one receiver are in the output.
    To(Address),
    /// There was nothing to write.
    Nothing,
    /// The line did not fit, and nothing was written. `poll` and the calls that send something have changed nothing and may be repeated.
    /// After `receive` the request has been handled and gets no answer: do not repeat it.
    NoRoom,
}

impl Sent {
    /// Whether there was room for all that had to be written.
    pub const fn fitted(self) -> bool {
        !matches!(self, Self::NoRoom)
    }
}
