//! What a handler asks the client before it can answer.
//!
//! To a modern client the questions are the result of its request, and it sends the request again with the answers. To a
//! legacy client the first question is a request of the server's own; its call stays in flight until the answer comes.

use super::{Finished, Line, Settled};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Tail};
use crate::engine::server::{CallError, NotKept};
use crate::json::{JsonStr, Writer};
use crate::mcp::{ClientCapabilities, Feature, InputRequest, Method, ProtocolVersion, TaskId};
use crate::rpc::{RequestId, begin};

/// How the client is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::engine::server) enum Way {
    /// Not at all: the reply is to something that asks no questions.
    Never,
    /// In the result.
    Result,
    /// In a member of the object that is open.
    Member,
    /// By a request with this id, or why that cannot be.
    Request(Result<u32, NotKept>),
}

/// The questions of a reply.
pub(in crate::engine::server) struct Asking<'r> {
    pub(super) way: Way,
    pub(super) client: ClientCapabilities,
    /// What the question is about: the tool, the prompt, the URI.
    pub(super) subject: JsonStr<'r>,
    /// Where a question to a legacy client is kept, as an array of JSON strings: its key, its subject, the state.
    pub(super) kept: Sink<'r>,
    pub(super) has_asked: bool,
    has_state: bool,
    /// Why a question could not be asked.
    pub(super) fault: Option<CallError<'static>>,
    /// The task that asks.
    pub(super) related_task: Option<TaskId>,
}

impl<'r> Asking<'r> {
    pub(in crate::engine::server) fn new(
        way: Way,
        client: ClientCapabilities,
        subject: JsonStr<'r>,
        memory: &'r mut [u8],
    ) -> Self {
        Self {
            way,
            client,
            subject,
            kept: Sink::new(memory),
            has_asked: false,
            has_state: false,
            fault: None,
            related_task: None,
        }
    }

    /// Of a reply that asks no questions.
    pub(in crate::engine::server) fn never() -> Self {
        Self::new(Way::Never, ClientCapabilities::NONE, JsonStr::EMPTY, &mut [])
    }

    /// As if nothing had been asked.
    pub(super) fn take_back(&mut self) {
        let beginning = Sink::counting().mark();
        self.kept.rollback(beginning);
        self.has_asked = false;
        self.has_state = false;
        self.fault = None;
    }

    fn why_not(&self, request: &InputRequest<'_>, version: ProtocolVersion) -> Option<CallError<'static>> {
        if !can_ask(request, version, self.client) {
            return Some(CallError::MissingCapability(request.needs()));
        }
        match self.way {
            Way::Request(Err(reason)) => Some(reason.into()),
            _ => None,
        }
    }
}

impl<'r, 'm: 'r> Line<'r, 'm> {
    /// Writes a question; see [`ToolReply::ask`](super::ToolReply::ask).
    pub(super) fn ask(&mut self, key: &str, request: &InputRequest<'_>) {
        let is_behind_something = self.has_begun && !self.asking.has_asked;
        if self.asking.way == Way::Never || is_behind_something || self.asking.has_state {
            self.misuse = Some("a question where none can be asked");
            return;
        }
        if let Some(fault) = self.asking.why_not(request, self.version) {
            self.asking.fault.get_or_insert(fault);
            return;
        }
        match self.asking.way {
            Way::Result | Way::Member => {
                if !self.asking.has_asked {
                    if self.asking.way == Way::Result {
                        answer::begin_input_required(&mut self.json, self.id);
                    }
                    self.json.name("inputRequests").begin_object();
                }
                self.json.name(key).begin_object();
                request.write_members(&mut self.json, self.version, None);
                self.json.end_object();
            }
            // The others are asked when this one is answered.
            Way::Request(_) if self.asking.has_asked => {}
            Way::Request(id) => {
                let id = RequestId::from(i64::from(id.unwrap_or_default()));
                write_request(
                    &mut self.json,
                    id,
                    request,
                    self.version,
                    self.asking.related_task,
                );
                let mut kept = Writer::new(&mut self.asking.kept);
                kept.begin_array();
                kept.string(key).json_string(self.asking.subject);
            }
            Way::Never => {}
        }
        self.asking.has_asked = true;
        self.has_begun = true;
    }

    /// Keeps the state of the conversation, a string that `write` writes, behind the questions.
    pub(super) fn keep(&mut self, write: impl FnOnce(&mut Writer<'_, '_>)) {
        if self.asking.has_state || !self.asking.has_asked {
            // Without a question that could be asked there is nothing to keep it for.
            if self.asking.fault.is_none() {
                self.misuse = Some("a state without a question");
            }
            return;
        }
        self.asking.has_state = true;
        match self.asking.way {
            Way::Result => {
                self.json.end_object();
                write(self.json.name("requestState"));
            }
            Way::Request(_) => {
                self.asking.kept.write(b",");
                write(&mut Writer::new(&mut self.asking.kept));
                self.asking.kept.write(b"]");
            }
            Way::Member | Way::Never => {}
        }
    }

    /// The end of a reply that asks.
    pub(super) fn finish_asking<'a>(mut self, tail: &Tail<'_>) -> Settled<'a> {
        if let Some(fault) = self.asking.fault {
            self.take_back();
            return Settled::Refused(fault);
        }
        if !self.asking.has_asked {
            self.misuse.get_or_insert("no question was asked");
        } else if !self.asking.has_state {
            self.keep(|json| {
                json.string("");
            });
        }
        if self.asking.way == Way::Result {
            tail.not_cacheable().write(&mut self.json);
        }
        let start = self.start;
        let out = self.json.sink();
        if let Some(what) = self.misuse {
            out.rollback(start);
            return Settled::Finished(Finished::Misuse(what));
        }
        if out.is_full() {
            out.rollback(start);
            return Settled::Finished(Finished::TooLarge);
        }
        if self.asking.way == Way::Result {
            return Settled::Finished(Finished::Written);
        }
        if self.asking.kept.is_full() {
            out.rollback(start);
            return Settled::Finished(Finished::Misuse(
                "what is kept of a question is longer than `TEXT`",
            ));
        }
        Settled::Asked {
            kept: self.asking.kept.len(),
            progress: self.progress,
        }
    }
}

/// Whether a client of this revision that has declared these capabilities can be asked that.
pub(in crate::engine::server) fn can_ask(
    request: &InputRequest<'_>,
    version: ProtocolVersion,
    client: ClientCapabilities,
) -> bool {
    let needed = request.needs();
    let knows = version.has(Feature::ResultType) || request.method().is_in(version);
    // A page to visit and tools for the model came with the modes of the capabilities.
    let needs_mode = needed.elicitation_url || needed.sampling_tools;
    knows && (!needs_mode || version.has(Feature::CapabilityModes)) && client.has(&needed)
}

/// A request of the server's own, a whole line.
pub(in crate::engine::server) fn write_request(
    json: &mut Writer<'_, '_>,
    id: RequestId<'_>,
    request: &InputRequest<'_>,
    version: ProtocolVersion,
    related_task: Option<TaskId>,
) {
    begin(json);
    json.name("id");
    id.write(json);
    request.write_members(json, version, related_task);
    answer::end_line(json);
}

/// `ping`, a whole line.
pub(in crate::engine::server) fn write_ping(json: &mut Writer<'_, '_>, id: RequestId<'_>) {
    begin(json);
    json.name("id");
    id.write(json);
    json.name("method").string(Method::Ping.name());
    answer::end_line(json);
}
