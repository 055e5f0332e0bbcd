//! Input requests: questions of a handler that the client answers before the call continues.
//!
//! To a modern client the questions are the result of its request, and it sends the request again with the answers. To a legacy client the
//! first question is a request of the server; the call stays in flight until the answer comes.

use crate::bytes::Sink;
use crate::engine::server::{AskError, NotKept};
use crate::json::{JsonStr, Object, RawValue};
use crate::mcp::{ClientCapabilities, Feature, InputRequest, ProtocolVersion, TaskId};

/// Form of the questions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::engine::server) enum Way<'r> {
    /// A result of their own.
    Result,
    /// A member of the object that is open.
    Member,
    /// None: the client has sent these answers, by the keys of the questions.
    Answered(Object<'r>),
    /// A request with this id, or the reason why it cannot be kept.
    Request(Result<u32, NotKept>),
}

/// Reason why a question could not be asked. A [`CallError`](crate::engine::server::CallError) would take far more memory.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine::server) enum AskFault {
    Missing(ClientCapabilities),
    NotKept(NotKept),
}

impl From<AskFault> for AskError {
    fn from(fault: AskFault) -> Self {
        match fault {
            AskFault::Missing(_) => Self::MissingCapability,
            AskFault::NotKept(reason) => reason.into(),
        }
    }
}

/// Number of answers to the questions of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum Answered {
    None,
    Some,
    /// All, or there are no questions.
    All,
    /// One of the answers is not an object.
    Malformed,
}

/// State that a reply needs to ask the client.
#[derive(Debug)]
pub(in crate::engine::server) struct Asking<'r> {
    pub(super) way: Way<'r>,
    client: ClientCapabilities,
    /// Name of the tool or the prompt, or URI of the resource.
    pub(super) subject: JsonStr<'r>,
    /// Key, subject and state of a question to a legacy client, as an array of JSON strings.
    pub(super) kept: Sink<'r>,
    /// The task that asks.
    pub(super) related_task: Option<TaskId<'r>>,
    pub(super) has_asked: bool,
    /// At least one question is answered, is not answered, is answered by something that is not an object.
    pub(super) answered: [bool; 3],
}

impl<'r> Asking<'r> {
    pub(in crate::engine::server) const fn new(
        way: Way<'r>,
        client: ClientCapabilities,
        subject: JsonStr<'r>,
        memory: &'r mut [u8],
    ) -> Self {
        Self {
            way,
            client,
            subject,
            kept: Sink::new(memory),
            related_task: None,
            has_asked: false,
            answered: [false; 3],
        }
    }

    pub(in crate::engine::server) const fn for_task(self, task: TaskId<'r>) -> Self {
        Self { related_task: Some(task), ..self }
    }

    /// Number of questions that are answered.
    pub(super) const fn answered(&self) -> Answered {
        match self.answered {
            [.., true] => Answered::Malformed,
            [false, true, _] => Answered::None,
            [true, true, _] => Answered::Some,
            [_, false, _] => Answered::All,
        }
    }

    /// Reason why this cannot be asked. Out of line, so that it takes no stack while the question is written.
    pub(super) fn fault(&self, request: &InputRequest<'_>, version: ProtocolVersion) -> Option<AskFault> {
        if !can_ask(request, version, self.client) {
            return Some(AskFault::Missing(request.needs()));
        }
        match self.way {
            Way::Request(Err(reason)) => Some(AskFault::NotKept(reason)),
            _ => None,
        }
    }
}

/// Whether a client of this revision that has declared these capabilities can be asked that.
pub(crate) fn can_ask(
    request: &InputRequest<'_>,
    version: ProtocolVersion,
    client: ClientCapabilities,
) -> bool {
    let needed = request.needs();
    let knows = version.has(Feature::ResultType) || request.method().is_in(version);
    // A page to visit and tools for the model came with the modes of the capabilities.
    let needs_mode = needed.has_any(ClientCapabilities::ELICITATION_URL | ClientCapabilities::SAMPLING_TOOLS);
    knows && (!needs_mode || version.has(Feature::CapabilityModes)) && client.has(needed)
}

/// Key, subject and state of a question to a legacy client.
pub(in crate::engine::server) fn read_kept(kept: &[u8]) -> [JsonStr<'_>; 3] {
    let mut strings = [JsonStr::EMPTY; 3];
    if let Some(array) = RawValue::from_valid(kept).as_array() {
        for (place, value) in strings.iter_mut().zip(array.elements()) {
            *place = value.as_string().unwrap_or(JsonStr::EMPTY);
        }
    }
    strings
}
