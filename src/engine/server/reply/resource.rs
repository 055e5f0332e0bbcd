//! The contents of a resource (MCP resources).

use super::{Line, Questions, reply_methods};
use crate::engine::server::outcome::{Made, Outcome};
use crate::engine::server::{CallError, CallToken, Progress};
use crate::json::{AsText, Writer};
use crate::mcp::{InputRequest, LoggingLevel, Text, write_blob_contents, write_text_contents};
use crate::rpc::ErrorCode;

/// Reply to a read of a resource.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Frame, Handler, Origin, Outcome, ResourceRead, ResourceReply, Server};
/// use barewire::mcp::{Implementation, Resource};
///
/// struct Files;
///
/// impl Handler for Files {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("files", "1.0")
/// #     }
/// #
///     fn resources(&self) -> &[Resource<'_>] {
///         const { &[Resource::new("file:///etc", "settings")] }
///     }
///
///     fn read_resource<'a>(
///         &mut self,
///         read: ResourceRead<'a>,
///         reply: ResourceReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         if !read.is("file:///etc") {
///             return Err(CallError::NotFound);
///         }
///         let contents = reply.contents().text(None, "2 files");
///         let contents = contents.text_at("file:///etc/name", Some("text/plain"), "scale");
///         Ok(contents.blob_at("file:///etc/key", None, &[1, 2, 3]).done())
///     }
/// }
///
/// let mut server = Server::new();
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let line = br#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc"}}"#;
/// let _ = server.receive(Origin::ONLY, &mut Frame::new(line), &mut Files, &mut out);
/// assert_eq!(
///     String::from_utf8_lossy(out.finish().unwrap_or_default()),
///     concat!(
///         r#"{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///etc","text":"2 files"},"#,
///         r#"{"uri":"file:///etc/name","mimeType":"text/plain","text":"scale"},"#,
///         r#"{"uri":"file:///etc/key","blob":"AQID"}]}}"#,
///         "\n"
///     )
/// );
/// ```
pub struct ResourceReply<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> ResourceReply<'r, 'm> {
    pub(in crate::engine::server) const fn new(line: Line<'r, 'm>) -> Self {
        Self { line }
    }

    /// Begins the contents: any number of parts.
    pub fn contents(mut self) -> ResourceContents<'r, 'm> {
        self.line.begin_member("contents");
        ResourceContents { line: self.line }
    }

    /// Answers with a text; see [`AsText`].
    pub fn text(self, mime_type: Option<&str>, text: impl AsText) -> Outcome {
        self.contents().text(mime_type, text).done()
    }

    /// Answers with the JSON text that `write` writes; see [`ToolContent::text_with`](super::ToolContent::text_with).
    pub fn text_with(self, mime_type: Option<&str>, write: impl FnOnce(&mut Writer<'_, 'm>)) -> Outcome {
        self.contents().text_with(mime_type, write).done()
    }

    /// Answers with bytes.
    pub fn blob(self, mime_type: Option<&str>, bytes: &[u8]) -> Outcome {
        self.contents().blob(mime_type, bytes).done()
    }

    reply_methods!();
}

/// Contents of a resource while they are written.
pub struct ResourceContents<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> ResourceContents<'r, 'm> {
    /// The URI of the request.
    fn uri(&self) -> Text<'r> {
        self.line.request.map_or(Text::Plain(""), |request| request.uri)
    }

    fn text_part(
        mut self,
        uri: Text<'_>,
        mime_type: Option<&str>,
        write: impl FnOnce(&mut Writer<'_, 'm>),
    ) -> Self {
        write_text_contents(&mut self.line.json, uri, mime_type, write);
        self
    }

    fn blob_part(mut self, uri: Text<'_>, mime_type: Option<&str>, bytes: &[u8]) -> Self {
        write_blob_contents(&mut self.line.json, uri, mime_type, bytes);
        self
    }

    /// Adds a text under the URI of the request; see [`AsText`].
    pub fn text(self, mime_type: Option<&str>, text: impl AsText) -> Self {
        let uri = self.uri();
        self.text_part(uri, mime_type, |json| {
            json.string(text);
        })
    }

    /// Adds the JSON text that `write` writes, as [`ToolContent::text_with`](super::ToolContent::text_with) has it, under the URI of the
    /// request.
    pub fn text_with(self, mime_type: Option<&str>, write: impl FnOnce(&mut Writer<'_, 'm>)) -> Self {
        let uri = self.uri();
        self.text_part(uri, mime_type, |json| {
            json.quoted(write);
        })
    }

    /// Adds bytes under the URI of the request, encoded as base64 while they are written.
    pub fn blob(self, mime_type: Option<&str>, bytes: &[u8]) -> Self {
        let uri = self.uri();
        self.blob_part(uri, mime_type, bytes)
    }

    /// Adds a text under another URI, for example of a file in a folder.
    pub fn text_at(self, uri: &str, mime_type: Option<&str>, text: impl AsText) -> Self {
        self.text_part(Text::Plain(uri), mime_type, |json| {
            json.string(text);
        })
    }

    /// Adds bytes under another URI.
    pub fn blob_at(self, uri: &str, mime_type: Option<&str>, bytes: &[u8]) -> Self {
        self.blob_part(Text::Plain(uri), mime_type, bytes)
    }

    /// Ends the contents.
    pub fn done(mut self) -> Outcome {
        self.line.json.end_array();
        self.line.draft.make(Made::Result)
    }
}
