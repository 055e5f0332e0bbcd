//! Receiving: from a frame to an event.

use core::time::Duration;

use super::bound::BoundClient;
use super::event::{ClientOutcome, Ended, EventOf, Incoming};
use super::fault::ResponseFault;
use super::handler::ClientHandler;
use super::parts::ClientParts;
use super::pending;
use super::storage::ClientStorage;
use crate::bytes::{Next, Sink};
use crate::json::{Elements, RawValue};
use crate::mcp::Feature;
use crate::rpc::{
    Message, Reason, Rejection, RequestId, classify_value, classify_with, rejected_response_id,
};

impl<S: ClientStorage, H: ClientHandler + ?Sized> BoundClient<'_, S, H> {
    /// Handles what a [`Framer`](crate::bytes::Framer) found. `None` if the framer needs more bytes: then send the output,
    /// and read.
    ///
    /// While [`has_more`](super::ClientEngine::has_more) is true, pass the same line again
    /// ([`Framer::again`](crate::bytes::Framer::again)).
    pub fn receive<'f>(
        &mut self,
        next: Next<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Option<Incoming<'f, S::Context>> {
        match next {
            Next::Line(line) => Some(self.handle_frame(line, now, out)),
            Next::Part(part) => {
                self.skipper.feed(part);
                Some(Incoming::Nothing)
            }
            Next::TooLong => {
                let skipper = core::mem::take(&mut self.skipper);
                Some(self.malformed(skipper.response_id(), Rejection::too_long(), now, out))
            }
            Next::Lost => {
                self.skipper.reset();
                Some(Incoming::Lost)
            }
            Next::NeedMore => None,
        }
    }

    /// Handles one frame, with or without its newline, and returns its event. It writes the client's part of the handshake,
    /// or the response to a request of the server; never an answer to a line that is not a message.
    ///
    /// Each frame is one event, except for the batches of 2025-03-26: while [`has_more`](super::ClientEngine::has_more) is
    /// true, pass the same frame again.
    ///
    /// `now` is the time since the same point as in [`RequestOptions::at`](super::RequestOptions::at). Linear in the
    /// length of the frame and in the capacity of the storage, not counting the application.
    pub fn handle_frame<'f>(
        &mut self,
        frame: &'f [u8],
        now: Duration,
        out: &mut Sink<'_>,
    ) -> Incoming<'f, S::Context> {
        if !self.has_more() {
            if frame.iter().all(|byte| crate::json::is_white_space(*byte)) {
                return Incoming::Nothing;
            }
            match classify_with(frame, &self.options.rules()) {
                Err(rejection) if rejection.reason() == Reason::Batch && self.reads_batches() => {
                    let bracket = rejection.offset().unwrap_or_default();
                    self.batch = bracket.saturating_add(1);
                }
                judged => return self.handle(frame, judged, now, out),
            }
        }
        // The frame was judged when the batch began; each element is judged again, on its own. An empty batch is invalid
        // (JSON-RPC 2.0 section 6).
        match self.next_of_batch(frame) {
            None => Incoming::Rejected(Rejection::batch()),
            Some(element) => {
                let judged = classify_value(element, &self.options.rules());
                self.handle(element.as_bytes(), judged, now, out)
            }
        }
    }

    fn reads_batches(&self) -> bool {
        let version = self.version().filter(|_| S::Parts::LEGACY);
        version.is_some_and(|version| version.has(Feature::Batches))
    }

    /// The next element of the batch. Moves the position past it, or to 0 after the last one.
    fn next_of_batch<'f>(&mut self, frame: &'f [u8]) -> Option<RawValue<'f>> {
        let mut elements = Elements::from_place(frame, self.batch);
        let element = elements.next();
        let place = elements.place();
        self.batch = elements.next().map_or(0, |_| place);
        element
    }

    fn handle<'f>(
        &mut self,
        frame: &'f [u8],
        judged: Result<Message<'f>, Rejection<'f>>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        match judged {
            Ok(Message::Response(response)) => match response.id() {
                Some(id) if self.is_of_handshake(id) => self.handshake_response(response.outcome(), now, out),
                _ => self.response(response),
            },
            Ok(Message::Notification(notification)) => self.notification(notification, now),
            Ok(Message::Request(request)) => self.server_request(request, out),
            Err(rejection) => self.rejected(frame, rejection, now, out),
        }
    }

    /// Looks for an id in a line that is not a message.
    // Not inlined: 120 bytes less stack in the client of the footprint.
    #[inline(never)]
    fn rejected<'f>(
        &mut self,
        frame: &'f [u8],
        rejection: Rejection<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        let is_json = !matches!(rejection.reason(), Reason::NotJson(_));
        let id = rejected_response_id(frame, is_json);
        self.malformed(id, rejection, now, out)
    }

    /// Ends the request that a malformed response names: no other response will come.
    fn malformed<'f>(
        &mut self,
        id: Option<RequestId<'_>>,
        rejection: Rejection<'f>,
        now: Duration,
        out: &mut Sink<'_>,
    ) -> EventOf<'f, S> {
        let Some(id) = id else {
            return Incoming::Rejected(rejection);
        };
        let fault = ResponseFault::Envelope(rejection.reason());
        if self.is_of_handshake(id) {
            return self.handshake_failed(fault, now, out);
        }
        match self.take_id(id) {
            Some(entry) => Incoming::Ended(Ended::of(entry, ClientOutcome::Invalid(fault))),
            None => Incoming::Rejected(rejection),
        }
    }

    fn is_of_handshake(&self, id: RequestId<'_>) -> bool {
        let own = self.handshake.id();
        own.is_some_and(|own| pending::is::<S::Ids>(own, id))
    }
}
