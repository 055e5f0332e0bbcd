//! The part of a host that a running tool uses.

use core::task::{Poll, Waker};

use super::hub::Hub;
use crate::engine::{
    Answer, AskError, AsyncHandler, CallToken, Deferring, Desk, List, Progress, Question, Shared, Storage,
};
use crate::mcp::{InputRequest, LoggingLevel};

/// A running call. Its lines are written at once, since the output grows.
pub(super) struct CallDesk<'h, S, A> {
    pub(super) hub: &'h Shared<Hub<S, A>>,
    pub(super) token: CallToken,
}

impl<S: Storage, A: AsyncHandler> Desk for CallDesk<'_, S, A> {
    fn progress(&mut self, progress: Progress<'static>) {
        let token = self.token;
        self.hub.with(|hub| {
            let _ = hub.write(|server, out| server.progress(token, progress, out));
        });
    }

    fn log(&mut self, waker: &Waker, level: LoggingLevel, logger: Option<&str>, data: &str) -> Poll<bool> {
        let token = self.token;
        let is_written = self.hub.with(|hub| {
            hub.write(|server, out| {
                let _ = server.log_for(token, level, logger, data, out);
                !out.is_empty()
            })
        });
        retry(is_written, waker)
    }

    fn ask(&mut self, waker: &Waker, request: &InputRequest<'_>) -> Poll<Result<CallToken, AskError>> {
        // A stream has one session.
        retry(self.hub.with(|hub| hub.write(|server, out| server.ask(0, request, out))), waker)
    }

    fn take_answer(&mut self, waker: &Waker, token: CallToken, take: &mut dyn FnMut(Answer<'_>)) -> Poll<()> {
        let Poll::Ready(received) = retry(self.hub.with(|hub| hub.take_answer(token, waker)), waker) else {
            return Poll::Pending;
        };
        match received {
            Some(received) => {
                take(received.answered.answer(&received.frame));
                Poll::Ready(())
            }
            None => Poll::Pending,
        }
    }

    fn withdraw(&mut self, token: CallToken) {
        self.hub.with(|hub| {
            hub.withdraw(token);
            hub.has_news = true;
        });
    }

    fn ask_with_result(&mut self, waker: &Waker, question: &Question<'_>) {
        let token = self.token;
        let asked = self.hub.with(|hub| {
            hub.write(|server, out| {
                let mut lent = Deferring::<A>::new(None, &[]);
                let _ = server.ask_with_result(
                    (token, question.caller),
                    &mut lent,
                    out,
                    |json| question.write(json),
                    |json| question.write_state(json),
                );
                server.forget(token);
            });
            // The tool is dropped.
            hub.has_cancelled = true;
        });
        let _ = retry(asked, waker);
        waker.wake_by_ref();
    }

    fn list_changed(&mut self, list: List) {
        self.hub.with(|hub| {
            hub.server.list_changed(list);
            hub.has_news = true;
        });
    }

    fn resource_updated(&mut self, uri: &str) {
        self.hub.with(|hub| {
            hub.server.resource_updated(uri);
            hub.has_news = true;
        });
    }
}

/// Ready, unless another thread uses the hub at this moment.
fn retry<T>(result: Option<T>, waker: &Waker) -> Poll<T> {
    result.map_or_else(
        || {
            waker.wake_by_ref();
            Poll::Pending
        },
        Poll::Ready,
    )
}
