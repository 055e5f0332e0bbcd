//! Questions to the user (MCP elicitation, 2025-06-18 and later).

use super::content::Text;
use super::{ClientCapabilities, Feature, ProtocolVersion, Schema};
use crate::json::{Object, Writer};

/// A question to the user.
///
/// ```
/// use barewire::mcp::{Elicitation, Schema};
///
/// const REALLY: Schema<'_> =
///     Schema::new(r#"{"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"]}"#);
///
/// let question = Elicitation::form("Erase everything?", REALLY);
/// # let _ = question;
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elicitation<'a> {
    message: &'a [&'a str],
    single: &'a str,
    mode: Mode<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode<'a> {
    Form(Schema<'a>),
    Url { url: &'a str, id: &'a str },
}

impl<'a> Elicitation<'a> {
    /// A form. The schema is flat: an object whose properties are strings, numbers, integers, booleans or enumerations
    /// (MCP elicitation, requested schema). What comes back is not checked against it.
    pub const fn form(message: &'a str, schema: Schema<'a>) -> Self {
        Self {
            message: &[],
            single: message,
            mode: Mode::Form(schema),
        }
    }

    /// A page for the user to visit (2025-11-25 and later): for what must not pass through the client. `id` names the
    /// question when the page is done, where the revision has a message for that (2025-11-25 only).
    pub const fn url(message: &'a str, url: &'a str, id: &'a str) -> Self {
        Self {
            message: &[],
            single: message,
            mode: Mode::Url { url, id },
        }
    }

    /// The same question with a message in pieces.
    pub const fn with_message_of(self, pieces: &'a [&'a str]) -> Self {
        Self {
            message: pieces,
            ..self
        }
    }

    pub(super) fn needs(&self) -> ClientCapabilities {
        let mut needed = ClientCapabilities::NONE;
        match self.mode {
            Mode::Form(_) => needed.elicitation_form = true,
            Mode::Url { .. } => needed.elicitation_url = true,
        }
        needed
    }

    pub(super) fn write_members(&self, json: &mut Writer<'_, '_>, version: ProtocolVersion) {
        let message = match self.message {
            [] => Text::Plain(self.single),
            pieces => Text::Pieces(pieces),
        };
        if let Mode::Url { .. } = self.mode {
            json.name("mode").string("url");
        }
        json.name("message");
        message.write(json);
        match self.mode {
            // No mode is a form, in every revision.
            Mode::Form(schema) => {
                json.name("requestedSchema").raw(schema.as_value());
            }
            Mode::Url { url, id } => {
                json.name("url").string(url);
                if version.has(Feature::ElicitationId) {
                    json.name("elicitationId").string(id);
                }
            }
        }
    }
}

/// What the user did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ElicitAction {
    /// Filled in the form, or agreed to visit the page.
    Accept,
    /// Said no.
    Decline,
    /// Closed the question without an answer.
    Cancel,
}

/// The answer of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elicited<'a> {
    /// What the user did.
    pub action: ElicitAction,
    /// The form's values, as they came: not checked against the schema. Empty unless a form was accepted.
    pub content: Object<'a>,
}

impl<'a> Elicited<'a> {
    /// Of the result of `elicitation/create`; `None` when it is none. Linear in its length.
    pub fn of(result: Object<'a>) -> Option<Self> {
        let [action, content] = result.get_each(["action", "content"]).ok()?;
        let action = action?.as_string()?;
        let action = if action == "accept" {
            ElicitAction::Accept
        } else if action == "decline" {
            ElicitAction::Decline
        } else if action == "cancel" {
            ElicitAction::Cancel
        } else {
            return None;
        };
        let content = match content {
            Some(content) if action == ElicitAction::Accept => content.as_object()?,
            _ => Object::EMPTY,
        };
        Some(Self { action, content })
    }

    /// The form's values, if it was accepted.
    pub fn accepted(self) -> Option<Object<'a>> {
        (self.action == ElicitAction::Accept).then_some(self.content)
    }
}
