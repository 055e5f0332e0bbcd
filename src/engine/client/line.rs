//! Lines that a client sends.

use super::ids::IdSource;
use crate::bytes::{BufferFull, Mark, Sink};
use crate::json::Writer;
use crate::mcp::Method;
use crate::rpc::{RequestId, begin};

/// A request or a notification under construction, inside its params.
pub(super) struct Line<'s, 'm> {
    pub(super) json: Writer<'s, 'm>,
    start: Mark,
    before_params: (Mark, bool),
    inside_params: (Mark, bool),
}

impl<'s, 'm> Line<'s, 'm> {
    pub(super) fn request<I: IdSource>(out: &'s mut Sink<'m>, id: &I::Id, method: &str) -> Self {
        let start = out.mark();
        let mut json = Writer::new(out);
        begin(&mut json);
        json.name("id");
        I::with_id(id, |id| id.write(&mut json));
        Self::open(json, start, method)
    }

    pub(super) fn notification(out: &'s mut Sink<'m>, method: &str) -> Self {
        let start = out.mark();
        let mut json = Writer::new(out);
        begin(&mut json);
        Self::open(json, start, method)
    }

    fn open(mut json: Writer<'s, 'm>, start: Mark, method: &str) -> Self {
        json.name("method").string(method);
        let before_params = json.mark();
        json.name("params").begin_object();
        let inside_params = json.mark();
        Self { json, start, before_params, inside_params }
    }

    /// Removes the line from the output.
    pub(super) fn take_back(mut self) {
        self.json.sink().rollback(self.start);
    }

    /// Ends the line. Empty params are left out.
    pub(super) fn finish(mut self) -> Result<(), BufferFull> {
        if self.json.mark() == self.inside_params {
            self.json.rollback(self.before_params);
        } else {
            self.json.end_object();
        }
        end_line(&mut self.json);
        undo_if_full(self.json.sink(), self.start)
    }
}

/// Closes the message and the line.
pub(super) fn end_line(json: &mut Writer<'_, '_>) {
    json.end_object();
    json.sink().write(b"\n");
}

/// Removes everything after `start` if it does not fit.
pub(super) fn undo_if_full(out: &mut Sink<'_>, start: Mark) -> Result<(), BufferFull> {
    if !out.is_full() {
        return Ok(());
    }
    let needed = out.len();
    out.rollback(start);
    Err(BufferFull { needed })
}

/// Writes `notifications/cancelled`.
pub(super) fn write_cancelled(
    out: &mut Sink<'_>,
    id: RequestId<'_>,
    reason: Option<&str>,
) -> Result<(), BufferFull> {
    let mut line = Line::notification(out, Method::Cancelled.name());
    line.json.name("requestId");
    id.write(&mut line.json);
    if let Some(reason) = reason {
        line.json.name("reason").string(reason);
    }
    line.finish()
}
