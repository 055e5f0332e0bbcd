//! Records of the log.

use std::time::Duration;

use super::handoff::Side;

/// A line of the log.
pub(super) struct Record {
    pub(super) side: Side,
    pub(super) kind: Kind,
    pub(super) subject: Subject,
    /// The size of the message, without its newline.
    pub(super) bytes: u64,
    /// Time from the request to this answer.
    pub(super) latency: Option<Duration>,
    /// Whether the answered request was cancelled.
    pub(super) is_late: bool,
    pub(super) faults: Vec<Fault>,
}

/// The request or notification that a record is about; for a response, its request.
#[derive(Clone, Default)]
pub(super) struct Subject {
    /// The id as it stands in the message.
    pub(super) id: Option<String>,
    /// The unescaped method.
    pub(super) method: Option<String>,
    pub(super) target: Option<String>,
    /// The revision, if known.
    pub(super) version: Option<String>,
}

impl Record {
    pub(super) fn new(side: Side, kind: Kind, bytes: u64) -> Self {
        Self {
            side,
            kind,
            subject: Subject::default(),
            bytes,
            latency: None,
            is_late: false,
            faults: Vec::new(),
        }
    }
}

pub(super) enum Kind {
    Request,
    Notification,
    /// A result, and whether it says that a tool has failed.
    Result {
        tool_failed: bool,
    },
    Error {
        code: String,
        message: String,
    },
    /// An invalid line: its fault, and its beginning.
    Invalid {
        why: String,
        reason: &'static str,
        begins: String,
    },
    /// A line that is too long to be inspected.
    Long,
    /// Lines that passed too fast to be inspected.
    Unseen,
    /// From here on requests of this side are not matched with their answers: too many are in flight.
    Untracked,
    /// A line of the server's standard error.
    Diagnostic(String),
    /// This side writes nothing more.
    Closed(Option<String>),
    /// The output of this side is no longer read.
    Refused(String),
    /// The server has ended.
    Exit {
        code: Option<i32>,
        how: String,
    },
    /// A request had no answer when the server ended.
    Unanswered {
        waited: Duration,
        /// False if an answer may have passed without inspection.
        is_sure: bool,
    },
}

impl Kind {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Notification => "notification",
            Self::Result { .. } => "result",
            Self::Error { .. } => "error",
            Self::Invalid { .. } => "invalid",
            Self::Long => "long",
            Self::Unseen => "unseen",
            Self::Untracked => "untracked",
            Self::Diagnostic(_) => "stderr",
            Self::Closed(_) => "closed",
            Self::Refused(_) => "refused",
            Self::Exit { .. } => "exit",
            Self::Unanswered { .. } => "unanswered",
        }
    }

    /// Whether the record is about a message, a line, or a part of the stream, so that it has a size.
    pub(super) const fn has_size(&self) -> bool {
        use Kind::{Error, Invalid, Long, Notification, Request, Result, Unseen};
        matches!(self, Request | Notification | Result { .. } | Error { .. } | Invalid { .. } | Long | Unseen)
    }
}

/// Faults of a valid message, given the messages before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A response to an id that the other side never used.
    UnknownId,
    AnsweredTwice,
    /// An error without an id, where everything of the other side was readable and it had sent a notification.
    ReplyToNotification,
    /// A request with the id of a request in flight.
    IdInUse,
    /// A request with an id that this side used before in the same legacy session.
    IdReused,
    /// A client must not cancel `initialize`.
    CancelsInitialize,
    /// A method that only the other side sends.
    WrongDirection,
    /// A method that this revision does not have.
    NotInRevision,
    /// A request as a notification, or the reverse.
    WrongKind,
    /// A result of 2026-07-28 without `resultType`.
    NoResultType,
    /// A result of a revision with a handshake that has `resultType`.
    HasResultType,
    /// The stream ended inside a line.
    NoNewline,
}

impl Fault {
    pub(super) const fn name(self) -> &'static str {
        self.texts().0
    }

    /// The description in the plain log.
    pub(super) const fn description(self) -> &'static str {
        self.texts().1
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::UnknownId => ("unknown-id", "response to an unknown request id"),
            Self::AnsweredTwice => ("answered-twice", "answered twice"),
            Self::ReplyToNotification => ("reply-to-notification", "replies to a notification"),
            Self::IdInUse => ("id-in-use", "the id still waits for an answer"),
            Self::IdReused => ("id-reused", "the id was used before"),
            Self::CancelsInitialize => ("cancels-initialize", "initialize cannot be cancelled"),
            Self::WrongDirection => ("wrong-direction", "only the other side sends this"),
            Self::NotInRevision => ("not-in-revision", "not in this revision"),
            Self::WrongKind => ("wrong-kind", "request and notification mixed up"),
            Self::NoResultType => ("no-result-type", "resultType is missing"),
            Self::HasResultType => ("has-result-type", "resultType before 2026-07-28"),
            Self::NoNewline => ("no-newline", "no newline at the end"),
        }
    }
}
