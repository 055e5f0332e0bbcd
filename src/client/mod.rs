//! A client whose calls block: [`Client`].
//!
//! ```no_run
//! use std::process::Command;
//!
//! use barewire::Client;
//! use serde_json::json;
//!
//! # fn main() -> Result<(), barewire::ClientError> {
//! let mut server = Client::connect(Command::new("barewire").arg("serve"))?;
//! let sum: i64 = server.call_tool("add", json!({"a": 2, "b": 3}))?.parse()?;
//! # assert_eq!(sum, 5);
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | call a tool, read a resource, get a prompt, complete a value | [`Client::call_tool`], [`read_resource`](Client::read_resource), [`get_prompt`](Client::get_prompt), [`complete`](Client::complete) |
//! | set a timeout, receive progress | [`Client::tool`], [`resource`](Client::resource), [`prompt`](Client::prompt), [`completion`](Client::completion), which make a [`ClientRequest`] |
//! | list | [`Client::tools`], [`resources`](Client::resources), [`resource_templates`](Client::resource_templates), [`prompts`](Client::prompts): iterators over all pages |
//! | answer input requests | a [`ClientHandler`](crate::engine::ClientHandler) and [`ClientBuilder::handler`] |
//! | receive log messages and changes | [`ClientBuilder::on_log`], [`ClientBuilder::on_event`] |
//!
//! Subscriptions, tasks, several requests at a time, and servers that are not child processes need the layers below:
//! [`Child`](crate::transport::Child) and [`ClientEngine`](crate::engine::ClientEngine).

mod application;
mod arguments;
mod builder;
#[allow(clippy::module_inception, reason = "the file of the type")]
mod client;
mod connection;
mod entries;
mod error;
mod events;
mod listed;
mod owned;
mod request;
mod results;
mod server_info;

pub use builder::ClientBuilder;
pub use client::Client;
pub use entries::Entries;
pub use error::{ArgumentsError, ClientError, ErrorResponse, HandshakeError};
pub use listed::{ListedPrompt, ListedResource, ListedResourceTemplate, ListedTool};
pub use request::ClientRequest;
pub use results::{
    CallToolResult, ClientResourceContents, CompleteResult, GetPromptResult, PromptMessage,
    ReadResourceResult,
};
pub use server_info::ServerInfo;
