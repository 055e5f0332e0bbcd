//! What a server asks its client for (MCP client features; multi round-trip requests).

use super::{ClientCapabilities, Elicitation, Method, ProtocolVersion, Sampling, TaskId};
use crate::json::Writer;

/// Something that only the client, its user or its model can answer.
///
/// ```
/// use barewire::mcp::{ClientCapabilities, Elicitation, InputRequest, Schema};
///
/// const AGE: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"age":{"type":"integer"}}}"#);
/// let question: InputRequest<'_> = Elicitation::form("How old are you?", AGE).into();
/// assert!(question.needs().elicitation_form && !ClientCapabilities::NONE.has(&question.needs()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputRequest<'a> {
    /// The user: a form, or a page to visit.
    Elicitation(Elicitation<'a>),
    /// The model.
    Sampling(Sampling<'a>),
    /// The directories that the server may work in.
    Roots,
}

impl InputRequest<'_> {
    /// Its method.
    pub const fn method(&self) -> Method {
        match self {
            Self::Elicitation(_) => Method::ElicitationCreate,
            Self::Sampling(_) => Method::SamplingCreateMessage,
            Self::Roots => Method::RootsList,
        }
    }

    /// What the client must have declared to be asked this.
    pub fn needs(&self) -> ClientCapabilities {
        match self {
            Self::Elicitation(elicitation) => elicitation.needs(),
            Self::Sampling(sampling) => sampling.needs(),
            Self::Roots => {
                let mut needed = ClientCapabilities::NONE;
                needed.roots = true;
                needed
            }
        }
    }

    /// The members `method` and `params` of the request that is open; a message of its own in the legacy era, one of
    /// several in a result in the modern one. A task of 2025-11-25 that asks is named.
    pub(crate) fn write_members(
        &self,
        json: &mut Writer<'_, '_>,
        version: ProtocolVersion,
        related_task: Option<&TaskId>,
    ) {
        // Each by itself: the table of all names need not be there for these three.
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
