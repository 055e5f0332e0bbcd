//! Questions to the client, and their answers.

use barewire::engine::{Answer, Resumed};
use barewire::json::JsonStr;
use barewire::mcp::{Elicitation, InputRequest, Sampling, SamplingMessage};

use crate::samples::{CONTEXT, NAME, OK};

pub(crate) const NAMED: InputRequest<'_> =
    InputRequest::Elicitation(Elicitation::form("What is your name?", NAME));
pub(crate) const CONFIRMED: InputRequest<'_> =
    InputRequest::Elicitation(Elicitation::form("Please confirm", OK));
pub(crate) const IN_CONTEXT: InputRequest<'_> =
    InputRequest::Elicitation(Elicitation::form("What context should the prompt use?", CONTEXT));
pub(crate) const CAPITAL: InputRequest<'_> =
    InputRequest::Sampling(Sampling::new(&[SamplingMessage::user("What is the capital of France?")], 100));
pub(crate) const GREETING: InputRequest<'_> =
    InputRequest::Sampling(Sampling::new(&[SamplingMessage::user("Generate a greeting")], 50));

/// A text of a form that the user has filled in.
pub(crate) fn form_text<'a>(call: &Resumed<'a>, question: &str, member: &str) -> Option<JsonStr<'a>> {
    call.answer(question)?.elicited()?.accepted()?.get(member)?.as_string()
}

/// What the model has written.
pub(crate) fn sampled_text<'a>(call: &Resumed<'a>, question: &str) -> Option<JsonStr<'a>> {
    call.answer(question)?.sampled()?.text()
}

/// The action of the user and the content of the form, for people to read.
pub(crate) fn describe(answer: Answer<'_>) -> Option<String> {
    let elicited = answer.elicited()?;
    Some(format!("action={}, content={}", elicited.action.as_str(), elicited.content.as_value()))
}
