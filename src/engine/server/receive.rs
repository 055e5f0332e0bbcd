//! A frame from a client.

use super::answer::{self, Written};
use super::engine::Engine;
use super::state::State;
use super::storage::{CallState, SessionPhase};
use super::{Address, Event, Handler, Origin, Parts};
use crate::bytes::Sink;
use crate::json::{Elements, is_white_space};
use crate::mcp::{Feature, Method};
use crate::rpc::{
    ErrorCode, Message, Notification, Reason, Rejection, Reply, RequestId, Response, classify_with,
    response_id,
};

/// A frame while it is received: one message, or a batch (2025-03-26), which is received element by element.
///
/// ```
/// use barewire::bytes::Sink;
/// use barewire::demo::{Demo, NoHost};
/// use barewire::engine::{Frame, Origin, Server};
///
/// let (mut server, mut app, mut memory) = (Server::new(), Demo::new(NoHost), [0; 512]);
/// let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}"#;
/// let batch = r#"[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]"#;
/// let mut answers = Vec::new();
/// for line in [initialize, batch] {
///     let mut frame = Frame::new(line.as_bytes());
///     while !frame.is_done() {
///         let mut out = Sink::new(&mut memory);
///         let _ = server.receive(Origin::ONLY, &mut frame, &mut app, &mut out);
///         answers.push(out.finish().map(<[u8]>::to_vec));
///     }
/// }
/// assert_eq!(answers.len(), 3);
/// assert_eq!(answers[2], Ok(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n".to_vec()));
/// ```
#[derive(Debug, Clone)]
pub struct Frame<'f> {
    text: &'f [u8],
    /// Where the next element begins, or before it; 0 at first, and [`END`] at the end.
    place: usize,
}

/// Place of a frame that is received.
const END: usize = usize::MAX;

impl<'f> Frame<'f> {
    /// A frame of which nothing is received yet.
    pub const fn new(text: &'f [u8]) -> Self {
        Self::at(text, 0)
    }

    /// The rest of a frame, from [`place`](Frame::place) on: for a caller that does not keep the frame.
    pub const fn at(text: &'f [u8], place: usize) -> Self {
        Self { text, place }
    }

    /// Place of the part that is received next.
    pub const fn place(&self) -> usize {
        self.place
    }

    /// Whether all of it is received.
    pub const fn is_done(&self) -> bool {
        self.place == END
    }

    pub(crate) const fn len(&self) -> usize {
        self.text.len()
    }

    /// The next element of a batch.
    fn element(&mut self) -> Option<&'f [u8]> {
        let mut elements = Elements::from_place(self.text, self.place);
        let element = elements.next();
        let after = elements.place();
        self.place = match elements.next() {
            Some(_) => after,
            None => END,
        };
        element.map(|element| element.as_bytes())
    }
}

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// Serves a frame, of a batch only one element.
    pub(super) fn receive(&mut self, origin: Origin, frame: &mut Frame<'_>, out: &mut Sink<'_>) {
        self.to = Some(Address::Request(origin.channel()));
        if frame.place == 0 {
            frame.place = END;
            if !frame.text.iter().all(|byte| is_white_space(*byte)) {
                frame.place = self.message(origin, frame.text, false, out).unwrap_or(END);
            }
        } else if let Some(element) = frame.element() {
            // The frame was judged when the batch began; each element is judged again, on its own.
            self.message(origin, element, true, out);
        }
    }

    /// Serves a message. The place of the first element if it is a batch instead.
    fn message(
        &mut self,
        origin: Origin,
        text: &[u8],
        is_element: bool,
        out: &mut Sink<'_>,
    ) -> Option<usize> {
        // By reference: no copy of what it is.
        match &classify_with(text, &self.state.core.options.rules()) {
            // `initialize` settles what a batch is: it stands alone (2025-03-26, lifecycle).
            Ok(Message::Request(request)) if is_element && request.method() == Method::Initialize.name() => {
                let (code, text) = (ErrorCode::INVALID_REQUEST, "Invalid Request");
                let written = answer::error(out, &request.id(), code, text);
                self.check_room(written);
            }
            Ok(Message::Request(request)) => {
                self.app.take_failure();
                let mark = out.mark();
                let written = self.request(origin, request, out);
                let written = self.app.unless_failed(written, mark, &request.id(), out);
                self.check_room(written);
            }
            Ok(Message::Notification(notification)) => self.notification(origin, notification),
            Ok(Message::Response(response)) => {
                let id = response.id();
                if !P::ASKING || !P::LEGACY || !self.response(origin, id, Some(response), out) {
                    self.app.event(Event::Response(*response));
                }
            }
            Err(rejection) if !is_element && self.is_batch(origin, rejection) => {
                let place = rejection.offset().unwrap_or_default().saturating_add(1);
                if Elements::from_place(text, place).next().is_some() {
                    return Some(place);
                }
                self.reject(rejection, out);
            }
            Err(rejection) => {
                self.reject(rejection, out);
                if P::ASKING && rejection.reply() == Reply::Nobody {
                    self.response(origin, response_id(text), None, out);
                }
            }
        }
        None
    }

    /// Answers a line that was longer than its buffer, and of which only `rejection` is known. `response` is the id of a response.
    pub(super) fn oversized(
        &mut self,
        origin: Origin,
        rejection: &Rejection<'_>,
        response: Option<RequestId<'_>>,
        out: &mut Sink<'_>,
    ) {
        self.to = Some(Address::Request(origin.channel()));
        self.reject(rejection, out);
        if P::ASKING && rejection.reply() == Reply::Nobody {
            self.response(origin, response, None, out);
        }
    }

    /// Continues what waits for this response; an unreadable one is `None`. False if nothing does.
    pub(super) fn response(
        &mut self,
        origin: Origin,
        id: Option<RequestId<'_>>,
        response: Option<&Response<'_>>,
        out: &mut Sink<'_>,
    ) -> bool {
        let question = id.and_then(RequestId::to_i64);
        let place = question.and_then(|question| self.state.find_question(origin, question));
        let Some(place) = place else {
            return false;
        };
        self.to = self.state.calls.get(place).and_then(State::<P>::address_of);
        self.answered(place, response, out);
        true
    }

    /// Whether an array is a batch here.
    fn is_batch(&self, origin: Origin, rejection: &Rejection<'_>) -> bool {
        let version = self.state.version(origin.session()).filter(|_| P::LEGACY);
        rejection.reason() == Reason::Batch && version.is_some_and(|version| version.has(Feature::Batches))
    }

    fn reject(&mut self, rejection: &Rejection<'_>, out: &mut Sink<'_>) {
        let (code, text) = (rejection.code(), rejection.reason().message());
        let written = match rejection.reply() {
            Reply::Nobody => Written::Yes,
            Reply::Null => answer::unreadable(out, self.state.core.options.unreadable_id, code, text),
            Reply::To(id) => answer::error(out, &id, code, text),
        };
        self.app.event(Event::Rejected(*rejection));
        self.check_room(written);
    }

    pub(super) fn notification(&mut self, origin: Origin, notification: &Notification<'_>) {
        let name = notification.method();
        if name == *Method::Cancelled.name() {
            return self.cancelled(origin, notification);
        }
        if name == *Method::Initialized.name()
            && let Some(session) = self.state.session_mut(origin.session())
            && session.phase != SessionPhase::Closed
        {
            session.phase.get_ready();
        }
        self.app.event(Event::Notification(*notification));
    }

    /// Ends a request in flight, or a subscription.
    fn cancelled(&mut self, origin: Origin, notification: &Notification<'_>) {
        let id = Message::Notification(*notification).request_id();
        let Some(id) = id.ok().flatten().and_then(RequestId::of) else {
            return;
        };
        // The scope of a legacy request is another one only over HTTP, where a modern one is not cancelled by a notification.
        if let Some(place) = self.state.find_call(origin.scope(false), id) {
            match self.state.calls.get(place).map(|call| call.state) {
                Some(CallState::Asked) if P::ASKING && P::LEGACY => self.state.withdraw(place),
                // A task whose result was waited for goes on.
                _ => self.drop_call(place),
            }
        } else if P::SUBSCRIPTIONS
            && let Some(place) = self.state.find_stream(origin.channel(), id)
        {
            self.state.close_stream(place);
        }
    }
}
