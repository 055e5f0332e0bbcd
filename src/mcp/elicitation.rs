//! Elicitation: input requests that the user answers (MCP elicitation, 2025-06-18 and later).

use super::content::Text;
use super::named_enum::named_enum;
use super::setters::setters;
use super::{ClientCapabilities, Feature, ProtocolVersion, Schema};
use crate::json::{Object, Writer};

/// An input request that the user answers.
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
    /// (MCP elicitation, requested schema). The answer is not checked against it.
    pub const fn form(message: &'a str, schema: Schema<'a>) -> Self {
        Self { message: &[], single: message, mode: Mode::Form(schema) }
    }

    /// A page that the user visits (2025-11-25 and later), for data that must not pass through the client. `id` names the
    /// elicitation in the notification that the page is done (2025-11-25 only).
    pub const fn url(message: &'a str, url: &'a str, id: &'a str) -> Self {
        Self { message: &[], single: message, mode: Mode::Url { url, id } }
    }

    setters! {
        /// The message, in pieces.
        with_message_of(pieces: &'a [&'a str]) => message = pieces;
    }

    pub(super) fn needs(&self) -> ClientCapabilities {
        match self.mode {
            Mode::Form(_) => ClientCapabilities::ELICITATION_FORM,
            Mode::Url { .. } => ClientCapabilities::ELICITATION_URL,
        }
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
            // In every revision, an elicitation without a mode is a form.
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

named_enum! {
    /// The reaction of the user to an elicitation.
    ElicitAction {
        /// The user filled in the form, or agreed to visit the page.
        Accept => "accept",
        /// The user declined.
        Decline => "decline",
        /// The user closed the elicitation without an answer.
        Cancel => "cancel",
    }
}

/// The answer of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Elicited<'a> {
    /// The reaction of the user.
    pub action: ElicitAction,
    /// The values of the form, not checked against the schema. Empty unless a form was accepted.
    pub content: Object<'a>,
}

impl<'a> Elicited<'a> {
    /// Reads the result of `elicitation/create`. `None` if it is malformed, or if a member occurs twice in it, at any depth
    /// of the content. Linear in its length.
    pub fn of(result: Object<'a>) -> Option<Self> {
        Self::of_unique(result).filter(|elicited| elicited.content.as_value().has_unique_names())
    }

    /// [`of`](Self::of) for a result that was checked for repeated members.
    pub(crate) fn of_unique(result: Object<'a>) -> Option<Self> {
        let [action, content] = result.get_each(["action", "content"]).ok()?;
        let action = ElicitAction::from_name(action?.as_string()?)?;
        let content = match content {
            Some(content) if action == ElicitAction::Accept => content.as_object()?,
            _ => Object::EMPTY,
        };
        Some(Self { action, content })
    }

    /// The values of the form, if it was accepted.
    pub fn accepted(self) -> Option<Object<'a>> {
        (self.action == ElicitAction::Accept).then_some(self.content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Sink;
    use crate::json::RawValue;

    fn written(question: &Elicitation<'_>, version: ProtocolVersion) -> std::string::String {
        let mut memory = [0; 512];
        let mut sink = Sink::new(&mut memory);
        let mut json = Writer::new(&mut sink);
        json.begin_object();
        question.write_members(&mut json, version);
        json.end_object();
        std::string::String::from_utf8(sink.finish().unwrap().to_vec()).unwrap()
    }

    #[test]
    fn questions_as_each_revision_has_them() {
        const SCHEMA: Schema<'_> = Schema::new(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#);
        let form = Elicitation::form("A \"b\"?", SCHEMA);
        let pieces = form.with_message_of(&["A ", "\"b\"", "?"]);
        let page = Elicitation::url("m", "https://example.com/?a=\"b\"", "e");
        for version in ProtocolVersion::ALL {
            let text = r#"{"message":"A \"b\"?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}"#;
            assert_eq!(written(&form, version), text);
            assert_eq!(written(&pieces, version), text);
            let id = match version {
                ProtocolVersion::V2025_11_25 => r#","elicitationId":"e""#,
                _ => "",
            };
            assert_eq!(
                written(&page, version),
                std::format!(r#"{{"mode":"url","message":"m","url":"https://example.com/?a=\"b\""{id}}}"#)
            );
        }
        assert!(form.needs() == ClientCapabilities::ELICITATION_FORM);
        assert!(page.needs() == ClientCapabilities::ELICITATION_URL);
    }

    #[test]
    fn answers_well_formed_and_not() {
        let rows: &[(&str, Option<(ElicitAction, &str)>)] = &[
            (r#"{"action":"accept","content":{"a":"b"}}"#, Some((ElicitAction::Accept, r#"{"a":"b"}"#))),
            (r#"{"action":"accept"}"#, Some((ElicitAction::Accept, "{}"))),
            (r#"{"action":"\u0061ccept"}"#, Some((ElicitAction::Accept, "{}"))),
            // Content counts only if it was given for the asking.
            (r#"{"action":"decline","content":{"a":1}}"#, Some((ElicitAction::Decline, "{}"))),
            (r#"{"action":"decline","content":null}"#, Some((ElicitAction::Decline, "{}"))),
            (r#"{"x":1,"action":"cancel","content":7}"#, Some((ElicitAction::Cancel, "{}"))),
            (r#"{"action":"accept","content":null}"#, None),
            (r#"{"action":"accept","content":[]}"#, None),
            (r#"{"action":"Accept"}"#, None),
            (r#"{"action":""}"#, None),
            (r#"{"action":"a\ud800"}"#, None),
            (r#"{"action":7}"#, None),
            (r#"{"action":null}"#, None),
            (r#"{"content":{}}"#, None),
            ("{}", None),
            (r#"{"action":"accept","action":"decline"}"#, None),
            (r#"{"action":"accept","content":{},"content":{}}"#, None),
        ];
        for (text, wanted) in rows {
            let answer = RawValue::new(text.as_bytes()).unwrap().as_object().unwrap();
            let found = Elicited::of(answer);
            let seen = found.map(|found| (found.action, found.content.as_value().as_json()));
            assert_eq!(seen, *wanted, "{text}");
            let is_accepted = matches!(wanted, Some((ElicitAction::Accept, _)));
            assert_eq!(found.and_then(Elicited::accepted).is_some(), is_accepted, "{text}");
        }
    }
}
