//! The shapes that values must have.

use super::shape::{Is, Shape};
use super::tables::{
    BLOB, CALLED, CALLED_ANY, COMPLETED, DISCOVER, EMBEDDED, EMPTY, INITIALIZE, MEDIA, PROMPT_GOT, PROMPTS,
    READ, RESOURCE_LINK, RESOURCES, TASK, TASKS, TEMPLATES, TEXT, TEXT_CONTENTS, TOOLS, UNKNOWN_BLOCK,
};
use crate::json::{Object, RawValue};
use crate::mcp::{Era, Feature, Method, ProtocolVersion};

/// The shape of the inside of a value of the kind `is`, if it is checked.
pub(super) fn of_value<'a>(is: &Is, value: RawValue<'a>) -> Option<(Shape, Object<'a>)> {
    let object = value.as_object()?;
    let shape = match is {
        Is::Object(shape) => shape,
        Is::Block => block(object),
        Is::Contents if object.get("blob").and_then(RawValue::not_null).is_some() => BLOB,
        Is::Contents => TEXT_CONTENTS,
        _ => return None,
    };
    Some((shape, object))
}

/// The shape of a content block. A block of an unknown type needs only its `type`. Every shape refuses a repeated `type`.
fn block(object: Object<'_>) -> Shape {
    const TYPES: [(&str, Shape); 5] = [
        ("text", TEXT),
        ("image", MEDIA),
        ("audio", MEDIA),
        ("resource_link", RESOURCE_LINK),
        ("resource", EMBEDDED),
    ];
    let kind = object.get("type").and_then(RawValue::as_string);
    let known = kind.and_then(|kind| TYPES.iter().find(|(name, _)| kind == **name));
    known.map_or(UNKNOWN_BLOCK, |(_, shape)| shape)
}

/// The shape of the result of a request that clients send; `None` for other methods.
pub(super) const fn of_result(method: Method, version: ProtocolVersion) -> Option<Shape> {
    let is_modern = matches!(version.era(), Era::Modern);
    Some(match method {
        Method::Initialize => INITIALIZE,
        Method::ServerDiscover => DISCOVER,
        Method::ToolsList => TOOLS,
        Method::ToolsCall | Method::TasksResult => {
            // A later revision allows any value, and earlier ones do not know the member.
            match version.has(Feature::StructuredContent) && !is_modern {
                true => CALLED,
                false => CALLED_ANY,
            }
        }
        Method::ResourcesList => RESOURCES,
        Method::ResourcesTemplatesList => TEMPLATES,
        Method::ResourcesRead => READ,
        Method::PromptsList => PROMPTS,
        Method::PromptsGet => PROMPT_GOT,
        Method::CompletionComplete => COMPLETED,
        Method::TasksGet => TASK,
        Method::TasksCancel if !is_modern => TASK,
        Method::TasksList => TASKS,
        Method::Ping
        | Method::LoggingSetLevel
        | Method::ResourcesSubscribe
        | Method::ResourcesUnsubscribe
        | Method::SubscriptionsListen
        | Method::TasksCancel
        | Method::TasksUpdate => EMPTY,
        _ => return None,
    })
}
