//! What an application tells the client, and what a server may ask of it.

use super::{ElicitReply, MessageReply, ResultReply, RootsReply};
use crate::json::{Array, JsonStr, Object, RawValue};
use crate::mcp::{ClientCapabilities, Feature, Implementation, ProtocolVersion};
use crate::rpc::{ErrorCode, Request};

/// The application behind a [`Client`](super::Client): who it is, what it can do, and its answers to what a server asks.
/// Every method but [`info`](ClientHandler::info) has a default that refuses with -32601. Object safe.
///
/// One handler serves both eras: until 2025-11-25 servers send requests; later they want to know the same things before
/// they give a result ([`Ask::answering`](super::Ask::answering)). The engine lets through only what
/// [`capabilities`](ClientHandler::capabilities) declares.
///
/// ```
/// use barewire::engine::ClientHandler;
/// use barewire::engine::client::{Answer, ElicitReply, Elicitation, Refusal};
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
///     fn elicit(&mut self, _: Elicitation<'_>, reply: &mut ElicitReply<'_, '_>) -> Result<Answer, Refusal> {
///         reply.accept(|content| {
///             content.name("yes").boolean(true);
///         });
///         Ok(Answer::Done)
///     }
/// }
/// ```
pub trait ClientHandler {
    /// Who the client is.
    fn info(&self) -> Implementation<'_>;

    /// What the client offers to servers.
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::NONE
    }

    /// The directories that the server may work in.
    ///
    /// # Errors
    /// [`Refusal`]: an error of the protocol.
    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<Answer, Refusal> {
        let _ = reply;
        Err(Refusal::METHOD_NOT_FOUND)
    }

    /// A message of a model.
    ///
    /// # Errors
    /// [`Refusal`], of the user's too.
    fn create_message(
        &mut self,
        sampling: Sampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<Answer, Refusal> {
        let _ = (sampling, reply);
        Err(Refusal::METHOD_NOT_FOUND)
    }

    /// A question to the user. To decline is an answer, not an error.
    ///
    /// # Errors
    /// [`Refusal`].
    fn elicit(
        &mut self,
        elicitation: Elicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<Answer, Refusal> {
        let _ = (elicitation, reply);
        Err(Refusal::METHOD_NOT_FOUND)
    }

    /// Any other request of a server of the legacy era but `ping`: of tasks, or of an extension.
    ///
    /// # Errors
    /// [`Refusal`].
    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<Answer, Refusal> {
        let _ = (request, reply);
        Err(Refusal::METHOD_NOT_FOUND)
    }
}

/// A reference is as good as the handler itself.
impl<H: ClientHandler + ?Sized> ClientHandler for &mut H {
    fn info(&self) -> Implementation<'_> {
        (**self).info()
    }

    fn capabilities(&self) -> ClientCapabilities {
        (**self).capabilities()
    }

    fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<Answer, Refusal> {
        (**self).list_roots(reply)
    }

    fn create_message(
        &mut self,
        sampling: Sampling<'_>,
        reply: &mut MessageReply<'_, '_>,
    ) -> Result<Answer, Refusal> {
        (**self).create_message(sampling, reply)
    }

    fn elicit(
        &mut self,
        elicitation: Elicitation<'_>,
        reply: &mut ElicitReply<'_, '_>,
    ) -> Result<Answer, Refusal> {
        (**self).elicit(elicitation, reply)
    }

    fn other_request(
        &mut self,
        request: Request<'_>,
        reply: &mut ResultReply<'_, '_>,
    ) -> Result<Answer, Refusal> {
        (**self).other_request(request, reply)
    }
}

/// A client that offers nothing: its name is all there is to it. A device does better with a handler of its own that is
/// empty, and whose [`info`](ClientHandler::info) is a constant: then the name is not in RAM, and what it never says is not
/// linked.
///
/// ```
/// use barewire::engine::client::{Client, Plain};
/// use barewire::mcp::Implementation;
///
/// let client: Client<Plain> = Client::new(Plain(Implementation::new("probe", "1.0")));
/// assert_eq!(client.version(), None);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Plain(pub Implementation<'static>);

impl ClientHandler for Plain {
    fn info(&self) -> Implementation<'_> {
        self.0
    }
}

/// What a handler did with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Answer {
    /// The reply is complete.
    Done,
    /// The reply comes later, by [`Client::answer`](super::Client::answer): the application keeps the request's id, which
    /// comes with [`Incoming::Request`](super::Incoming::Request). What was written to the reply is taken back.
    Later,
}

/// Why there is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Refusal {
    /// The code.
    pub code: ErrorCode,
    /// One short sentence.
    pub message: &'static str,
}

impl Refusal {
    /// The client does not offer it.
    pub const METHOD_NOT_FOUND: Self = Self::new(ErrorCode::METHOD_NOT_FOUND, "Method not found");
    /// The params are not what the method needs, or ask for what was not declared.
    pub const INVALID_PARAMS: Self = Self::new(ErrorCode::INVALID_PARAMS, "Invalid params");
    /// The client failed.
    pub const INTERNAL_ERROR: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Internal error");
    /// The user does not want it (MCP sampling).
    pub const REJECTED_BY_USER: Self = Self::new(ErrorCode(-1), "User rejected sampling request");

    /// In the place of an input response that the handler put off: the caller writes the retry itself.
    pub const NOT_YET: Self = Self::new(ErrorCode::INTERNAL_ERROR, "Not answered yet");

    /// Any other. Own codes belong outside the reserved range.
    pub const fn new(code: ErrorCode, message: &'static str) -> Self {
        Self { code, message }
    }
}

/// A wish for a message of a model (MCP sampling).
#[derive(Debug, Clone, Copy)]
pub struct Sampling<'a> {
    pub(super) params: Object<'a>,
}

impl<'a> Sampling<'a> {
    /// The conversation so far.
    pub fn messages(&self) -> Array<'a> {
        let messages = self.params.get("messages").and_then(RawValue::as_array);
        messages.unwrap_or(Array::EMPTY)
    }

    /// The most tokens that the answer may have.
    pub fn max_tokens(&self) -> Option<u64> {
        self.params.get("maxTokens")?.as_number()?.to_u64().ok()
    }

    /// The system prompt that the server wishes.
    pub fn system_prompt(&self) -> Option<JsonStr<'a>> {
        self.params.get("systemPrompt")?.as_string()
    }

    /// All of the params: preferences, temperature, tools.
    pub const fn params(&self) -> Object<'a> {
        self.params
    }
}

/// A question to the user (MCP elicitation).
#[derive(Debug, Clone, Copy)]
pub struct Elicitation<'a> {
    pub(super) params: Object<'a>,
    pub(super) is_url: bool,
}

impl<'a> Elicitation<'a> {
    /// The question; without a `mode` it is a form.
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

    /// What to show.
    pub fn message(&self) -> JsonStr<'a> {
        let message = self.params.get("message").and_then(RawValue::as_string);
        message.unwrap_or(JsonStr::EMPTY)
    }

    /// What a form asks for: a flat schema. `None` for a URL.
    pub fn schema(&self) -> Option<Object<'a>> {
        self.params
            .get("requestedSchema")
            .filter(|_| !self.is_url)?
            .as_object()
    }

    /// What the user is to visit. `None` for a form.
    pub fn url(&self) -> Option<JsonStr<'a>> {
        self.params.get("url").filter(|_| self.is_url)?.as_string()
    }

    /// All of the params.
    pub const fn params(&self) -> Object<'a> {
        self.params
    }
}
