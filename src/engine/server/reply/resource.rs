//! The contents of a resource (MCP resources).

use super::{Asking, Line, Reply};
use crate::bytes::Sink;
use crate::engine::server::{Context, Progress};
use crate::json::{JsonStr, Writer};
use crate::mcp::{Contents, InputRequest, LoggingLevel, Text, write_contents_with};

/// The reply to a read of a resource: one part or several.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Disposition, Handler, ResourceRead, ResourceReply, Server};
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
///         reply: &mut ResourceReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         if !read.is("file:///etc") {
///             return Err(CallError::NotFound);
///         }
///         reply.text(None, "2 files").text_at("file:///etc/name", Some("text/plain"), "scale");
///         reply.blob_at("file:///etc/key", None, &[1, 2, 3]);
///         Ok(Disposition::Done)
///     }
/// }
///
/// let mut server: Server<Files> = Server::new(Files);
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let _ = server.handle_frame(
///     br#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc"}}"#,
///     &mut out,
/// );
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
    uri: Text<'r>,
}

impl<'r, 'm> ResourceReply<'r, 'm> {
    pub(in crate::engine::server) fn new(
        out: &'r mut Sink<'m>,
        context: &'r Context<'r>,
        progress: Option<i64>,
        asking: Option<&'r mut Asking<'r>>,
        uri: Text<'r>,
    ) -> Self {
        Self {
            line: Line::new(out, context, progress, asking),
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

    /// Text that was received, as [`ToolReply::text_json`](super::ToolReply::text_json) has it, under the URI that was
    /// asked for.
    pub fn text_json(&mut self, mime_type: Option<&str>, text: JsonStr<'_>) -> &mut Self {
        self.part(None, mime_type, &Contents::Text(Text::Decoded(text)))
    }

    /// The JSON text that `write` writes, as [`ToolReply::text_with`](super::ToolReply::text_with) has it, under the URI
    /// that was asked for.
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

    /// As [`ToolReply::ask`](super::ToolReply::ask); the call goes on in [`Handler::resume_read`](crate::engine::Handler::resume_read).
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

impl<'r, 'm> Reply<'r, 'm> for ResourceReply<'r, 'm> {
    fn close(&mut self) {
        self.begin();
        self.line.json.end_array();
    }

    fn line(&mut self) -> &mut Line<'r, 'm> {
        &mut self.line
    }
}
