//! The part of a link that a running tool uses, too.

use core::marker::PhantomData;
use core::ops::Range;
use core::task::{Poll, Waker};

use super::outgoing::Outgoing;
use crate::engine::{
    Answer, Answered, AskError, AsyncHandler, CallToken, Deferring, Desk, List, Progress, Question, Server,
    Storage, ToolAnswer,
};
use crate::mcp::{InputRequest, LoggingLevel};

/// The answer to a question, and the input that it lies in.
pub(super) struct Received<'a> {
    pub(super) token: CallToken,
    pub(super) answered: Answered,
    pub(super) input: &'a mut [u8],
    pub(super) frame: Range<usize>,
}

/// Server and output of a link while a tool runs.
pub(super) struct LinkDesk<'a, S, A> {
    pub(super) server: &'a mut Server<S>,
    app: PhantomData<fn() -> A>,
    /// `None` while it is being sent.
    pub(super) outgoing: Option<Outgoing<'a>>,
    pub(super) token: CallToken,
    progress: Option<Progress<'static>>,
    /// While the tool is polled once.
    received: Option<Received<'a>>,
    /// The tool has changed something that the loop does not know of.
    pub(super) has_news: bool,
    /// Part of the tool that waits for the output.
    waiting: Option<Waker>,
}

impl<'a, S: Storage, A: AsyncHandler> LinkDesk<'a, S, A> {
    pub(super) const fn new(server: &'a mut Server<S>, outgoing: Outgoing<'a>, token: CallToken) -> Self {
        Self {
            server,
            app: PhantomData,
            outgoing: Some(outgoing),
            token,
            progress: None,
            received: None,
            has_news: false,
            waiting: None,
        }
    }

    /// The output, if there is something to send.
    pub(super) fn take_unsent(&mut self) -> Option<Outgoing<'a>> {
        self.outgoing.take_if(|outgoing| !outgoing.is_sent())
    }

    /// Takes the output back when all is sent.
    pub(super) fn give_back(&mut self, outgoing: Outgoing<'a>) {
        self.outgoing = Some(outgoing);
        self.wake();
    }

    /// Has an answer for the tool when it is polled next.
    pub(super) fn lend(&mut self, received: Received<'a>) {
        self.received = Some(received);
        self.wake();
    }

    /// Takes the input back.
    pub(super) fn take_input(&mut self) -> Option<&'a mut [u8]> {
        self.received.take().map(|received| received.input)
    }

    /// The free output, with the server.
    pub(super) fn free(&mut self) -> Option<(&mut Server<S>, &mut Outgoing<'a>)> {
        let outgoing = self.outgoing.as_mut().filter(|outgoing| outgoing.is_sent())?;
        Some((self.server, outgoing))
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waiting.take() {
            waker.wake();
        }
    }

    /// Writes the progress that the tool has reported.
    pub(super) fn write_progress(&mut self) {
        let (token, progress) = (self.token, self.progress);
        if let Some(progress) = progress
            && let Some((server, outgoing)) = self.free()
        {
            // A report that does not fit is left out.
            let _ = outgoing.write(|out| server.progress(token, progress, out));
            self.progress = None;
        }
    }

    /// Writes the answer of the tool.
    pub(super) fn complete(&mut self, answer: impl ToolAnswer) {
        let token = self.token;
        if let Some((server, outgoing)) = self.free() {
            let mut lent = Deferring::<A>::new(None, &[]);
            let _ = outgoing.write(|out| {
                server.complete_tool(token, &mut lent, out, |content| answer.answer_tool(content.restart()))
            });
            // In an output that is too small even for an error.
            server.forget(token);
        }
    }

    /// Wakes this part of the tool when the output is free, or an answer has come.
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

impl<S: Storage, A: AsyncHandler> Desk for LinkDesk<'_, S, A> {
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
        let _ = outgoing.write(|out| server.log_for(token, level, logger, data, out));
        let is_written = !outgoing.is_sent();
        self.has_news |= is_written;
        Poll::Ready(is_written)
    }

    fn ask(&mut self, waker: &Waker, request: &InputRequest<'_>) -> Poll<Result<CallToken, AskError>> {
        let Some((server, outgoing)) = self.free() else {
            self.wait(waker);
            return Poll::Pending;
        };
        // A link has one session.
        let asked = outgoing.write(|out| server.ask(0, request, out));
        self.has_news |= asked.is_ok();
        Poll::Ready(asked)
    }

    fn take_answer(&mut self, waker: &Waker, token: CallToken, take: &mut dyn FnMut(Answer<'_>)) -> Poll<()> {
        match &self.received {
            Some(received) if received.token == token => {
                let frame = received.input.get(received.frame.clone()).unwrap_or_default();
                take(received.answered.answer(frame));
                Poll::Ready(())
            }
            _ => {
                self.wait(waker);
                Poll::Pending
            }
        }
    }

    fn withdraw(&mut self, token: CallToken) {
        self.server.withdraw(token);
        self.has_news = true;
    }

    fn ask_with_result(&mut self, waker: &Waker, question: &Question<'_>) {
        let token = self.token;
        match self.free() {
            Some((server, outgoing)) => {
                let mut lent = Deferring::<A>::new(None, &[]);
                let _ = outgoing.write(|out| {
                    server.ask_with_result(
                        (token, question.caller),
                        &mut lent,
                        out,
                        |json| question.write(json),
                        |json| question.write_state(json),
                    )
                });
                // In an output that is too small even for an error.
                server.forget(token);
                self.has_news = true;
            }
            None => self.wait(waker),
        }
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
