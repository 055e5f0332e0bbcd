//! What a handler asks the client before it can answer.
//!
//! To a modern client the questions are the result of its request, and it sends the request again with the answers. To a
//! legacy client the first question is a request of the server's own; its call stays in flight until the answer comes.

use super::{Finished, Line, Settled};
use crate::bytes::Sink;
use crate::engine::server::answer::{self, Tail};
use crate::engine::server::{AskError, CallError, Handler, NotKept, Parts};
use crate::json::{JsonStr, Kind, Object, RawValue, Writer};
use crate::mcp::{
    ClientCapabilities, Feature, InputRequest, Method, PackedCapabilities, ProtocolVersion, TaskId,
};
use crate::rpc::begin;

const NOTHING_ASKED: &str = "no question was asked";

/// The end of the kept text of a question, if the handler keeps no state.
const EMPTY_STATE: &[u8] = br#",""]"#;

/// How the client is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::engine::server) enum Way<'r> {
    /// In the result.
    Result,
    /// In a member of the object that is open.
    Member,
    /// Not at all: the client has sent these answers, by the keys of the questions.
    Answered(Object<'r>),
    /// By a request with this id, or why that cannot be.
    Request(Result<u32, NotKept>),
}

/// How far the questions of a task are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine::server) enum Answered {
    /// None of them.
    None,
    /// Some.
    Part,
    /// All, or there are none.
    All,
    /// One of the answers is not an object.
    Malformed,
}

/// Why a question could not be asked. No [`CallError`], which has room for far more.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Missing(ClientCapabilities),
    NotKept(NotKept),
}

impl From<Fault> for AskError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Missing(_) => Self::MissingCapability,
            Fault::NotKept(reason) => reason.into(),
        }
    }
}

/// The questions of a reply.
pub(in crate::engine::server) struct Asking<'r> {
    pub(super) way: Way<'r>,
    pub(super) client: PackedCapabilities,
    /// What the question is about: the tool, the prompt, the URI.
    pub(super) subject: JsonStr<'r>,
    /// Where a question to a legacy client is kept, as an array of JSON strings: its key, its subject, the state.
    pub(super) kept: Sink<'r>,
    pub(super) has_asked: bool,
    has_state: bool,
    /// At least one of the answers is to a question.
    is_answered: bool,
    /// At least one of the questions has no answer.
    is_open: bool,
    /// At least one of the answers to questions is not an object.
    is_malformed: bool,
    /// Why a question could not be asked.
    pub(super) fault: Option<Fault>,
    /// The task that asks.
    pub(super) related_task: Option<&'r TaskId>,
}

impl<'r> Asking<'r> {
    pub(in crate::engine::server) fn new(
        way: Way<'r>,
        client: PackedCapabilities,
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
            is_answered: false,
            is_open: false,
            is_malformed: false,
            fault: None,
            related_task: None,
        }
    }

    /// How far what was asked is answered.
    pub(super) const fn answered(&self) -> Answered {
        match (self.is_answered, self.is_open) {
            _ if self.is_malformed => Answered::Malformed,
            (false, true) => Answered::None,
            (true, true) => Answered::Part,
            (_, false) => Answered::All,
        }
    }

    /// As if nothing had been asked.
    pub(super) fn take_back(&mut self) {
        let beginning = Sink::counting().mark();
        self.kept.rollback(beginning);
        self.has_asked = false;
        self.has_state = false;
        self.fault = None;
    }

    /// A function of its own, for the stack of what writes the question.
    #[inline(never)]
    fn why_not(&self, request: &InputRequest<'_>, version: ProtocolVersion) -> Option<Fault> {
        if !can_ask(request, version, self.client) {
            return Some(Fault::Missing(request.needs()));
        }
        match self.way {
            Way::Request(Err(reason)) => Some(Fault::NotKept(reason)),
            _ => None,
        }
    }
}

impl<'r, 'm: 'r> Line<'r, 'm> {
    /// Writes a question; see [`ToolReply::ask`](super::ToolReply::ask).
    pub(super) fn ask(&mut self, key: &str, request: &InputRequest<'_>) {
        let asking = self.asking.as_deref_mut();
        let Some(asking) = asking.filter(|asking| !asking.has_state && asking.has_asked == self.has_begun)
        else {
            self.misuse = Some("a question where none can be asked");
            return;
        };
        if let Some(fault) = asking.why_not(request, self.version) {
            asking.fault.get_or_insert(fault);
            return;
        }
        match asking.way {
            Way::Result | Way::Member => {
                if !asking.has_asked {
                    if let (Way::Result, Some(context)) = (asking.way, self.context) {
                        answer::begin_input_required(&mut self.json, &context.id);
                    }
                    self.json.name("inputRequests").begin_object();
                }
                self.json.name(key).begin_object();
                request.write_members(&mut self.json, self.version, None);
                self.json.end_object();
            }
            Way::Answered(answers) => match answers.get(key).map(RawValue::kind) {
                Some(Kind::Object) => asking.is_answered = true,
                Some(_) => asking.is_malformed = true,
                None => asking.is_open = true,
            },
            // The others are asked when this one is answered.
            Way::Request(_) if asking.has_asked => {}
            Way::Request(id) => {
                let id = id.unwrap_or_default();
                write_request(&mut self.json, id, request, self.version, asking.related_task);
                let mut kept = Writer::new(&mut asking.kept);
                kept.begin_array();
                kept.string(key);
                let context = self.context;
                let is_read = context.is_some_and(|context| context.method == Method::ResourcesRead);
                match is_read {
                    // The state comes back as it was sent.
                    true => kept.json_string(asking.subject),
                    // A declared name fits, however the client spells it.
                    false => kept.decoded_string(asking.subject),
                };
                if is_read && asking.kept.remaining() < EMPTY_STATE.len() {
                    // Not even an empty state would fit: the client's URI is too long.
                    asking.fault = Some(Fault::NotKept(NotKept::UriTooLong));
                }
            }
        }
        asking.has_asked = true;
        self.has_begun = true;
    }

    /// Keeps the state of the conversation, a string that `write` writes, after the questions.
    pub(super) fn keep(&mut self, write: impl FnOnce(&mut Writer<'_, '_>)) {
        let asking = match self.asking.as_deref_mut() {
            Some(asking) if asking.has_asked && !asking.has_state => asking,
            // Without a question that could be asked there is nothing to keep it for.
            Some(asking) if asking.fault.is_some() => return,
            _ => {
                self.misuse = Some("a state without a question");
                return;
            }
        };
        asking.has_state = true;
        match asking.way {
            Way::Result => {
                self.json.end_object();
                write(self.json.name("requestState"));
            }
            Way::Request(_) => {
                asking.kept.write(b",");
                write(&mut Writer::new(&mut asking.kept));
                asking.kept.write(b"]");
            }
            Way::Member | Way::Answered(_) => {}
        }
    }

    /// The end of a reply that asks.
    pub(super) fn finish_asking<'a, H: Handler + ?Sized, P: Parts>(
        &mut self,
        tail: &Tail<'_, H, P>,
    ) -> Settled<'a> {
        if !P::ASKING {
            self.take_back();
            return Settled::Finished(Finished::Misuse(self.misuse.unwrap_or(NOTHING_ASKED)));
        }
        let state = self
            .asking
            .as_deref()
            .map(|asking| (asking.fault, asking.has_asked, asking.has_state));
        match state {
            Some((Some(fault), ..)) => {
                self.take_back();
                return match fault {
                    Fault::Missing(needed) => Settled::Refused(CallError::MissingCapability(needed)),
                    Fault::NotKept(reason) => Settled::Finished(Finished::NotKept(reason)),
                };
            }
            Some((None, true, true)) => {}
            Some((None, true, false)) => self.keep(|json| {
                json.string("");
            }),
            _ => {
                self.misuse.get_or_insert(NOTHING_ASKED);
            }
        }
        let is_result = self
            .asking
            .as_deref()
            .is_some_and(|asking| asking.way == Way::Result);
        if is_result {
            tail.plain().write(&mut self.json);
        }
        let (start, progress) = (self.start, self.progress);
        let out = self.json.sink();
        if let Some(what) = self.misuse {
            out.rollback(start);
            return Settled::Finished(Finished::Misuse(what));
        }
        if !answer::is_whole(out, start) {
            return Settled::Finished(Finished::TooLarge);
        }
        match self.asking.as_deref() {
            Some(asking) if !is_result => {
                if asking.kept.is_full() {
                    out.rollback(start);
                    return Settled::Finished(Finished::NotKept(NotKept::StateTooLong));
                }
                Settled::Asked {
                    kept: asking.kept.len(),
                    progress,
                }
            }
            _ => Settled::Finished(Finished::Written),
        }
    }
}

/// Whether a client of this revision that has declared these capabilities can be asked that.
pub(in crate::engine::server) fn can_ask(
    request: &InputRequest<'_>,
    version: ProtocolVersion,
    client: PackedCapabilities,
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
    id: u32,
    request: &InputRequest<'_>,
    version: ProtocolVersion,
    related_task: Option<&TaskId>,
) {
    begin(json);
    json.name("id").unsigned(u64::from(id));
    request.write_members(json, version, related_task);
    answer::end_line(json);
}

/// `ping`, a whole line.
pub(in crate::engine::server) fn write_ping(json: &mut Writer<'_, '_>, id: u32) {
    begin(json);
    json.name("id").unsigned(u64::from(id));
    json.name("method").string(Method::Ping.name());
    answer::end_line(json);
}
