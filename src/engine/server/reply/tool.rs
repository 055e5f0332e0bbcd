//! The result of a tool (MCP tools).

use core::cell::Cell;

use serde::Serialize;

use super::{Line, Part, Questions, reply_methods};
use crate::engine::server::outcome::{Made, Outcome};
use crate::engine::server::{CallError, CallToken, Progress, TaskToken};
use crate::json::{AsText, Object, RawValue, Writer};
use crate::mcp::{
    Feature, InputRequest, LoggingLevel, Named, ProtocolVersion, Resource, Text, begin_text, keys,
    write_audio, write_blob_contents, write_embedded, write_image, write_resource_link, write_text_contents,
};
use crate::rpc::ErrorCode;

/// Reply to a call of a tool: a result, input requests, or the promise of a later answer.
///
/// A result that does not fit the output is not an error of the handler: the engine replaces it by a tool error.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Frame, Handler, Origin, Outcome, Server, ToolCall, ToolReply};
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
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         if call.is("tare") {
///             return Ok(reply.fail(format_args!("the scale is locked for {} s", 5)));
///         }
///         let content = reply.content().text("kg:").text_with(|json| {
///             json.fixed(7250, 3);
///         });
///         Ok(content.done())
///     }
/// }
///
/// let mut server = Server::new();
/// for (name, result) in [
///     ("weigh", r#"{"content":[{"type":"text","text":"kg:"},{"type":"text","text":"7.250"}],"isError":false}"#),
///     ("tare", r#"{"content":[{"type":"text","text":"the scale is locked for 5 s"}],"isError":true}"#),
/// ] {
///     let mut memory = [0; 256];
///     let mut out = Sink::new(&mut memory);
///     let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
///     let _ = server.receive(Origin::ONLY, &mut Frame::new(line.as_bytes()), &mut Scale, &mut out);
///     let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n");
///     assert_eq!(out.finish(), Ok(expected.as_bytes()));
/// }
/// ```
pub struct ToolReply<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> ToolReply<'r, 'm> {
    pub(in crate::engine::server) const fn new(line: Line<'r, 'm>) -> Self {
        Self { line }
    }

    /// Revision that the reply is written in.
    pub const fn version(&self) -> ProtocolVersion {
        self.line.draft.version
    }

    /// Begins a result with any number of content blocks.
    pub fn content(mut self) -> ToolContent<'r, 'm> {
        self.line.begin_member("content");
        ToolContent { line: self.line }
    }

    /// Answers with a text: a string, a number, or `format_args!`; see [`AsText`].
    pub fn text(self, text: impl AsText) -> Outcome {
        self.content().text(text).done()
    }

    /// Answers with the JSON text that `write` writes; see [`ToolContent::text_with`].
    pub fn text_with(self, write: impl FnOnce(&mut Writer<'_, 'm>)) -> Outcome {
        self.content().text_with(write).done()
    }

    /// Answers with structured content; see [`ToolContent::structured`].
    pub fn structured<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        self.content().structured(value).done()
    }

    /// Answers with structured content that `write` writes; see [`ToolContent::structured_with`].
    pub fn structured_with(self, write: impl Fn(&mut Writer<'_, 'm>)) -> Outcome {
        self.content().structured_with(write).done()
    }

    /// Answers with structured content from an object that is at hand.
    pub fn structured_object(self, object: Object<'_>) -> Outcome {
        self.content().structured_object(object).done()
    }

    /// Answers that the tool has failed: the text tells the model why.
    pub fn fail(self, text: impl AsText) -> Outcome {
        self.content().set_error().text(text).done()
    }

    /// Continues the call as a task, which has this token.
    ///
    /// # Errors
    /// [`CallError::Internal`] when the call [may not be a task](crate::engine::ToolCall::may_be_task). Return the error unchanged.
    pub fn start_task(self) -> Result<(TaskToken, Outcome), CallError<'static>> {
        let token = self.line.request.and_then(|request| request.task.token);
        token.map(|token| (token, self.line.draft.make(Made::Task(token)))).ok_or(CallError::Internal)
    }

    reply_methods!();
}

/// Result of a tool while it is written: content blocks in any number and order, then, if wanted, structured content and metadata. Without
/// any block the content is empty.
pub struct ToolContent<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> ToolContent<'r, 'm> {
    /// Revision that the reply is written in.
    pub const fn version(&self) -> ProtocolVersion {
        self.line.draft.version
    }

    /// Whether a block may be added.
    fn is_open(&mut self) -> bool {
        let is_open = self.line.draft.part == Part::Content;
        if !is_open {
            self.line.draft.misuse = Some("content after structured content or metadata");
        }
        is_open
    }

    fn block(mut self, write: impl FnOnce(&mut Writer<'r, 'm>, ProtocolVersion)) -> Self {
        if self.is_open() {
            write(&mut self.line.json, self.line.draft.version);
        }
        self
    }

    /// A block of text; `write` writes the string. Each kind of text by itself, so that only those are linked that are used.
    fn text_block(mut self, write: impl FnOnce(&mut Writer<'r, 'm>)) -> Self {
        if self.is_open() {
            let json = &mut self.line.json;
            begin_text(json);
            write(json);
            json.end_object();
        }
        self
    }

    /// Adds a block of text; see [`AsText`].
    pub fn text(self, text: impl AsText) -> Self {
        self.text_block(|json| {
            json.string(text);
        })
    }

    /// Adds a block with the JSON text that `write` writes: `integer(5)` makes the text `5`, `fixed(2375, 2)` the text `23.75`.
    pub fn text_with(self, write: impl FnOnce(&mut Writer<'_, 'm>)) -> Self {
        self.text_block(|json| {
            json.quoted(write);
        })
    }

    /// Adds a block of text that says what is wrong with a member: `head: member: fault`.
    pub(in crate::engine::server) fn text_about(self, head: &[&str], member: Named<'_>, fault: &str) -> Self {
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

    /// Adds an image, encoded as base64 while it is written.
    pub fn image(self, mime_type: &str, bytes: &[u8]) -> Self {
        self.block(|json, _| write_image(json, mime_type, bytes))
    }

    /// Adds audio, encoded as base64 while it is written. A client of 2024-11-05, which does not know audio, gets a text that says so.
    pub fn audio(self, mime_type: &str, bytes: &[u8]) -> Self {
        self.block(|json, version| write_audio(json, version, mime_type, bytes))
    }

    /// Adds a link to a resource. A client of a revision before 2025-06-18, which does not know links, gets a text with its URI.
    pub fn resource_link(self, resource: &Resource<'_>) -> Self {
        self.block(|json, version| write_resource_link(json, version, resource))
    }

    /// Embeds a resource of text.
    pub fn embedded_text(self, uri: &str, mime_type: Option<&str>, text: impl AsText) -> Self {
        self.block(|json, _| {
            write_embedded(json, |json| {
                write_text_contents(json, Text::Plain(uri), mime_type, |json| {
                    json.string(text);
                });
            });
        })
    }

    /// Embeds a resource of bytes, encoded as base64 while they are written.
    pub fn embedded_blob(self, uri: &str, mime_type: Option<&str>, bytes: &[u8]) -> Self {
        self.block(|json, _| {
            write_embedded(json, |json| write_blob_contents(json, Text::Plain(uri), mime_type, bytes));
        })
    }

    /// Marks the result as an error of the tool: the blocks tell the model why.
    pub const fn set_error(self) -> Self {
        match self.line.draft.part {
            Part::Content => self.line.draft.is_error = true,
            _ => self.line.draft.misuse = Some("an error after structured content or metadata"),
        }
        self
    }

    /// Drops whatever was written, for another reply.
    pub fn restart(mut self) -> ToolReply<'r, 'm> {
        self.line.restart();
        ToolReply { line: self.line }
    }

    /// Replaces whatever was written by one block of text that says why the tool has failed.
    pub fn fail(self, text: impl AsText) -> Outcome {
        self.restart().fail(text)
    }

    /// Adds structured content: a value of the application that is a JSON object. The same object goes into a block of text, as for
    /// [`structured_with`](Self::structured_with). A value without a JSON form (see [`to_json`](crate::json::to_json)) is a fault of the
    /// handler: the client gets an internal error, and the application an [`Event::Misuse`](crate::engine::Event::Misuse).
    ///
    /// ```
    /// # use barewire::engine::{Outcome, ToolReply};
    /// #[derive(serde::Serialize)]
    /// struct Reading { celsius: f32 }
    ///
    /// # fn fill(reply: ToolReply<'_, '_>) -> Outcome {
    /// reply.structured(&Reading { celsius: 23.75 })
    /// # }
    /// ```
    pub fn structured<T: Serialize + ?Sized>(self, value: &T) -> Self {
        let is_written = Cell::new(true);
        let content = self.structured_with(|json| is_written.set(json.serialize(value).is_ok()));
        if !is_written.get() {
            content.line.draft.misuse = Some("structured content that has no JSON form");
        }
        content
    }

    /// Adds structured content: `write` writes one JSON object. The same object goes into a block of text, for clients that do not know
    /// structured content, so `write` runs twice. Before 2025-06-18 there is only the text.
    ///
    /// ```
    /// # use barewire::engine::{Outcome, ToolReply};
    /// # fn fill(reply: ToolReply<'_, '_>) -> Outcome {
    /// reply.structured_with(|json| {
    ///     json.begin_object().name("celsius").fixed(2375, 2).end_object();
    /// })
    /// # }
    /// ```
    pub fn structured_with(self, write: impl Fn(&mut Writer<'_, 'm>)) -> Self {
        let mut content = self.text_with(&write);
        if content.line.draft.part == Part::Meta {
            content.line.draft.misuse = Some("structured content after metadata");
            return content;
        }
        content.seal();
        if !content.line.draft.version.has(Feature::StructuredContent) {
            return content;
        }
        let json = &mut content.line.json;
        json.name("structuredContent");
        let mark = json.sink().mark();
        write(json);
        // An output that does not fit is not checked: it is taken back anyway.
        if let Ok(text) = json.sink().since(mark)
            && !RawValue::new(text).is_ok_and(|value| value.as_object().is_some())
        {
            content.line.draft.misuse = Some("structured content that is not a JSON object");
        }
        content
    }

    /// Adds structured content from an object that is at hand.
    pub fn structured_object(self, object: Object<'_>) -> Self {
        self.structured_with(|json| {
            json.raw(object.as_value());
        })
    }

    /// Adds metadata, the members of `meta`, as the last part of the result.
    pub fn meta(mut self, meta: Object<'_>) -> Self {
        self.seal();
        if self.line.draft.part == Part::Meta {
            self.line.draft.misuse = Some("metadata twice");
            return self;
        }
        self.line.draft.part = Part::Meta;
        let json = &mut self.line.json;
        json.name("_meta").begin_object();
        // An application cannot change the name of the server or the task of the result.
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
        if self.line.draft.part == Part::Content {
            self.line.draft.part = Part::Sealed;
            let json = &mut self.line.json;
            json.end_array().name("isError").boolean(self.line.draft.is_error);
        }
    }

    /// Ends the result.
    pub fn done(mut self) -> Outcome {
        self.seal();
        (_, self.line.draft.has_members) = self.line.json.mark();
        let made = match self.line.draft.is_error {
            true => Made::ToolError,
            false => Made::Result,
        };
        self.line.draft.make(made)
    }
}
