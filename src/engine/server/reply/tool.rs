//! The result of a tool (MCP tools).

use core::fmt;

use super::{Asking, Line, Reply};
use crate::bytes::Sink;
use crate::engine::server::{CallError, Context, Progress};
use crate::json::{JsonStr, Object, RawValue, Writer};
use crate::mcp::{
    Contents, Feature, InputRequest, LoggingLevel, Named, ProtocolVersion, Resource, Text, begin_text, keys,
    write_audio, write_embedded, write_image, write_resource_link,
};

/// The reply to a call of a tool: content blocks in any number and order, then, if wanted, structured content and
/// metadata. Without any block the content is empty.
///
/// What does not fit the output is no error here: the engine replaces the reply by a tool error.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Disposition, Handler, Server, ToolCall, ToolReply};
/// use barewire::mcp::{Implementation, Tool};
///
/// struct Scale;
///
/// impl Handler for Scale {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("scale", "1.0")
/// #     }
/// #
///     fn tools(&self) -> &[Tool<'_>] {
///         const { &[Tool::new("weigh", "Reads the scale."), Tool::new("tare", "Sets it to zero.")] }
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         call: ToolCall<'a>,
///         reply: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         reply.text("kg:").text_with(|json| {
///             json.fixed(7250, 3);
///         });
///         if call.is("tare") {
///             // Nothing is left of what was written.
///             reply.fail(&["the scale", " is locked"]);
///         }
///         Ok(Disposition::Done)
///     }
/// }
///
/// let mut server: Server<Scale> = Server::new(Scale);
/// for (name, result) in [
///     ("weigh", r#"{"content":[{"type":"text","text":"kg:"},{"type":"text","text":"7.250"}],"isError":false}"#),
///     ("tare", r#"{"content":[{"type":"text","text":"the scale is locked"}],"isError":true}"#),
/// ] {
///     let mut memory = [0; 256];
///     let mut out = Sink::new(&mut memory);
///     let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
///     let _ = server.handle_frame(line.as_bytes(), &mut out);
///     let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
///     assert_eq!(out.finish(), Ok(expected.as_bytes()));
/// }
/// ```
pub struct ToolReply<'r, 'm> {
    line: Line<'r, 'm>,
    is_error: bool,
    part: Part,
}

/// How far a tool's result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Content,
    /// `content` and `isError` are written.
    Sealed,
    /// `_meta` is open.
    Meta,
}

impl<'r, 'm> ToolReply<'r, 'm> {
    pub(in crate::engine::server) fn new(
        out: &'r mut Sink<'m>,
        context: &'r Context<'r>,
        progress: Option<i64>,
        asking: Option<&'r mut Asking<'r>>,
    ) -> Self {
        Self {
            line: Line::new(out, context, progress, asking),
            is_error: false,
            part: Part::Content,
        }
    }

    /// A result inside a line that somebody else writes.
    pub(in crate::engine::server) fn inside(json: Writer<'r, 'm>, version: ProtocolVersion) -> Self {
        Self {
            line: Line::inside(json, version, None),
            is_error: false,
            part: Part::Content,
        }
    }

    /// Closes a result inside a line, or takes it back.
    pub(in crate::engine::server) fn settle_inside<'a>(
        mut self,
        outcome: Result<(), CallError<'a>>,
    ) -> Result<(), CallError<'a>> {
        match outcome {
            Ok(()) => {}
            Err(CallError::Failed(text)) => {
                self.fail(&[text]);
            }
            Err(error) => {
                self.line.take_back();
                return Err(error);
            }
        }
        self.close();
        if self.part == Part::Meta {
            self.line.json.end_object();
        }
        self.line.json.end_object();
        if self.line.misuse.is_some() {
            self.line.take_back();
            return Err(CallError::Internal);
        }
        Ok(())
    }

    /// The revision that the reply is written in.
    pub const fn version(&self) -> ProtocolVersion {
        self.line.version
    }

    fn begin(&mut self) {
        self.line.begin(|json| {
            json.name("content").begin_array();
        });
    }

    /// Where the next block is written; `None` behind the content.
    fn next_block(&mut self) -> Option<&mut Writer<'r, 'm>> {
        self.begin();
        if self.part != Part::Content {
            self.line.misuse = Some("content behind structured content or metadata");
            return None;
        }
        Some(&mut self.line.json)
    }

    fn block(&mut self, write: impl FnOnce(&mut Writer<'r, 'm>, ProtocolVersion)) -> &mut Self {
        let version = self.line.version;
        if let Some(json) = self.next_block() {
            write(json, version);
        }
        self
    }

    /// The value of the next block of text.
    fn next_text(&mut self) -> Option<&mut Writer<'r, 'm>> {
        let json = self.next_block()?;
        begin_text(json);
        Some(json)
    }

    /// A block of text; `write` writes the string. Each kind of text by itself, so that only those are linked that are used.
    fn text_block(&mut self, write: impl FnOnce(&mut Writer<'r, 'm>)) -> &mut Self {
        if let Some(json) = self.next_text() {
            write(json);
            json.end_object();
        }
        self
    }

    /// A block of text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.text_block(|json| {
            json.string(text);
        })
    }

    /// A block of text in pieces.
    pub fn text_of(&mut self, pieces: &[&str]) -> &mut Self {
        self.text_block(|json| {
            json.string_of(pieces);
        })
    }

    /// A block of text that was received: characters as UTF-8, half a surrogate pair as the escape that it was.
    pub fn text_json(&mut self, text: JsonStr<'_>) -> &mut Self {
        self.text_block(|json| {
            json.decoded_string(text);
        })
    }

    /// A block with the JSON text that `write` writes: `integer(5)` makes the text `5`, `fixed(2375, 2)` the text
    /// `23.75`.
    pub fn text_with(&mut self, write: impl FnOnce(&mut Writer<'_, 'm>)) -> &mut Self {
        self.text_block(|json| {
            json.quoted(write);
        })
    }

    /// A block of text that says what is wrong with a member: `head: member: fault`.
    pub(in crate::engine::server) fn text_about(
        &mut self,
        head: &[&str],
        member: Named<'_>,
        fault: &str,
    ) -> &mut Self {
        self.text_block(|json| {
            json.string_parts(|parts| {
                for piece in head {
                    parts.plain(piece);
                }
                parts.plain(": ");
                match member {
                    Named::Declared(name) => parts.plain(name),
                    Named::Sent(name) => parts.json(name),
                }
                parts.plain(": ");
                parts.plain(fault);
            });
        })
    }

    /// A block of formatted text. Only this pulls in the formatting code of `core`.
    pub fn text_format(&mut self, text: fmt::Arguments<'_>) -> &mut Self {
        self.text_block(|json| {
            json.format(text);
        })
    }

    /// An image, encoded as base64 on its way.
    pub fn image(&mut self, mime_type: &str, bytes: &[u8]) -> &mut Self {
        self.block(|json, _| write_image(json, mime_type, bytes))
    }

    /// Audio, encoded as base64 on its way. To a client of 2024-11-05, which has no audio, a text that says so.
    pub fn audio(&mut self, mime_type: &str, bytes: &[u8]) -> &mut Self {
        self.block(|json, version| write_audio(json, version, mime_type, bytes))
    }

    /// A link to a resource. To a client of before 2025-06-18, which has no links, a text with its URI.
    pub fn resource_link(&mut self, resource: &Resource<'_>) -> &mut Self {
        self.block(|json, version| write_resource_link(json, version, resource))
    }

    /// A resource of text, embedded.
    pub fn embedded_text(&mut self, uri: &str, mime_type: Option<&str>, text: &str) -> &mut Self {
        self.block(|json, _| {
            write_embedded(
                json,
                Text::Plain(uri),
                mime_type,
                &Contents::Text(Text::Plain(text)),
            );
        })
    }

    /// A resource of bytes, embedded, encoded as base64 on its way.
    pub fn embedded_blob(&mut self, uri: &str, mime_type: Option<&str>, bytes: &[u8]) -> &mut Self {
        self.block(|json, _| write_embedded(json, Text::Plain(uri), mime_type, &Contents::Blob(bytes)))
    }

    /// Says that the tool failed: the blocks tell the model why.
    pub fn set_error(&mut self) -> &mut Self {
        if self.part == Part::Content {
            self.is_error = true;
        } else {
            self.line.misuse = Some("an error behind structured content or metadata");
        }
        self
    }

    /// Replaces whatever was written by one block of text that says why the tool failed.
    pub fn fail(&mut self, pieces: &[&str]) -> &mut Self {
        self.restart();
        self.is_error = true;
        self.text_of(pieces)
    }

    /// Back to before the first part.
    fn restart(&mut self) {
        let start = self.line.start;
        let out = self.line.json.sink();
        out.rollback(start);
        self.line.json.restart();
        self.line.has_begun = false;
        self.line.misuse = None;
        if let Some(asking) = &mut self.line.asking {
            asking.take_back();
        }
        self.is_error = false;
        self.part = Part::Content;
    }

    /// Structured content: `write` writes one JSON object. The same object goes into a block of text, for clients that
    /// do not know structured content, so `write` runs twice. Before 2025-06-18 the text is all.
    ///
    /// ```
    /// # fn fill(reply: &mut barewire::engine::ToolReply<'_, '_>) {
    /// reply.structured(|json| {
    ///     json.begin_object().name("celsius").fixed(2375, 2).end_object();
    /// });
    /// # }
    /// ```
    pub fn structured(&mut self, write: impl Fn(&mut Writer<'_, 'm>)) -> &mut Self {
        self.text_with(&write);
        self.seal();
        if !self.line.version.has(Feature::StructuredContent) {
            return self;
        }
        if self.part == Part::Meta {
            self.line.misuse = Some("structured content behind metadata");
            return self;
        }
        self.line.json.name("structuredContent");
        let mark = self.line.json.sink().mark();
        write(&mut self.line.json);
        // What does not fit cannot be looked at, and is taken back anyway.
        if let Ok(text) = self.line.json.sink().since(mark)
            && !RawValue::new(text).is_ok_and(|value| value.as_object().is_some())
        {
            self.line.misuse = Some("structured content that is no JSON object");
        }
        self
    }

    /// Structured content from an object that is at hand.
    pub fn structured_object(&mut self, object: Object<'_>) -> &mut Self {
        self.structured(|json| {
            json.raw(object.as_value());
        })
    }

    /// Metadata of the result: its members. Behind everything else.
    pub fn meta(&mut self, meta: Object<'_>) -> &mut Self {
        self.seal();
        if self.part == Part::Meta {
            self.line.misuse = Some("metadata twice");
            return self;
        }
        self.part = Part::Meta;
        let json = &mut self.line.json;
        json.name("_meta").begin_object();
        // The server's own name is not the application's to change, nor the task of the result.
        let own = [keys::SERVER_INFO, keys::RELATED_TASK];
        for member in meta.members() {
            if own.into_iter().all(|own| member.name != *own) {
                json.member(member);
            }
        }
        self
    }

    /// Closes the content.
    fn seal(&mut self) {
        self.begin();
        if self.part == Part::Content {
            self.part = Part::Sealed;
            let json = &mut self.line.json;
            json.end_array().name("isError").boolean(self.is_error);
        }
    }

    /// Asks the client, instead of an answer; then return [`Disposition::Asked`](crate::engine::Disposition::Asked). The
    /// call goes on in [`Handler::resume_tool`](crate::engine::Handler::resume_tool), with the answers by their keys and with the state that was kept.
    ///
    /// All that is asked goes to a modern client at once. A legacy client is asked one thing at a time, the first; what
    /// else is asked is asked again when that is answered, so the state should hold what is known already. When the
    /// client has not declared what a question needs, the call ends in
    /// [`CallError::MissingCapability`](crate::engine::CallError::MissingCapability).
    pub fn ask(&mut self, key: &str, request: &InputRequest<'_>) -> &mut Self {
        self.line.ask(key, request);
        self
    }

    /// Keeps what the handler must know when the call goes on, behind the questions: `requestState`, which travels through
    /// a modern client and back. Sign or check what must not be forged. For a legacy client the server keeps it: the key
    /// of the question, the name of the tool and the state share `TEXT` bytes. What does not fit is a
    /// [`Event::Misuse`](crate::engine::Event::Misuse), and the call ends in an internal error: raise `TEXT`.
    pub fn keep(&mut self, state: &str) -> &mut Self {
        self.line.keep(|json| {
            json.string(state);
        });
        self
    }

    /// [`keep`](Self::keep)s the JSON text that `write` writes: `integer(5)` makes the state `5`.
    pub fn keep_with(&mut self, write: impl FnOnce(&mut Writer<'_, '_>)) -> &mut Self {
        self.line.keep(|json| {
            json.quoted(write);
        });
        self
    }

    /// Reports progress, if the client asked for it, before the first part of the reply; false when nothing was written.
    pub fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.line.progress(progress)
    }

    /// Sends a log message, if the client wants its level, before the first part of the reply; false when nothing was
    /// written.
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.line.log(level, logger, data)
    }
}

impl<'r, 'm> Reply<'r, 'm> for ToolReply<'r, 'm> {
    fn close(&mut self) {
        self.seal();
    }

    fn line(&mut self) -> &mut Line<'r, 'm> {
        &mut self.line
    }

    fn is_meta_open(&self) -> bool {
        self.part == Part::Meta
    }

    fn fail_with(&mut self, text: &str) -> bool {
        self.fail(&[text]);
        true
    }

    fn shorten(&mut self) -> bool {
        self.fail_with("Result too large")
    }
}
