//! What a handler answers with. Each writer puts its part straight into the output, inside the result that the engine
//! opens before the first part and closes behind the last.

use core::fmt;

use super::answer::{self, LEAST_ANSWER, Tail, Written};
use super::{Context, notify};
use crate::bytes::{Mark, Sink};
use crate::json::{JsonStr, Object, RawValue, Writer};
use crate::mcp::{
    Contents, Feature, LoggingLevel, Named, ProtocolVersion, Resource, Text, keys, write_audio,
    write_contents_with, write_embedded, write_image, write_resource_link, write_text, write_text_with,
};
use crate::rpc::RequestId;

/// How far a call is. Each report must be greater than the one before (MCP progress).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    pub(super) progress: i64,
    pub(super) total: Option<i64>,
    pub(super) message: Option<&'a str>,
}

impl<'a> Progress<'a> {
    /// So much is done.
    pub const fn new(progress: i64) -> Self {
        Self {
            progress,
            total: None,
            message: None,
        }
    }

    /// Of so much.
    pub const fn of(self, total: i64) -> Self {
        Self {
            total: Some(total),
            ..self
        }
    }

    /// What is being done (2025-03-26 and later).
    pub const fn with_message(self, message: &'a str) -> Self {
        Self {
            message: Some(message),
            ..self
        }
    }
}

/// Who says a prompt's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the specification's")]
pub enum Role {
    User,
    Assistant,
}

impl Role {
    const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What all replies have: the line that is being written, and to what.
struct Line<'r, 'm> {
    json: Writer<'r, 'm>,
    id: RequestId<'r>,
    version: ProtocolVersion,
    progress_token: Option<RequestId<'r>>,
    progress: Option<i64>,
    log_level: Option<LoggingLevel>,
    /// Where the result starts; notifications stand before it.
    start: Mark,
    has_begun: bool,
    misuse: Option<&'static str>,
}

impl<'r, 'm> Line<'r, 'm> {
    fn new(out: &'r mut Sink<'m>, to: &To<'r>) -> Self {
        let start = out.mark();
        Self {
            json: Writer::new(out),
            id: to.id,
            version: to.version,
            progress_token: to.progress_token,
            progress: to.progress,
            log_level: to.log_level,
            start,
            has_begun: false,
            misuse: None,
        }
    }

    /// Opens the result, unless that was done.
    fn begin(&mut self, members: impl FnOnce(&mut Writer<'r, 'm>)) {
        if !self.has_begun {
            self.has_begun = true;
            answer::begin(&mut self.json, self.id, self.version);
            members(&mut self.json);
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) -> bool {
        let Some(token) = self.progress_token else {
            return false;
        };
        if self.progress.is_some_and(|last| progress.progress <= last) {
            return false;
        }
        let version = self.version;
        let written = self.notify(|out| notify::progress(out, version, token, progress));
        if written {
            self.progress = Some(progress.progress);
        }
        written
    }

    fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.log_level.is_some_and(|least| level >= least)
            && self.notify(|out| notify::log(out, level, logger, data))
    }

    /// Writes a line before the result, if that leaves room for some answer: a notification may be lost, the answer not.
    fn notify(&mut self, write: impl FnOnce(&mut Sink<'m>) -> Written) -> bool {
        if self.has_begun {
            return false;
        }
        let least = LEAST_ANSWER.saturating_add(self.id.text_len());
        let start = self.start;
        let out = self.json.sink();
        let written = write(out) == Written::Yes && out.remaining() >= least;
        if !written {
            out.rollback(start);
        }
        self.start = out.mark();
        written
    }
}

/// What a reply answers.
#[derive(Clone, Copy)]
pub(super) struct To<'a> {
    pub(super) id: RequestId<'a>,
    pub(super) version: ProtocolVersion,
    pub(super) progress_token: Option<RequestId<'a>>,
    pub(super) progress: Option<i64>,
    pub(super) log_level: Option<LoggingLevel>,
}

impl<'a> To<'a> {
    pub(super) const fn request(context: &Context<'a>) -> Self {
        Self {
            id: context.id,
            version: context.version,
            progress_token: context.progress_token,
            progress: None,
            log_level: context.log_level,
        }
    }
}

/// A reply that was written, or why not.
pub(super) enum Finished {
    Written,
    /// It does not fit, and was taken back.
    TooLarge,
    /// The handler broke a rule of the reply, which was taken back.
    Misuse(&'static str),
}

/// The end of every reply.
fn finish(line: Line<'_, '_>, tail: &Tail<'_>, is_meta_open: bool) -> Finished {
    let Line {
        mut json,
        start,
        misuse,
        ..
    } = line;
    if is_meta_open {
        tail.write_in_meta(&mut json);
    } else {
        tail.write(&mut json);
    }
    let out = json.sink();
    if let Some(what) = misuse {
        out.rollback(start);
        return Finished::Misuse(what);
    }
    if out.is_full() {
        out.rollback(start);
        return Finished::TooLarge;
    }
    Finished::Written
}

/// Takes back what was written of a reply, and returns the last progress that was reported before it.
fn take_back(mut line: Line<'_, '_>) -> Option<i64> {
    let start = line.start;
    line.json.sink().rollback(start);
    line.progress
}

/// The reply to a call of a tool: content blocks in any number and order, then, if wanted, structured content and
/// metadata. Without any block the content is empty.
///
/// What does not fit the output is no error here: the engine replaces the reply by a tool error.
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
    pub(super) fn new(out: &'r mut Sink<'m>, to: &To<'r>) -> Self {
        Self {
            line: Line::new(out, to),
            is_error: false,
            part: Part::Content,
        }
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

    fn block(&mut self, write: impl FnOnce(&mut Writer<'r, 'm>, ProtocolVersion)) -> &mut Self {
        self.begin();
        if self.part == Part::Content {
            write(&mut self.line.json, self.line.version);
        } else {
            self.line.misuse = Some("content behind structured content or metadata");
        }
        self
    }

    /// A block of text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.block(|json, _| write_text(json, Text::Plain(text)))
    }

    /// A block of text in pieces.
    pub fn text_of(&mut self, pieces: &[&str]) -> &mut Self {
        self.block(|json, _| write_text(json, Text::Pieces(pieces)))
    }

    /// A block of text that was received: characters as UTF-8, half a surrogate pair as the escape that it was.
    pub fn text_json(&mut self, text: JsonStr<'_>) -> &mut Self {
        self.block(|json, _| write_text(json, Text::Decoded(text)))
    }

    /// A block with the JSON text that `write` writes: `integer(5)` makes the text `5`, `fixed(2375, 2)` the text
    /// `23.75`.
    pub fn text_with(&mut self, write: impl FnOnce(&mut Writer<'_, 'm>)) -> &mut Self {
        self.block(|json, _| {
            write_text_with(json, |json| {
                json.quoted(write);
            });
        })
    }

    /// A block of text that says what is wrong with a member: `head: member: fault`.
    pub(super) fn text_about(&mut self, head: &[&str], member: Named<'_>, fault: &str) -> &mut Self {
        self.block(|json, _| {
            write_text_with(json, |json| {
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
            });
        })
    }

    /// A block of formatted text. Only this pulls in the formatting code of `core`.
    pub fn text_format(&mut self, text: fmt::Arguments<'_>) -> &mut Self {
        self.block(|json, _| {
            write_text_with(json, |json| {
                json.format(text);
            });
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
        // The server's own name is not the application's to change.
        for member in meta.members().filter(|member| member.name != keys::SERVER_INFO) {
            json.member(member);
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

    /// Reports progress, if the client asked for it, before the first part of the reply; false when nothing was written.
    pub fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.line.progress(progress)
    }

    /// Sends a log message, if the client wants its level, before the first part of the reply; false when nothing was
    /// written.
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.line.log(level, logger, data)
    }

    pub(super) fn finish(mut self, tail: &Tail<'_>) -> Finished {
        self.seal();
        let is_meta_open = self.part == Part::Meta;
        finish(self.line, tail, is_meta_open)
    }

    pub(super) fn take_back(self) -> Option<i64> {
        take_back(self.line)
    }
}

/// The reply to a read of a resource: one part or several.
pub struct ResourceReply<'r, 'm> {
    line: Line<'r, 'm>,
    uri: Text<'r>,
}

impl<'r, 'm> ResourceReply<'r, 'm> {
    pub(super) fn new(out: &'r mut Sink<'m>, to: &To<'r>, uri: Text<'r>) -> Self {
        Self {
            line: Line::new(out, to),
            uri,
        }
    }

    fn part(&mut self, uri: Option<&str>, mime_type: Option<&str>, contents: &Contents<'_>) -> &mut Self {
        self.begin();
        let uri = uri.map_or(self.uri, Text::Plain);
        contents.write(&mut self.line.json, uri, mime_type);
        self
    }

    fn begin(&mut self) {
        self.line.begin(|json| {
            json.name("contents").begin_array();
        });
    }

    /// Text, under the URI that was asked for.
    pub fn text(&mut self, mime_type: Option<&str>, text: &str) -> &mut Self {
        self.part(None, mime_type, &Contents::Text(Text::Plain(text)))
    }

    /// Text in pieces, under the URI that was asked for.
    pub fn text_of(&mut self, mime_type: Option<&str>, pieces: &[&str]) -> &mut Self {
        self.part(None, mime_type, &Contents::Text(Text::Pieces(pieces)))
    }

    /// Text that was received, as [`ToolReply::text_json`] has it, under the URI that was asked for.
    pub fn text_json(&mut self, mime_type: Option<&str>, text: JsonStr<'_>) -> &mut Self {
        self.part(None, mime_type, &Contents::Text(Text::Decoded(text)))
    }

    /// The JSON text that `write` writes, as [`ToolReply::text_with`] has it, under the URI that was asked for.
    pub fn text_with(
        &mut self,
        mime_type: Option<&str>,
        write: impl FnOnce(&mut Writer<'_, 'm>),
    ) -> &mut Self {
        self.begin();
        write_contents_with(&mut self.line.json, self.uri, mime_type, |json| {
            json.quoted(write);
        });
        self
    }

    /// Bytes, under the URI that was asked for, encoded as base64 on their way.
    pub fn blob(&mut self, mime_type: Option<&str>, bytes: &[u8]) -> &mut Self {
        self.part(None, mime_type, &Contents::Blob(bytes))
    }

    /// Text under another URI: of a file in a folder, say.
    pub fn text_at(&mut self, uri: &str, mime_type: Option<&str>, text: &str) -> &mut Self {
        self.part(Some(uri), mime_type, &Contents::Text(Text::Plain(text)))
    }

    /// Bytes under another URI.
    pub fn blob_at(&mut self, uri: &str, mime_type: Option<&str>, bytes: &[u8]) -> &mut Self {
        self.part(Some(uri), mime_type, &Contents::Blob(bytes))
    }

    /// As [`ToolReply::progress`].
    pub fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.line.progress(progress)
    }

    /// As [`ToolReply::log`].
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.line.log(level, logger, data)
    }

    pub(super) fn finish(mut self, tail: &Tail<'_>) -> Finished {
        self.begin();
        self.line.json.end_array();
        finish(self.line, tail, false)
    }

    pub(super) fn take_back(self) -> Option<i64> {
        take_back(self.line)
    }
}

/// The reply to a request for a prompt: a description, if wanted, and then messages.
pub struct PromptReply<'r, 'm> {
    line: Line<'r, 'm>,
    has_messages: bool,
}

impl<'r, 'm> PromptReply<'r, 'm> {
    pub(super) fn new(out: &'r mut Sink<'m>, to: &To<'r>) -> Self {
        Self {
            line: Line::new(out, to),
            has_messages: false,
        }
    }

    /// What the prompt is for. Before the messages.
    pub fn description(&mut self, description: &str) -> &mut Self {
        if self.line.has_begun {
            self.line.misuse = Some("a description behind messages");
            return self;
        }
        self.line.begin(|json| {
            json.name("description").string(description);
        });
        self
    }

    fn begin(&mut self) {
        self.line.begin(|_| {});
        if !self.has_messages {
            self.has_messages = true;
            self.line.json.name("messages").begin_array();
        }
    }

    fn message(
        &mut self,
        role: Role,
        content: impl FnOnce(&mut Writer<'r, 'm>, ProtocolVersion),
    ) -> &mut Self {
        self.begin();
        let json = &mut self.line.json;
        json.begin_object();
        json.name("role").string(role.as_str());
        json.name("content");
        content(json, self.line.version);
        json.end_object();
        self
    }

    /// A message of text.
    pub fn text(&mut self, role: Role, text: &str) -> &mut Self {
        self.message(role, |json, _| write_text(json, Text::Plain(text)))
    }

    /// A message of text in pieces.
    pub fn text_of(&mut self, role: Role, pieces: &[&str]) -> &mut Self {
        self.message(role, |json, _| write_text(json, Text::Pieces(pieces)))
    }

    /// A message of text that was received, as [`ToolReply::text_json`] has it.
    pub fn text_json(&mut self, role: Role, text: JsonStr<'_>) -> &mut Self {
        self.message(role, |json, _| write_text(json, Text::Decoded(text)))
    }

    /// A message of formatted text.
    pub fn text_format(&mut self, role: Role, text: fmt::Arguments<'_>) -> &mut Self {
        self.message(role, |json, _| {
            write_text_with(json, |json| {
                json.format(text);
            });
        })
    }

    /// An image.
    pub fn image(&mut self, role: Role, mime_type: &str, bytes: &[u8]) -> &mut Self {
        self.message(role, |json, _| write_image(json, mime_type, bytes))
    }

    /// Audio; as [`ToolReply::audio`].
    pub fn audio(&mut self, role: Role, mime_type: &str, bytes: &[u8]) -> &mut Self {
        self.message(role, |json, version| write_audio(json, version, mime_type, bytes))
    }

    /// A link to a resource; as [`ToolReply::resource_link`].
    pub fn resource_link(&mut self, role: Role, resource: &Resource<'_>) -> &mut Self {
        self.message(role, |json, version| write_resource_link(json, version, resource))
    }

    /// A resource of text, embedded.
    pub fn embedded_text(&mut self, role: Role, uri: &str, mime_type: Option<&str>, text: &str) -> &mut Self {
        self.message(role, |json, _| {
            write_embedded(
                json,
                Text::Plain(uri),
                mime_type,
                &Contents::Text(Text::Plain(text)),
            );
        })
    }

    /// As [`ToolReply::progress`].
    pub fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.line.progress(progress)
    }

    /// As [`ToolReply::log`].
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.line.log(level, logger, data)
    }

    pub(super) fn finish(mut self, tail: &Tail<'_>) -> Finished {
        self.begin();
        self.line.json.end_array();
        finish(self.line, tail, false)
    }

    pub(super) fn take_back(self) -> Option<i64> {
        take_back(self.line)
    }
}

/// The most values that one completion may have (MCP completion).
const MAX_VALUES: u32 = 100;

/// The reply to a completion: at most 100 values, best first. Further ones are counted, not sent.
pub struct CompletionReply<'r, 'm> {
    line: Line<'r, 'm>,
    values: u32,
    total: Option<u32>,
}

impl<'r, 'm> CompletionReply<'r, 'm> {
    pub(super) fn new(out: &'r mut Sink<'m>, to: &To<'r>) -> Self {
        Self {
            line: Line::new(out, to),
            values: 0,
            total: None,
        }
    }

    fn begin(&mut self) {
        self.line.begin(|json| {
            json.name("completion").begin_object();
            json.name("values").begin_array();
        });
    }

    /// A value.
    pub fn value(&mut self, value: &str) -> &mut Self {
        self.begin();
        if self.values < MAX_VALUES {
            self.line.json.string(value);
        }
        self.values = self.values.saturating_add(1);
        self
    }

    /// How many values there are in all, those that are not given here included.
    pub const fn set_total(&mut self, total: u32) -> &mut Self {
        self.total = Some(total);
        self
    }

    pub(super) fn finish(mut self, tail: &Tail<'_>) -> Finished {
        self.begin();
        let total = self.total.unwrap_or(self.values).max(self.values);
        let json = &mut self.line.json;
        json.end_array();
        json.name("total").unsigned(u64::from(total));
        json.name("hasMore").boolean(total > self.values.min(MAX_VALUES));
        json.end_object();
        finish(self.line, tail, false)
    }

    pub(super) fn take_back(self) -> Option<i64> {
        take_back(self.line)
    }
}
