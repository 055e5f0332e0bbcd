//! Server and output of a stream, which its loop and its tools use in turns.

use core::marker::PhantomData;
use core::task::Waker;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::vec::Vec;

use crate::bytes::Sink;
use crate::engine::{
    Answered, AsyncHandler, CallError, CallToken, Deferring, Frame, Heap, MIN_OUTPUT, Origin, Parts, Server,
    Started, Storage, ToolAnswer, ToolMode,
};
use crate::rpc::Skipper;

/// The answer to a question of a tool, with its frame.
pub(super) struct Received {
    pub(super) answered: Answered,
    pub(super) frame: Vec<u8>,
}

/// A question of a tool that is not answered.
pub(super) struct Waiting {
    token: CallToken,
    waker: Waker,
    received: Option<Received>,
}

/// A request that needs the application.
pub(super) struct Work {
    pub(super) token: CallToken,
    pub(super) may_be_task: bool,
    /// The call, if it is one of a tool.
    pub(super) started: Option<Started>,
}

/// A server for one request, and its lines.
pub(super) struct Aside<P: Parts> {
    server: Server<Heap<P>>,
    lines: Vec<u8>,
    max_line: usize,
}

impl<P: Parts> Aside<P> {
    /// Serves the request in this frame.
    pub(super) fn serve<A: AsyncHandler>(&mut self, frame: &[u8], app: &mut A) {
        let mut memory = Vec::new();
        let mut out = Sink::growable(&mut memory, self.max_line);
        let mut app = Deferring::new(Some(app), frame);
        let _ = self.server.receive_part(Origin::ONLY, &mut Frame::new(frame), &mut app, &mut out);
        self.lines.extend_from_slice(out.finish().unwrap_or_default());
    }
}

/// Server and output.
pub(super) struct Hub<S, A> {
    pub(super) server: Server<S>,
    app: PhantomData<fn() -> A>,
    /// Lines, of which the first `sent` bytes are sent.
    output: Vec<u8>,
    sent: usize,
    /// The lines of one call of the engine.
    line: Vec<u8>,
    max_line: usize,
    waiting: Vec<Waiting>,
    /// A call may have ended without its tool.
    pub(super) has_cancelled: bool,
    /// A tool has changed something that may make a line due.
    pub(super) has_news: bool,
    start: Instant,
}

impl<S: Storage, A: AsyncHandler> Hub<S, A> {
    pub(super) fn new(server: Server<S>, max_line: usize) -> Self {
        Self {
            server,
            app: PhantomData,
            output: Vec::new(),
            sent: 0,
            line: Vec::new(),
            max_line: max_line.max(MIN_OUTPUT),
            waiting: Vec::new(),
            has_cancelled: false,
            has_news: false,
            start: Instant::now(),
        }
    }

    pub(super) fn set_time(&mut self) {
        let time_of_day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.server.set_time(self.start.elapsed(), time_of_day);
    }

    /// The moment of the next deadline.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.start.checked_add(self.server.next_deadline()?)
    }

    /// The lines that are not sent.
    pub(super) fn unsent(&self) -> &[u8] {
        self.output.get(self.sent..).unwrap_or_default()
    }

    /// Takes note that this number of bytes was sent.
    pub(super) fn sent(&mut self, count: usize) {
        self.sent = self.sent.saturating_add(count);
        if self.unsent().is_empty() {
            self.output.clear();
            self.sent = 0;
        }
    }

    /// Writes lines.
    pub(super) fn write<R>(&mut self, write: impl FnOnce(&mut Server<S>, &mut Sink<'_>) -> R) -> R {
        let Self { server, output, line, max_line, .. } = self;
        let mut out = Sink::growable(line, *max_line);
        let result = write(server, &mut out);
        output.extend_from_slice(out.finish().unwrap_or_default());
        result
    }

    /// Writes the answer of a tool.
    pub(super) fn complete(&mut self, token: CallToken, answer: impl ToolAnswer) {
        let mut lent = Deferring::<A>::new(None, &[]);
        self.write(|server, out| {
            let _ =
                server.complete_tool(token, &mut lent, out, |content| answer.answer_tool(content.restart()));
            server.forget(token);
        });
    }

    /// Answers a request with an error.
    pub(super) fn fail(&mut self, token: CallToken, error: CallError<'_>) {
        let _ = self.write(|server, out| server.fail(token, error, &mut Deferring::<A>::new(None, &[]), out));
    }

    /// Writes the lines that are due.
    pub(super) fn poll(&mut self, mut app: Option<&mut A>) {
        self.has_news = false;
        loop {
            let before = self.output.len();
            let mut app = Deferring::new(app.as_deref_mut(), &[]);
            let _ = self.write(|server, out| server.poll(|_| true, &mut app, out));
            let answered = app.answered;
            if let Some((token, answered)) = answered {
                self.answered(token, answered, &[]);
            } else if self.output.len() == before {
                return;
            }
        }
    }

    /// Takes the end of a line that was too long.
    pub(super) fn oversized(&mut self, skipper: &Skipper<64>, app: Option<&mut A>) {
        let (rejection, response) = (skipper.finish(), skipper.response_id());
        let mut app = Deferring::new(app, &[]);
        let _ = self
            .write(|server, out| server.receive_oversized(Origin::ONLY, &rejection, response, &mut app, out));
    }

    /// Serves a frame, of a batch only one element. Without the application, requests that need it wait.
    pub(super) fn receive(
        &mut self,
        frame: &mut Frame<'_>,
        text: &[u8],
        app: Option<&mut A>,
    ) -> Option<Work> {
        let is_element = frame.place() > 0;
        let mut app = Deferring::new(app, text);
        app.serves_aside = !is_element;
        let _ = self.write(|server, out| server.receive_part(Origin::ONLY, frame, &mut app, out));
        let Deferring { deferred, started, may_be_task, has_cancelled, answered, .. } = app;
        self.has_cancelled |= has_cancelled;
        if let Some((token, answered)) = answered {
            self.answered(token, answered, text);
        }
        let work = deferred
            .map(|token| Work { token, may_be_task, started })
            .filter(|work| self.server.is_in_flight(work.token))?;
        // Only whole lines can be served again; an asynchronous tool needs its arguments alone.
        let is_async = work.started.is_some_and(|started| A::mode(started.tool()) != ToolMode::Sync);
        if is_element && !is_async {
            self.fail(work.token, CallError::Busy);
            return None;
        }
        Some(work)
    }

    /// A server for a request that is served aside.
    pub(super) fn aside(&mut self) -> Aside<S::Parts> {
        Aside { server: self.server.aside(), lines: Vec::new(), max_line: self.max_line }
    }

    /// Ends the request in this frame, which was served aside.
    pub(super) fn rejoin(&mut self, token: CallToken, aside: &mut Aside<S::Parts>, frame: &[u8]) {
        let Aside { server: aside, lines, .. } = aside;
        self.write(|server, out| {
            if server.rejoin(token, aside, lines, out) == Some(false) {
                // Without the application, and without waiting for it: `Server busy`.
                let mut lent = Deferring::<A>::new(None, frame);
                lent.can_wait = false;
                let _ = server.receive_part(Origin::ONLY, &mut Frame::new(frame), &mut lent, out);
            }
        });
    }

    /// Serves a request that has waited for the application, and may become a task.
    pub(super) fn serve(&mut self, frame: &[u8], app: &mut A) {
        let mut app = Deferring::new(Some(app), frame);
        self.write(|server, out| {
            if server.take_queued(Origin::ONLY, frame) {
                let _ = server.receive_part(Origin::ONLY, &mut Frame::new(frame), &mut app, out);
            }
        });
    }

    /// Keeps the answer to a question, for the tool that has asked.
    fn answered(&mut self, token: CallToken, answered: Answered, frame: &[u8]) {
        let mut waiting = self.waiting.iter_mut();
        if let Some(waiting) = waiting.find(|waiting| waiting.token == token) {
            waiting.received = Some(Received { answered, frame: frame.to_vec() });
            waiting.waker.wake_by_ref();
        }
    }

    /// The answer to a question, if it has come; else `waker` is woken when it comes.
    pub(super) fn take_answer(&mut self, token: CallToken, waker: &Waker) -> Option<Received> {
        let place = self.waiting.iter().position(|waiting| waiting.token == token);
        match place.and_then(|place| self.waiting.get_mut(place)) {
            None => self.waiting.push(Waiting { token, waker: waker.clone(), received: None }),
            Some(waiting) => waiting.waker.clone_from(waker),
        }
        let place = place?;
        self.waiting.get(place)?.received.as_ref()?;
        self.waiting.swap_remove(place).received
    }

    /// Gives up a question.
    pub(super) fn withdraw(&mut self, token: CallToken) {
        self.waiting.retain(|waiting| waiting.token != token);
        self.server.withdraw(token);
    }
}
