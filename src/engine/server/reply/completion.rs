//! The values of a completion (MCP completion).

use super::Line;
use crate::engine::server::outcome::{Made, Outcome};
use crate::json::AsText;
use crate::rpc::ErrorCode;

/// The most values that one completion may have (MCP completion).
const MAX_VALUES: u32 = 100;

/// Reply to a completion: at most 100 values, best first. Further values are counted, not sent.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Completion, CompletionReply, Frame, Handler, Origin, Outcome, Server};
/// use barewire::mcp::{Capabilities, Implementation, Prompt, PromptArgument};
///
/// struct Scale;
///
/// const PROMPTS: &[Prompt<'_>] = &[Prompt::new("weigh").with_arguments(&[PromptArgument::required("unit")])];
///
/// impl Handler for Scale {
/// #     fn info(&self) -> Implementation<'_> {
/// #         Implementation::new("scale", "1.0")
/// #     }
/// #
///     fn capabilities(&self, offered: &mut Capabilities) {
///         offered.insert(Capabilities::COMPLETIONS);
///     }
///
///     fn prompts(&self) -> &[Prompt<'_>] {
///         PROMPTS
///     }
///
///     fn complete<'a>(
///         &mut self,
///         _: Completion<'a>,
///         reply: CompletionReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         // The best two of five.
///         Ok(reply.values().value("kg").value("lb").total(5).done())
///     }
/// }
///
/// let mut server = Server::new();
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let line = br#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"weigh"},"argument":{"name":"unit","value":""}}}"#;
/// let _ = server.receive(Origin::ONLY, &mut Frame::new(line), &mut Scale, &mut out);
/// assert_eq!(
///     String::from_utf8_lossy(out.finish().unwrap_or_default()),
///     concat!(r#"{"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["kg","lb"],"total":5,"hasMore":true}}}"#, "\n")
/// );
/// ```
pub struct CompletionReply<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm> CompletionReply<'r, 'm> {
    pub(in crate::engine::server) const fn new(line: Line<'r, 'm>) -> Self {
        Self { line }
    }

    /// Begins the values.
    pub fn values(mut self) -> CompletionValues<'r, 'm> {
        self.line.begin();
        let json = &mut self.line.json;
        json.name("completion").begin_object();
        json.name("values").begin_array();
        CompletionValues { line: self.line, count: 0, total: 0 }
    }

    /// Answers with these values.
    pub fn all(self, values: impl IntoIterator<Item: AsText>) -> Outcome {
        let values = values.into_iter();
        values.fold(self.values(), CompletionValues::value).done()
    }

    /// Answers with a protocol error with this message; see [`AsText`].
    pub fn refuse(self, code: ErrorCode, message: impl AsText) -> Outcome {
        self.line.refuse(code, message)
    }
}

/// Values of a completion while they are written.
pub struct CompletionValues<'r, 'm> {
    line: Line<'r, 'm>,
    count: u32,
    total: u32,
}

impl CompletionValues<'_, '_> {
    /// Adds a value; see [`AsText`].
    pub fn value(mut self, value: impl AsText) -> Self {
        if self.count < MAX_VALUES {
            self.line.json.string(value);
        }
        self.count = self.count.saturating_add(1);
        self
    }

    /// Number of all values, of which those that are not sent.
    pub const fn total(mut self, total: u32) -> Self {
        self.total = total;
        self
    }

    /// Ends the values.
    pub fn done(mut self) -> Outcome {
        let total = self.total.max(self.count);
        let json = &mut self.line.json;
        json.end_array();
        json.name("total").unsigned(u64::from(total));
        json.name("hasMore").boolean(total > self.count.min(MAX_VALUES));
        json.end_object();
        self.line.draft.make(Made::Result)
    }
}
