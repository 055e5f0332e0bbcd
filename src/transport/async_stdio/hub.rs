//! Server and output of a stream, which its loop and its tools use in turns.

use core::task::Waker;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::vec::Vec;

use crate::bytes::Sink;
use crate::engine::{
    Answered, AsyncHandler, CallError, CallToken, Frame, Handler, Lent, MIN_OUTPUT, Origin, Queued, Server,
    Started, Starting, Storage, ToolAnswer, ToolMode,
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
    /// The call, if it is one of a tool.
    pub(super) started: Option<Started>,
}

pub(super) struct Hub<S, H> {
    pub(super) server: Server<S>,
    pub(super) tables: H,
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

impl<S: Storage, H: Handler> Hub<S, H> {
    pub(super) fn new(server: Server<S>, tables: H, max_line: usize) -> Self {
        Self {
            server,
            tables,
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
    pub(super) fn write<R>(&mut self, write: impl FnOnce(&mut Server<S>, &mut H, &mut Sink<'_>) -> R) -> R {
        let Self { server, tables, output, line, max_line, .. } = self;
        let mut out = Sink::growable(line, *max_line);
        let result = write(server, tables, &mut out);
        output.extend_from_slice(out.finish().unwrap_or_default());
        result
    }

    /// Writes the answer of a tool.
    pub(super) fn complete(&mut self, token: CallToken, answer: impl ToolAnswer) {
        self.write(|server, tables, out| {
            let tables: &mut dyn Handler = tables;
            let _ = server.complete_tool(token, tables, out, |content| answer.answer_tool(content.restart()));
            server.forget(token);
        });
    }

    /// Answers a call whose tool has not.
    pub(super) fn abandon(&mut self, token: CallToken) {
        self.write(|server, tables, out| server.abandon(token, tables as &mut dyn Handler, out));
    }

    /// Writes the lines that are due.
    pub(super) fn poll<A: AsyncHandler>(&mut self, mut app: Option<&mut A>) {
        self.has_news = false;
        loop {
            let before = self.output.len();
            let answered = self.write(|server, tables, out| match app.as_deref_mut() {
                Some(app) => {
                    let _ = server.poll(|_| true, app as &mut dyn Handler, out);
                    None
                }
                None => {
                    let mut lent = Lent::new(tables, &[], Queued::Never);
                    let _ = server.poll(|_| true, &mut lent as &mut dyn Handler, out);
                    lent.answered
                }
            });
            if let Some((token, answered)) = answered {
                self.answered(token, answered, &[]);
            } else if self.output.len() == before {
                return;
            }
        }
    }

    /// Takes the end of a line that was too long.
    pub(super) fn oversized<A: AsyncHandler>(&mut self, skipper: &Skipper<64>, app: Option<&mut A>) {
        self.write(|server, tables, out| {
            let (rejection, response) = (skipper.finish(), skipper.response_id());
            let mut lent = Lent::new(tables, &[], Queued::Never);
            let handler: &mut dyn Handler = match app {
                Some(app) => app,
                None => &mut lent,
            };
            let _ = server.receive_oversized(Origin::ONLY, &rejection, response, handler, out);
        });
    }

    /// Serves a frame, of a batch only one element. Without the application, requests that need it wait.
    pub(super) fn receive<A: AsyncHandler>(
        &mut self,
        frame: &mut Frame<'_>,
        text: &[u8],
        app: Option<&mut A>,
    ) -> Option<Work> {
        let is_element = frame.place() > 0;
        let (work, has_cancelled, answered) = self.write(|server, tables, out| match app {
            Some(app) => {
                let mut starting = Starting::new(app, text);
                let _ = server.receive_part(Origin::ONLY, frame, &mut starting as &mut dyn Handler, out);
                let Starting { started, has_cancelled, .. } = starting;
                let work = started.map(|started| Work { token: started.token, started: Some(started) });
                (work, has_cancelled, None)
            }
            None => {
                let mut lent = Lent::new(tables, text, Queued::Possible);
                let _ = server.receive_part(Origin::ONLY, frame, &mut lent as &mut dyn Handler, out);
                let Lent { token, started, has_cancelled, answered, .. } = lent;
                (token.map(|token| Work { token, started }), has_cancelled, answered)
            }
        });
        self.has_cancelled |= has_cancelled;
        if let Some((token, answered)) = answered {
            self.answered(token, answered, text);
        }
        let work = work.filter(|work| self.server.is_in_flight(work.token))?;
        // Only whole lines can be served again; an asynchronous tool needs its arguments alone.
        let is_async = work.started.is_some_and(|started| A::mode(started.tool()) != ToolMode::Sync);
        if is_element && !is_async {
            self.write(|server, tables, out| server.refuse(work.token, tables as &mut dyn Handler, out));
            return None;
        }
        Some(work)
    }

    /// Serves a request that has waited for the application.
    pub(super) fn serve<A: AsyncHandler>(&mut self, frame: &[u8], app: &mut A) {
        self.write(|server, _, out| {
            if server.take_queued(Origin::ONLY, frame) {
                let app: &mut dyn Handler = app;
                let _ = server.receive_part(Origin::ONLY, &mut Frame::new(frame), app, out);
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

    /// Answers a call whose state is invalid.
    pub(super) fn refuse(&mut self, token: CallToken) {
        self.complete(token, Err::<&str, _>(CallError::InvalidParams));
    }
}
