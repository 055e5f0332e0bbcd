//! Results, which own their memory.

use std::string::String;

use serde::de::DeserializeOwned;

use super::error::ClientError;
use super::owned::{OwnedValue, array, lines, string};
use crate::json::{JsonStr, MAX_DEPTH, Object, RawValue, parse_text};
use crate::mcp::{Content, Role, ToolResult};

/// Result of a tool that did not fail (MCP tools). The client has checked it: no required member is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallToolResult {
    result: OwnedValue,
}

impl CallToolResult {
    pub(super) const fn of(result: OwnedValue) -> Self {
        Self { result }
    }

    /// The text of all text blocks, each on a line of its own. Empty without one.
    pub fn text(&self) -> String {
        text_of(self.view())
    }

    /// Reads the result into a type: the structured content if there is some, and else the text as JSON. A `String` gets the
    /// text itself.
    ///
    /// Some servers wrap a plain value in structured content (`{"result":5}`) and also send it as text. So if the structured
    /// content does not fit the type, the text is read.
    ///
    /// # Errors
    /// [`ClientError::Parse`]: neither fits. If there is structured content, the error is about it.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        let structured = self.structured_content().map(|value| value.parse_with_depth(MAX_DEPTH));
        match structured {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => parse_text(&self.text()).map_err(|_| error.into()),
            None => Ok(parse_text(&self.text())?),
        }
    }

    /// The content blocks, in order.
    pub fn content(&self) -> impl Iterator<Item = Content<'_>> {
        self.view().content()
    }

    /// The structured content (2025-06-18 and later).
    pub fn structured_content(&self) -> Option<RawValue<'_>> {
        self.view().structured_content().and_then(RawValue::not_null)
    }

    /// All members of the result.
    pub fn object(&self) -> Object<'_> {
        self.result.object()
    }

    fn view(&self) -> ToolResult<'_> {
        ToolResult::of(self.object())
    }
}

/// The text of all text blocks, each on a line of its own.
pub(super) fn text_of(result: ToolResult<'_>) -> String {
    lines(result.content().filter_map(Content::text))
}

/// Result of `resources/read` (MCP resources).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadResourceResult {
    result: OwnedValue,
}

impl ReadResourceResult {
    pub(super) const fn of(result: OwnedValue) -> Self {
        Self { result }
    }

    /// The contents: of the resource, and of its parts if it has some.
    pub fn contents(&self) -> impl Iterator<Item = ClientResourceContents<'_>> {
        let contents = array(self.object(), "contents").elements();
        contents.filter_map(|contents| contents.as_object().map(ClientResourceContents))
    }

    /// The text of all contents that are text, each on a line of its own. Empty without one.
    pub fn text(&self) -> String {
        lines(self.contents().filter_map(ClientResourceContents::text))
    }

    /// All members of the result.
    pub fn object(&self) -> Object<'_> {
        self.result.object()
    }
}

/// Contents of a resource: text or bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientResourceContents<'a>(Object<'a>);

impl<'a> ClientResourceContents<'a> {
    /// The URI.
    pub fn uri(self) -> JsonStr<'a> {
        string(self.0, "uri").unwrap_or(JsonStr::EMPTY)
    }

    /// The MIME type.
    pub fn mime_type(self) -> Option<JsonStr<'a>> {
        string(self.0, "mimeType")
    }

    /// The text. `None` for bytes.
    pub fn text(self) -> Option<JsonStr<'a>> {
        string(self.0, "text")
    }

    /// The bytes in base64. `None` for text.
    pub fn blob(self) -> Option<JsonStr<'a>> {
        string(self.0, "blob")
    }

    /// All members.
    pub const fn object(self) -> Object<'a> {
        self.0
    }
}

/// Result of `prompts/get` (MCP prompts).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetPromptResult {
    result: OwnedValue,
}

impl GetPromptResult {
    pub(super) const fn of(result: OwnedValue) -> Self {
        Self { result }
    }

    /// The description.
    pub fn description(&self) -> Option<JsonStr<'_>> {
        string(self.object(), "description")
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = PromptMessage<'_>> {
        let messages = array(self.object(), "messages").elements();
        messages.filter_map(|message| message.as_object().map(PromptMessage))
    }

    /// All members of the result.
    pub fn object(&self) -> Object<'_> {
        self.result.object()
    }
}

/// Message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptMessage<'a>(Object<'a>);

impl<'a> PromptMessage<'a> {
    /// The speaker. `None` for a role that the specification does not have.
    pub fn role(self) -> Option<Role> {
        Role::from_name(string(self.0, "role")?)
    }

    /// The content.
    pub fn content(self) -> Option<Content<'a>> {
        self.0.get("content").and_then(RawValue::as_object).map(Content::of)
    }

    /// The text of a message whose content is text.
    pub fn text(self) -> Option<JsonStr<'a>> {
        self.content()?.text()
    }

    /// All members.
    pub const fn object(self) -> Object<'a> {
        self.0
    }
}

/// Result of `completion/complete` (MCP completion).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteResult {
    result: OwnedValue,
}

impl CompleteResult {
    pub(super) const fn of(result: OwnedValue) -> Self {
        Self { result }
    }

    /// The suggested values.
    pub fn values(&self) -> impl Iterator<Item = JsonStr<'_>> {
        array(self.completion(), "values").elements().filter_map(RawValue::as_string)
    }

    /// Number of all values, if known.
    pub fn total(&self) -> Option<u64> {
        self.completion().get("total")?.as_number()?.to_u64().ok()
    }

    /// Whether there are more values.
    pub fn has_more(&self) -> bool {
        self.completion().get("hasMore").and_then(RawValue::as_bool) == Some(true)
    }

    /// All members of the result.
    pub fn object(&self) -> Object<'_> {
        self.result.object()
    }

    fn completion(&self) -> Object<'_> {
        self.object().get("completion").and_then(RawValue::as_object).unwrap_or(Object::EMPTY)
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;
    use crate::json::ParseError;

    fn result(text: &str) -> CallToolResult {
        CallToolResult::of(OwnedValue::of(RawValue::new(text.as_bytes()).unwrap()))
    }

    #[test]
    fn a_result_is_read_from_its_structured_content_or_its_text() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Reading {
            celsius: f64,
        }
        let both = result(
            r#"{"content":[{"type":"text","text":"{\"celsius\":1}"}],"structuredContent":{"celsius":21.5}}"#,
        );
        assert_eq!(both.parse::<Reading>().unwrap(), Reading { celsius: 21.5 });
        assert_eq!(both.parse::<String>().unwrap(), r#"{"celsius":1}"#);
        assert_eq!(both.parse::<serde_json::Value>().unwrap()["celsius"].as_f64(), Some(21.5));

        let text = result(r#"{"content":[{"type":"text","text":"5"}]}"#);
        assert_eq!(text.parse::<i64>().unwrap(), 5);
        assert_eq!(text.parse::<String>().unwrap(), "5");

        let wrapped = result(r#"{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}"#);
        assert_eq!(wrapped.parse::<i64>().unwrap(), 5);
        let unlike = wrapped.parse::<Reading>().unwrap_err();
        assert!(matches!(unlike, ClientError::Parse(ParseError::MissingMember)));

        let null = result(r#"{"content":[{"type":"text","text":"5"}],"structuredContent":null}"#);
        assert_eq!(null.parse::<Option<i64>>().unwrap(), Some(5));

        let empty = result(r#"{"content":[]}"#);
        assert_eq!(empty.parse::<String>().unwrap(), "");
        assert!(matches!(empty.parse::<i64>().unwrap_err(), ClientError::Parse(ParseError::NotJson)));
    }

    #[test]
    fn texts_of_several_blocks_are_lines() {
        let result = result(
            r#"{"content":[{"type":"text","text":"a\nb"},{"type":"image","text":"x"},{"type":"text","text":"\ud800"}]}"#,
        );
        assert_eq!(result.text(), "a\nb\n\u{FFFD}");
        assert_eq!(result.content().count(), 3);
    }

    #[test]
    fn members_that_are_missing_are_empty() {
        let empty = || OwnedValue::of(Object::EMPTY.as_value());
        assert_eq!(ReadResourceResult::of(empty()).contents().count(), 0);
        assert_eq!(GetPromptResult::of(empty()).messages().count(), 0);
        let completion = CompleteResult::of(empty());
        assert!(
            completion.values().next().is_none() && completion.total().is_none() && !completion.has_more()
        );
        assert_eq!(result("{}").object().as_value().to_string(), "{}");
    }
}
