//! The messages of a prompt (MCP prompts).

use super::{Line, Questions, reply_methods};
use crate::engine::server::outcome::{Made, Outcome};
use crate::engine::server::{CallError, CallToken, Progress};
use crate::json::{AsText, Writer};
use crate::mcp::{
    InputRequest, LoggingLevel, ProtocolVersion, Resource, Role, Text, write_audio, write_embedded,
    write_image, write_resource_link, write_text, write_text_contents,
};
use crate::rpc::ErrorCode;

/// Reply to a request for a prompt: a description, if wanted, and then messages.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Frame, Handler, Origin, Outcome, PromptGet, PromptReply, Role, Server};
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
///         reply: PromptReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         let messages = reply.description("What lies on the scale");
///         let messages = messages.text(Role::User, ["It weighs ", "7.250", " kg."]);
///         Ok(messages.text(Role::Assistant, "A cat.").done())
///     }
/// }
///
/// let mut server = Server::new();
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let line = br#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"guess"}}"#;
/// let _ = server.receive(Origin::ONLY, &mut Frame::new(line), &mut Scale, &mut out);
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
}

impl<'r, 'm> PromptReply<'r, 'm> {
    pub(in crate::engine::server) const fn new(line: Line<'r, 'm>) -> Self {
        Self { line }
    }

    /// Begins the messages.
    pub fn messages(mut self) -> PromptMessages<'r, 'm> {
        self.line.begin_member("messages");
        PromptMessages { line: self.line }
    }

    /// Describes the prompt, and begins the messages.
    pub fn description(mut self, description: impl AsText) -> PromptMessages<'r, 'm> {
        self.line.begin();
        self.line.json.name("description").string(description);
        self.line.json.name("messages").begin_array();
        PromptMessages { line: self.line }
    }

    /// Answers with one message of text; see [`AsText`].
    pub fn text(self, role: Role, text: impl AsText) -> Outcome {
        self.messages().text(role, text).done()
    }

    reply_methods!();
}

/// Messages of a prompt while they are written.
pub struct PromptMessages<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> PromptMessages<'r, 'm> {
    fn message(mut self, role: Role, content: impl FnOnce(&mut Writer<'r, 'm>, ProtocolVersion)) -> Self {
        let json = &mut self.line.json;
        json.begin_object();
        json.name("role").string(role.as_str());
        json.name("content");
        content(json, self.line.draft.version);
        json.end_object();
        self
    }

    /// Adds a message of text; see [`AsText`].
    pub fn text(self, role: Role, text: impl AsText) -> Self {
        self.message(role, |json, _| write_text(json, text))
    }

    /// Adds an image.
    pub fn image(self, role: Role, mime_type: &str, bytes: &[u8]) -> Self {
        self.message(role, |json, _| write_image(json, mime_type, bytes))
    }

    /// Adds audio, as [`ToolContent::audio`](super::ToolContent::audio) has it.
    pub fn audio(self, role: Role, mime_type: &str, bytes: &[u8]) -> Self {
        self.message(role, |json, version| write_audio(json, version, mime_type, bytes))
    }

    /// Adds a link to a resource, as [`ToolContent::resource_link`](super::ToolContent::resource_link) has it.
    pub fn resource_link(self, role: Role, resource: &Resource<'_>) -> Self {
        self.message(role, |json, version| write_resource_link(json, version, resource))
    }

    /// Embeds a resource of text.
    pub fn embedded_text(self, role: Role, uri: &str, mime_type: Option<&str>, text: impl AsText) -> Self {
        self.message(role, |json, _| {
            write_embedded(json, |json| {
                write_text_contents(json, Text::Plain(uri), mime_type, |json| {
                    json.string(text);
                });
            });
        })
    }

    /// Ends the messages.
    pub fn done(mut self) -> Outcome {
        self.line.json.end_array();
        self.line.draft.make(Made::Result)
    }
}
