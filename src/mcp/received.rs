//! Views of results for clients. A member is checked when it is read.
//!
//! The client engine refuses a result in which a member occurs twice; in other objects the first member of a name
//! counts. A malformed member reads as an absent one: [`check_result`](super::check_result) says what is wrong.

use super::TaskStatus;
use crate::json::{Array, Elements, JsonStr, Object, RawValue};

/// The result of a call of a tool (MCP tools).
///
/// ```
/// use barewire::json::RawValue;
/// use barewire::mcp::ToolResult;
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// let text = br#"{"content":[{"type":"text","text":"21.5"}],"isError":false}"#;
/// let result = ToolResult::of(RawValue::new(text)?.as_object().unwrap());
/// assert!(!result.is_error());
/// assert!(result.content().filter_map(|block| block.text()).eq(["21.5"]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolResult<'a>(Object<'a>);

impl<'a> ToolResult<'a> {
    /// A view of `result` as the result of a tool.
    pub const fn of(result: Object<'a>) -> Self {
        Self(result)
    }

    /// Whether the tool failed. It did not if the member is absent.
    pub fn is_error(self) -> bool {
        self.0.get("isError").and_then(RawValue::as_bool) == Some(true)
    }

    /// The content blocks, in order, without elements that are not objects.
    pub fn content(self) -> impl Iterator<Item = Content<'a>> {
        elements(self.0, "content").filter_map(|block| block.as_object().map(Content))
    }

    /// The structured content (2025-06-18 and later).
    pub fn structured_content(self) -> Option<RawValue<'a>> {
        self.0.get("structuredContent")
    }

    /// The result itself.
    pub const fn object(self) -> Object<'a> {
        self.0
    }
}

/// A content block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content<'a>(Object<'a>);

impl<'a> Content<'a> {
    /// A view of `block` as a content block.
    pub const fn of(block: Object<'a>) -> Self {
        Self(block)
    }

    /// The type: `text`, `image`, `audio`, `resource`, `resource_link`.
    pub fn kind(self) -> Option<JsonStr<'a>> {
        self.string("type")
    }

    /// The text of a text block.
    pub fn text(self) -> Option<JsonStr<'a>> {
        match self.kind() {
            Some(kind) if kind == "text" => self.string("text"),
            _ => None,
        }
    }

    /// The block itself.
    pub const fn object(self) -> Object<'a> {
        self.0
    }

    fn string(self, name: &str) -> Option<JsonStr<'a>> {
        self.0.get(name).and_then(RawValue::as_string)
    }
}

/// A page of a list: of tools, resources, resource templates, prompts, tasks.
///
/// ```
/// use barewire::json::RawValue;
/// use barewire::mcp::ListResult;
///
/// # fn main() -> Result<(), barewire::json::Error> {
/// let text = br#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"nextCursor":""}"#;
/// let page = ListResult::of(RawValue::new(text)?.as_object().unwrap());
/// assert_eq!(page.entries("tools").count(), 1);
/// assert!(page.next_cursor().is_some_and(|cursor| cursor.is_empty())); // a cursor like any other
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListResult<'a>(Object<'a>);

impl<'a> ListResult<'a> {
    /// A view of `result` as a page.
    pub const fn of(result: Object<'a>) -> Self {
        Self(result)
    }

    /// The entries under `name`: `tools`, `resources`, `resourceTemplates`, `prompts`, `tasks`.
    pub fn entries(self, name: &str) -> impl Iterator<Item = Object<'a>> {
        elements(self.0, name).filter_map(RawValue::as_object)
    }

    /// The cursor of the next page, to be sent back unchanged. `None` at the end.
    pub fn next_cursor(self) -> Option<JsonStr<'a>> {
        self.0.get("nextCursor").and_then(RawValue::as_string)
    }
}

/// Elements of the array `name`; none if the member is not an array.
fn elements<'a>(object: Object<'a>, name: &str) -> Elements<'a> {
    let array = object.get(name).and_then(RawValue::as_array);
    array.unwrap_or(Array::EMPTY).elements()
}

/// A task that a server has created for a call (MCP tasks).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task<'a>(Object<'a>);

impl<'a> Task<'a> {
    /// A view of `task` as a task.
    pub const fn of(task: Object<'a>) -> Self {
        Self(task)
    }

    /// The id.
    pub fn id(self) -> Option<JsonStr<'a>> {
        self.0.get("taskId").and_then(RawValue::as_string)
    }

    /// The status. `None` if the specification has no such status.
    pub fn status(self) -> Option<TaskStatus> {
        TaskStatus::from_name(self.0.get("status").and_then(RawValue::as_string)?)
    }

    /// The number of milliseconds to wait before the next `tasks/get`: `pollInterval` (2025-11-25) or `pollIntervalMs`.
    pub fn poll_interval(self) -> Option<u64> {
        let interval = self.0.get("pollInterval").or_else(|| self.0.get("pollIntervalMs"))?;
        interval.as_number()?.to_u64().ok()
    }

    /// The task itself.
    pub const fn object(self) -> Object<'a> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object<'_> {
        RawValue::new(text.as_bytes()).unwrap().as_object().unwrap()
    }

    #[test]
    fn views_of_what_is_malformed_are_empty() {
        let result = ToolResult::of(object(r#"{"content":{"type":"text"},"isError":"true"}"#));
        assert_eq!(result.content().count(), 0);
        assert!(!result.is_error());
        let result = ToolResult::of(object(r#"{"content":[1,{"type":"image","text":"x"},{"type":"text"}]}"#));
        assert_eq!(result.content().count(), 2);
        assert!(result.content().all(|block| block.text().is_none()));
        let page = ListResult::of(object(r#"{"tools":[null,{}],"nextCursor":5}"#));
        assert_eq!(page.entries("tools").count(), 1);
        assert_eq!(page.entries("prompts").count(), 0);
        assert!(page.next_cursor().is_none());
    }

    #[test]
    fn tasks_of_both_revisions() {
        let task = Task::of(object(r#"{"taskId":"t","status":"input_required","pollInterval":50}"#));
        assert!(task.id().is_some_and(|id| id == "t"));
        assert_eq!(task.status(), Some(TaskStatus::InputRequired));
        assert_eq!(task.poll_interval(), Some(50));
        assert_eq!(Task::of(object(r#"{"pollIntervalMs":7}"#)).poll_interval(), Some(7));
        let broken = Task::of(object(r#"{"taskId":1,"status":"done","pollInterval":-1}"#));
        assert!(broken.id().is_none() && broken.status().is_none() && broken.poll_interval().is_none());
        assert!(TaskStatus::Failed.is_final() && !TaskStatus::Working.is_final());
    }
}
