//! Requests whose lines wait until the application is free. Each is a deferred call to the engine, so that it can be cancelled.

#[cfg(feature = "embedded-io-async-v0_7")]
use crate::engine::server::CallToken;
use crate::engine::server::storage::{CallState, Storage};
use crate::engine::server::{Origin, Server};
use crate::rpc::{Message, classify_with};

impl<S: Storage> Server<S> {
    /// The request in this frame, if it still waits.
    #[cfg(feature = "embedded-io-async-v0_7")]
    pub(crate) fn queued(&mut self, origin: Origin, frame: &[u8]) -> Option<CallToken> {
        let place = self.place_of(origin, frame)?;
        self.state().calls.get(place).map(|call| call.token)
    }

    /// Forgets the request in this frame, which is received anew. False if it was cancelled.
    pub(crate) fn take_queued(&mut self, origin: Origin, frame: &[u8]) -> bool {
        let place = self.place_of(origin, frame);
        if let Some(place) = place {
            self.state().remove_call(place);
        }
        place.is_some()
    }

    /// The slot of the deferred request in this frame. On a stream, ids are unique over both eras.
    fn place_of(&mut self, origin: Origin, frame: &[u8]) -> Option<usize> {
        let state = self.state();
        // By reference: no copy of the message.
        let Ok(Message::Request(request)) = &classify_with(frame, &state.core.options.rules()) else {
            return None;
        };
        let place = state.find_call(origin.scope(false), request.id())?;
        state.calls.get(place).is_some_and(|call| call.state == CallState::Deferred).then_some(place)
    }
}
