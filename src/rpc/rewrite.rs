//! One message with another id, for gateways.

use core::fmt;

use super::{Message, RequestId};
use crate::bytes::{BufferFull, Sink};
use crate::json::{Object, RawValue, Writer};

/// The `_meta` key of a subscription's id (MCP 2026-07-28, subscriptions).
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Copies a message byte for byte, but for the ids that are given: its own, the `requestId` of a cancellation, the
/// progress token, the subscription id.
///
/// What the frame has between its tokens is copied too: one with line feeds there is not one line.
///
/// Nothing is parsed a second time but the outermost members of `params` (or `result`) and `_meta`, where the tokens
/// stand.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use barewire::rpc::{RequestId, Rewrite, classify};
///
/// let frame = br#"{"jsonrpc":"2.0", "id": "c1", "method":"tools/call", "params":{"_meta":{"progressToken":5}}}"#;
/// let message = classify(frame).map_err(|rejection| rejection.to_string())?;
/// let mut memory = [0; 128];
/// let forwarded = Rewrite::new(message)
///     .id(RequestId::from(71))?
///     .progress_token(RequestId::from(72))?
///     .write(&mut memory)?;
/// assert_eq!(
///     forwarded,
///     br#"{"jsonrpc":"2.0", "id": 71, "method":"tools/call", "params":{"_meta":{"progressToken":72}}}"#
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Rewrite<'a> {
    message: Message<'a>,
    edits: [Option<Edit<'a>>; 4],
}

#[derive(Debug, Clone, Copy)]
struct Edit<'a> {
    start: usize,
    end: usize,
    replacement: RequestId<'a>,
}

/// Why a token could not be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum RewriteError {
    /// The message has no such token, or one that is no string and no integer.
    Absent,
    /// It, or a member that it stands in, occurs twice: the receiver may read the other one.
    Repeated,
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absent => "the message has no such id",
            Self::Repeated => "the id occurs twice",
        })
    }
}

impl core::error::Error for RewriteError {}

impl<'a> Rewrite<'a> {
    /// A copy of `message` without a change.
    pub const fn new(message: Message<'a>) -> Self {
        Self { message, edits: [None; 4] }
    }

    /// Gives a request or a response another id.
    ///
    /// # Errors
    /// [`RewriteError::Absent`] for a notification, and for an error without an id.
    pub fn id(mut self, id: RequestId<'a>) -> Result<Self, RewriteError> {
        let span = match self.message {
            Message::Request(request) => request.id,
            Message::Response(response) => response.id,
            Message::Notification(_) => super::message::Span::NONE,
        };
        if span == super::message::Span::NONE {
            return Err(RewriteError::Absent);
        }
        self.add(span.start(), span.end(), id);
        Ok(self)
    }

    /// Replaces `params.requestId` (of `notifications/cancelled`).
    ///
    /// # Errors
    /// [`RewriteError`].
    pub fn request_id(self, id: RequestId<'a>) -> Result<Self, RewriteError> {
        let token = self.message.request_id()?;
        self.token(token, id)
    }

    /// Replaces the progress token: `params._meta.progressToken` of a request, `params.progressToken` of a notification.
    ///
    /// # Errors
    /// [`RewriteError`].
    pub fn progress_token(self, token: RequestId<'a>) -> Result<Self, RewriteError> {
        let old = self.message.progress_token()?;
        self.token(old, token)
    }

    /// Replaces the subscription id in the `_meta` of the params, or of the result.
    ///
    /// # Errors
    /// [`RewriteError`].
    pub fn subscription_id(self, id: RequestId<'a>) -> Result<Self, RewriteError> {
        let token = self.message.subscription_id()?;
        self.token(token, id)
    }

    fn token(mut self, old: Option<RawValue<'a>>, replacement: RequestId<'a>) -> Result<Self, RewriteError> {
        let old = old.ok_or(RewriteError::Absent)?;
        RequestId::of(old).ok_or(RewriteError::Absent)?;
        let start = offset_in(self.message.frame(), old.as_bytes());
        self.add(start, start.saturating_add(old.as_bytes().len()), replacement);
        Ok(self)
    }

    /// Keeps the edits in the order of the frame; one for the same place is replaced.
    fn add(&mut self, start: usize, end: usize, replacement: RequestId<'a>) {
        let mut next = Edit { start, end, replacement };
        for place in &mut self.edits {
            match place {
                Some(edit) if edit.start == next.start => {
                    *edit = next;
                    return;
                }
                Some(edit) if edit.start > next.start => core::mem::swap(edit, &mut next),
                Some(_) => {}
                None => {
                    *place = Some(next);
                    return;
                }
            }
        }
    }

    /// Writes the message into `memory`.
    ///
    /// # Errors
    /// [`BufferFull`] with the size that is enough.
    pub fn write<'m>(&self, memory: &'m mut [u8]) -> Result<&'m [u8], BufferFull> {
        let frame = self.message.frame();
        let mut sink = Sink::new(memory);
        let mut copied = 0;
        for edit in self.edits.iter().flatten() {
            sink.write(frame.get(copied..edit.start).unwrap_or_default());
            edit.replacement.write(&mut Writer::new(&mut sink));
            copied = edit.end;
        }
        sink.write(frame.get(copied..).unwrap_or_default());
        sink.into_written()
    }
}

/// Where `part`, which is a piece of `frame`, starts in it.
fn offset_in(frame: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().wrapping_sub(frame.as_ptr().addr())
}

/// The tokens by which messages refer to each other, as they stand in the frame.
impl<'a> Message<'a> {
    /// `params.requestId`: which request a cancellation is about.
    ///
    /// # Errors
    /// [`RewriteError::Repeated`].
    pub fn request_id(&self) -> Result<Option<RawValue<'a>>, RewriteError> {
        match self.params() {
            Some(params) => only(params, "requestId"),
            None => Ok(None),
        }
    }

    /// The progress token: `params._meta.progressToken` of a request, `params.progressToken` of a notification.
    ///
    /// # Errors
    /// [`RewriteError::Repeated`].
    pub fn progress_token(&self) -> Result<Option<RawValue<'a>>, RewriteError> {
        match (self, self.params()) {
            (Message::Notification(_), Some(params)) => only(params, "progressToken"),
            (Message::Request(_), Some(params)) => in_meta(params, "progressToken"),
            _ => Ok(None),
        }
    }

    /// The subscription id in the `_meta` of the params, or of the result.
    ///
    /// # Errors
    /// [`RewriteError::Repeated`].
    pub fn subscription_id(&self) -> Result<Option<RawValue<'a>>, RewriteError> {
        let holder = match self {
            Message::Response(response) => response.outcome().ok(),
            _ => self.params(),
        };
        match holder {
            Some(holder) => in_meta(holder, SUBSCRIPTION_ID),
            None => Ok(None),
        }
    }
}

fn only<'a>(object: Object<'a>, name: &str) -> Result<Option<RawValue<'a>>, RewriteError> {
    object.get_once(name).map_err(|_| RewriteError::Repeated)
}

fn in_meta<'a>(holder: Object<'a>, name: &str) -> Result<Option<RawValue<'a>>, RewriteError> {
    match only(holder, "_meta")?.and_then(RawValue::as_object) {
        Some(meta) => only(meta, name),
        None => Ok(None),
    }
}
