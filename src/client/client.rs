//! The blocking client.

use core::fmt;
use core::time::Duration;
use std::process::ExitStatus;

use serde::Serialize;

use super::connection::{Connection, Terms};
use super::entries::{Entries, List};
use super::error::ClientError;
use super::listed::{ListedPrompt, ListedResource, ListedResourceTemplate, ListedTool};
use super::request::ClientRequest;
use super::results::{CallToolResult, CompleteResult, GetPromptResult, ReadResourceResult};
use super::server_info::ServerInfo;
use crate::engine::client::CompletionFor;
use crate::mcp::{Capabilities, Method, ProtocolVersion};
use crate::transport::{ChildEnd, Interrupter};

/// Client of a server that runs as a child process. Each call sends one request and blocks until its result, an error or its
/// timeout.
///
/// The client speaks all five revisions and uses the newest one that the server speaks too. Results own their memory. Dropping
/// the client kills the server with all processes that it has started, and waits for the exit of the server;
/// [`close`](Client::close) first lets the server end by itself. The client is the
/// [engine](crate::engine::client::ClientEngine) over a [`Child`](crate::transport::Child).
///
/// Messages of the server are handled only during calls of the client. In between the server can write about 1 MiB before it
/// has to wait, and its requests are not answered: see [`receive`](Client::receive).
///
/// No input of a server makes a call panic, or makes it wait more than a second beyond its timeout. Lines that are not
/// messages, responses to unknown requests and late responses are ignored, after
/// [`on_event`](super::ClientBuilder::on_event) has seen them. Memory is bounded by a few times the longest line (16 MiB by
/// default) plus about 6 MiB for the queues of both directions.
///
/// ```no_run
/// use std::process::Command;
///
/// use barewire::{Client, ClientError};
/// use serde_json::json;
///
/// # fn main() -> Result<(), ClientError> {
/// let mut server = Client::connect(Command::new("barewire").arg("serve"))?;
/// let sum: i64 = server.call_tool("add", json!({"a": 2, "b": 3}))?.parse()?;
/// assert_eq!(sum, 5);
///
/// for tool in server.tools() {
///     println!("{}", tool?.name());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Client {
    connection: Connection,
    server: ServerInfo,
    grace: Duration,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.server.name())
            .field("protocol_version", &self.protocol_version())
            .field("end", &self.end())
            .finish_non_exhaustive()
    }
}

impl Client {
    pub(super) const fn new(connection: Connection, server: ServerInfo, grace: Duration) -> Self {
        Self { connection, server, grace }
    }

    /// Calls a tool. The arguments are a value that is an object in JSON (a struct, a map, `serde_json::json!({…})`), or `()`
    /// for none.
    ///
    /// # Errors
    /// [`ClientError::Tool`] if the tool fails, [`ClientError::Protocol`] if the server refuses the call, and the errors of every
    /// request, such as [`ClientError::TimedOut`].
    pub fn call_tool(
        &mut self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<CallToolResult, ClientError> {
        self.tool(name).arguments(arguments).call()
    }

    /// Prepares a call of a tool, to set its timeout or to receive its progress.
    pub fn tool<'c>(&'c mut self, name: &'c str) -> ClientRequest<'c, CallToolResult> {
        self.connection.tool(name)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn read_resource(&mut self, uri: &str) -> Result<ReadResourceResult, ClientError> {
        self.resource(uri).call()
    }

    /// Prepares a request for a resource, to set its timeout or to receive its progress.
    pub fn resource<'c>(&'c mut self, uri: &'c str) -> ClientRequest<'c, ReadResourceResult> {
        self.connection.resource(uri)
    }

    /// Gets a prompt. The arguments are a value that is an object of strings in JSON, or `()` for none.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn get_prompt(
        &mut self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<GetPromptResult, ClientError> {
        self.prompt(name).arguments(arguments).call()
    }

    /// Prepares a request for a prompt, to set its timeout or to receive its progress.
    pub fn prompt<'c>(&'c mut self, name: &'c str) -> ClientRequest<'c, GetPromptResult> {
        self.connection.prompt(name)
    }

    /// Suggests values of the argument or variable `name`, whose text so far is `value`.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn complete(
        &mut self,
        of: CompletionFor<'_>,
        name: &str,
        value: &str,
    ) -> Result<CompleteResult, ClientError> {
        self.connection.completion(of, name, value).call()
    }

    /// Prepares a request for values, to set its timeout or the values of other arguments.
    pub fn completion<'c>(
        &'c mut self,
        of: CompletionFor<'c>,
        name: &'c str,
        value: &'c str,
    ) -> ClientRequest<'c, CompleteResult> {
        self.connection.completion(of, name, value)
    }

    /// The tools, from `tools/list`.
    pub fn tools(&mut self) -> Entries<'_, ListedTool> {
        let list = List { method: Method::ToolsList, member: "tools", read: ListedTool::of };
        Entries::new(&mut self.connection, list)
    }

    /// The resources, from `resources/list`.
    pub fn resources(&mut self) -> Entries<'_, ListedResource> {
        let list = List { method: Method::ResourcesList, member: "resources", read: ListedResource::of };
        Entries::new(&mut self.connection, list)
    }

    /// The templates of resources, from `resources/templates/list`.
    pub fn resource_templates(&mut self) -> Entries<'_, ListedResourceTemplate> {
        let list = List {
            method: Method::ResourcesTemplatesList,
            member: "resourceTemplates",
            read: ListedResourceTemplate::of,
        };
        Entries::new(&mut self.connection, list)
    }

    /// The prompts, from `prompts/list`.
    pub fn prompts(&mut self) -> Entries<'_, ListedPrompt> {
        let list = List { method: Method::PromptsList, member: "prompts", read: ListedPrompt::of };
        Entries::new(&mut self.connection, list)
    }

    /// Checks that the server still answers (until 2025-11-25).
    ///
    /// # Errors
    /// [`ClientError`]. In 2026-07-28 there is no `ping`: [`RequestError::NotInRevision`], and nothing is sent.
    ///
    /// [`RequestError::NotInRevision`]: crate::engine::client::RequestError::NotInRevision
    pub fn ping(&mut self) -> Result<(), ClientError> {
        let terms = Terms::within(self.connection.timeout());
        self.connection.request(terms, Method::Ping, |client, options, out| client.ping(options, out))?;
        Ok(())
    }

    /// Handles messages of the server for the time `longest`: answers its requests, and passes its log messages and other
    /// events to their receivers. For times in which the program makes no calls.
    ///
    /// # Errors
    /// [`ClientError::Ended`]: the server ended in that time.
    pub fn receive(&mut self, longest: Duration) -> Result<(), ClientError> {
        self.connection.receive(longest)
    }

    /// Name, version, capabilities and instructions of the server.
    pub const fn server_info(&self) -> &ServerInfo {
        &self.server
    }

    /// Revision of the connection.
    pub const fn protocol_version(&self) -> ProtocolVersion {
        self.server.protocol_version()
    }

    /// Capabilities of the server.
    pub const fn server_capabilities(&self) -> Capabilities {
        self.connection.capabilities()
    }

    /// Sets the timeout of each further request that sets none itself. `None` removes it.
    pub const fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.connection.set_timeout(timeout);
    }

    /// End of the server, once a call has noticed it. No further call works.
    pub const fn end(&self) -> Option<ChildEnd> {
        self.connection.end()
    }

    /// A handle that ends the connection from another thread, such as one that handles signals. The call in progress is
    /// cancelled and returns [`ClientError::Ended`].
    pub fn interrupter(&self) -> Interrupter {
        self.connection.interrupter()
    }

    /// Ends the server: closes its input and waits; then asks its processes to end (SIGTERM, where that exists) and waits;
    /// then kills them. Each wait takes at most the [grace period](super::ClientBuilder::grace).
    ///
    /// # Errors
    /// [`ClientError::Io`]: waiting for the process failed.
    pub fn close(self) -> Result<ExitStatus, ClientError> {
        Ok(self.connection.close(self.grace)?)
    }
}
