//! The application of a client: its identity, its capabilities, and its answers to requests of a server.

use super::reply::{ElicitReply, MessageReply, ResultReply, RootsReply};
use crate::json::{Array, JsonStr, Object, RawValue};
use crate::mcp::{ClientCapabilities, Feature, Implementation, ProtocolVersion};
use crate::rpc::{ErrorCode, Request};

/// Application of a client: its identity, its capabilities, and its answers to requests of the server.
/// Every method but [`info`](ClientHandler::info) has a default that refuses with -32601. Object safe.
///
/// One handler serves both eras: until 2025-11-25 servers send requests; in 2026-07-28 a result contains input requests
/// ([`RequestOptions::answering`](super::RequestOptions::answering)). Only requests that
/// [`capabilities`](ClientHandler::capabilities) declares reach the handler.
///
/// ```
/// use barewire::engine::ClientHandler;
/// use barewire::engine::client::{ClientAnswer, ClientElicitation, ElicitReply, Refusal};
/// use barewire::mcp::{ClientCapabilities, Implementation};
///
/// struct Panel;
///
/// impl ClientHandler for Panel {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("panel", "1.0")
///     }
///
///     fn capabilities(&self) -> ClientCapabilities {
///         ClientCapabilities::ELICITATION_FORM
///     }
///
///     fn elicit(
///         &mut self,
///         _: ClientElicitation<'_>,
///         reply: &mut ElicitReply<'_, '_>,
///     ) -> Result<ClientAnswer, Refusal> {
///         reply.accept(|content| {
///             content.name("yes").boolean(true);
///         });
///         Ok(ClientAnswer::Done)
///     }
/// }
/// ```
pub trait ClientHandler {
    /// Name and version of the client.
    fn info(&self) -> Implementation<'_>;

    /// Capabilities that the client declares.
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::NONE
    }

    /// Lists the directories that the server may work in (`roots/list`).
    ///
    /// # Errors
    /// [`Refusal`]: the error response.
    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
        let _ = reply;
        Err(Refusal::METHOD_NOT_FOUND)
    }

    /// Creates a message with the client's model (`sampling/createMessage`).
    ///
    /// # Errors
    /// [`Refusal`], for example [`Refusal::REJECTED_BY_USER`].
    fn create_message(
        &mut self,
        sampling: ClientSampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        let _ = (sampling, reply);
        Err(Refusal::METHOD_NOT_FOUND)
    }

    /// Asks the user a question (`elicitation/create`). A declined question is an answer, not an error.
    ///
    /// # Errors
    /// [`Refusal`].
    fn elicit(
        &mut self,
        elicitation: ClientElicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        let _ = (elicitation, reply);
        Err(Refusal::METHOD_NOT_FOUND)
    }

    /// Answers any other request of a legacy server except `ping`: about tasks, or of an extension.
    ///
    /// # Errors
    /// [`Refusal`].
    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<ClientAnswer, Refusal> {
        let _ = (request, reply);
        Err(Refusal::METHOD_NOT_FOUND)
    }
}

/// Handler that declares no capabilities: it has only a name. On a device, prefer an empty handler of your own whose
/// [`info`](ClientHandler::info) is a constant: then the name takes no RAM, and absent members are not linked.
///
/// ```
/// use barewire::engine::client::{ClientEngine, Plain};
/// use barewire::mcp::Implementation;
///
/// let (mut engine, mut app) = (ClientEngine::new(), Plain(Implementation::new("probe", "1.0")));
/// let client = engine.bind(&mut app);
/// assert_eq!(client.version(), None);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Plain(pub Implementation<'static>);

impl ClientHandler for Plain {
    fn info(&self) -> Implementation<'_> {
        self.0
    }
}

/// Whether a handler has completed its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum ClientAnswer {
    /// The reply is complete.
    Done,
    /// The application answers later with [`ClientEngine::answer`](super::ClientEngine::answer). It keeps the request's id,
    /// which comes with [`Incoming::Request`](super::Incoming::Request). Anything written to the reply is discarded.
    Later,
}

/// Error that the application returns instead of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Refusal {
    /// The error code.
    pub code: ErrorCode,
    /// The error message: one short sentence.
    pub message: &'static str,
}

impl Refusal {
    /// The client does not offer the method.
    pub const METHOD_NOT_FOUND: Self = Self::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");
    /// The params do not fit the method, or require a capability that was not declared.
    pub const INVALID_PARAMS: Self = Self::new(ErrorCode::INVALID_PARAMS, "Invalid params");
    /// The client failed.
    pub const INTERNAL_ERROR: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Internal error");
    /// The user has rejected the request (MCP sampling).
    pub const REJECTED_BY_USER: Self = Self::new(ErrorCode(-1), "User rejected sampling request");

    /// The handler defers an input response, so the caller must write the retry itself.
    pub const NOT_YET: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Not answered yet");

    /// Any other error. Codes of the application belong outside the reserved range.
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self { code, message }
    }
}

/// Request of a server for a message of the model (MCP sampling).
#[derive(Debug, Clone, Copy)]
pub struct ClientSampling<'a> {
    pub(super) params: Object<'a>,
}

impl<'a> ClientSampling<'a> {
    /// The conversation so far.
    pub fn messages(&self) -> Array<'a> {
        let messages = self.params.get("messages").and_then(RawValue::as_array);
        messages.unwrap_or(Array::EMPTY)
    }

    /// Largest number of tokens in the answer.
    pub fn max_tokens(&self) -> Option<u64> {
        self.params.get("maxTokens")?.as_number()?.to_u64().ok()
    }

    /// System prompt that the server suggests.
    pub fn system_prompt(&self) -> Option<JsonStr<'a>> {
        self.params.get("systemPrompt")?.as_string()
    }

    /// All params: preferences, temperature, tools.
    pub const fn params(&self) -> Object<'a> {
        self.params
    }
}

/// Question of a server to the user (MCP elicitation).
#[derive(Debug, Clone, Copy)]
pub struct ClientElicitation<'a> {
    pub(super) params: Object<'a>,
    pub(super) is_url: bool,
}

impl<'a> ClientElicitation<'a> {
    /// Reads a question. Without a `mode` it is a form.
    pub(super) fn of(params: Object<'a>, version: ProtocolVersion) -> Option<Self> {
        let [mode, message] = params.get_each(["mode", "message"]).ok()?;
        message?.as_string()?;
        let is_url = match mode.filter(|_| version.has(Feature::CapabilityModes)) {
            None => false,
            Some(mode) => match mode.as_string()? {
                mode if mode == "form" => false,
                mode if mode == "url" => true,
                _ => return None,
            },
        };
        Some(Self { params, is_url })
    }

    /// Text to show to the user.
    pub fn message(&self) -> JsonStr<'a> {
        let message = self.params.get("message").and_then(RawValue::as_string);
        message.unwrap_or(JsonStr::EMPTY)
    }

    /// Flat schema of the form. `None` for a URL.
    pub fn schema(&self) -> Option<Object<'a>> {
        self.params.get("requestedSchema").filter(|_| !self.is_url)?.as_object()
    }

    /// URL for the user to visit. `None` for a form.
    pub fn url(&self) -> Option<JsonStr<'a>> {
        self.params.get("url").filter(|_| self.is_url)?.as_string()
    }

    /// All params.
    pub const fn params(&self) -> Object<'a> {
        self.params
    }
}
