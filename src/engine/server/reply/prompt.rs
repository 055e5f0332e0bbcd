//! The messages of a prompt (MCP prompts).

use core::fmt;

use super::{Asking, Line, Reply};
use crate::bytes::Sink;
use crate::engine::server::{Context, Progress};
use crate::json::{JsonStr, Writer};
use crate::mcp::{
    Contents, InputRequest, LoggingLevel, ProtocolVersion, Resource, Role, Text, write_audio, write_embedded,
    write_image, write_resource_link, write_text, write_text_with,
};

/// The reply to a request for a prompt: a description, if wanted, and then messages.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Disposition, Handler, PromptGet, PromptReply, Role, Server};
/// use barewire::mcp::{Implementation, Prompt};
///
/// struct Scale;
///
/// impl Handler for Scale {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("scale", "1.0")
/// #     }
/// #
///     fn prompts(&self) -> &[Prompt<'_>] {
///         const { &[Prompt::new("guess")] }
///     }
///
///     fn get_prompt<'a>(
///         &mut self,
///         _: PromptGet<'a>,
///         reply: &mut PromptReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         reply.description("What lies on the scale");
///         reply.text_of(Role::User, &["It weighs ", "7.250", " kg."]).text(Role::Assistant, "A cat.");
///         Ok(Disposition::Done)
///     }
/// }
///
/// let mut server: Server<Scale> = Server::new(Scale);
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let _ = server.handle_frame(
///     br#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"guess"}}"#,
///     &mut out,
/// );
/// assert_eq!(
///     String::from_utf8_lossy(out.finish().unwrap_or_default()),
///     concat!(
///         r#"{"jsonrpc":"2.0","id":1,"result":{"description":"What lies on the scale","messages":["#,
///         r#"{"role":"user","content":{"type":"text","text":"It weighs 7.250 kg."}},"#,
///         r#"{"role":"assistant","content":{"type":"text","text":"A cat."}}]}}"#,
///         "\n"
///     )
/// );
/// ```
pub struct PromptReply<'r, 'm> {
    line: Line<'r, 'm>,
    has_messages: bool,
}

impl<'r, 'm> PromptReply<'r, 'm> {
    pub(in crate::engine::server) fn new(
        out: &'r mut Sink<'m>,
        context: &'r Context<'r>,
        progress: Option<i64>,
        asking: Option<&'r mut Asking<'r>>,
    ) -> Self {
        Self {
            line: Line::new(out, context, progress, asking),
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

    /// A message of text that was received, as [`ToolReply::text_json`](super::ToolReply::text_json) has it.
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

    /// Audio; as [`ToolReply::audio`](super::ToolReply::audio).
    pub fn audio(&mut self, role: Role, mime_type: &str, bytes: &[u8]) -> &mut Self {
        self.message(role, |json, version| write_audio(json, version, mime_type, bytes))
    }

    /// A link to a resource; as [`ToolReply::resource_link`](super::ToolReply::resource_link).
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

    /// As [`ToolReply::ask`](super::ToolReply::ask); the call goes on in [`Handler::resume_prompt`](crate::engine::Handler::resume_prompt).
    pub fn ask(&mut self, key: &str, request: &InputRequest<'_>) -> &mut Self {
        self.line.ask(key, request);
        self
    }

    /// As [`ToolReply::keep`](super::ToolReply::keep).
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

    /// As [`ToolReply::progress`](super::ToolReply::progress).
    pub fn progress(&mut self, progress: &Progress<'_>) -> bool {
        self.line.progress(progress)
    }

    /// As [`ToolReply::log`](super::ToolReply::log).
    pub fn log(&mut self, level: LoggingLevel, logger: Option<&str>, data: &str) -> bool {
        self.line.log(level, logger, data)
    }
}

impl<'r, 'm> Reply<'r, 'm> for PromptReply<'r, 'm> {
    fn close(&mut self) {
        self.begin();
        self.line.json.end_array();
    }

    fn line(&mut self) -> &mut Line<'r, 'm> {
        &mut self.line
    }
}
