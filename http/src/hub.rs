//! Server, application and open responses behind one lock.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use barewire::bytes::Sink;
use barewire::engine::{Channel, Handler, MIN_OUTPUT, Sent, Server};
use barewire::transport::JobHost;
use barewire::transport::http::{Admitted, Endpoint, HttpReply, ReplyBody, SessionEntry};
use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::access::AccessRules;
use crate::exchanges::{Exchange, Exchanges, earliest};
use crate::head::RequestHead;
use crate::limits::HttpLimits;
use crate::storage::Storage;

/// Most calls of threads that are served in one turn.
const MOST_CALLS: usize = 64;

/// Most turns for the calls of other threads.
const MOST_ROUNDS: usize = 8;

/// Least time between two ticks of the clock.
const GRANULE: Duration = Duration::from_millis(5);

type Writing = dyn FnOnce(&mut Server<Storage>, &mut dyn Handler, &mut Sink<'_>) -> Sent + Send;

/// A call of the application from outside of its methods.
pub(crate) struct Outside {
    /// The line is an answer, which is not dropped if its client reads slowly.
    pub(crate) is_answer: bool,
    pub(crate) write: Box<Writing>,
}

/// What a request gets.
pub(crate) enum Answer {
    /// A complete response.
    Whole(HttpReply, Bytes),
    /// A response that is not complete.
    Open(Channel),
    /// There are too many responses that are not complete.
    Busy,
}

/// What an open response has next.
pub(crate) enum Output {
    /// Nothing yet.
    Pending,
    /// Bytes; `true` if they are the last ones.
    Bytes(Bytes, bool),
}

/// State of the task that does what is due at some time.
#[derive(Default)]
pub(crate) struct Clock {
    /// The next moment is earlier now, or the hub is gone.
    pub(crate) changed: Notify,
    pub(crate) is_running: AtomicBool,
}

/// Everything that the clones of a service share.
pub(crate) struct Hub {
    pub(crate) rules: AccessRules,
    pub(crate) limits: HttpLimits,
    pub(crate) offers_sessions: bool,
    pub(crate) sessions: u16,
    pub(crate) clock: Arc<Clock>,
    /// Number of bytes of bodies that are being received.
    pub(crate) received: AtomicUsize,
    /// New requests are refused.
    pub(crate) is_closing: AtomicBool,
    /// Something has ended since the server is closing.
    pub(crate) has_left: Notify,
    state: Mutex<State>,
    /// Calls from outside, and whether there may be any, or work of the job queue.
    outside: Mutex<VecDeque<Outside>>,
    has_news: AtomicBool,
}

/// The part that one thread at a time may use.
pub(crate) struct State {
    /// Dropped first, so that work is cancelled before the application is dropped.
    jobs: Option<JobHost>,
    pub(crate) endpoint: Endpoint<Storage, Vec<SessionEntry>>,
    pub(crate) app: Box<dyn Handler + Send>,
    pub(crate) exchanges: Exchanges,
    /// Lines of one call of the endpoint.
    lines: Vec<u8>,
    limits: HttpLimits,
    start: Instant,
    now: Instant,
    /// Moment for which the clock is set.
    alarm: Option<Instant>,
}

impl Hub {
    pub(crate) fn new(
        rules: AccessRules,
        limits: HttpLimits,
        sessions: u16,
        mut endpoint: Endpoint<Storage, Vec<SessionEntry>>,
        jobs: Option<JobHost>,
        app: Box<dyn Handler + Send>,
    ) -> Self {
        let now = Instant::now();
        Self {
            rules,
            limits,
            offers_sessions: endpoint.offers_sessions(),
            sessions,
            clock: Arc::default(),
            received: AtomicUsize::new(0),
            is_closing: AtomicBool::new(false),
            has_left: Notify::new(),
            state: Mutex::new(State {
                jobs,
                endpoint,
                app,
                exchanges: Exchanges::new(limits.exchanges),
                lines: Vec::new(),
                limits,
                start: now,
                now,
                alarm: None,
            }),
            outside: Mutex::default(),
            has_news: AtomicBool::new(false),
        }
    }

    /// Looks at the state.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&mut State) -> R) -> R {
        let result = look(&mut lock(&self.state));
        self.serve_news();
        result
    }

    /// Calls `work` under the lock, and then serves what has become due.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let result = self.work(lock(&self.state), work);
        self.serve_news();
        result
    }

    fn work<R>(&self, mut state: MutexGuard<'_, State>, work: impl FnOnce(&mut State) -> R) -> R {
        state.set_time();
        let result = work(&mut state);
        let has_more = state.settle(|| lock(&self.outside).pop_front());
        if has_more {
            self.has_news.store(true, Ordering::SeqCst);
        }
        if state.set_alarm() {
            self.clock.changed.notify_one();
        }
        let wakers = state.exchanges.take_wakers();
        drop(state);
        for waker in wakers {
            waker.wake();
        }
        if self.is_closing.load(Ordering::Relaxed) {
            self.has_left.notify_waiters();
        }
        result
    }

    /// Serves the calls from outside, unless another thread has the lock: it does so when it is done. So an application may make such calls
    /// from its own methods too.
    fn serve_news(&self) {
        for _ in 0..MOST_ROUNDS {
            if !self.has_news.load(Ordering::SeqCst) {
                return;
            }
            let state = match self.state.try_lock() {
                Ok(state) => state,
                Err(TryLockError::Poisoned(error)) => error.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            self.has_news.store(false, Ordering::SeqCst);
            self.work(state, |_| ());
        }
        // Other threads make calls without end. The clock goes on, so that this one gets away.
        self.clock.changed.notify_one();
    }

    /// Takes a call from outside. If the server does not keep up, calls other than answers are dropped.
    pub(crate) fn call(&self, call: Outside) {
        let mut outside = lock(&self.outside);
        if !call.is_answer && outside.len() >= self.limits.exchanges {
            return;
        }
        outside.push_back(call);
        drop(outside);
        self.has_jobs();
    }

    /// Takes note that there may be work of the job queue.
    pub(crate) fn has_jobs(&self) {
        self.has_news.store(true, Ordering::SeqCst);
        self.serve_news();
    }

    /// Does what is due now. Returns the moment at which that is to be done again.
    pub(crate) fn tick(&self) -> Option<Instant> {
        self.with(|state| {
            for stalled in state.exchanges.keep_alive(state.now, &state.limits) {
                state.closed(stalled);
                state.exchanges.end(stalled, false);
            }
            state.poll();
            state.alarm = state.deadline();
        });
        // Another thread may have set it earlier meanwhile; then the clock was notified.
        self.look(|state| state.alarm)
    }

    /// Serves the body of a POST.
    pub(crate) fn receive(&self, head: &RequestHead<'_>, admitted: &Admitted, body: &[u8]) -> Answer {
        self.with(|state| {
            state.answer(|endpoint, channel, app, out| {
                endpoint.receive(channel, head, admitted, body, app, out)
            })
        })
    }

    /// Answers a body that is too long to be read.
    pub(crate) fn receive_oversized(&self, admitted: &Admitted) -> Answer {
        self.with(|state| {
            state.answer(|endpoint, _, app, out| endpoint.receive_oversized(admitted, None, app, out))
        })
    }

    /// Opens the standing stream of a session.
    pub(crate) fn open_stream(&self, admitted: &Admitted) -> Answer {
        self.with(|state| state.answer(|endpoint, channel, _, _| endpoint.open_stream(channel, admitted)))
    }

    /// Ends a session.
    pub(crate) fn end_session(&self, admitted: &Admitted) -> Answer {
        self.with(|state| state.answer(|endpoint, _, app, _| endpoint.end_session(admitted, app)))
    }

    /// The next bytes of an open response. After the last ones its channel is free.
    pub(crate) fn take_output(&self, channel: Channel, waker: &std::task::Waker) -> Output {
        self.with(|state| {
            let State { exchanges, now, limits, .. } = state;
            match exchanges.take_output(channel, *now, waker, limits) {
                (output, false) if output.is_empty() => Output::Pending,
                (output, is_last) => Output::Bytes(output.into(), is_last),
            }
        })
    }

    /// The reply of an open response, once it is known.
    pub(crate) fn reply(&self, channel: Channel, waker: &std::task::Waker) -> Option<HttpReply> {
        self.with(|state| {
            let exchange = state.exchanges.get_mut(channel)?;
            exchange.wait(waker);
            exchange.reply()
        })
    }

    /// Takes note that nobody takes the rest of an open response.
    pub(crate) fn closed(&self, channel: Channel) {
        self.with(|state| {
            if state.exchanges.remove(channel).is_some_and(|exchange| !exchange.has_ended()) {
                state.closed(channel);
            }
        });
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // The clock ends.
        self.clock.changed.notify_one();
    }
}

impl State {
    fn set_time(&mut self) {
        self.now = Instant::now();
        let time_of_day = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = self.now.duration_since(self.start);
        let Self { jobs, endpoint, app, .. } = self;
        with_app(jobs, app, |app| endpoint.set_time(since, time_of_day, app));
    }

    /// Takes note that the client of an exchange is gone.
    pub(crate) fn closed(&mut self, channel: Channel) {
        let Self { jobs, endpoint, app, .. } = self;
        with_app(jobs, app, |app| endpoint.closed(channel, app));
    }

    /// Lets the endpoint answer a request.
    fn answer(
        &mut self,
        call: impl FnOnce(
            &mut Endpoint<Storage, Vec<SessionEntry>>,
            Channel,
            &mut dyn Handler,
            &mut Sink<'_>,
        ) -> HttpReply,
    ) -> Answer {
        let Some(channel) = self.exchanges.free_channel() else {
            return Answer::Busy;
        };
        let Self { jobs, endpoint, app, exchanges, lines, limits, now, .. } = self;
        let mut out = Sink::growable(lines, limits.output.max(MIN_OUTPUT));
        let reply = with_app(jobs, app, |app| call(endpoint, channel, app, &mut out));
        let text = out.finish().unwrap_or_default();
        if let Some(line) = reply.line() {
            exchanges.deliver(line, text, *now);
            return Answer::Whole(reply, Bytes::new());
        }
        match reply.body() {
            ReplyBody::Empty => Answer::Whole(reply, Bytes::new()),
            ReplyBody::Json => Answer::Whole(reply, Bytes::copy_from_slice(text.trim_ascii_end())),
            ReplyBody::Stream | ReplyBody::Later { .. } => {
                let exchange = Exchange::new(reply, text, *now);
                match reply.ends() {
                    true => Answer::Whole(reply, exchange.into_output()),
                    false => exchanges.open(exchange, limits).map_or(Answer::Busy, Answer::Open),
                }
            }
        }
    }

    /// Serves calls from outside, and writes all lines that are due. Returns whether there is more to serve.
    fn settle(&mut self, mut next_call: impl FnMut() -> Option<Outside>) -> bool {
        self.settle_jobs();
        self.poll();
        let mut has_more = true;
        for _ in 0..MOST_CALLS {
            let Some(Outside { is_answer, write }) = next_call() else {
                has_more = false;
                break;
            };
            self.write(!is_answer, |jobs, server, app, out| {
                let write = || with_app(jobs, app, |app| write(server, app, out));
                catch_unwind(AssertUnwindSafe(write)).unwrap_or(Sent::Nothing)
            });
            self.poll();
        }
        has_more |= self.serve_jobs();
        if self.endpoint.has_ended() {
            for channel in self.exchanges.open_channels() {
                if !self.endpoint.is_open(channel) {
                    self.exchanges.end(channel, true);
                }
            }
        }
        has_more
    }

    fn settle_jobs(&mut self) {
        if let Some(jobs) = &mut self.jobs {
            jobs.settle(self.endpoint.server());
        }
    }

    /// Serves the calls of the threads of the job queue. Returns whether there may be more.
    fn serve_jobs(&mut self) -> bool {
        let mut has_more = true;
        for _ in 0..MOST_CALLS {
            let Some(call) = self.jobs.as_ref().and_then(JobHost::next_call) else {
                has_more = false;
                break;
            };
            self.write(call.may_be_dropped(), |jobs, server, app, out| match jobs {
                Some(jobs) => jobs.serve(call, server, &mut **app, out),
                None => Sent::Nothing,
            });
            self.settle_jobs();
            self.poll();
        }
        if let Some(jobs) = &self.jobs {
            jobs.cancel_ended(self.endpoint.server());
        }
        has_more
    }

    /// Lets the server write lines, and gives them to their exchange.
    fn write(
        &mut self,
        may_be_dropped: bool,
        call: impl FnOnce(
            &mut Option<JobHost>,
            &mut Server<Storage>,
            &mut Box<dyn Handler + Send>,
            &mut Sink<'_>,
        ) -> Sent,
    ) {
        let Self { jobs, endpoint, app, exchanges, lines, limits, now, .. } = self;
        let mut out = Sink::growable(lines, limits.output.max(MIN_OUTPUT));
        let sent = call(jobs, endpoint.server(), app, &mut out);
        if let Some(line) = endpoint.route(sent, &mut out)
            && (!may_be_dropped || exchanges.is_writable(line.channel(), limits))
        {
            exchanges.deliver(line, out.finish().unwrap_or_default(), *now);
        }
    }

    /// Writes the lines that are due for clients that keep up.
    pub(crate) fn poll(&mut self) {
        let Self { jobs, endpoint, app, exchanges, lines, limits, now, .. } = self;
        loop {
            let mut out = Sink::growable(lines, limits.output.max(MIN_OUTPUT));
            let is_writable = |channel| exchanges.is_writable(channel, limits);
            let line = with_app(jobs, app, |app| endpoint.poll(is_writable, app, &mut out));
            let Some(line) = line else {
                return;
            };
            exchanges.deliver(line, out.finish().unwrap_or_default(), *now);
        }
    }

    /// Moment at which something is to be done if nothing happens before.
    fn deadline(&self) -> Option<Instant> {
        let next = self.endpoint.next_deadline().and_then(|next| self.start.checked_add(next));
        let next = earliest(next, self.exchanges.deadline())?;
        Some(next.max(self.now + GRANULE))
    }

    /// Sets the alarm earlier, if it must be. Returns whether it was.
    fn set_alarm(&mut self) -> bool {
        let next = self.deadline();
        let is_earlier = next.is_some_and(|next| self.alarm.is_none_or(|alarm| next < alarm));
        if is_earlier {
            self.alarm = next;
        }
        is_earlier
    }
}

/// Calls `work` with the application as the server must see it.
fn with_app<R>(
    jobs: &mut Option<JobHost>,
    app: &mut Box<dyn Handler + Send>,
    work: impl FnOnce(&mut dyn Handler) -> R,
) -> R {
    match jobs {
        Some(jobs) => work(&mut jobs.application(&mut **app)),
        None => work(&mut **app),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
