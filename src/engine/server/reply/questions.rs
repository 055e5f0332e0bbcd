//! What a task asks the client.

use super::{Asking, Line, Way};
use crate::bytes::Sink;
use crate::engine::server::CallError;
use crate::json::Writer;
use crate::mcp::{InputRequest, ProtocolVersion, TaskId};

/// What a task that waits for input asks; see [`Handler::task_asks`](crate::engine::Handler::task_asks).
pub struct Questions<'r, 'm> {
    line: Line<'r, 'm>,
}

impl<'r, 'm: 'r> Questions<'r, 'm> {
    /// To a legacy client: the first as a request of the server's own.
    pub(in crate::engine::server) fn request(
        out: &'r mut Sink<'m>,
        version: ProtocolVersion,
        asking: Asking<'r>,
        task: TaskId,
    ) -> Self {
        let mut line = Line::inside(Writer::new(out), version, asking);
        line.asking.related_task = Some(task);
        Self { line }
    }

    /// To a modern client: all as the member `inputRequests` of the object that is open.
    pub(in crate::engine::server) fn member(
        json: Writer<'r, 'm>,
        version: ProtocolVersion,
        asking: Asking<'r>,
    ) -> Self {
        Self {
            line: Line::inside(json, version, asking),
        }
    }

    /// Asks, as [`ToolReply::ask`](super::ToolReply::ask).
    pub fn ask(&mut self, key: &str, request: &InputRequest<'_>) -> &mut Self {
        self.line.ask(key, request);
        self
    }

    /// How much of the memory of the questions is used by the one that was asked, or why none was.
    pub(in crate::engine::server) fn finish(mut self) -> Result<usize, CallError<'static>> {
        if let Some(fault) = self.line.asking.fault {
            return Err(fault);
        }
        if !self.line.asking.has_asked || self.line.misuse.is_some() {
            return Err(CallError::Internal);
        }
        match self.line.asking.way {
            Way::Member => {
                self.line.json.end_object();
            }
            _ => self.line.keep(|json| {
                json.string("");
            }),
        }
        Ok(self.line.asking.kept.len())
    }
}
