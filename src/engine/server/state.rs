//! The server: its state, and the way of a frame through it.

use core::marker::PhantomData;

use super::answer::{self, Written};
use super::application::Application;
use super::in_flight::InFlight;
use super::parts::of_parts;
use super::subscriptions::Subscriptions;
use super::tasks::Tasks;
use super::{Answer, Event, Full, Handler, Options, Parts, TaskToken, UnreadableId};
use crate::bytes::{Mark, Next, Sink};
use crate::json::{Elements, RawValue};
use crate::mcp::{Capabilities, Feature, LoggingLevel, Method, PackedCapabilities, ProtocolVersion};
use crate::rpc::{
    ErrorCode, Message, Notification, Reason, Rejection, Reply, RequestId, Response, Rules, Skipper,
    classify_with, response_id,
};

/// An MCP server as a state machine: all five revisions, both eras on one link, no heap.
///
/// It keeps the revision of a legacy session, the calls that are answered later (`CALLS` of them; 0 where all are answered
/// at once, which saves more than a kilobyte of flash), the subscriptions (`SUBSCRIPTIONS` streams and as many watched
/// resources), the tasks (`TASKS` of them), and nothing else. The ids that are kept have at most `ID` bytes, quotes
/// included (that of a call together with its progress token, unless they are the same), and other texts at most `TEXT`
/// bytes: the URI of a watched resource, what is kept of a question; none has more than 65535. What is answered at once
/// has no such limits. `P` says which [`Parts`] of the protocol it is built with.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Disposition, Handler, Server, Status, ToolCall, ToolReply};
/// use barewire::mcp::{Implementation, Parameter, Tool, Type};
///
/// struct Lamp { on: bool }
///
/// const TOOLS: &[Tool<'_>] = &[Tool::new("set_lamp", "Switches the lamp on or off.")
///     .with_parameters(&[Parameter::required("on", Type::Boolean)])];
///
/// impl Handler for Lamp {
///     fn info(&self) -> Implementation<'_> {
///         Implementation::new("lamp", "1.0")
///     }
///
///     fn tools(&self) -> &[Tool<'_>] {
///         TOOLS
///     }
///
///     fn call_tool<'a>(
///         &mut self,
///         call: ToolCall<'a>,
///         reply: &mut ToolReply<'_, '_>,
///     ) -> Result<Disposition, CallError<'a>> {
///         self.on = call.boolean("on") == Some(true);
///         reply.text(if self.on { "on" } else { "off" });
///         Ok(Disposition::Done)
///     }
/// }
///
/// let mut server: Server<Lamp> = Server::new(Lamp { on: false });
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let status = server.handle_frame(
///     br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_lamp","arguments":{"on":true}}}"#,
///     &mut out,
/// );
/// assert_eq!(status, Status::Done);
/// assert_eq!(
///     out.finish(),
///     Ok(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"on\"}],\
///        \"isError\":false}}\n"[..])
/// );
/// assert!(server.handler().on);
/// ```
#[derive(Debug)]
pub struct Server<
    H: Handler + ?Sized,
    P: Parts = Full,
    const CALLS: usize = 4,
    const SUBSCRIPTIONS: usize = 2,
    const ID: usize = 48,
    const TEXT: usize = 64,
    const TASKS: usize = 2,
> {
    pub(super) options: Options,
    pub(super) session: Session,
    pub(super) calls: InFlight<CALLS, ID, TEXT>,
    pub(super) subscriptions: Subscriptions<SUBSCRIPTIONS, ID, TEXT>,
    pub(super) tasks: Tasks<TASKS, ID>,
    /// Monotonic time in milliseconds, as set by the caller.
    pub(super) now: u64,
    /// Time of day in milliseconds since 1970, as set by the caller.
    pub(super) time_of_day: u64,
    /// Whether the caller has set the time.
    pub(super) has_time: bool,
    skipper: Skipper<ID>,
    parts: PhantomData<fn() -> P>,
    // Last, so that a server of any handler is a server of `dyn Handler` too.
    pub(super) handler: Application<H>,
}

/// What ends with the peer: what a legacy handshake has settled, and what is under way. At first all is zero in memory, as
/// `Setting` says, and it starts as the envelope of a message does: so one function clears both.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct Session {
    /// How many receivers the change that is being told was told to.
    pub(super) told: usize,
    /// Place in the current batch, after the last element that was answered. 0 for none.
    batch: usize,
    pub(super) version: Option<ProtocolVersion>,
    /// The client has said that it is ready, or shown it by a request: before, it hears of no change (MCP lifecycle).
    pub(super) is_ready: bool,
    /// As the client has set it.
    pub(super) log_level: Option<LoggingLevel>,
    pub(super) client: PackedCapabilities,
    /// The task that is being told of, if there was no room for all of it.
    pub(super) telling: Option<TaskToken>,
}

impl Session {
    const fn new() -> Self {
        Self {
            told: 0,
            batch: 0,
            version: None,
            is_ready: false,
            log_level: None,
            client: PackedCapabilities::NONE,
            telling: None,
        }
    }

    /// The least severe level that the client wants to see.
    pub(super) fn log_level(&self) -> LoggingLevel {
        self.log_level.unwrap_or(LoggingLevel::Info)
    }
}

/// Whether a call has written all it had to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
pub enum Status {
    /// It has.
    Done,
    /// The output is full: send it, and make the same call again with an empty one.
    More,
}

/// A list that can change at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs, reason = "the names are the lists'")]
pub enum List {
    Tools,
    Resources,
    Prompts,
}

impl<
    H: Handler,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// A server before its first frame. `const`, so that it can live in a `static`.
    pub const fn new(handler: H) -> Self {
        Self::with_options(handler, Options::DEFAULT)
    }

    /// [`new`](Server::new), with options.
    pub const fn with_options(handler: H, options: Options) -> Self {
        Self {
            options,
            session: Session::new(),
            calls: InFlight::new(),
            subscriptions: Subscriptions::new(),
            tasks: Tasks::new(),
            now: 0,
            time_of_day: 0,
            has_time: false,
            skipper: Skipper::new(),
            parts: PhantomData,
            handler: Application::new(handler),
        }
    }
}

impl<
    H: Handler + ?Sized,
    P: Parts,
    const CALLS: usize,
    const SUBSCRIPTIONS: usize,
    const ID: usize,
    const TEXT: usize,
    const TASKS: usize,
> Server<H, P, CALLS, SUBSCRIPTIONS, ID, TEXT, TASKS>
{
    /// An output of as many bytes has room for some answer to every request.
    pub const MIN_OUTPUT: usize = answer::LEAST_ANSWER;

    /// The application.
    pub const fn handler(&self) -> &H {
        &self.handler.handler
    }

    /// The application.
    pub const fn handler_mut(&mut self) -> &mut H {
        &mut self.handler.handler
    }

    /// The options of a server that was made in a `static`. Change them before the first frame.
    pub const fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// What the server offers: what the application does, as far as the server is built for it.
    pub(super) fn offered(&self) -> Capabilities {
        of_parts::<P>(self.handler.capabilities())
    }

    /// The revision of the legacy session, if one is open.
    pub const fn session(&self) -> Option<ProtocolVersion> {
        self.session.version
    }

    /// Turns a panic of the application into an internal error of the call that it was handling, from now on.
    #[cfg(feature = "std")]
    pub(crate) const fn catch_panics(&mut self) {
        self.handler.catch_panics();
    }

    /// How many calls the application is to answer later. Those that wait for the client's answer are not among them.
    pub fn in_flight(&self) -> usize {
        self.calls.deferred()
    }

    /// Starts afresh for another peer on the same link: no session, no subscription. Calls in flight are cancelled, each
    /// with its event.
    pub fn reset(&mut self) {
        self.session = Session::new();
        self.subscriptions.clear();
        self.skipper.reset();
        while let Some(token) = self.tasks.pop().filter(|_| P::TASKS) {
            self.handler.event(Event::TaskForgotten(token));
        }
        while let Some(entry) = &self.calls.pop() {
            if entry.is_deferred() {
                self.handler.event(Event::Cancelled(entry.token()));
            } else if entry.is_own() {
                self.handler
                    .event(Event::Answered(entry.token(), Answer::TimedOut));
            }
        }
    }

    /// Takes what a [`Framer`](crate::bytes::Framer) found, and writes what is owed. `None` when the framer needs more
    /// bytes: then send the output, and read. On [`Status::More`] send the output and pass the same line again
    /// ([`Framer::again`](crate::bytes::Framer::again)).
    pub fn receive(&mut self, next: Next<'_>, out: &mut Sink<'_>) -> Option<Status> {
        match next {
            Next::Line(line) => return Some(self.handle_frame(line, out)),
            Next::Part(part) => self.skip(part),
            Next::TooLong => self.skipped(out),
            Next::Lost => self.lost(),
            Next::NeedMore => return None,
        }
        Some(Status::Done)
    }

    /// Takes one frame, without or with its newline, and writes what is owed: one line to a request, none to a
    /// notification or a response. A blank frame is ignored.
    ///
    /// [`Status::More`] comes only from a batch, of which each call answers one element: send the output, and pass the
    /// same frame again. Batches are served in a session of 2025-03-26.
    ///
    /// `out` should be empty: what does not fit the room that is left is replaced by an error. Linear in the length of
    /// the frame, besides what the handler does.
    pub fn handle_frame(&mut self, frame: &[u8], out: &mut Sink<'_>) -> Status {
        if self.session.batch == 0 {
            if frame.iter().all(|byte| crate::json::is_white_space(*byte)) {
                return Status::Done;
            }
            self.handle(frame, false, out);
        }
        // The frame was judged when the batch began; each element is judged again, on its own.
        while let Some(element) = self.next_of_batch(frame) {
            let before = out.len();
            self.handle(element.as_bytes(), true, out);
            if out.len() > before && self.session.batch > 0 {
                return Status::More;
            }
        }
        Status::Done
    }

    /// Handles a frame, but for a batch, which begins; or an element of one.
    #[inline(never)]
    fn handle(&mut self, text: &[u8], is_element: bool, out: &mut Sink<'_>) {
        // By reference: no copy of what it is.
        match &judge(text, &self.options.rules()) {
            // `initialize` settles what a batch is: it stands alone (2025-03-26, lifecycle).
            Ok(Message::Request(request)) if is_element && request.method() == Method::Initialize.name() => {
                let (code, text) = (ErrorCode::INVALID_REQUEST, "Invalid Request");
                let written = answer::error(out, &request.id(), code, text);
                self.check_room(written);
            }
            Ok(Message::Request(request)) => {
                self.handler.take_failure();
                let mark = out.mark();
                let written = self.request(request, out);
                let written = self.unless_failed(written, mark, &request.id(), out);
                self.check_room(written);
            }
            Ok(Message::Notification(notification)) => self.notification(notification, out),
            Ok(Message::Response(response)) => {
                let question = response.id().and_then(RequestId::to_i64);
                if !P::ASKING || !P::LEGACY || !self.answered(question, Some(response), out) {
                    self.unasked(response);
                }
            }
            Err(rejection) if !is_element && self.begin_batch(text, rejection) => {}
            Err(rejection) => {
                reject(&mut self.handler, self.options.unreadable_id, rejection, out);
                if P::ASKING && rejection.reply() == Reply::Nobody {
                    let question = response_id(text).and_then(RequestId::to_i64);
                    self.answered(question, None, out);
                }
            }
        }
    }

    /// Replaces the output since `mark` by an error if the application has panicked.
    pub(super) fn unless_failed(
        &self,
        written: Written,
        mark: Mark,
        id: &RequestId<'_>,
        out: &mut Sink<'_>,
    ) -> Written {
        if !self.handler.take_failure() {
            return written;
        }
        out.rollback(mark);
        answer::error(out, id, ErrorCode::INTERNAL_ERROR, "Internal error")
    }

    /// A response that nobody waits for. A function of its own, for the stack of all else.
    #[inline(never)]
    fn unasked(&mut self, response: &Response<'_>) {
        self.handler.event(Event::Response(*response));
    }

    /// Whether the frame is a batch, and is served. An empty one is none (JSON-RPC 2.0 section 6).
    fn begin_batch(&mut self, frame: &[u8], rejection: &Rejection<'_>) -> bool {
        let version = self.session.version.filter(|_| P::LEGACY);
        if rejection.reason() != Reason::Batch
            || !version.is_some_and(|version| version.has(Feature::Batches))
        {
            return false;
        }
        let bracket = rejection.offset().unwrap_or_default();
        let place = bracket.saturating_add(1);
        let has_elements = Elements::from_place(frame, place).next().is_some();
        if has_elements {
            self.session.batch = place;
        }
        has_elements
    }

    /// The next element of the batch; moves the place past it, or to 0 if it was the last. A function of its own, so
    /// that what it needs is off the stack when the element is handled.
    #[inline(never)]
    fn next_of_batch<'a>(&mut self, frame: &'a [u8]) -> Option<RawValue<'a>> {
        if self.session.batch == 0 {
            return None;
        }
        let mut elements = Elements::from_place(frame, self.session.batch);
        let element = elements.next();
        let place = elements.place();
        self.session.batch = match elements.next() {
            Some(_) => place,
            None => 0,
        };
        element
    }

    /// Takes a piece of a line that is too long to be kept.
    pub fn skip(&mut self, part: &[u8]) {
        self.skipper.feed(part);
    }

    /// The line whose pieces were skipped has ended: writes what is owed.
    #[inline(never)]
    pub fn skipped(&mut self, out: &mut Sink<'_>) {
        let rejection = self.skipper.finish();
        reject(&mut self.handler, self.options.unreadable_id, &rejection, out);
        let question = match rejection.reply() {
            Reply::Nobody if P::ASKING => self.skipper.response_id().and_then(RequestId::to_i64),
            _ => None,
        };
        self.skipper.reset();
        if P::ASKING {
            self.answered(question, None, out);
        }
    }

    /// A line was damaged and dropped: nothing is owed.
    pub fn lost(&mut self) {
        self.skipper.reset();
        self.handler.event(Event::Lost);
    }

    pub(super) fn check_room(&mut self, written: Written) {
        if written == Written::No {
            self.handler.event(Event::NoRoom);
        }
    }

    #[inline(never)]
    fn notification(&mut self, notification: &Notification<'_>, out: &mut Sink<'_>) {
        let name = notification.method();
        if name == *Method::Cancelled.name() {
            return self.cancelled(notification, out);
        }
        self.session.is_ready |= self.session.version.is_some() && name == *Method::Initialized.name();
        self.handler.event(Event::Notification(*notification));
    }

    /// A malformed one, or one for an id that is not in flight, is ignored.
    fn cancelled(&mut self, notification: &Notification<'_>, out: &mut Sink<'_>) {
        let id = Message::Notification(*notification).request_id();
        let Some(id) = id.ok().flatten().and_then(RequestId::of) else {
            return;
        };
        match &self.calls.take_id(id) {
            Some(entry) if P::ASKING && P::LEGACY && entry.question.is_some() => self.give_up(entry, out),
            Some(entry) if entry.is_deferred() => self.handler.event(Event::Cancelled(entry.token())),
            // It waited for the result of a task, which goes on.
            Some(_) => {}
            None if !P::SUBSCRIPTIONS => {}
            None => {
                let closed = self.subscriptions.close(id);
                // Between two rounds of a change: whoever is told next has moved up. (The session is told before all streams.)
                if closed.is_some_and(|at| at.saturating_add(1) < self.session.told) {
                    self.session.told = self.session.told.saturating_sub(1);
                }
            }
        }
    }
}

/// [`classify_with`] in a frame of its own on the stack: there is one call of it, and what it needs is as much as all else.
#[inline(never)]
fn judge<'a>(text: &'a [u8], rules: &Rules) -> Result<Message<'a>, Rejection<'a>> {
    classify_with(text, rules)
}

/// Answers a frame that is no message, if that is owed, and tells the application.
fn reject<H: Handler + ?Sized>(
    handler: &mut H,
    unreadable_id: UnreadableId,
    rejection: &Rejection<'_>,
    out: &mut Sink<'_>,
) {
    let (code, text) = (rejection.code(), rejection.reason().message());
    let written = match rejection.reply() {
        Reply::Nobody => Written::Yes,
        Reply::Null => answer::unreadable(out, unreadable_id, code, text),
        Reply::To(id) => answer::error(out, &id, code, text),
    };
    handler.event(Event::Rejected(*rejection));
    if written == Written::No {
        handler.event(Event::NoRoom);
    }
}
