//! Questions of jobs to the client of their call.

use std::collections::HashSet;
use std::string::{String, ToString};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::vec::Vec;

use crate::bytes::Sink;
use crate::engine::{Answer, CallError, CallToken, Caller, Context, Origin, Resumed, can_ask};
use crate::json::{JsonStr, Object, RawValue, Writer};
use crate::mcp::{ClientCapabilities, Era, InputRequest, Method, ProtocolVersion};
use crate::rpc::ErrorObject;

/// Beginning of the state with which a job asks a modern client; an object of the answers so far follows. It tells the loop that the job
/// runs again, instead of [`Handler::resume`](crate::engine::Handler::resume).
const MARK: &str = "barewire-job";

/// The client of a deferred call, as far as questions depend on it.
#[derive(Clone)]
pub(super) struct CallClient {
    pub(super) call: CallToken,
    version: ProtocolVersion,
    capabilities: ClientCapabilities,
    /// Answers of a modern client, of this round and of earlier ones: an object.
    answers: Arc<[u8]>,
    origin: Origin,
    /// Name of the tool, as the client has sent it.
    tool: Arc<[u8]>,
}

impl CallClient {
    /// The client of a call that comes for the first time.
    pub(super) fn new(call: CallToken, context: &Context<'_>, tool: JsonStr<'_>) -> Self {
        Self::with_answers(call, context, tool, Arc::from(&b"{}"[..]))
    }

    /// The client of a call that comes with these answers.
    pub(super) fn with_answers(
        call: CallToken,
        context: &Context<'_>,
        tool: JsonStr<'_>,
        answers: Arc<[u8]>,
    ) -> Self {
        Self {
            call,
            version: context.version(),
            capabilities: context.client(),
            answers,
            origin: context.origin(),
            tool: tool.as_escaped_bytes().into(),
        }
    }

    /// The caller, for a seal.
    pub(super) fn caller(&self) -> Caller<'_> {
        Caller::new(self.origin, JsonStr::from_valid(&self.tool))
    }

    /// Whether the call ends with its question, and the client makes it again.
    pub(super) fn is_modern(&self) -> bool {
        self.version.era() == Era::Modern
    }

    pub(super) fn check(&self, request: &InputRequest<'_>) -> Result<(), CallError<'static>> {
        match can_ask(request, self.version, self.capabilities) {
            true => Ok(()),
            false => Err(CallError::MissingCapability(request.needs())),
        }
    }

    /// The answer of a modern client, if it is at hand.
    pub(super) fn answer(&self, key: &str) -> Result<Option<Answer<'_>>, CallError<'static>> {
        match object(&self.answers).get(key).map(RawValue::as_object) {
            Some(Some(answer)) => Ok(Some(Answer::Result(answer))),
            Some(None) => Err(CallError::InvalidParams),
            None => Ok(None),
        }
    }

    /// The question to a modern client.
    pub(super) fn result(self, key: &str, request: &InputRequest<'_>) -> QuestionInResult {
        let questions = written(|json| {
            json.name("inputRequests").begin_object();
            json.name(key).begin_object();
            request.write_members(json, self.version, None);
            json.end_object().end_object();
        });
        QuestionInResult { client: self, questions }
    }

    /// The request that asks a legacy client.
    pub(super) fn question(&self, request: &InputRequest<'_>, answer: Reply) -> Question {
        Question {
            call: self.call,
            kind: (request.method(), request.needs()),
            members: written(|json| request.write_members(json, self.version, None)),
            answer,
        }
    }
}

/// The way of an answer to the thread that waits for it.
pub(super) type Reply = SyncSender<Result<Received, CallError<'static>>>;

/// A question to a legacy client.
pub(super) struct Question {
    pub(super) call: CallToken,
    /// Method of the request, and the capabilities that it needs.
    pub(super) kind: (Method, ClientCapabilities),
    members: Vec<u8>,
    /// Dropped when no answer can come any more, which ends the wait.
    pub(super) answer: Reply,
}

impl Question {
    /// Method and params, as an object.
    pub(super) fn members(&self) -> Object<'_> {
        object(&self.members)
    }
}

/// A question to a modern client, which ends its call.
pub(super) struct QuestionInResult {
    pub(super) client: CallClient,
    questions: Vec<u8>,
}

impl QuestionInResult {
    pub(super) fn write_questions(&self, json: &mut Writer<'_, '_>) {
        for member in object(&self.questions).members() {
            json.member(member);
        }
    }

    pub(super) fn write_state(&self, json: &mut Writer<'_, '_>) {
        let answers = String::from_utf8_lossy(&self.client.answers);
        json.string([MARK, &*answers]);
    }
}

/// The answer of a legacy client, as a copy.
pub(super) enum Received {
    Result(Vec<u8>),
    Error(Vec<u8>),
    Malformed,
    TimedOut,
}

impl Received {
    pub(super) fn new(answer: Answer<'_>) -> Self {
        match answer {
            Answer::Result(result) => Self::Result(result.as_value().as_bytes().to_vec()),
            Answer::Error(error) => Self::Error(error.object().as_value().as_bytes().to_vec()),
            Answer::Malformed => Self::Malformed,
            Answer::TimedOut => Self::TimedOut,
        }
    }

    pub(super) fn answer(&self) -> Answer<'_> {
        match self {
            Self::Result(result) => Answer::Result(object(result)),
            Self::Error(error) => Answer::Error(ErrorObject::from_valid(object(error))),
            Self::Malformed => Answer::Malformed,
            Self::TimedOut => Answer::TimedOut,
        }
    }
}

/// All answers to the job of this call, if it was a job that asked.
pub(super) fn answers_to_job(call: &Resumed<'_>) -> Result<Option<Arc<[u8]>>, CallError<'static>> {
    let state = call.state();
    if call.context().version().era() != Era::Modern || !state.starts_with(MARK) {
        return Ok(None);
    }
    let old = old_answers(state).ok_or(CallError::InvalidParams)?;
    Ok(Some(merged(call.all_answers(), object(&old)).into()))
}

/// The answers in a state, which the client may have made up.
fn old_answers(state: JsonStr<'_>) -> Option<Vec<u8>> {
    let text: String = state.chars().collect::<Result<_, _>>().ok()?;
    let text = text.strip_prefix(MARK)?.as_bytes();
    let value = RawValue::new(text).ok()?;
    value.as_object().filter(|_| value.has_unique_names())?;
    Some(text.to_vec())
}

/// All answers as one object. An answer of this round replaces an earlier one.
fn merged(new: Object<'_>, old: Object<'_>) -> Vec<u8> {
    let names: HashSet<String> = new.members().map(|member| member.name.to_string()).collect();
    written(|json| {
        for member in old.members().filter(|member| !names.contains(&member.name.to_string())) {
            json.member(member);
        }
        for member in new.members() {
            json.member(member);
        }
    })
}

/// An object whose members `write` writes.
fn written(write: impl FnOnce(&mut Writer<'_, '_>)) -> Vec<u8> {
    let mut text = Vec::new();
    let mut sink = Sink::growable(&mut text, usize::MAX);
    let mut json = Writer::new(&mut sink);
    json.begin_object();
    write(&mut json);
    json.end_object();
    text
}

/// The object that [`written`] has written.
fn object(text: &[u8]) -> Object<'_> {
    RawValue::from_valid(text).as_object().unwrap_or(Object::EMPTY)
}
