//! The loop beside a running tool.

use core::future::poll_fn;
use core::mem::take;
use core::pin::{Pin, pin};
use core::task::Poll;
use core::time::Duration;

use embedded_io_async_v0_7::{ErrorType, Read, Write};

use super::desk::{LinkDesk, Received};
use super::lines::{Incoming, Line, Lines};
use super::outside::{Change, Outside};
use super::serve::{fail, poll, receive};
use crate::engine::{AsyncHandler, CallError, Deferring, Origin, Shared, Storage};

/// Everything that is not lent to the tool.
pub(super) struct Beside<'l, 'd, T, A, S, C> {
    pub(super) desk: &'l Shared<LinkDesk<'d, S, A>>,
    pub(super) io: &'l mut T,
    /// The input after the held line.
    pub(super) rest: &'d mut [u8],
    pub(super) lines: &'l mut Lines,
    pub(super) outside: &'l C,
    pub(super) has_ended: &'l mut bool,
}

/// State of the loop after a piece of work.
enum Turn {
    /// A line was written, or there may be more work.
    Again,
    /// The call was cancelled.
    Cancelled,
    /// The tool is done, and the output free.
    Done,
    /// There is nothing to do until that time.
    Idle(Option<Duration>),
}

enum News<'c, F, E> {
    Finished(F),
    Reported,
    Read(Result<usize, E>),
    Outside(Change<'c>),
}

impl<T, A, S, C> Beside<'_, '_, T, A, S, C>
where
    T: Read + Write,
    A: AsyncHandler,
    S: Storage,
    C: Outside,
{
    /// The answer of the tool, or `None` if its call was cancelled.
    pub(super) async fn run<F: Future>(
        &mut self,
        mut tool: Pin<&mut F>,
    ) -> Result<Option<F::Output>, <T as ErrorType>::Error> {
        let mut done = None;
        loop {
            let mut unsent = self.desk.with(LinkDesk::take_unsent).flatten();
            // A write is never dropped: the tool goes on beside it.
            let sent = {
                let mut sending = pin!(async {
                    match &mut unsent {
                        Some(unsent) => unsent.send(self.io).await,
                        None => Ok(()),
                    }
                });
                poll_fn(|context| {
                    if done.is_none()
                        && let Poll::Ready(answer) = tool.as_mut().poll(context)
                    {
                        done = Some(answer);
                    }
                    sending.as_mut().poll(context)
                })
                .await
            };
            if let Some(input) = self.desk.with(LinkDesk::take_input).flatten() {
                self.rest = input;
            }
            if let Some(unsent) = unsent {
                self.desk.with(|desk| desk.give_back(unsent));
                sent?;
                // First the tool gets its turn with the free output.
                continue;
            }
            let idle = match self.work(done.is_some()) {
                Turn::Again => continue,
                Turn::Cancelled => return Ok(None),
                Turn::Done => return Ok(done),
                Turn::Idle(until) => until,
            };
            let may_read = !*self.has_ended && !self.lines.is_full(self.rest);
            let news = {
                let space = self.lines.space(self.rest);
                let mut reading = pin!(self.io.read(space));
                let mut change = pin!(self.outside.wait(idle));
                poll_fn(|context| {
                    if let Poll::Ready(answer) = tool.as_mut().poll(context) {
                        return Poll::Ready(News::Finished(answer));
                    }
                    if self.desk.with(|desk| desk.has_news).unwrap_or_default() {
                        return Poll::Ready(News::Reported);
                    }
                    if may_read && let Poll::Ready(count) = reading.as_mut().poll(context) {
                        return Poll::Ready(News::Read(count));
                    }
                    change.as_mut().poll(context).map(News::Outside)
                })
                .await
            };
            match news {
                News::Finished(answer) => done = Some(answer),
                News::Reported => {}
                News::Read(Ok(0)) => {
                    // The tool is still answered, but its questions are not.
                    *self.has_ended = true;
                    self.desk.with(|desk| desk.server.end_questions());
                }
                News::Read(count) => self.lines.received(count?, self.rest),
                News::Outside(change) => self.change(change),
            }
        }
    }

    fn change(&mut self, change: Change<'_>) {
        match change {
            Change::Nothing => {}
            Change::List(list) => {
                self.desk.with(|desk| desk.server.list_changed(list));
            }
            Change::Resource(uri) => {
                self.desk.with(|desk| desk.server.resource_updated(uri));
            }
            Change::Lost => self.lines.lost(self.rest),
        }
    }

    /// Does one piece of work, while the output is free.
    fn work(&mut self, is_done: bool) -> Turn {
        let Self { desk, rest, lines, outside, has_ended, .. } = self;
        let turn = desk.with(|desk| {
            desk.has_news = false;
            let token = desk.token;
            let Some((server, outgoing)) = desk.free() else {
                return Turn::Again;
            };
            if let Some(now) = outside.now() {
                server.set_time(now, now);
            }
            let Deferring { answered, .. } = poll(server, None::<&mut A>, outgoing);
            if !server.is_in_flight(token) {
                return Turn::Cancelled;
            }
            if let Some((token, answered)) = answered {
                // Its time is over.
                desk.lend(Received { token, answered, input: take(rest), frame: 0..0 });
                return Turn::Again;
            }
            desk.write_progress();
            let Some((server, outgoing)) = desk.free() else {
                return Turn::Again;
            };
            if is_done {
                return Turn::Done;
            }
            match lines.next(rest, !**has_ended) {
                Incoming::Line(mut line) => {
                    let received = receive(server, None::<&mut A>, &mut line, rest, outgoing);
                    let Deferring { deferred, has_cancelled, answered, .. } = received;
                    let range = line.text.clone();
                    if line.place > 0 {
                        lines.keep_serving(line);
                    } else if deferred.is_some() {
                        lines.queue(&line, rest);
                    } else {
                        lines.drop_line(&line);
                    }
                    if has_cancelled {
                        drop_cancelled(lines, rest, |text| server.queued(Origin::ONLY, text).is_some());
                    }
                    if let Some((token, answered)) = answered {
                        desk.lend(Received { token, answered, input: take(rest), frame: range });
                    }
                    return Turn::Again;
                }
                Incoming::Lost | Incoming::Part(_) | Incoming::TooLong => return Turn::Again,
                Incoming::NeedMore => {}
            }
            if lines.is_full(rest)
                && let Some(line) = lines.last_queued(rest)
            {
                // Room for what comes, which may be a cancellation.
                let text = rest.get(line.text.clone()).unwrap_or_default();
                if let Some(token) = server.queued(Origin::ONLY, text) {
                    fail::<A, S>(server, token, CallError::Busy, outgoing);
                }
                lines.unqueue(&line, rest);
                return Turn::Again;
            }
            Turn::Idle(server.next_deadline())
        });
        turn.unwrap_or(Turn::Again)
    }
}

/// Drops the queued lines whose requests were cancelled.
fn drop_cancelled(lines: &mut Lines, rest: &mut [u8], mut is_queued: impl FnMut(&[u8]) -> bool) {
    let mut from = 0;
    while let Some(line) = lines.queued_from(from, rest) {
        let Line { text, end, .. } = line.clone();
        match is_queued(rest.get(text).unwrap_or_default()) {
            true => from = end,
            false => lines.unqueue(&line, rest),
        }
    }
}
