//! The values of a completion (MCP completion).

use super::{Line, Reply};
use crate::bytes::Sink;
use crate::engine::server::Context;

/// The most values that one completion may have (MCP completion).
const MAX_VALUES: u32 = 100;

/// The reply to a completion: at most 100 values, best first. Further ones are counted, not sent.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Completion, CompletionReply, Handler, Server};
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
/// #     fn capabilities(&self) -> Capabilities {
/// #         let mut offered = Capabilities::NONE;
/// #         (offered.prompts, offered.completions) = (true, true);
/// #         offered
/// #     }
/// #
///     fn prompts(&self) -> &[Prompt<'_>] {
///         PROMPTS
///     }
///
///     fn complete<'a>(
///         &mut self,
///         _: Completion<'a>,
///         reply: &mut CompletionReply<'_, '_>,
///     ) -> Result<(), CallError<'a>> {
///         // The best two of five.
///         reply.value("kg").value("lb").set_total(5);
///         Ok(())
///     }
/// }
///
/// let mut server: Server<Scale> = Server::new(Scale);
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let _ = server.handle_frame(
///     br#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"weigh"},"argument":{"name":"unit","value":""}}}"#,
///     &mut out,
/// );
/// assert_eq!(
///     String::from_utf8_lossy(out.finish().unwrap_or_default()),
///     concat!(r#"{"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["kg","lb"],"total":5,"hasMore":true}}}"#, "\n")
/// );
/// ```
pub struct CompletionReply<'r, 'm> {
    line: Line<'r, 'm>,
    values: u32,
    total: Option<u32>,
}

impl<'r, 'm> CompletionReply<'r, 'm> {
    pub(in crate::engine::server) fn new(out: &'r mut Sink<'m>, context: &'r Context<'r>) -> Self {
        Self {
            line: Line::new(out, context, None, None),
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
}

impl<'r, 'm> Reply<'r, 'm> for CompletionReply<'r, 'm> {
    fn close(&mut self) {
        self.begin();
        let total = self.total.unwrap_or(self.values).max(self.values);
        let json = &mut self.line.json;
        json.end_array();
        json.name("total").unsigned(u64::from(total));
        json.name("hasMore").boolean(total > self.values.min(MAX_VALUES));
        json.end_object();
    }

    fn line(&mut self) -> &mut Line<'r, 'm> {
        &mut self.line
    }
}
