//! Questions of deferred calls to their clients.

#[cfg(not(feature = "seal"))]
use core::marker::PhantomData;

use super::answer::{self, Written};
use super::close::Extra;
use super::engine::context_of;
#[cfg(feature = "std")]
use super::reply::write_written;
#[cfg(feature = "seal")]
use super::seal::{Purpose, Subject};
use super::state::{Core, State};
use super::storage::{CallSlot, CallState, Storage};
use super::{AskError, CallError, CallToken, Handler, Origin, Parts, Sent, Server};
use crate::bytes::{Mark, Sink};
#[cfg(feature = "std")]
use crate::json::Object;
use crate::json::{JsonStr, Writer};
use crate::mcp::{ClientCapabilities, Method, Text};

/// Why a legacy client was not asked, as the error of the call.
pub(crate) fn refusal(error: AskError, needs: ClientCapabilities) -> CallError<'static> {
    match error {
        AskError::Busy => CallError::Busy,
        AskError::NoSession | AskError::MissingCapability => CallError::MissingCapability(needs),
        _ => CallError::Internal,
    }
}

/// The caller of a tool that asks: the seal of the state is for this caller alone. Without seals it is empty, which saves firmware with an
/// asynchronous tool 1.6 KiB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller<'a> {
    #[cfg(feature = "seal")]
    origin: Origin,
    /// Name of the tool.
    #[cfg(feature = "seal")]
    subject: JsonStr<'a>,
    #[cfg(not(feature = "seal"))]
    empty: PhantomData<&'a ()>,
}

impl<'a> Caller<'a> {
    #[cfg(feature = "seal")]
    pub(crate) const fn new(origin: Origin, subject: JsonStr<'a>) -> Self {
        Self { origin, subject }
    }

    #[cfg(not(feature = "seal"))]
    pub(crate) const fn new(_: Origin, _: JsonStr<'a>) -> Self {
        Self { empty: PhantomData }
    }

    /// Seals the string that was written since `start`, if the server has a seal.
    #[cfg(feature = "seal")]
    fn seal(self, core: &Core, method: Method, out: &mut Sink<'_>, start: Mark) {
        if let Some((seal, until)) = core.seal() {
            let purpose =
                Purpose { origin: self.origin, method: method.name(), subject: Subject::Json(self.subject) };
            seal.close(out, start, &purpose, until);
        }
    }

    #[cfg(not(feature = "seal"))]
    fn seal(self, _: &Core, _: Method, _: &mut Sink<'_>, _: Mark) {}
}

impl<S: Storage> Server<S> {
    /// Ends a deferred call of a modern client with a question: `questions` writes the member `inputRequests`, and `state` the value of
    /// `requestState`. The client makes the call again, with the answer. A server without that part ends it with an error. Without room for an error the call stays in flight.
    pub(crate) fn ask_with_result<H: Handler + ?Sized>(
        &mut self,
        (token, caller): (CallToken, Caller<'_>),
        app: &mut H,
        out: &mut Sink<'_>,
        questions: impl FnOnce(&mut Writer<'_, '_>),
        state: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Sent {
        if !S::Parts::ASKING || !S::Parts::MODERN {
            return self.fail(token, CallError::Internal, app, out);
        }
        let mut engine = self.engine(app);
        let Some(place) = engine.state.find_deferred(token) else {
            return Sent::Nothing;
        };
        let start = out.mark();
        let Some(call) = engine.state.calls.get(place) else {
            return Sent::Nothing;
        };
        engine.to = State::<S::Parts>::address_of(call);
        let context = context_of(engine.state.arena.texts(), call, None);
        let mut json = Writer::new(out);
        answer::begin_input_required(&mut json, &context.id);
        questions(&mut json);
        json.name("requestState");
        let before = json.sink().mark();
        state(&mut json);
        caller.seal(engine.state.core, context.method, json.sink(), before);
        engine.app.close::<S::Parts>(&mut json, context.version, Extra::Nothing);
        let written = match answer::is_whole(out, start) {
            true => Written::Yes,
            false => {
                engine.app.too_large(&context);
                answer::too_large(out, &context.id)
            }
        };
        if written != Written::No {
            engine.state.remove_call(place);
        }
        engine.check_room(written);
        engine.sent(start, out)
    }

    /// Asks the legacy client of a deferred call, as [`ask`](Server::ask) does, on the stream of the call. The request of this method is written already,
    /// as an object with the members `method` and `params`.
    #[cfg(feature = "std")]
    pub(crate) fn ask_written(
        &mut self,
        call: CallToken,
        (method, needs): (Method, ClientCapabilities),
        request: Object<'_>,
        out: &mut Sink<'_>,
    ) -> Result<(CallToken, Sent), AskError> {
        let state = self.state();
        let call = state.find_deferred(call).and_then(|place| state.calls.get(place));
        let call = call.ok_or(AskError::NoSession)?;
        let (Some(session), Some(address)) = (call.session, State::<S::Parts>::address_of(call)) else {
            return Err(AskError::NoSession);
        };
        let can_ask = |_, client: ClientCapabilities| client.has(needs);
        let version = self.version_to_ask(session, can_ask)?;
        let question =
            self.send(session, method, version, out, |json, id| write_written(json, id, request))?;
        Ok((question, Sent::To(address)))
    }

    /// Answers a deferred request with an error, or forgets it if not even that fits.
    pub(crate) fn fail<H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        error: CallError<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        let start = out.mark();
        let mut engine = self.engine(app);
        let Some(place) = engine.state.find_deferred(token) else {
            return Sent::Nothing;
        };
        engine.to = engine.state.calls.get(place).and_then(State::<S::Parts>::address_of);
        let written = engine.complete(place, Text::Plain(""), out, |_| Err(error));
        engine.check_room(written);
        let sent = engine.sent(start, out);
        self.forget(token);
        sent
    }

    /// Forgets a deferred call for which not even an error fits the output.
    pub(crate) fn forget(&mut self, token: CallToken) {
        let mut state = self.state();
        if let Some(place) = state.find_deferred(token) {
            state.remove_call(place);
        }
    }

    /// Withdraws a question of the server's own: the client is told, and its answer is not waited for.
    pub(crate) fn withdraw(&mut self, token: CallToken) {
        if !S::Parts::ASKING || !S::Parts::LEGACY {
            return;
        }
        let mut state = self.state();
        let is_it = |call: &CallSlot| call.state == CallState::Own && call.token == token;
        if let Some(place) = state.calls().iter().position(is_it) {
            state.withdraw(place);
        }
    }
}
