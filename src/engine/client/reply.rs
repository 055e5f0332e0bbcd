//! Replies of the application to requests of a server. A reply is one object: the result of a response in the legacy era, an
//! input response in the modern era.

use crate::bytes::Mark;
use crate::json::Writer;

/// Reply to `roots/list`: the directories that the server may work in.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{ClientAnswer, ClientEngine, ClientHandler, Refusal, RootsReply};
/// use barewire::mcp::{ClientCapabilities, Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// struct Editor;
///
/// impl ClientHandler for Editor {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("editor", "1.0")
///     }
///
///     fn capabilities(&self) -> ClientCapabilities {
///         ClientCapabilities::ROOTS
///     }
///
///     fn list_roots(&mut self, reply: &mut RootsReply<'_, '_>) -> Result<ClientAnswer, Refusal> {
///         reply.root("file:///src", Some("sources")).root("file:///doc", None);
///         Ok(ClientAnswer::Done)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (mut memory, now) = ([0; 512], Duration::ZERO);
/// let (mut engine, mut app) = (ClientEngine::new(), Editor);
/// let mut client = engine.bind(&mut app);
/// # client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory))?;
/// # let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
/// # let _ = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// let mut out = Sink::new(&mut memory);
/// let _ = client.handle_frame(br#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#, now, &mut out);
/// assert_eq!(
///     String::from_utf8_lossy(out.finish()?),
///     concat!(r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[{"uri":"file:///src","name":"sources"},{"uri":"file:///doc"}]}}"#, "\n")
/// );
/// # Ok(())
/// # }
/// ```
pub struct RootsReply<'r, 'm> {
    json: Writer<'r, 'm>,
}

impl<'r, 'm> RootsReply<'r, 'm> {
    pub(super) fn new(mut json: Writer<'r, 'm>) -> Self {
        json.begin_object();
        json.name("roots").begin_array();
        Self { json }
    }

    /// Adds a directory: a URI `file://…`, and a name for people.
    pub fn root(&mut self, uri: &str, name: Option<&str>) -> &mut Self {
        self.json.begin_object();
        self.json.name("uri").string(uri);
        if let Some(name) = name {
            self.json.name("name").string(name);
        }
        self.json.end_object();
        self
    }

    pub(super) fn finish(mut self) {
        self.json.end_array().end_object();
    }
}

/// Reply that is written as a whole: if it is given twice, the last one counts.
struct Whole<'r, 'm> {
    json: Writer<'r, 'm>,
    start: (Mark, bool),
    is_given: bool,
}

impl<'r, 'm> Whole<'r, 'm> {
    fn new(mut json: Writer<'r, 'm>) -> Self {
        json.begin_object();
        let start = json.mark();
        Self { json, start, is_given: false }
    }

    fn give(&mut self, write: impl FnOnce(&mut Writer<'r, 'm>)) {
        self.json.rollback(self.start);
        self.is_given = true;
        write(&mut self.json);
    }

    fn finish(mut self) {
        self.json.end_object();
    }
}

/// Reply to `elicitation/create`: the answer of the user. An empty reply counts as `cancel`.
pub struct ElicitReply<'r, 'm> {
    whole: Whole<'r, 'm>,
}

impl<'r, 'm> ElicitReply<'r, 'm> {
    pub(super) fn new(json: Writer<'r, 'm>) -> Self {
        Self { whole: Whole::new(json) }
    }

    /// The user accepts; `content` writes the members of the form.
    pub fn accept(&mut self, content: impl FnOnce(&mut Writer<'r, 'm>)) {
        self.whole.give(|json| {
            json.name("action").string("accept");
            json.name("content").begin_object();
            content(json);
            json.end_object();
        });
    }

    /// The user accepts to visit the URL.
    pub fn accept_url(&mut self) {
        self.action("accept");
    }

    /// The user declines.
    pub fn decline(&mut self) {
        self.action("decline");
    }

    /// The user has dismissed the question without an answer.
    pub fn cancel(&mut self) {
        self.action("cancel");
    }

    fn action(&mut self, action: &str) {
        self.whole.give(|json| {
            json.name("action").string(action);
        });
    }

    pub(super) fn finish(mut self) {
        if !self.whole.is_given {
            self.cancel();
        }
        self.whole.finish();
    }
}

/// Reply to `sampling/createMessage`: a message of the model.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::client::{
///     ClientAnswer, ClientEngine, ClientHandler, ClientSampling, MessageReply, Refusal,
/// };
/// use barewire::mcp::{ClientCapabilities, Implementation, ProtocolVersion};
/// use core::time::Duration;
///
/// struct Host;
///
/// impl ClientHandler for Host {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("host", "1.0")
/// #     }
/// #
///     fn capabilities(&self) -> ClientCapabilities {
///         ClientCapabilities::SAMPLING
///     }
///
///     fn create_message(
///         &mut self,
///         sampling: ClientSampling<'_>,
///         reply: &mut MessageReply<'_, '_>,
///     ) -> Result<ClientAnswer, Refusal> {
///         match sampling.max_tokens() {
///             Some(1..) => reply.text("echo-1", "four"),
///             _ => return Err(Refusal::INVALID_PARAMS),
///         }
///         Ok(ClientAnswer::Done)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (mut memory, now) = ([0; 512], Duration::ZERO);
/// let (mut engine, mut app) = (ClientEngine::new(), Host);
/// let mut client = engine.bind(&mut app);
/// # client.initialize_with(ProtocolVersion::V2025_11_25, now, &mut Sink::new(&mut memory))?;
/// # let line = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
/// # let _ = client.handle_frame(line, now, &mut Sink::new(&mut memory));
/// let asked = concat!(
///     r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"maxTokens":9,"messages":["#,
///     r#"{"role":"user","content":{"type":"text","text":"Two and two?"}}]}}"#
/// );
/// let mut out = Sink::new(&mut memory);
/// let _ = client.handle_frame(asked.as_bytes(), now, &mut out);
/// assert_eq!(
///     String::from_utf8_lossy(out.finish()?),
///     concat!(
///         r#"{"jsonrpc":"2.0","id":"q","result":{"role":"assistant","content":{"type":"text","text":"four"},"#,
///         r#""model":"echo-1","stopReason":"endTurn"}}"#,
///         "\n"
///     )
/// );
/// # Ok(())
/// # }
/// ```
pub struct MessageReply<'r, 'm> {
    whole: Whole<'r, 'm>,
}

impl<'r, 'm> MessageReply<'r, 'm> {
    pub(super) fn new(json: Writer<'r, 'm>) -> Self {
        Self { whole: Whole::new(json) }
    }

    /// A text of `model`, at the end of its turn.
    pub fn text(&mut self, model: &str, text: &str) {
        self.message(model, "endTurn", |json| {
            json.begin_object();
            json.name("type").string("text");
            json.name("text").string(text);
            json.end_object();
        });
    }

    /// Any content, written by `content` as one value, with the reason why the model stopped: `endTurn`, `stopSequence`,
    /// `maxTokens`, `toolUse`.
    pub fn message(&mut self, model: &str, stop_reason: &str, content: impl FnOnce(&mut Writer<'r, 'm>)) {
        self.whole.give(|json| {
            json.name("role").string("assistant");
            json.name("content");
            content(json);
            json.name("model").string(model);
            json.name("stopReason").string(stop_reason);
        });
    }

    /// Ends the reply. Returns false if no message was given.
    pub(super) fn finish(self) -> bool {
        let is_given = self.whole.is_given;
        self.whole.finish();
        is_given
    }
}

/// Reply to any other request: the members of the result.
pub struct ResultReply<'r, 'm> {
    json: Writer<'r, 'm>,
}

impl<'r, 'm> ResultReply<'r, 'm> {
    pub(super) fn new(mut json: Writer<'r, 'm>) -> Self {
        json.begin_object();
        Self { json }
    }

    /// The writer, inside the object: each member is a [`name`](Writer::name) and a value.
    pub const fn json(&mut self) -> &mut Writer<'r, 'm> {
        &mut self.json
    }

    pub(super) fn finish(mut self) {
        self.json.end_object();
    }
}
