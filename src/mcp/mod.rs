//! The methods, objects and texts of MCP, one file for each chapter of the specification. Nothing here has state.
//!
//! The revisions that have a method or a member are data: the table of [`Method`] and the list of [`Feature`].

mod annotations;
mod arguments;
mod capabilities;
mod capability_set;
mod client_capabilities;
mod content;
mod elicitation;
mod icon;
mod implementation;
mod input;
mod level;
mod members;
mod meta;
mod method;
mod mirrored;
mod named_enum;
mod needs;
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
mod setters;
mod task;
mod template;
mod time;
mod tool;
mod version;

pub use annotations::Annotations;
pub use arguments::{ArgumentError, ArgumentFault, Named};
pub use capabilities::Capabilities;
pub use client_capabilities::ClientCapabilities;
pub(crate) use client_capabilities::TASKS_EXTENSION;
pub use content::{Base64, Text};
pub(crate) use content::{
    begin_text, write_audio, write_blob_contents, write_embedded, write_image, write_resource_link,
    write_text, write_text_contents,
};
pub use elicitation::{ElicitAction, Elicitation, Elicited};
pub use icon::{Icon, Theme};
pub use implementation::Implementation;
pub use input::InputRequest;
pub use level::LoggingLevel;
pub(crate) use meta::{Meta, keys};
pub(crate) use method::Part;
pub use method::{Chapter, Method, Sender};
pub(crate) use mirrored::Argument as MirroredArgument;
pub(crate) use parameter::{MAX_HEADER_NAME, is_token_byte};
pub use parameter::{MAX_SCHEMA_DEPTH, Parameter, Type};
pub use percent::{PercentDecoded, PercentDecodedChars};
pub use prompt::{Prompt, PromptArgument};
pub use received::{Content, ListResult, Task, ToolResult};
pub use resource::{Resource, ResourceTemplate};
pub use result::{ResultError, ResultFault, check_result};
pub use role::Role;
pub use roots::{Root, Roots};
pub use sampling::{IncludeContext, Sampled, Sampling, SamplingContent, SamplingMessage, ToolChoice};
pub use schema::Schema;
pub(crate) use task::{TaskDigits, TaskId, TaskView};
pub use task::{TaskStatus, TaskSupport};
pub use template::UriTemplate;
pub use tool::{Tool, ToolAnnotations};
pub use version::{Era, Feature, ProtocolVersion, Versions};
