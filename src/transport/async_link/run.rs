//! The loop of an asynchronous link while no tool runs.

use core::future::poll_fn;
use core::mem::take;
use core::pin::pin;
use core::task::Poll;

use embedded_io_async_v0_7::{ErrorType, Read, Write};

use super::AsyncLink;
use super::beside::Beside;
use super::desk::LinkDesk;
use super::lines::{Incoming, Line};
use super::outgoing::Outgoing;
use super::outside::{Change, Outside, Still};
use super::serve::{fail, poll, receive};
use crate::engine::{
    AsyncHandler, CallError, CallToken, Deferring, Origin, Parts, Peer, Shared, Started, Storage,
};

/// State of the loop after a piece of work.
enum Turn {
    /// A line was written, or there may be more work.
    Again,
    /// There is a tool to run.
    Start(CallToken, Started),
    /// Nothing is left of a stream that has ended.
    Ended,
    /// There is nothing to do.
    Idle,
}

impl<A, B, O, S> AsyncLink<A, B, O, S>
where
    A: AsyncHandler,
    B: AsMut<[u8]>,
    O: AsMut<[u8]>,
    S: Storage + Send,
{
    /// Serves `io` until its input ends, without a clock: [`run_async_with`](AsyncLink::run_async_with) nothing outside.
    ///
    /// # Errors
    /// An error of `io`.
    pub async fn run_async<T: Read + Write>(&mut self, io: &mut T) -> Result<(), <T as ErrorType>::Error> {
        self.run_async_with(io, &Still).await
    }

    /// Serves `io` until its input ends; a tool that runs then is still answered, and so are the calls that wait for it, but a legacy client
    /// can no longer be asked anything. Output is flushed before each read. `outside` has the time, and the changes that do not come from a client.
    ///
    /// The future may be dropped at any await and a new one started, if `io` itself keeps its bytes when a read or a write of it is dropped. No
    /// byte is lost or sent twice; but a tool that runs is abandoned, and the next run answers its call with an internal error. So timers and
    /// events of the application belong in `outside`, and not in a `select` around this future.
    ///
    /// # Errors
    /// An error of `io`, which abandons a running tool, too. Unsent output is sent when the link is run again. If the error means that bytes
    /// were lost, call [`lost`](AsyncLink::lost) first.
    pub async fn run_async_with<T: Read + Write, C: Outside>(
        &mut self,
        io: &mut T,
        outside: &C,
    ) -> Result<(), <T as ErrorType>::Error> {
        loop {
            let mut outgoing = Outgoing { memory: self.output.as_mut(), unsent: &mut self.unsent };
            outgoing.send(io).await?;
            if let Some(now) = outside.now() {
                self.server.set_time(now, now);
            }
            if let Some(token) = self.running.take() {
                fail::<A, S>(&mut self.server, token, CallError::Internal, &mut outgoing);
                self.release();
                continue;
            }
            match self.work() {
                Turn::Again => {}
                Turn::Start(token, mut started) => {
                    self.running = Some(token);
                    self.call(token, &mut started, io, outside).await?;
                    self.running = None;
                    self.release();
                }
                Turn::Ended => {
                    self.has_ended = false;
                    return Ok(());
                }
                Turn::Idle => self.wait(io, outside).await?,
            }
        }
    }

    /// Runs a tool, and writes its answer.
    async fn call<T: Read + Write, C: Outside>(
        &mut self,
        token: CallToken,
        started: &mut Started,
        io: &mut T,
        outside: &C,
    ) -> Result<(), <T as ErrorType>::Error> {
        let Self { server, app, input, output, lines, unsent, has_ended, .. } = self;
        // The frame is lent to the tool; the rest is read into.
        let Some((frame, rest)) = input.as_mut().split_at_mut_checked(lines.held()) else {
            return Ok(());
        };
        let is_valid = !S::Parts::ASKING || started.decode_state(frame);
        let frame: &[u8] = frame;
        let mut outgoing = Outgoing { memory: output.as_mut(), unsent };
        if !is_valid {
            fail::<A, S>(server, token, CallError::InvalidParams, &mut outgoing);
            return Ok(());
        }
        let desk = Shared::new(LinkDesk::<S, A>::new(server, outgoing, token));
        let peer = Peer::new(&desk, started, frame);
        let tool = pin!(app.call_async(started.call(frame), &peer));
        let mut beside = Beside { desk: &desk, io, rest, lines, outside, has_ended };
        if let Some(answer) = beside.run(tool).await? {
            desk.with(|desk| desk.complete(answer));
        }
        Ok(())
    }

    /// Drops the held line, or goes on with it if it is a batch.
    fn release(&mut self) {
        match self.place {
            0 => self.lines.release(self.input.as_mut()),
            _ => self.lines.requeue(),
        }
    }

    /// Does one piece of work, while the output is free.
    fn work(&mut self) -> Turn {
        let Self { server, app, input, output, lines, unsent, skipper, place, has_ended, .. } = self;
        let input = input.as_mut();
        let mut outgoing = Outgoing { memory: output.as_mut(), unsent };
        if *place == 0 && !lines.is_serving() {
            let _ = poll(server, Some(app), &mut outgoing);
            if !outgoing.is_sent() {
                return Turn::Again;
            }
        }
        let queued = lines.queued_from(0, input);
        let is_queued = queued.is_some();
        let incoming = queued.map_or_else(|| lines.next(input, !*has_ended), Incoming::Line);
        match incoming {
            Incoming::Line(line) => return self.line(line, is_queued),
            Incoming::Part(part) => skipper.feed(input.get(part).unwrap_or_default()),
            Incoming::TooLong => {
                let (rejection, response) = (skipper.finish(), skipper.response_id());
                let mut app = Deferring::new(Some(app), &[]);
                let _ = outgoing
                    .write(|out| server.receive_oversized(Origin::ONLY, &rejection, response, &mut app, out));
                skipper.reset();
            }
            Incoming::Lost => {
                skipper.reset();
                server.lost(app);
            }
            Incoming::NeedMore if *has_ended => return Turn::Ended,
            Incoming::NeedMore => return Turn::Idle,
        }
        Turn::Again
    }

    /// Serves a line, which is the first of the queue or has come last.
    fn line(&mut self, mut line: Line, is_queued: bool) -> Turn {
        let Self { server, app, input, output, lines, unsent, place, .. } = self;
        let input = input.as_mut();
        let mut outgoing = Outgoing { memory: output.as_mut(), unsent };
        if is_queued {
            line.place = take(place);
            let text = input.get(line.text.clone()).unwrap_or_default();
            if line.place == 0 && !server.take_queued(Origin::ONLY, text) {
                lines.unqueue(&line, input);
                return Turn::Again;
            }
        }
        let Deferring { deferred, started, .. } = receive(server, Some(app), &mut line, input, &mut outgoing);
        let deferred = deferred.filter(|token| server.is_in_flight(*token));
        if let Some((token, started)) = deferred.zip(started) {
            *place = line.place;
            lines.hold(&line, input);
            return Turn::Start(token, started);
        }
        if is_queued && line.place > 0 {
            *place = line.place;
        } else if line.place > 0 {
            lines.keep_serving(line);
        } else if is_queued {
            lines.unqueue(&line, input);
        } else {
            lines.drop_line(&line);
        }
        Turn::Again
    }

    /// Waits for bytes, or for something outside.
    async fn wait<T: Read, C: Outside>(
        &mut self,
        io: &mut T,
        outside: &C,
    ) -> Result<(), <T as ErrorType>::Error> {
        let until = self.server.next_deadline();
        let input = self.input.as_mut();
        let news = {
            let mut reading = pin!(io.read(self.lines.space(input)));
            let mut change = pin!(outside.wait(until));
            poll_fn(|context| match reading.as_mut().poll(context) {
                Poll::Ready(count) => Poll::Ready(Ok(count)),
                Poll::Pending => change.as_mut().poll(context).map(Err),
            })
            .await
        };
        match news {
            Ok(Ok(0)) => self.has_ended = true,
            Ok(count) => self.lines.received(count?, input),
            Err(Change::Nothing) => {}
            Err(Change::List(list)) => self.server.list_changed(list),
            Err(Change::Resource(uri)) => self.server.resource_updated(uri),
            Err(Change::Lost) => self.lines.lost(input),
        }
        Ok(())
    }
}
