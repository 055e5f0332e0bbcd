//! The part of a link that a running tool uses, too.

use core::task::{Poll, Waker};

use super::outgoing::Outgoing;
use crate::engine::{CallToken, Desk, Handler, List, Progress, Server, Storage, ToolAnswer};
use crate::mcp::LoggingLevel;

/// Server and output of a link while a tool runs.
pub(super) struct LinkDesk<'a, S> {
    pub(super) server: &'a mut Server<S>,
    /// `None` while it is being sent.
    pub(super) outgoing: Option<Outgoing<'a>>,
    pub(super) token: CallToken,
    progress: Option<Progress<'static>>,
    /// The tool has changed something that the loop does not know of.
    pub(super) has_news: bool,
    /// Part of the tool that waits for the output.
    waiting: Option<Waker>,
}

impl<'a, S: Storage> LinkDesk<'a, S> {
    pub(super) const fn new(server: &'a mut Server<S>, outgoing: Outgoing<'a>, token: CallToken) -> Self {
        Self { server, outgoing: Some(outgoing), token, progress: None, has_news: false, waiting: None }
    }

    /// The output, if there is something to send.
    pub(super) fn take_unsent(&mut self) -> Option<Outgoing<'a>> {
        self.outgoing.take_if(|outgoing| !outgoing.is_sent())
    }

    /// Takes the output back when all is sent.
    pub(super) fn give_back(&mut self, outgoing: Outgoing<'a>) {
        self.outgoing = Some(outgoing);
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }

    /// The free output, with the server.
    pub(super) fn free(&mut self) -> Option<(&mut Server<S>, &mut Outgoing<'a>)> {
        let outgoing = self.outgoing.as_mut().filter(|outgoing| outgoing.is_sent())?;
        Some((self.server, outgoing))
    }

    /// Writes the progress that the tool has reported.
    pub(super) fn write_progress(&mut self) {
        let (token, progress) = (self.token, self.progress.take());
        if let Some(progress) = progress
            && let Some((server, outgoing)) = self.free()
        {
            // A report that does not fit is left out.
            let _ = outgoing.write(|out| server.progress(token, progress, out));
        }
    }

    /// Writes the answer of the tool.
    pub(super) fn complete<T: Handler>(&mut self, tables: &mut T, answer: impl ToolAnswer) {
        let token = self.token;
        if let Some((server, outgoing)) = self.free() {
            let tables: &mut dyn Handler = tables;
            let _ = outgoing.write(|out| {
                server.complete_tool(token, tables, out, |content| answer.answer_tool(content.restart()))
            });
            // In an output that is too small even for an error.
            server.forget(token);
        }
    }

    /// Wakes this part of the tool when the output is free.
    fn wait(&mut self, waker: &Waker) {
        match &self.waiting {
            Some(waiting) if waiting.will_wake(waker) => {}
            _ => {
                if let Some(other) = self.waiting.replace(waker.clone()) {
                    other.wake();
                }
            }
        }
    }
}

impl<S: Storage> Desk for LinkDesk<'_, S> {
    fn progress(&mut self, progress: Progress<'static>) {
        self.progress = Some(progress);
        self.has_news = true;
    }

    fn log(&mut self, waker: &Waker, level: LoggingLevel, logger: Option<&str>, data: &str) -> Poll<bool> {
        let token = self.token;
        let Some((server, outgoing)) = self.free() else {
            self.wait(waker);
            return Poll::Pending;
        };
        let sent = outgoing.write(|out| server.log_for(token, level, logger, data, out));
        let is_written = !outgoing.is_sent();
        self.has_news |= is_written;
        let _ = sent;
        Poll::Ready(is_written)
    }

    fn list_changed(&mut self, list: List) {
        self.server.list_changed(list);
        self.has_news = true;
    }

    fn resource_updated(&mut self, uri: &str) {
        self.server.resource_updated(uri);
        self.has_news = true;
    }
}
