//! The rules that a shape can have for the members of an object.

use crate::json::{JsonStr, Kind, RawValue};
use crate::mcp::TaskStatus;

/// Number of objects and arrays from a result to its innermost checked member, both included. The longest path is
/// `messages[0].content.resource.uri`.
pub(super) const DEPTH: usize = 5;

/// The known members of an object, at most 32. Other members are allowed.
pub(super) type Shape = &'static [Field];

/// A known member.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) is: Is,
}

/// The kind that a value must have.
pub(super) enum Is {
    Any,
    Boolean,
    Number,
    String,
    /// The name of a [`TaskStatus`].
    Status,
    /// An object whose members are not checked.
    Open,
    Object(Shape),
    Array(&'static Self),
    /// A content block, whose shape depends on its `type`.
    Block,
    /// The contents of a resource: text or base64.
    Contents,
}

/// A required member.
pub(super) const fn must(name: &'static str, is: Is) -> Field {
    Field { name, is_required: true, is }
}

/// An optional member.
pub(super) const fn may(name: &'static str, is: Is) -> Field {
    Field { name, is_required: false, is }
}

impl Is {
    /// The name of the kind in an error.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Status => "the name of a task's status",
            Self::Open | Self::Object(_) | Self::Block | Self::Contents => "an object",
            Self::Array(_) => "an array",
        }
    }

    /// Whether the value is of the kind. Its inside is not checked.
    pub(super) fn fits(&self, value: RawValue<'_>) -> bool {
        let kind = match self {
            Self::Any => return true,
            Self::Status => return value.as_string().is_some_and(is_status),
            Self::Boolean => Kind::Bool,
            Self::Number => Kind::Number,
            Self::String => Kind::String,
            Self::Open | Self::Object(_) | Self::Block | Self::Contents => Kind::Object,
            Self::Array(_) => Kind::Array,
        };
        value.kind() == kind
    }
}

fn is_status(name: JsonStr<'_>) -> bool {
    TaskStatus::from_name(name).is_some()
}
