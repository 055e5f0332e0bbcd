//! The shapes of results in the schemas of the five revisions: one table for each object.

use super::shape::{Field, Is, Shape, may, must};

const RESULT_TYPE: Field = may("resultType", Is::String);
const META: Field = may("_meta", Is::Open);
const NEXT_CURSOR: Field = may("nextCursor", Is::String);
const TTL_MS: Field = may("ttlMs", Is::Number);
const CACHE_SCOPE: Field = may("cacheScope", Is::String);
const NAME: Field = must("name", Is::String);
const TITLE: Field = may("title", Is::String);
const DESCRIPTION: Field = may("description", Is::String);
const URI: Field = must("uri", Is::String);
const MIME_TYPE: Field = may("mimeType", Is::String);
const SIZE: Field = may("size", Is::Number);
const ANNOTATIONS: Field = may("annotations", Is::Open);
const ICONS: Field = may("icons", Is::Array(&Is::Open));
const TYPE: Field = must("type", Is::String);
const CONTENT: Field = must("content", Is::Array(&Is::Block));
const IS_ERROR: Field = may("isError", Is::Boolean);
const CAPABILITIES: Field = must("capabilities", Is::Open);
const INSTRUCTIONS: Field = may("instructions", Is::String);

/// A page of a list, whose entries are the member `name`.
const fn page(name: &'static str, entries: &'static Is) -> [Field; 6] {
    [RESULT_TYPE, must(name, Is::Array(entries)), NEXT_CURSOR, TTL_MS, CACHE_SCOPE, META]
}

pub(super) const EMPTY: Shape = &[RESULT_TYPE, META];

pub(super) const INITIALIZE: Shape = &[
    must("protocolVersion", Is::String), CAPABILITIES, must("serverInfo", Is::Object(IMPLEMENTATION)), INSTRUCTIONS, META,
];
const IMPLEMENTATION: Shape = &[NAME, must("version", Is::String), TITLE];
pub(super) const DISCOVER: Shape = &[
    RESULT_TYPE, must("supportedVersions", Is::Array(&Is::String)), CAPABILITIES, INSTRUCTIONS, TTL_MS, CACHE_SCOPE, META,
];

pub(super) const TOOLS: Shape = &page("tools", &Is::Object(TOOL));
const TOOL: Shape = &[
    NAME, TITLE, DESCRIPTION, must("inputSchema", Is::Open), may("outputSchema", Is::Open), ANNOTATIONS,
    may("execution", Is::Open), ICONS, META,
];
pub(super) const CALLED: Shape = &[RESULT_TYPE, CONTENT, may("structuredContent", Is::Open), IS_ERROR, META];
pub(super) const CALLED_ANY: Shape = &[RESULT_TYPE, CONTENT, may("structuredContent", Is::Any), IS_ERROR, META];

pub(super) const UNKNOWN_BLOCK: Shape = &[TYPE, ANNOTATIONS, META];
pub(super) const TEXT: Shape = &[TYPE, must("text", Is::String), ANNOTATIONS, META];
pub(super) const MEDIA: Shape = &[TYPE, must("data", Is::String), must("mimeType", Is::String), ANNOTATIONS, META];
pub(super) const EMBEDDED: Shape = &[TYPE, must("resource", Is::Contents), ANNOTATIONS, META];
pub(super) const RESOURCE_LINK: Shape = &[TYPE, URI, NAME, TITLE, DESCRIPTION, MIME_TYPE, SIZE, ANNOTATIONS, ICONS, META];
pub(super) const TEXT_CONTENTS: Shape = &[URI, MIME_TYPE, must("text", Is::String), may("blob", Is::String), META];
pub(super) const BLOB: Shape = &[URI, MIME_TYPE, must("blob", Is::String), may("text", Is::String), META];

pub(super) const RESOURCES: Shape = &page("resources", &Is::Object(RESOURCE));
const RESOURCE: Shape = &[URI, NAME, TITLE, DESCRIPTION, MIME_TYPE, SIZE, ANNOTATIONS, ICONS, META];
pub(super) const TEMPLATES: Shape = &page("resourceTemplates", &Is::Object(TEMPLATE));
const TEMPLATE: Shape = &[
    must("uriTemplate", Is::String), NAME, TITLE, DESCRIPTION, MIME_TYPE, ANNOTATIONS, ICONS, META,
];
pub(super) const READ: Shape = &[RESULT_TYPE, must("contents", Is::Array(&Is::Contents)), TTL_MS, CACHE_SCOPE, META];

pub(super) const PROMPTS: Shape = &page("prompts", &Is::Object(PROMPT));
const PROMPT: Shape = &[
    NAME, TITLE, DESCRIPTION, may("arguments", Is::Array(&Is::Object(PROMPT_ARGUMENT))), ICONS, META,
];
const PROMPT_ARGUMENT: Shape = &[NAME, TITLE, DESCRIPTION, may("required", Is::Boolean)];
pub(super) const PROMPT_GOT: Shape = &[RESULT_TYPE, DESCRIPTION, must("messages", Is::Array(&Is::Object(MESSAGE))), META];
const MESSAGE: Shape = &[must("role", Is::String), must("content", Is::Block)];

pub(super) const COMPLETED: Shape = &[RESULT_TYPE, must("completion", Is::Object(COMPLETION)), META];
const COMPLETION: Shape = &[
    must("values", Is::Array(&Is::String)), may("total", Is::Number), may("hasMore", Is::Boolean),
];

pub(super) const TASKS: Shape = &[must("tasks", Is::Array(&Is::Object(TASK))), NEXT_CURSOR, META];
/// A task of both revisions, which name the members for times differently.
pub(super) const TASK: Shape = &[
    RESULT_TYPE, must("taskId", Is::String), must("status", Is::Status), may("statusMessage", Is::String),
    may("createdAt", Is::String), may("lastUpdatedAt", Is::String), may("ttl", Is::Number),
    may("pollInterval", Is::Number), TTL_MS, may("pollIntervalMs", Is::Number), may("inputRequests", Is::Open),
    may("result", Is::Open), may("error", Is::Open), META,
];
