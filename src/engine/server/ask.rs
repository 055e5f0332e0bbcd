//! Questions of deferred calls to their clients.

use super::answer::{self, Written};
use super::close::Extra;
use super::engine::context_of;
#[cfg(feature = "std")]
use super::reply::write_written;
use super::state::State;
use super::storage::{CallSlot, CallState, Storage};
use super::{AskError, CallError, CallToken, Handler, Sent, Server};
use crate::bytes::Sink;
#[cfg(feature = "std")]
use crate::json::Object;
use crate::json::Writer;
use crate::mcp::ClientCapabilities;
#[cfg(feature = "std")]
use crate::mcp::Method;

/// Why a legacy client was not asked, as the error of the call.
pub(crate) fn refusal(error: AskError, needs: ClientCapabilities) -> CallError<'static> {
    match error {
        AskError::Busy => CallError::Busy,
        AskError::NoSession | AskError::MissingCapability => CallError::MissingCapability(needs),
        _ => CallError::Internal,
    }
}

impl<S: Storage> Server<S> {
    /// Ends a deferred call of a modern client with a question: `write` writes the members `inputRequests` and `requestState`. The client
    /// makes the call again, with the answer. Without room for an error the call stays in flight.
    pub(crate) fn ask_with_result<H: Handler + ?Sized>(
        &mut self,
        token: CallToken,
        app: &mut H,
        out: &mut Sink<'_>,
        write: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Sent {
        let mut engine = self.engine(app);
        let Some(place) = engine.state.find_deferred(token) else {
            return Sent::Nothing;
        };
        let Some(call) = engine.state.calls.get(place) else {
            return Sent::Nothing;
        };
        let address = State::<S::Parts>::address_of(call);
        let context = context_of(engine.state.arena.texts(), call, None);
        let start = out.mark();
        let mut json = Writer::new(out);
        answer::begin_input_required(&mut json, &context.id);
        write(&mut json);
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
        match address {
            Some(address) => written.to(address),
            None => {
                out.rollback(start);
                Sent::Nothing
            }
        }
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

    /// Withdraws a question of the server's own: the client is told, and its answer is not waited for.
    pub(crate) fn withdraw(&mut self, token: CallToken) {
        let mut state = self.state();
        let is_it = |call: &CallSlot| call.state == CallState::Own && call.token == token;
        if let Some(place) = state.calls().iter().position(is_it) {
            state.withdraw(place);
        }
    }
}
