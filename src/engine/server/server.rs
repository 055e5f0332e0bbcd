//! The server.

use core::time::Duration;

#[cfg(feature = "std")]
use super::Fault;
use super::answer;
use super::application::Guard;
use super::channel::Scope;
use super::engine::Engine;
use super::reply::{Line, PromptReply, ResourceReply, ToolReply, can_ask, write_ping, write_request};
use super::state::{Core, NEVER, State, progress_token_of};
use super::storage::{CallSlot, CallState, Fixed, Span, Storage, TaskState, Used, Version};
use super::time::milliseconds;
use super::{
    Address, AskError, CallError, CallToken, Channel, Event, Frame, Handler, List, NotInFlight, Options,
    Origin, Outcome, Parts, Progress, PromptMessages, ResourceContents, Sent, TaskEnd, TaskToken,
    ToolContent, notify,
};
use crate::bytes::{Sink, Wide};
use crate::engine::server::answer::Written;
use crate::json::{AsText, RawValue, Writer};
use crate::mcp::{
    Capabilities, ClientCapabilities, Feature, InputRequest, LoggingLevel, Method, ProtocolVersion,
    TaskDigits, Text,
};
use crate::rpc::{Rejection, RequestId};

/// An MCP server as a state machine: all five revisions, both eras, any number of clients, no heap.
///
/// It keeps legacy sessions, requests that are answered later, subscriptions and tasks, in the [`Storage`] `S`: [`Fixed`] on devices,
/// `Heap` (feature `std`) on hosts. A request that is answered at once takes no storage. The server does not own the application: a call
/// that may need it takes it as an argument. [`Link`](crate::transport::Link) bundles both with the buffers of a stream.
///
/// After each call that may have made a line due, call [`poll`](Server::poll) until there is nothing to write; call it again at
/// [`next_deadline`](Server::next_deadline).
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::engine::{CallError, Frame, Handler, Origin, Outcome, Server, ToolCall, ToolReply};
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
///         reply: ToolReply<'_, '_>,
///     ) -> Result<Outcome, CallError<'a>> {
///         self.on = call.boolean("on") == Some(true);
///         Ok(reply.text(if self.on { "on" } else { "off" }))
///     }
/// }
///
/// let mut server = Server::new();
/// let mut lamp = Lamp { on: false };
/// let mut memory = [0; 256];
/// let mut out = Sink::new(&mut memory);
/// let line = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set_lamp","arguments":{"on":true}}}"#;
/// let sent = server.receive(Origin::ONLY, &mut Frame::new(line), &mut lamp, &mut out);
/// assert!(sent.fitted());
/// assert_eq!(
///     out.finish(),
///     Ok(&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"on\"}],\
///        \"isError\":false}}\n"[..])
/// );
/// assert!(lamp.on);
/// ```
#[derive(Debug)]
pub struct Server<S = Fixed> {
    core: Core,
    used: Used,
    guard: Guard,
    storage: S,
}

/// Number of bytes that an output must hold so that there is some answer to every request.
pub const MIN_OUTPUT: usize = answer::LEAST_ANSWER;

impl Server {
    /// A server with the default [`Fixed`] storage. `const`, so that it can be in a `static`.
    pub const fn new() -> Self {
        Self::with_storage(Fixed::new())
    }
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Server<S> {
    /// A server with this storage.
    pub const fn with_storage(storage: S) -> Self {
        Self { core: Core::new(), used: Used::NONE, guard: Guard::new(), storage }
    }

    /// The server with these options. Set them before the first frame.
    #[must_use]
    pub const fn with_options(mut self, options: Options) -> Self {
        self.core.options = options;
        self
    }

    pub(super) const fn options(&self) -> &Options {
        &self.core.options
    }

    /// The options, for a server that was made in a `static`. Change them before the first frame.
    pub const fn options_mut(&mut self) -> &mut Options {
        &mut self.core.options
    }

    /// Turns a panic of the application into an internal error of the request that it was handling, and reports other faults of the
    /// application, from now on.
    #[cfg(feature = "std")]
    pub(crate) const fn guard_against(&mut self, report: fn(Fault<'_>)) {
        self.guard.catches = true;
        self.guard.report = report;
    }
}

impl<S: Storage> Server<S> {
    pub(super) fn state(&mut self) -> State<'_, S::Parts> {
        State::new(&mut self.core, &mut self.used, &mut self.storage)
    }

    pub(super) fn engine<'a, H: Handler + ?Sized>(&'a mut self, app: &'a mut H) -> Engine<'a, H, S::Parts> {
        let state = State::new(&mut self.core, &mut self.used, &mut self.storage);
        Engine::new(state, app, &self.guard)
    }

    /// Makes room in a storage that can grow.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.storage.reserve(self.used, bytes);
    }

    /// Serves a frame. Its answer, and what the application reports before the answer, goes to the empty output `out`: whole lines for one
    /// receiver, the channel of the frame or of the request that a response continues. Nothing is written for a request that is
    /// answered later. [`Sent::NoRoom`] if the output has less than [`MIN_OUTPUT`] bytes and not even an error fits: the request has no
    /// answer then.
    ///
    /// A batch (2025-03-26) is answered element by element: call this again, with an emptied output, until the frame
    /// [is done](Frame::is_done).
    pub fn receive<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        frame: &mut Frame<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        loop {
            match self.receive_part(origin, frame, app, out) {
                // An element of a batch that is not answered.
                Sent::Nothing if !frame.is_done() => {}
                sent => return sent,
            }
        }
    }

    /// [`receive`](Server::receive) for the next element of a batch, be it answered or not.
    pub(crate) fn receive_part<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        frame: &mut Frame<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        let mark = out.mark();
        self.reserve(frame.len());
        let mut engine = self.engine(app);
        engine.receive(origin, frame, out);
        engine.sent(mark, out)
    }

    /// Takes the end of a line that was longer than its buffer; a [`Skipper`](crate::rpc::Skipper) has read it. `response` is its
    /// [`response_id`](crate::rpc::Skipper::response_id).
    pub fn receive_oversized<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        rejection: &Rejection<'_>,
        response: Option<RequestId<'_>>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        // A response may continue a call, which may keep another question.
        self.reserve(0);
        let mark = out.mark();
        let mut engine = self.engine(app);
        engine.oversized(origin, rejection, response, out);
        engine.sent(mark, out)
    }

    /// Takes note that the receiver has lost bytes of a line, which was dropped.
    pub fn lost<H: Handler + ?Sized>(&mut self, app: &mut H) {
        self.engine(app).app.event(Event::Lost);
    }

    /// Sets the monotonic time, and the time of day since 1970, which is only shown. A caller with a clock sets the time before it
    /// [receives](Server::receive) a frame. Without a clock nothing ever times out.
    pub fn set_time(&mut self, now: Duration, time_of_day: Duration) {
        // Leaves room for a later moment, so that a question asked now is not overdue at once.
        let now = milliseconds(now).min(u64::MAX - 1);
        self.core.time_of_day = milliseconds(time_of_day);
        if !self.core.has_time {
            self.core.has_time = true;
            let (created, before) = (Wide::new(self.core.time_of_day), self.core.now);
            if self.core.deadline != NEVER {
                self.core.deadline = self.core.deadline.saturating_add(now);
            }
            self.core.now = now;
            let mut state = self.state();
            // Whatever began before the first call of `set_time` counts as begun now.
            for task in state.tasks.iter_mut() {
                task.created = created;
                task.updated = Wide::new(task.updated.get().saturating_sub(before).saturating_add(now));
                task.started = Wide::new(now);
            }
            for call in state.calls.iter_mut().filter(|call| call.is_question()) {
                call.deadline = Wide::new(call.deadline.get().saturating_add(now));
            }
        }
        self.core.now = self.core.now.max(now);
    }

    /// Writes one line that is due, for a receiver for which `writable` is true; the others stay due. Lines come in the order in which they
    /// came due.
    ///
    /// A line that stays due keeps its place in the storage. So a receiver that may never be writable again, such as a session without a
    /// standing stream, counts as writable, and the caller discards its lines.
    ///
    /// [`Sent::NoRoom`] if the line does not fit into what is left of the output; call again with an empty one. A line that does not fit an
    /// empty output is replaced by a shorter one if it is a response, else dropped, with [`Event::NoRoom`].
    pub fn poll<H: Handler + ?Sized>(
        &mut self,
        mut writable: impl FnMut(Address) -> bool,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        if !self.is_due() {
            return Sent::Nothing;
        }
        // A call whose question has timed out may ask again.
        self.reserve(0);
        self.engine(app).poll(&mut |address, _| writable(address), out)
    }

    /// Whether a line may be due.
    pub(super) const fn is_due(&self) -> bool {
        self.core.has_due || self.core.is_late()
    }

    /// Time at which something may time out: then set the time and [`poll`](Server::poll). It is never later than the next deadline; it is
    /// earlier if what had that deadline has ended meanwhile.
    pub const fn next_deadline(&self) -> Option<Duration> {
        match self.core.deadline {
            NEVER => None,
            deadline => Some(Duration::from_millis(deadline)),
        }
    }

    /// The revision of the legacy session in this place of the storage, if one is open.
    pub fn session(&mut self, place: u16) -> Option<ProtocolVersion> {
        self.state().version(Some(place))
    }

    /// Number of requests that are to be answered later: by the application, or at the end of a task. Those that wait for the client's answer are
    /// not counted.
    pub fn in_flight(&mut self) -> usize {
        self.state().deferred()
    }

    /// Whether a channel has a request that is not answered yet, or an open stream.
    pub fn is_open(&mut self, channel: Channel) -> bool {
        let state = self.state();
        state.calls().iter().any(|call| call.channel == Some(channel))
            || state.streams.iter().any(|stream| stream.channel == channel)
    }

    /// Number of slots for calls and for tasks.
    #[cfg(feature = "std")]
    pub(crate) fn capacity(&mut self) -> usize {
        let tables = self.storage.tables();
        tables.calls.len().saturating_add(tables.tasks.len())
    }

    /// Whether the application is still to answer this call.
    pub fn is_in_flight(&mut self, token: CallToken) -> bool {
        self.state().find_deferred(token).is_some()
    }

    /// Starts anew for another peer on the same stream: its legacy session ends, its subscriptions end, its requests in flight are
    /// cancelled, each with its event.
    pub fn reset<H: Handler + ?Sized>(&mut self, origin: Origin, app: &mut H) {
        self.engine(app).end_stream_of(origin);
    }

    /// Takes note that a channel is gone, for example because an HTTP exchange has lost its client. Its requests are cancelled, each with its
    /// event, and its streams end; legacy requests of an HTTP session continue, and their lines go to the session. A stream whose peer is
    /// gone is [reset](Server::reset) instead, so that its session ends too.
    pub fn closed<H: Handler + ?Sized>(&mut self, channel: Channel, app: &mut H) {
        self.engine(app).end_channel(Origin::exchange(channel));
    }

    /// Ends the legacy session in this place of the storage: its requests in flight are cancelled, its tasks are forgotten, each with its event.
    pub fn end_session<H: Handler + ?Sized>(&mut self, place: u16, app: &mut H) {
        self.engine(app).end_session(place);
    }

    /// Tells all clients that a list has changed, if the server offers that.
    pub fn list_changed(&mut self, list: List) {
        self.state().list_changed(list);
    }

    /// Tells the clients that watch this resource that it has changed.
    pub fn resource_updated(&mut self, uri: &str) {
        self.state().resource_updated(uri);
    }

    /// Ends all streams of `subscriptions/listen`: each gets its result.
    pub fn end_streams(&mut self) {
        self.state().end_streams();
    }

    /// Gives up all questions to clients, as if their time were over, and asks no more. Calls that wait for an answer continue with
    /// [`Answer::TimedOut`](super::Answer::TimedOut).
    pub fn end_questions(&mut self) {
        let mut state = self.state();
        for session in state.sessions.iter_mut() {
            session.client = ClientCapabilities::NONE;
        }
        for call in state.calls.iter_mut().filter(|call| call.is_question()) {
            state.core.mark(&mut call.due);
        }
    }

    /// Answers a deferred call of a tool: `write` writes the result.
    ///
    /// [`Sent::NoRoom`] if not even an error fits: the call stays in flight.
    ///
    /// # Errors
    /// [`NotInFlight`]: the call was answered or cancelled before, or is not of a tool.
    pub fn complete_tool<'e, H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        app: &mut H,
        out: &mut Sink<'_>,
        write: impl FnOnce(ToolContent<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Sent, NotInFlight> {
        self.complete(token, Method::ToolsCall, Text::Plain(""), app, out, |line| {
            write(ToolReply::new(line).content())
        })
    }

    /// Answers a deferred read of a resource with this URI, as [`complete_tool`](Server::complete_tool) answers a call.
    ///
    /// # Errors
    /// [`NotInFlight`], as there.
    pub fn complete_read<'e, H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        uri: &str,
        app: &mut H,
        out: &mut Sink<'_>,
        write: impl FnOnce(ResourceContents<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Sent, NotInFlight> {
        self.complete(token, Method::ResourcesRead, Text::Plain(uri), app, out, |line| {
            write(ResourceReply::new(line).contents())
        })
    }

    /// Answers a deferred request for a prompt, as [`complete_tool`](Server::complete_tool) answers a call; `description` describes the prompt.
    ///
    /// # Errors
    /// [`NotInFlight`], as there.
    pub fn complete_prompt<'e, H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        description: Option<&str>,
        app: &mut H,
        out: &mut Sink<'_>,
        write: impl FnOnce(PromptMessages<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Sent, NotInFlight> {
        let none = Text::Plain("");
        self.complete(token, Method::PromptsGet, none, app, out, |line| {
            let reply = PromptReply::new(line);
            write(match description {
                Some(description) => reply.description(description),
                None => reply.messages(),
            })
        })
    }

    // Not inlined: 232 bytes less stack in the deferring server of the footprint.
    #[inline(never)]
    fn complete<'e, H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        method: Method,
        uri: Text<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
        write: impl FnOnce(Line<'_, '_>) -> Result<Outcome, CallError<'e>>,
    ) -> Result<Sent, NotInFlight> {
        let mut engine = self.engine(app);
        let place = engine.state.find_deferred(token).ok_or(NotInFlight)?;
        let call = engine.state.calls.get(place).ok_or(NotInFlight)?;
        if call.method != method {
            return Err(NotInFlight);
        }
        let address = State::<S::Parts>::address_of(call);
        let mark = out.mark();
        Ok(match engine.complete(place, uri, out, write) {
            Written::No => {
                engine.app.event(Event::NoRoom);
                Sent::NoRoom
            }
            _ => match address {
                Some(address) => Sent::To(address),
                None => {
                    out.rollback(mark);
                    Sent::Nothing
                }
            },
        })
    }

    /// Reports the progress of a deferred call. [`Sent::Nothing`] if the client does not want it, or if the progress is not greater than
    /// the one before.
    ///
    /// # Errors
    /// [`NotInFlight`]: the call was answered or cancelled.
    pub fn progress<'p>(
        &mut self,
        token: CallToken,
        progress: impl Into<Progress<'p>>,
        out: &mut Sink<'_>,
    ) -> Result<Sent, NotInFlight> {
        let progress = &progress.into();
        let mut state = self.state();
        let place = state.find_deferred(token).ok_or(NotInFlight)?;
        let texts = state.arena.texts();
        let call = state.calls.get_mut(place).ok_or(NotInFlight)?;
        let address = State::<S::Parts>::address_of(call);
        let Some((progress_token, address)) = progress_token_of(texts, call).zip(address) else {
            return Ok(Sent::Nothing);
        };
        if call.progress().is_some_and(|last| !progress.progress.exceeds(last)) {
            self.guard.progress_refused();
            return Ok(Sent::Nothing);
        }
        let written = notify::progress(out, call.version.get(), progress_token, progress, None);
        if written == Written::Yes {
            call.set_progress(Some(progress.progress));
        }
        Ok(written.to(address))
    }

    /// Sends a log message that belongs to a deferred call, if its client wants the level.
    ///
    /// # Errors
    /// [`NotInFlight`]: the call was answered or cancelled.
    pub fn log_for(
        &mut self,
        token: CallToken,
        level: LoggingLevel,
        logger: Option<&str>,
        data: impl AsText,
        out: &mut Sink<'_>,
    ) -> Result<Sent, NotInFlight> {
        let state = self.state();
        let place = state.find_deferred(token).ok_or(NotInFlight)?;
        let call = state.calls.get(place).ok_or(NotInFlight)?;
        match State::<S::Parts>::address_of(call) {
            Some(address) if state.log_level_of(call).is_some_and(|least| level >= least) => {
                Ok(notify::log(out, level, logger, data).to(address))
            }
            _ => Ok(Sent::Nothing),
        }
    }

    /// Sends a log message to the legacy session in this place of the storage, if its client wants the level and the server offers log messages.
    pub fn log<H: Handler + ?Sized>(
        &mut self,
        session: u16,
        level: LoggingLevel,
        logger: Option<&str>,
        data: impl AsText,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        let engine = self.engine(app);
        let is_wanted = engine
            .state
            .session(Some(session))
            .is_some_and(|session| session.phase.version().is_some() && level >= session.log_level());
        match is_wanted && engine.app.offered::<S::Parts>().has(Capabilities::LOGGING) {
            true => notify::log(out, level, logger, data).to(Address::Session(session)),
            false => Sent::Nothing,
        }
    }

    /// Tells the client of the legacy session in this place of the storage that the user has left the page of a URL elicitation (2025-11-25).
    pub fn elicitation_complete(&mut self, session: u16, id: &str, out: &mut Sink<'_>) -> Sent {
        let version = self.state().version(Some(session));
        match version.is_some_and(|version| version.has(Feature::ElicitationId)) {
            true => notify::elicitation_complete(out, id).to(Address::Session(session)),
            false => Sent::Nothing,
        }
    }

    /// Asks the client of the legacy session in this place of the storage something outside of any call, for example for its roots. The answer is
    /// [`Event::Answered`] with this token.
    ///
    /// # Errors
    /// [`AskError`]: nothing is written.
    pub fn ask(
        &mut self,
        session: u16,
        request: &InputRequest<'_>,
        out: &mut Sink<'_>,
    ) -> Result<CallToken, AskError> {
        let can_ask = |version, client| can_ask(request, version, client);
        let version = self.version_to_ask(session, can_ask)?;
        self.send(session, request.method(), version, out, |json, id| {
            write_request(json, id, request, version, None);
        })
    }

    /// The revision of a session whose client is ready, and can be asked.
    pub(super) fn version_to_ask(
        &mut self,
        session: u16,
        can_ask: impl FnOnce(ProtocolVersion, ClientCapabilities) -> bool,
    ) -> Result<ProtocolVersion, AskError> {
        let state = self.state();
        let session = state.session(Some(session)).ok_or(AskError::NoSession)?;
        let version = session.phase.version().filter(|_| session.phase.is_ready());
        let version = version.ok_or(AskError::NoSession)?;
        match can_ask(version, session.client) {
            true => Ok(version),
            false => Err(AskError::MissingCapability),
        }
    }

    /// Asks the client of the legacy session in this place of the storage whether it is there, also before it is ready. The answer is
    /// [`Event::Answered`] with this token.
    ///
    /// # Errors
    /// [`AskError`]: nothing is written.
    pub fn ping(&mut self, session: u16, out: &mut Sink<'_>) -> Result<CallToken, AskError> {
        let version = self.state().version(Some(session));
        // Without that part nobody would take the answer.
        let version = version.filter(|_| S::Parts::ASKING && S::Parts::LEGACY);
        let version = version.ok_or(AskError::NoSession)?;
        self.send(session, Method::Ping, version, out, write_ping)
    }

    pub(super) fn send(
        &mut self,
        session: u16,
        method: Method,
        version: ProtocolVersion,
        out: &mut Sink<'_>,
        write: impl FnOnce(&mut Writer<'_, '_>, u32),
    ) -> Result<CallToken, AskError> {
        self.reserve(0);
        let mut state = self.state();
        if !S::Parts::CALLS || state.calls.is_full() {
            return Err(AskError::Busy);
        }
        let mark = out.mark();
        write(&mut Writer::new(out), state.next_question());
        if out.is_full() {
            out.rollback(mark);
            return Err(AskError::NoRoom);
        }
        let call = CallSlot {
            session: Some(session),
            scope: Scope::Session(session),
            method,
            version: Version::new(version),
            ..CallSlot::FREE
        };
        state.insert_question(call, CallState::Own, Span::EMPTY).map_err(AskError::from)
    }

    /// Whether a task is still running.
    pub fn is_task_running(&mut self, token: TaskToken) -> bool {
        self.state().is_task_running(token)
    }

    /// Ends a task. Who waits for its result gets it, who watches it is told.
    ///
    /// # Errors
    /// [`NotInFlight`]: the task has ended, or is forgotten.
    pub fn finish_task(&mut self, token: TaskToken, end: TaskEnd) -> Result<(), NotInFlight> {
        let mut state = self.state();
        if !state.is_task_running(token) {
            return Err(NotInFlight);
        }
        state.set_task(token, TaskState::ended(end));
        state.task_changed(token);
        Ok(())
    }

    /// Describes the state of a task to its client.
    ///
    /// # Errors
    /// [`NotInFlight`]: the task has ended, or is forgotten.
    pub fn describe_task(&mut self, token: TaskToken, message: &'static str) -> Result<(), NotInFlight> {
        let mut state = self.state();
        let now = Wide::new(state.core.now);
        let task = state.task_mut(token).filter(|task| !task.state.is_final());
        let task = task.ok_or(NotInFlight)?;
        task.message = Some(message);
        task.updated = now;
        state.task_changed(token);
        Ok(())
    }

    /// Reports the progress of a task (2025-11-25). [`Sent::Nothing`] if its client does not want it, or if the progress is not greater
    /// than the one before.
    ///
    /// # Errors
    /// [`NotInFlight`]: the task has ended, or is forgotten.
    pub fn task_progress<'p>(
        &mut self,
        token: TaskToken,
        progress: impl Into<Progress<'p>>,
        out: &mut Sink<'_>,
    ) -> Result<Sent, NotInFlight> {
        let progress = &progress.into();
        let mut state = self.state();
        let task = state.task(token).filter(|task| !task.state.is_final());
        let task = *task.ok_or(NotInFlight)?;
        let [_, _, progress_token] = state.texts_of_task(&task);
        let is_wanted = !progress_token.is_empty() && !task.version.get().has(Feature::Extensions);
        let Some(session) = task.session.filter(|_| is_wanted) else {
            return Ok(Sent::Nothing);
        };
        if task.progress().is_some_and(|last| !progress.progress.exceeds(last)) {
            self.guard.progress_refused();
            return Ok(Sent::Nothing);
        }
        let mut digits = TaskDigits::default();
        let id = Some(state.id_of_task(&task, &mut digits));
        let progress_token = RawValue::from_valid(progress_token);
        let written = notify::progress(out, task.version.get(), progress_token, progress, id);
        if let (Written::Yes, Some(task)) = (written, state.task_mut(token)) {
            task.set_progress(Some(progress.progress));
        }
        Ok(written.to(Address::Session(session)))
    }

    /// Makes a task wait for input of its client. A legacy client is sent the first of the [questions](super::TaskHandler::task_questions); a
    /// modern client finds all of them in the task.
    ///
    /// # Errors
    /// [`AskError`]: nothing is written, and the task continues.
    pub fn task_needs_input<H: Handler + ?Sized>(
        &mut self,
        token: TaskToken,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Result<Sent, AskError> {
        self.reserve(0);
        let mut engine = self.engine(app);
        let task = engine.state.task(token).filter(|task| !task.state.is_final());
        let task = *task.ok_or(AskError::NotRunning)?;
        let mut sent = Sent::Nothing;
        if task.state != TaskState::InputRequired {
            if task.version.get().has(Feature::Extensions) {
                // Nobody would ever answer a question that the client cannot be asked.
                let mut nowhere = Sink::counting();
                engine.write_task_questions(&mut Writer::new(&mut nowhere), token)?;
            } else {
                let session = engine.ask_for_task(token, out)?;
                sent = Sent::To(Address::Session(session));
            }
            engine.state.set_task(token, TaskState::InputRequired);
        }
        engine.state.task_changed(token);
        Ok(sent)
    }
}
