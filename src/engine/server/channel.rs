//! Peers of a server: where a frame came from, and where a line goes.

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

/// Channel and legacy session of a frame.
///
/// On a stream the session belongs to the channel: requests in flight are told apart by channel and id. Over HTTP several
/// exchanges, each a channel of its own, belong to one session: a legacy request in a session is told apart by session and id, any
/// other by channel and id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Origin {
    channel: Channel,
    /// Place in the table of sessions.
    session: Option<u16>,
    /// The session has several channels.
    is_exchange: bool,
}

impl Origin {
    /// The only stream of a server, with the first session of its storage.
    pub const ONLY: Self = Self::stream(Channel::ONLY, 0);

    /// A stream, whose legacy session is kept in this place of the storage, counted from 0.
    pub const fn stream(channel: Channel, session: u16) -> Self {
        Self { channel, session: Some(session), is_exchange: false }
    }

    /// An HTTP exchange without a legacy session.
    pub const fn exchange(channel: Channel) -> Self {
        Self { channel, session: None, is_exchange: true }
    }

    /// An HTTP exchange of the legacy session in this place of the storage, counted from 0.
    pub const fn exchange_in(channel: Channel, session: u16) -> Self {
        Self { channel, session: Some(session), is_exchange: true }
    }

    /// Channel of the frame.
    pub const fn channel(self) -> Channel {
        self.channel
    }

    /// Place of the legacy session, if there may be one.
    pub const fn session(self) -> Option<u16> {
        self.session
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
    /// The legacy session in this place of the storage: over HTTP its standing stream.
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
    /// The line did not fit. Nothing was written, and nothing changed.
    NoRoom,
}

impl Sent {
    /// Whether there was room for all that had to be written.
    pub const fn fitted(self) -> bool {
        !matches!(self, Self::NoRoom)
    }
}
