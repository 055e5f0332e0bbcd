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
        asking: &'r mut Asking<'r>,
        task: TaskId,
    ) -> Self {
        asking.related_task = Some(task);
        Self::member(Writer::new(out), version, asking)
    }

    /// To a modern client: all as the member `inputRequests` of the object that is open.
    pub(in crate::engine::server) fn member(
        json: Writer<'r, 'm>,
        version: ProtocolVersion,
        asking: &'r mut Asking<'r>,
    ) -> Self {
        Self {
            line: Line::inside(json, version, Some(asking)),
        }
    }

    /// Asks, as [`ToolReply::ask`](super::ToolReply::ask).
    pub fn ask(&mut self, key: &str, request: &InputRequest<'_>) -> &mut Self {
        self.line.ask(key, request);
        self
    }

    /// How much of the memory of the questions is used by the one that was asked, or why none was.
    pub(in crate::engine::server) fn finish(mut self) -> Result<usize, CallError<'static>> {
        let asking = self.line.asking.as_deref().ok_or(CallError::Internal)?;
        if let Some(fault) = asking.fault {
            return Err(fault);
        }
        if !asking.has_asked || self.line.misuse.is_some() {
            return Err(CallError::Internal);
        }
        match asking.way {
            Way::Member => {
                self.line.json.end_object();
            }
            _ => self.line.keep(|json| {
                json.string("");
            }),
        }
        Ok(self.line.asking.map_or(0, |asking| asking.kept.len()))
    }
}
