//! Requests whose lines wait until the application is free. Each is a deferred call to the engine, so that it can be cancelled.

use crate::bytes::Sink;
use crate::engine::server::storage::{CallState, Storage};
use crate::engine::server::{CallError, CallToken, Handler, Origin, Sent, Server};
use crate::mcp::Text;
use crate::rpc::{Message, classify_with};

impl<S: Storage> Server<S> {
    /// Whether the request in this frame still waits.
    #[cfg(feature = "embedded-io-async-v0_7")]
    pub(crate) fn is_queued(&mut self, origin: Origin, frame: &[u8]) -> bool {
        self.place_of(origin, frame).is_some()
    }

    /// Forgets the request in this frame, which is received anew. False if it was cancelled.
    pub(crate) fn take_queued(&mut self, origin: Origin, frame: &[u8]) -> bool {
        let place = self.place_of(origin, frame);
        if let Some(place) = place {
            self.state().remove_call(place);
        }
        place.is_some()
    }

    /// Answers the request in this frame with the error `Server busy`.
    #[cfg(feature = "embedded-io-async-v0_7")]
    pub(crate) fn refuse_queued<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        frame: &[u8],
        app: &mut H,
        out: &mut Sink<'_>,
    ) {
        let place = self.place_of(origin, frame);
        let state = self.state();
        if let Some(token) = place.and_then(|place| state.calls.get(place)).map(|call| call.token) {
            self.refuse(token, app, out);
        }
    }

    /// Answers a deferred request with the error `Server busy`.
    pub(crate) fn refuse<H: Handler + ?Sized>(&mut self, token: CallToken, app: &mut H, out: &mut Sink<'_>) {
        let mut engine = self.engine(app);
        if let Some(place) = engine.state.find_deferred(token) {
            let _ = engine.complete(place, Text::Plain(""), out, |_| Err(CallError::Busy));
        }
    }

    /// Answers a call whose tool was abandoned.
    pub(crate) fn abandon<H: Handler + ?Sized>(&mut self, token: CallToken, app: &mut H, out: &mut Sink<'_>) {
        if let Ok(Sent::NoRoom) = self.complete_tool(token, app, out, |_| Err(CallError::Internal)) {
            self.forget(token);
        }
    }

    /// Forgets a deferred call for which not even an error fits the output.
    pub(crate) fn forget(&mut self, token: CallToken) {
        let mut state = self.state();
        if let Some(place) = state.find_deferred(token) {
            state.remove_call(place);
        }
    }

    /// The slot of the deferred request in this frame. On a stream, ids are unique over both eras.
    fn place_of(&mut self, origin: Origin, frame: &[u8]) -> Option<usize> {
        let state = self.state();
        let Ok(Message::Request(request)) = classify_with(frame, &state.core.options.rules()) else {
            return None;
        };
        let place = state.find_call(origin.scope(false), request.id())?;
        state.calls.get(place).is_some_and(|call| call.state == CallState::Deferred).then_some(place)
    }
}
