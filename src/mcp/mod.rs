//! L3: the names and shapes of MCP, one file a chapter of the specification. No state.
//!
//! Which revision has which method and which member is data: [`Method`] and [`Feature`] know the revisions they belong
//! to, and nothing else asks for a version.

mod annotations;
mod arguments;
mod capabilities;
mod client_capabilities;
mod content;
mod elicitation;
mod icon;
mod implementation;
mod input;
mod level;
mod meta;
mod method;
mod offered;
mod parameter;
mod percent;
mod prompt;
mod received;
mod resource;
mod result;
mod role;
mod roots;
mod sampling;
mod schema;
mod task;
mod template;
mod time;
mod tool;
mod version;

pub use annotations::Annotations;
pub use arguments::{ArgumentError, Fault, Named};
pub use capabilities::Capabilities;
pub use client_capabilities::ClientCapabilities;
pub(crate) use client_capabilities::PackedCapabilities;
pub(crate) use client_capabilities::TASKS_EXTENSION;
pub use content::{Base64, Text};
pub(crate) use content::{
    Contents, begin_text, write_audio, write_contents_with, write_embedded, write_image, write_resource_link,
    write_text, write_text_with,
};
pub use elicitation::{ElicitAction, Elicitation, Elicited};
pub use icon::{Icon, Theme};
pub use implementation::Implementation;
pub use input::InputRequest;
pub use level::LoggingLevel;
pub(crate) use meta::{Meta, keys};
pub(crate) use method::Names;
pub use method::{Chapter, Method, Sender};
pub use offered::TaskCapabilities;
pub use parameter::{Parameter, Type};
pub use percent::{PercentDecoded, PercentDecodedChars};
pub use prompt::{Prompt, PromptArgument};
pub use received::{Content, ListResult, Task, ToolResult};
pub use resource::{Resource, ResourceTemplate};
pub use result::{ResultError, ResultFault, check_result};
pub use role::Role;
pub use roots::{Root, Roots};
pub use sampling::{IncludeContext, Sampled, Sampling, SamplingContent, SamplingMessage, ToolChoice};
pub use schema::{MAX_SCHEMA_DEPTH, Schema};
pub(crate) use task::{TaskId, TaskView};
pub use task::{TaskStatus, TaskSupport};
pub use template::UriTemplate;
pub use tool::{Tool, ToolAnnotations};
pub use version::{Era, Feature, ProtocolVersion, Versions};
