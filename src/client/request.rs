//! One request of the caller, with its terms.

use core::fmt;
use core::time::Duration;
use std::boxed::Box;

use serde::Serialize;

use super::arguments::{to_object, to_strings};
use super::connection::{Caller, Connection, Terms};
use super::error::{ArgumentsError, ClientError};
use super::owned::OwnedValue;
use super::results::{CallToolResult, CompleteResult, GetPromptResult, ReadResourceResult};
use crate::bytes::Sink;
use crate::engine::client::{ClientProgress, CompletionFor, RequestError, RequestOptions, Ticket};
use crate::json::{Object, Writer};
use crate::mcp::Method;

/// The target of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target<'c> {
    Tool(&'c str),
    Prompt(&'c str),
    Resource(&'c str),
    /// An argument or variable `name`, whose text so far is `value`.
    Completion {
        of: CompletionFor<'c>,
        name: &'c str,
        value: &'c str,
    },
}

impl Target<'_> {
    const fn method(&self) -> Method {
        match self {
            Self::Tool(_) => Method::ToolsCall,
            Self::Prompt(_) => Method::PromptsGet,
            Self::Resource(_) => Method::ResourcesRead,
            Self::Completion { .. } => Method::CompletionComplete,
        }
    }

    fn send(
        self,
        client: &mut Caller<'_>,
        options: RequestOptions<'_>,
        arguments: Object<'_>,
        out: &mut Sink<'_>,
    ) -> Result<Ticket, RequestError> {
        let write = |json: &mut Writer<'_, '_>| {
            for member in arguments.members() {
                json.member(member);
            }
        };
        match self {
            Self::Tool(name) => client.call_tool(options, name, out, write),
            Self::Prompt(name) => client.get_prompt(options, name, out, write),
            Self::Resource(uri) => client.read_resource(options, uri, out),
            Self::Completion { of, name, value } => client.complete(options, of, name, value, out, write),
        }
    }
}

/// A request that is not sent yet, with a result of the type `R`. [`Client::tool`](super::Client::tool),
/// [`resource`](super::Client::resource), [`prompt`](super::Client::prompt) and
/// [`completion`](super::Client::completion) make it; [`call`](ClientRequest::call) sends it.
///
/// ```no_run
/// use core::time::Duration;
/// use std::process::Command;
///
/// use barewire::{Client, ClientError};
///
/// # fn main() -> Result<(), ClientError> {
/// let mut server = Client::connect(Command::new("some-server"))?;
/// let result = server
///     .tool("index")
///     .arguments(serde_json::json!({"folder": "src"}))
///     .timeout(Duration::from_secs(10))
///     .extended_by_progress(Duration::from_secs(600))
///     .on_progress(|progress| eprintln!("{} files", progress.progress))
///     .call()?;
/// println!("{}", result.text());
/// # Ok(())
/// # }
/// ```
#[must_use = "a request is sent by `call`"]
pub struct ClientRequest<'c, R> {
    connection: &'c mut Connection,
    target: Target<'c>,
    arguments: Option<Result<OwnedValue, ArgumentsError>>,
    terms: Terms<'c>,
    read: fn(OwnedValue) -> R,
}

impl<R> fmt::Debug for ClientRequest<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClientRequest").field(&self.target).finish()
    }
}

impl<'c, R> ClientRequest<'c, R> {
    pub(super) fn new(connection: &'c mut Connection, target: Target<'c>, read: fn(OwnedValue) -> R) -> Self {
        let terms = Terms::within(connection.timeout());
        Self { connection, target, arguments: None, terms, read }
    }

    /// Sets the longest wait for the result. The time of the handler of input requests does not count.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.terms.timeout = Some(timeout);
        self
    }

    /// Removes the timeout.
    pub fn without_timeout(mut self) -> Self {
        self.terms.timeout = None;
        self
    }

    /// Restarts the timeout with each progress notification, up to a total wait of `longest`. Without a timeout, `longest` is
    /// the timeout.
    pub fn extended_by_progress(mut self, longest: Duration) -> Self {
        self.terms.longest = Some(longest);
        self
    }

    /// Requests progress notifications, and passes each of them to `on_progress`.
    pub fn on_progress(mut self, on_progress: impl FnMut(ClientProgress<'_>) + 'c) -> Self {
        self.terms.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Sends the request and waits for its result.
    ///
    /// # Errors
    /// [`ClientError`]. A request that times out is cancelled, and the next call works.
    pub fn call(self) -> Result<R, ClientError> {
        let arguments = self.arguments.transpose()?;
        let arguments = arguments.as_ref().map_or(Object::EMPTY, OwnedValue::object);
        let (target, method) = (self.target, self.target.method());
        let result = self.connection.request(self.terms, method, |client, options, out| {
            target.send(client, options, arguments, out)
        })?;
        Ok((self.read)(result))
    }
}

impl ClientRequest<'_, CallToolResult> {
    /// Sets the arguments: a value that is an object in JSON (a struct, a map, `serde_json::json!({…})`), or `()` for none.
    /// They are written now; an error is returned by [`call`](ClientRequest::call).
    pub fn arguments(mut self, arguments: impl Serialize) -> Self {
        self.arguments = Some(to_object(&arguments, self.connection.longest_line()));
        self
    }
}

impl ClientRequest<'_, GetPromptResult> {
    /// Sets the arguments: a value that is an object of strings in JSON, or `()` for none. They are written now; an error is
    /// returned by [`call`](ClientRequest::call).
    pub fn arguments(mut self, arguments: impl Serialize) -> Self {
        self.arguments = Some(to_strings(&arguments, self.connection.longest_line()));
        self
    }
}

impl ClientRequest<'_, CompleteResult> {
    /// Sets the values of other arguments or variables: a value that is an object of strings in JSON. They are written now; an
    /// error is returned by [`call`](ClientRequest::call). Revisions before 2025-06-18 do not have them; there they are not
    /// sent.
    pub fn known(mut self, known: impl Serialize) -> Self {
        self.arguments = Some(to_strings(&known, self.connection.longest_line()));
        self
    }
}

/// Requests of the caller.
impl Connection {
    pub(super) fn tool<'c>(&'c mut self, name: &'c str) -> ClientRequest<'c, CallToolResult> {
        ClientRequest::new(self, Target::Tool(name), CallToolResult::of)
    }

    pub(super) fn prompt<'c>(&'c mut self, name: &'c str) -> ClientRequest<'c, GetPromptResult> {
        ClientRequest::new(self, Target::Prompt(name), GetPromptResult::of)
    }

    pub(super) fn resource<'c>(&'c mut self, uri: &'c str) -> ClientRequest<'c, ReadResourceResult> {
        ClientRequest::new(self, Target::Resource(uri), ReadResourceResult::of)
    }

    pub(super) fn completion<'c>(
        &'c mut self,
        of: CompletionFor<'c>,
        name: &'c str,
        value: &'c str,
    ) -> ClientRequest<'c, CompleteResult> {
        ClientRequest::new(self, Target::Completion { of, name, value }, CompleteResult::of)
    }
}
