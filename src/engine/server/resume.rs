//! A call that goes on with the client's answers.

use super::{Context, TaskToken};
use crate::json::{JsonStr, Object, RawValue};
use crate::mcp::{Elicited, Roots, Sampled};
use crate::rpc::ErrorObject;

/// What a client answered.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answer<'a> {
    /// The answer, as it came: nothing in it is checked.
    Result(Object<'a>),
    /// An error: the user rejected it, or the client cannot do it (legacy era only).
    Error(ErrorObject<'a>),
    /// Something that is no response (legacy era only).
    Malformed,
    /// None came in time, or none will come since the session is over (legacy era only).
    TimedOut,
}

impl<'a> Answer<'a> {
    fn result(self) -> Option<Object<'a>> {
        match self {
            Self::Result(result) => Some(result),
            Self::Error(_) | Self::Malformed | Self::TimedOut => None,
        }
    }

    /// What the user did, if the answer is well-formed.
    pub fn elicited(self) -> Option<Elicited<'a>> {
        self.result().and_then(Elicited::of)
    }

    /// What the model said, if the answer is well-formed.
    pub fn sampled(self) -> Option<Sampled<'a>> {
        self.result().and_then(Sampled::of)
    }

    /// The client's roots, if the answer is well-formed.
    pub fn roots(self) -> Option<Roots<'a>> {
        self.result().and_then(Roots::of)
    }
}

/// A call that asked, and goes on. Its state and its answers are whatever the client sent: in the modern era both are
/// hostile input.
#[derive(Debug, Clone, Copy)]
pub struct Resumed<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) subject: JsonStr<'a>,
    pub(super) state: JsonStr<'a>,
    pub(super) answers: Answers<'a>,
}

/// What a client answered, by the keys of the questions.
#[derive(Debug, Clone, Copy)]
pub struct Answers<'a>(Form<'a>);

#[derive(Debug, Clone, Copy)]
enum Form<'a> {
    /// Of a modern client: the member `inputResponses`.
    All(Object<'a>),
    /// Of a legacy client: to the question of this key.
    One(JsonStr<'a>, Answer<'a>),
}

impl<'a> Answers<'a> {
    pub(super) const fn all(answers: Object<'a>) -> Self {
        Self(Form::All(answers))
    }

    pub(super) const fn one(key: JsonStr<'a>, answer: Answer<'a>) -> Self {
        Self(Form::One(key, answer))
    }

    /// The answer to the question of that key, if there is one. Linear in the length of the answers.
    pub fn get(&self, key: &str) -> Option<Answer<'a>> {
        match self.0 {
            Form::All(answers) => answers.get(key)?.as_object().map(Answer::Result),
            Form::One(asked, answer) => (asked == *key).then_some(answer),
        }
    }
}

impl<'a> Resumed<'a> {
    /// Whether it is the tool or the prompt of that name, or the resource of that URI, that goes on.
    pub fn is(&self, subject: &str) -> bool {
        self.subject == *subject
    }

    /// The name of the tool or prompt, or the URI of the resource.
    pub const fn subject(&self) -> JsonStr<'a> {
        self.subject
    }

    /// What the handler kept when it asked.
    pub const fn state(&self) -> JsonStr<'a> {
        self.state
    }

    /// The answer to the question of that key, if there is one. When it is still needed, ask again. Linear in the length
    /// of the answers.
    pub fn answer(&self, key: &str) -> Option<Answer<'a>> {
        self.answers.get(key)
    }

    /// As [`ToolCall::task`](super::ToolCall::task); never in the legacy era.
    pub const fn task(&self) -> Option<TaskToken> {
        self.context.task.token
    }

    /// What is known of the request besides. Its params are not kept in the legacy era.
    pub const fn context(&self) -> &'a Context<'a> {
        self.context
    }
}

/// What was kept of a question to a legacy client: its key, its subject, the state.
pub(super) fn read_kept(kept: &[u8]) -> [JsonStr<'_>; 3] {
    let mut strings = [JsonStr::EMPTY; 3];
    if let Some(array) = RawValue::from_valid(kept).as_array() {
        for (place, value) in strings.iter_mut().zip(array.elements()) {
            *place = value.as_string().unwrap_or(JsonStr::EMPTY);
        }
    }
    strings
}
