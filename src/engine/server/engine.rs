//! A server and its application, as views: all work is done here.

use super::answer::Written;
use super::application::{Application, Guard};
use super::channel::Scope;
use super::state::{State, id_of, progress_token_of};
use super::storage::{CallSlot, CallState, SessionPhase, SessionSlot, Texts, Watcher};
use super::{Address, Answer, Channel, Context, Event, Handler, NotKept, Origin, Parts, Sent};
use crate::bytes::{Mark, Sink};
use crate::mcp::{Capabilities, Era, LoggingLevel};

/// A server and its application.
pub(super) struct Engine<'a, H: ?Sized, P> {
    pub(super) state: State<'a, P>,
    pub(super) app: Application<'a, H>,
    /// Receiver of what is written: another channel than that of the frame where a response continues a call.
    pub(super) to: Option<Address>,
    /// Every answer, or a shorter one, has fitted so far.
    has_room: bool,
}

impl<'a, H: Handler + ?Sized, P: Parts> Engine<'a, H, P> {
    pub(super) const fn new(state: State<'a, P>, app: &'a mut H, guard: &'a Guard) -> Self {
        Self { state, app: Application::new(app, guard), to: None, has_room: true }
    }

    /// Capabilities that the server offers to this peer.
    #[inline(always)]
    pub(super) fn offered(&self, origin: Origin) -> Capabilities {
        let mut hidden = Capabilities::NONE;
        hidden.set(Capabilities::TASKS, P::TASKS && P::TASK_RANDOM.is_none() && origin.is_exchange());
        self.app.offered::<P>().without(hidden)
    }

    pub(super) fn check_room(&mut self, written: Written) {
        if written == Written::No {
            self.has_room = false;
            self.app.event(Event::NoRoom);
        }
    }

    /// The outcome of a call that may have written since `start`; lines for a receiver that is gone are dropped.
    pub(super) fn sent(&self, start: Mark, out: &mut Sink<'_>) -> Sent {
        match self.to {
            _ if out.mark() == start && self.has_room => Sent::Nothing,
            _ if out.mark() == start => Sent::NoRoom,
            Some(to) => Sent::To(to),
            None => {
                out.rollback(start);
                Sent::Nothing
            }
        }
    }

    /// The empty result.
    pub(super) fn empty(&self, context: &Context<'_>, out: &mut Sink<'_>) -> Written {
        let extra = super::close::Extra::Nothing;
        self.app.empty::<P>(out, context.id, context.version, extra)
    }

    /// Frees a request of the client that is never answered, and tells the application.
    pub(super) fn drop_call(&mut self, place: usize) {
        let call = self.state.calls.get(place);
        let Some((state, token)) = call.map(|call| (call.state, call.token)) else {
            return;
        };
        self.state.remove_call(place);
        match state {
            CallState::Deferred => self.app.event(Event::Cancelled(token)),
            CallState::Own => self.app.event(Event::Answered(token, Answer::TimedOut)),
            _ => {}
        }
    }

    /// Forgets the session in this place, with everything that belongs to it.
    pub(super) fn end_session(&mut self, place: u16) {
        if let Some(session) = self.state.session_mut(Some(place)) {
            *session = SessionSlot { phase: SessionPhase::Closed, ..SessionSlot::FREE };
        }
        if P::SUBSCRIPTIONS {
            self.state.unwatch_all(Watcher::Session(place));
        }
        while let Some(task) =
            self.state.tasks.iter().position(|task| P::TASKS && task.session == Some(place))
        {
            if let Some(token) = self.state.remove_task(task) {
                self.app.event(Event::TaskForgotten(token));
            }
        }
        while let Some(call) = self.state.calls().iter().position(|call| call.session == Some(place)) {
            self.drop_call(call);
        }
    }

    /// Ends everything that belongs to a stream: its session, its modern requests, its subscriptions.
    pub(super) fn end_stream_of(&mut self, origin: Origin) {
        if let Some(session) = origin.session() {
            self.end_session(session);
        }
        self.end_channel(origin);
    }

    /// Ends what belongs to a channel alone: requests outside of a session, subscriptions. Requests of a session go on without it.
    pub(super) fn end_channel(&mut self, origin: Origin) {
        let channel = origin.channel();
        while let Some(call) = self
            .state
            .calls()
            .iter()
            .position(|call| call.scope == Scope::Channel(channel) || is_withdrawn(call, channel))
        {
            self.drop_call(call);
        }
        if P::CALLS {
            for call in self.state.calls.iter_mut() {
                if call.channel == Some(channel) {
                    call.channel = None;
                }
            }
        }
        while let Some(stream) =
            self.state.streams.iter().position(|stream| P::SUBSCRIPTIONS && stream.channel == channel)
        {
            self.state.close_stream(stream);
        }
    }
}

impl<P: Parts> State<'_, P> {
    /// The least severe level that the client of a kept request wants to see.
    pub(super) fn log_level_of(&self, call: &CallSlot) -> Option<LoggingLevel> {
        match call.version.get().era() {
            _ if !P::LOGGING => None,
            Era::Legacy => {
                call.log_level.map(|level| self.session(call.session).map_or(level, SessionSlot::log_level))
            }
            Era::Modern => call.log_level,
        }
    }
}

/// Whether all that is left of a call is the withdrawal of a question to this channel.
fn is_withdrawn(call: &CallSlot, channel: Channel) -> bool {
    call.state == CallState::Withdrawn && call.channel == Some(channel)
}

/// The context of a request that was kept, as far as it was kept.
pub(super) fn context_of<'t>(
    texts: Texts<'t>,
    call: &CallSlot,
    log_level: Option<LoggingLevel>,
) -> Context<'t> {
    let origin = match (call.scope, call.session) {
        (Scope::Channel(channel), Some(session)) => Origin::stream(channel, session),
        (Scope::Channel(channel), None) => Origin::exchange(channel),
        (Scope::Session(session), _) => Origin::exchange_in(call.channel.unwrap_or(Channel::CLOSED), session),
    };
    Context {
        progress_token: progress_token_of(texts, call),
        log_level,
        deferral: Err(NotKept::Busy),
        ..Context::new(origin, id_of(texts, call), call.method, call.version.get())
    }
}
