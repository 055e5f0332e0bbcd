//! Slots of the tables. Applications only hold arrays of them.

use core::num::NonZeroU8;

use super::Span;
use crate::bytes::Wide;
use crate::engine::server::channel::Scope;
use crate::engine::server::{CallToken, Channel, Decimal, TaskEnd, TaskToken};
use crate::mcp::{ClientCapabilities, LoggingLevel, Method, ProtocolVersion};

/// Number of a due line: lines with smaller numbers come first; 0 is not due.
pub(in crate::engine::server) type Due = u32;

/// A legacy session.
#[derive(Debug, Clone, Copy)]
pub struct SessionSlot {
    pub(in crate::engine::server) phase: SessionPhase,
    /// As the client has set it.
    pub(in crate::engine::server) log_level: Option<LoggingLevel>,
    pub(in crate::engine::server) client: ClientCapabilities,
    /// Changed lists, by [`List`](crate::engine::server::List).
    pub(in crate::engine::server) lists: [Due; 3],
}

impl SessionSlot {
    /// An unused slot.
    pub const FREE: Self = Self {
        phase: SessionPhase::Closed,
        log_level: None,
        client: ClientCapabilities::NONE,
        lists: [0; 3],
    };

    /// The least severe level that the client wants to see.
    pub(in crate::engine::server) fn log_level(&self) -> LoggingLevel {
        self.log_level.unwrap_or(LoggingLevel::Info)
    }
}

/// State of a legacy session (MCP lifecycle).
///
/// | state | `initialize` | `notifications/initialized` | any other request but `ping` |
/// |---|---|---|---|
/// | closed | negotiated | - | - |
/// | negotiated | negotiated | ready | ready |
/// | ready | negotiated | ready | ready |
///
/// Changes are sent to a ready client only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum SessionPhase {
    Closed,
    Negotiated(ProtocolVersion),
    Ready(ProtocolVersion),
}

impl SessionPhase {
    /// The revision, once it is negotiated.
    pub(in crate::engine::server) const fn version(self) -> Option<ProtocolVersion> {
        match self {
            Self::Closed => None,
            Self::Negotiated(version) | Self::Ready(version) => Some(version),
        }
    }

    pub(in crate::engine::server) const fn is_ready(self) -> bool {
        matches!(self, Self::Ready(_))
    }

    /// The client has said that it is ready, or shown it by a request.
    pub(in crate::engine::server) const fn get_ready(&mut self) {
        if let Self::Negotiated(version) = *self {
            *self = Self::Ready(version);
        }
    }
}

/// A revision; none in an unused slot, whose bytes are all zero: so a server in a `static` takes no flash for its tables.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine::server) struct Version(Option<ProtocolVersion>);

impl Version {
    pub(in crate::engine::server) const fn new(version: ProtocolVersion) -> Self {
        Self(Some(version))
    }

    pub(in crate::engine::server) fn get(self) -> ProtocolVersion {
        self.0.unwrap_or(ProtocolVersion::LATEST_LEGACY)
    }
}

fn kept_progress(places: u8, units: Wide) -> Option<Decimal> {
    Some(Decimal { units: units.get().cast_signed(), places: NonZeroU8::new(places)? })
}

fn progress_to_keep(progress: Option<Decimal>) -> (u8, Wide) {
    let places = progress.map_or(0, |progress| progress.places.get());
    let units = progress.map_or(0, |progress| progress.units);
    (places, Wide::new(units.cast_unsigned()))
}

/// A request that is not answered yet.
#[derive(Debug, Clone, Copy)]
pub struct CallSlot {
    pub(in crate::engine::server) state: CallState,
    pub(in crate::engine::server) token: CallToken,
    /// Id and progress token, in one text.
    pub(in crate::engine::server) ids: Span,
    /// Length of the id in `ids`; 0 for a request of the server's own. The progress token follows, unless it equals the id.
    pub(in crate::engine::server) id_len: u32,
    pub(in crate::engine::server) wants_progress: bool,
    /// Number of decimals and one; 0 before the first report, so that a free slot is zero.
    pub(in crate::engine::server) progress_places: u8,
    /// The last progress that was reported, without its decimal point.
    pub(in crate::engine::server) last_progress: Wide,
    /// Key, subject and state of an input request, as an array of JSON strings.
    pub(in crate::engine::server) kept: Span,
    /// Id of the request that the server itself has sent; 0 for none, or once it is withdrawn.
    pub(in crate::engine::server) question: u32,
    /// Time in milliseconds at which the client's answer is not waited for any longer.
    pub(in crate::engine::server) deadline: Wide,
    pub(in crate::engine::server) due: Due,
    pub(in crate::engine::server) scope: Scope,
    /// The channel that its lines go to. `None` once that was closed: the lines then go to the session.
    pub(in crate::engine::server) channel: Option<Channel>,
    /// Place of the legacy session.
    pub(in crate::engine::server) session: Option<u16>,
    pub(in crate::engine::server) method: Method,
    /// Revision of the request.
    pub(in crate::engine::server) version: Version,
    /// As the request said (modern), or any where log messages are wanted (legacy).
    pub(in crate::engine::server) log_level: Option<LoggingLevel>,
}

/// State of a request that is not answered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum CallState {
    /// The application answers it later.
    Deferred,
    /// It goes on when the client has answered an input request (legacy era).
    Asked,
    /// A request of the application's own, which the client answers.
    Own,
    /// An input request of a task (legacy era).
    AskedByTask(TaskToken),
    /// `tasks/result` waits for the end of the task.
    AwaitsTask(TaskToken),
    /// An input request that was withdrawn; `notifications/cancelled` is due.
    Withdrawn,
}

impl CallSlot {
    /// An unused slot.
    pub const FREE: Self = Self {
        state: CallState::Deferred,
        token: CallToken(0),
        ids: Span::EMPTY,
        id_len: 0,
        wants_progress: false,
        progress_places: 0,
        last_progress: Wide::new(0),
        kept: Span::EMPTY,
        question: 0,
        deadline: Wide::new(0),
        due: 0,
        scope: Scope::Channel(Channel::ONLY),
        channel: None,
        session: None,
        // The first row of the table, so that all bytes are zero.
        method: Method::ToolsCall,
        version: Version(None),
        log_level: None,
    };

    /// The last progress that was reported.
    pub(in crate::engine::server) fn progress(&self) -> Option<Decimal> {
        kept_progress(self.progress_places, self.last_progress)
    }

    pub(in crate::engine::server) fn set_progress(&mut self, progress: Option<Decimal>) {
        (self.progress_places, self.last_progress) = progress_to_keep(progress);
    }

    /// Whether the client has sent it and waits for its answer.
    pub(in crate::engine::server) const fn is_of_client(&self) -> bool {
        self.id_len > 0
    }

    /// Whether a response of the client is waited for.
    pub(in crate::engine::server) const fn is_question(&self) -> bool {
        let asks = matches!(self.state, CallState::Asked | CallState::Own | CallState::AskedByTask(_));
        asks && self.question > 0
    }

    pub(in crate::engine::server) const fn is_question_of(&self, task: TaskToken) -> bool {
        matches!(self.state, CallState::AskedByTask(asking) if asking.0 == task.0)
    }

    pub(in crate::engine::server) const fn awaits(&self, task: TaskToken) -> bool {
        matches!(self.state, CallState::AwaitsTask(awaited) if awaited.0 == task.0)
    }
}

/// A `subscriptions/listen` stream.
#[derive(Debug, Clone, Copy)]
pub struct StreamSlot {
    /// Never used twice, up to 2^32 streams.
    pub(in crate::engine::server) number: u32,
    pub(in crate::engine::server) id: Span,
    pub(in crate::engine::server) channel: Channel,
    /// Whether changes of a list are wanted, by [`List`](crate::engine::server::List).
    pub(in crate::engine::server) wants: [bool; 3],
    /// Changed lists, in the same order.
    pub(in crate::engine::server) lists: [Due; 3],
    /// The end of the stream.
    pub(in crate::engine::server) end: Due,
}

impl StreamSlot {
    /// An unused slot.
    pub const FREE: Self =
        Self { number: 0, id: Span::EMPTY, channel: Channel::ONLY, wants: [false; 3], lists: [0; 3], end: 0 };
}

/// A resource or a task that a session or a stream has subscribed to.
#[derive(Debug, Clone, Copy)]
pub struct WatchSlot {
    pub(in crate::engine::server) watcher: Watcher,
    pub(in crate::engine::server) watched: Watched,
    /// Hash of the URI, without its escapes: so that a long list of URIs is compared in linear time.
    pub(in crate::engine::server) hash: u32,
    pub(in crate::engine::server) due: Due,
}

impl WatchSlot {
    /// An unused slot.
    pub const FREE: Self =
        Self { watcher: Watcher::Session(0), watched: Watched::Resource(Span::EMPTY), hash: 0, due: 0 };
}

/// Receiver of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum Watcher {
    /// The session in this place.
    Session(u16),
    /// The stream with this number.
    Stream(u32),
}

/// Subject of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum Watched {
    /// The URI as it was sent, with its escapes.
    Resource(Span),
    Task(TaskToken),
}

/// A task.
#[derive(Debug, Clone, Copy)]
pub struct TaskSlot {
    pub(in crate::engine::server) token: TaskToken,
    pub(in crate::engine::server) state: TaskState,
    /// Of the request that has become the task.
    pub(in crate::engine::server) version: Version,
    /// Of the request that has become the task.
    pub(in crate::engine::server) client: ClientCapabilities,
    /// Place of the legacy session that the task belongs to.
    pub(in crate::engine::server) session: Option<u16>,
    pub(in crate::engine::server) message: Option<&'static str>,
    /// Time of day at the start, in milliseconds since 1970.
    pub(in crate::engine::server) created: Wide,
    /// Monotonic time in milliseconds at the start, and at the last change of the state.
    pub(in crate::engine::server) started: Wide,
    pub(in crate::engine::server) updated: Wide,
    /// Milliseconds from the start until the task is forgotten.
    pub(in crate::engine::server) ttl: u32,
    /// Random id and principal, where task ids are random, and the progress token, if the client wants progress.
    pub(in crate::engine::server) texts: Span,
    /// Number of decimals and one; 0 before the first report, so that a free slot is zero.
    pub(in crate::engine::server) progress_places: u8,
    /// The last progress that was reported, without its decimal point.
    pub(in crate::engine::server) last_progress: Wide,
    /// The client has received the result.
    pub(in crate::engine::server) is_fetched: bool,
    /// A status notification to the session.
    pub(in crate::engine::server) due: Due,
}

impl TaskSlot {
    /// An unused slot.
    pub const FREE: Self = Self {
        token: TaskToken(0),
        state: TaskState::Working,
        version: Version(None),
        client: ClientCapabilities::NONE,
        session: None,
        message: None,
        created: Wide::new(0),
        started: Wide::new(0),
        updated: Wide::new(0),
        ttl: 0,
        texts: Span::EMPTY,
        progress_places: 0,
        last_progress: Wide::new(0),
        is_fetched: false,
        due: 0,
    };

    /// The last progress that was reported.
    pub(in crate::engine::server) fn progress(&self) -> Option<Decimal> {
        kept_progress(self.progress_places, self.last_progress)
    }

    pub(in crate::engine::server) fn set_progress(&mut self, progress: Option<Decimal>) {
        (self.progress_places, self.last_progress) = progress_to_keep(progress);
    }

    /// Time at which the task is forgotten.
    pub(in crate::engine::server) fn deadline(&self) -> u64 {
        self.started.get().saturating_add(u64::from(self.ttl))
    }
}

/// State of a task: [`TaskStatus`](crate::mcp::TaskStatus) without the differences between the eras.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum TaskState {
    Working,
    InputRequired,
    Completed,
    /// The tool has failed; its result says so.
    ToolError,
    /// There is a protocol error instead of a result.
    Error,
    Cancelled,
}

impl TaskState {
    pub(in crate::engine::server) const fn ended(end: TaskEnd) -> Self {
        match end {
            TaskEnd::Completed => Self::Completed,
            TaskEnd::ToolError => Self::ToolError,
            TaskEnd::Error => Self::Error,
        }
    }

    /// Whether there is a result, or an error instead.
    pub(in crate::engine::server) const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::ToolError | Self::Error)
    }

    pub(in crate::engine::server) const fn is_final(self) -> bool {
        self.has_ended() || matches!(self, Self::Cancelled)
    }
}
