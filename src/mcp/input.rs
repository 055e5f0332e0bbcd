//! Input requests (MCP client features; multi round-trip requests).

use super::{ClientCapabilities, Elicitation, Method, ProtocolVersion, Sampling, TaskId};
use crate::json::Writer;

/// An input request, which the client, its user or its model answers.
///
/// ```
/// use barewire::mcp::{ClientCapabilities, Elicitation, InputRequest, Schema};
///
/// const AGE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"age":{"type":"integer"}}}"#);
/// let request: InputRequest<'_> = Elicitation::form("How old are you?", AGE).into();
/// assert_eq!(request.needs(), ClientCapabilities::ELICITATION_FORM);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputRequest<'a> {
    /// Elicitation: the user fills in a form or visits a page.
    Elicitation(Elicitation<'a>),
    /// Sampling: the model continues a conversation.
    Sampling(Sampling<'a>),
    /// Roots: the client lists the directories that the server may work in.
    Roots,
}

impl InputRequest<'_> {
    /// The method of the request.
    pub const fn method(&self) -> Method {
        match self {
            Self::Elicitation(_) => Method::ElicitationCreate,
            Self::Sampling(_) => Method::SamplingCreateMessage,
            Self::Roots => Method::RootsList,
        }
    }

    /// The capabilities that the client must have declared.
    pub fn needs(&self) -> ClientCapabilities {
        match self {
            Self::Elicitation(elicitation) => elicitation.needs(),
            Self::Sampling(sampling) => sampling.needs(),
            Self::Roots => ClientCapabilities::ROOTS,
        }
    }

    /// Writes the members `method` and `params` into the open request: a message of its own in the legacy era, one of
    /// several requests in a result in the modern era. A task of 2025-11-25 that sends the request is named.
    pub(crate) fn write_members(
        &self,
        json: &mut Writer<'_, '_>,
        version: ProtocolVersion,
        related_task: Option<TaskId<'_>>,
    ) {
        // The names are constants here, so that the table of all names is not linked.
        json.name("method").string(match self {
            Self::Elicitation(_) => Method::ElicitationCreate.name(),
            Self::Sampling(_) => Method::SamplingCreateMessage.name(),
            Self::Roots => Method::RootsList.name(),
        });
        match self {
            Self::Roots if related_task.is_none() => return,
            _ => {
                json.name("params").begin_object();
            }
        }
        match self {
            Self::Elicitation(elicitation) => elicitation.write_members(json, version),
            Self::Sampling(sampling) => sampling.write_members(json, version),
            Self::Roots => {}
        }
        if let Some(task) = related_task {
            json.name("_meta").begin_object();
            task.write_related(json);
            json.end_object();
        }
        json.end_object();
    }
}

impl<'a> From<Elicitation<'a>> for InputRequest<'a> {
    fn from(elicitation: Elicitation<'a>) -> Self {
        Self::Elicitation(elicitation)
    }
}

impl<'a> From<Sampling<'a>> for InputRequest<'a> {
    fn from(sampling: Sampling<'a>) -> Self {
        Self::Sampling(sampling)
    }
}
