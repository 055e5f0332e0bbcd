//! The shapes of results, as the schemas of the five revisions have them: one table per object.

use crate::json::{JsonStr, Kind, Object, RawValue};
use crate::mcp::{Era, Feature, Method, ProtocolVersion, TaskStatus};

/// The known members of an object, at most 32. Others are allowed beside them.
pub(super) type Shape = &'static [Field];

/// A member.
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
    /// A block of content, whose shape depends on its `type`.
    Block,
    /// The contents of a resource: text or base64.
    Contents,
}

const fn must(name: &'static str, is: Is) -> Field {
    Field {
        name,
        is_required: true,
        is,
    }
}

const fn may(name: &'static str, is: Is) -> Field {
    Field {
        name,
        is_required: false,
        is,
    }
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

    /// Whether the value is of that kind; its inside is not checked.
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

    /// The shape that the inside of the value must have, if it is checked.
    pub(super) fn shape_of<'a>(&self, value: RawValue<'a>) -> Option<(Shape, Object<'a>)> {
        let object = value.as_object()?;
        let shape = match self {
            Self::Object(shape) => shape,
            Self::Block => block(object),
            Self::Contents if object.get("blob").and_then(RawValue::not_null).is_some() => BLOB,
            Self::Contents => TEXT_CONTENTS,
            _ => return None,
        };
        Some((shape, object))
    }
}

fn is_status(name: JsonStr<'_>) -> bool {
    TaskStatus::ALL.iter().any(|status| name == *status.as_str())
}

/// The shape of a block of content. A block of an unknown type needs only its `type`. A repeated `type` is refused,
/// whichever shape is chosen.
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

const RESULT_TYPE: Field = may("resultType", Is::String);
const META: Field = may("_meta", Is::Open);
const NEXT_CURSOR: Field = may("nextCursor", Is::String);
const TTL_MS: Field = may("ttlMs", Is::Number);
const CACHE_SCOPE: Field = may("cacheScope", Is::String);
const NAME: Field = must("name", Is::String);
const TITLE: Field = may("title", Is::String);
const DESCRIPTION: Field = may("description", Is::String);
const MIME_TYPE: Field = may("mimeType", Is::String);
const ANNOTATIONS: Field = may("annotations", Is::Open);
const ICONS: Field = may("icons", Is::Array(&Is::Open));
const TYPE: Field = must("type", Is::String);

const EMPTY: Shape = &[RESULT_TYPE, META];

const INITIALIZE: Shape = &[
    must("protocolVersion", Is::String),
    must("capabilities", Is::Open),
    must("serverInfo", Is::Object(IMPLEMENTATION)),
    may("instructions", Is::String),
    META,
];

const IMPLEMENTATION: Shape = &[NAME, must("version", Is::String), TITLE];

const DISCOVER: Shape = &[
    RESULT_TYPE,
    must("supportedVersions", Is::Array(&Is::String)),
    must("capabilities", Is::Open),
    may("instructions", Is::String),
    TTL_MS,
    CACHE_SCOPE,
    META,
];

const TOOLS: Shape = &[
    RESULT_TYPE,
    must("tools", Is::Array(&Is::Object(TOOL))),
    NEXT_CURSOR,
    TTL_MS,
    CACHE_SCOPE,
    META,
];

const TOOL: Shape = &[
    NAME,
    TITLE,
    DESCRIPTION,
    must("inputSchema", Is::Open),
    may("outputSchema", Is::Open),
    ANNOTATIONS,
    may("execution", Is::Open),
    ICONS,
    META,
];

const CALLED: Shape = &[
    RESULT_TYPE,
    must("content", Is::Array(&Is::Block)),
    may("structuredContent", Is::Open),
    may("isError", Is::Boolean),
    META,
];

const CALLED_ANY: Shape = &[
    RESULT_TYPE,
    must("content", Is::Array(&Is::Block)),
    may("structuredContent", Is::Any),
    may("isError", Is::Boolean),
    META,
];

const UNKNOWN_BLOCK: Shape = &[TYPE, ANNOTATIONS, META];
const TEXT: Shape = &[TYPE, must("text", Is::String), ANNOTATIONS, META];
const MEDIA: Shape = &[
    TYPE,
    must("data", Is::String),
    must("mimeType", Is::String),
    ANNOTATIONS,
    META,
];
const EMBEDDED: Shape = &[TYPE, must("resource", Is::Contents), ANNOTATIONS, META];
const RESOURCE_LINK: Shape = &[
    TYPE,
    must("uri", Is::String),
    NAME,
    TITLE,
    DESCRIPTION,
    MIME_TYPE,
    may("size", Is::Number),
    ANNOTATIONS,
    ICONS,
    META,
];

const TEXT_CONTENTS: Shape = &[
    must("uri", Is::String),
    MIME_TYPE,
    must("text", Is::String),
    may("blob", Is::String),
    META,
];
const BLOB: Shape = &[
    must("uri", Is::String),
    MIME_TYPE,
    must("blob", Is::String),
    may("text", Is::String),
    META,
];

const RESOURCES: Shape = &[
    RESULT_TYPE,
    must("resources", Is::Array(&Is::Object(RESOURCE))),
    NEXT_CURSOR,
    TTL_MS,
    CACHE_SCOPE,
    META,
];

const RESOURCE: Shape = &[
    must("uri", Is::String),
    NAME,
    TITLE,
    DESCRIPTION,
    MIME_TYPE,
    may("size", Is::Number),
    ANNOTATIONS,
    ICONS,
    META,
];

const TEMPLATES: Shape = &[
    RESULT_TYPE,
    must("resourceTemplates", Is::Array(&Is::Object(TEMPLATE))),
    NEXT_CURSOR,
    TTL_MS,
    CACHE_SCOPE,
    META,
];

const TEMPLATE: Shape = &[
    must("uriTemplate", Is::String),
    NAME,
    TITLE,
    DESCRIPTION,
    MIME_TYPE,
    ANNOTATIONS,
    ICONS,
    META,
];

const READ: Shape = &[
    RESULT_TYPE,
    must("contents", Is::Array(&Is::Contents)),
    TTL_MS,
    CACHE_SCOPE,
    META,
];

const PROMPTS: Shape = &[
    RESULT_TYPE,
    must("prompts", Is::Array(&Is::Object(PROMPT))),
    NEXT_CURSOR,
    TTL_MS,
    CACHE_SCOPE,
    META,
];

const PROMPT: Shape = &[
    NAME,
    TITLE,
    DESCRIPTION,
    may("arguments", Is::Array(&Is::Object(PROMPT_ARGUMENT))),
    ICONS,
    META,
];

const PROMPT_ARGUMENT: Shape = &[NAME, TITLE, DESCRIPTION, may("required", Is::Boolean)];

const PROMPT_GOT: Shape = &[
    RESULT_TYPE,
    DESCRIPTION,
    must("messages", Is::Array(&Is::Object(MESSAGE))),
    META,
];

const MESSAGE: Shape = &[must("role", Is::String), must("content", Is::Block)];

const COMPLETED: Shape = &[RESULT_TYPE, must("completion", Is::Object(COMPLETION)), META];

const COMPLETION: Shape = &[
    must("values", Is::Array(&Is::String)),
    may("total", Is::Number),
    may("hasMore", Is::Boolean),
];

const TASKS: Shape = &[must("tasks", Is::Array(&Is::Object(TASK))), NEXT_CURSOR, META];

/// For both revisions, which name the time members differently.
const TASK: Shape = &[
    RESULT_TYPE,
    must("taskId", Is::String),
    must("status", Is::Status),
    may("statusMessage", Is::String),
    may("createdAt", Is::String),
    may("lastUpdatedAt", Is::String),
    may("ttl", Is::Number),
    may("pollInterval", Is::Number),
    TTL_MS,
    may("pollIntervalMs", Is::Number),
    may("inputRequests", Is::Open),
    may("result", Is::Open),
    may("error", Is::Open),
    META,
];
