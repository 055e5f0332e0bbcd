//! The endpoint: a server and its legacy sessions.

use core::time::Duration;

use super::admission::{Admitted, SessionHeader, VersionHeader};
use super::batch::{self, Batch};
use super::fault::{ErrorId, Fault, write_error};
use super::head::Head;
use super::ladder;
use super::parameters::check_parameters;
use super::reply::{HttpReply, Line, ReplyBody};
use super::sessions::{SessionEntry, SessionId, Sessions};
use super::status::Status;
use crate::bytes::Sink;
use crate::engine::{
    Address, Allowed, Channel, Fixed, Handler, Origin, Parts, Sent, Served, Server, Storage, Way,
    milliseconds,
};
use crate::json::Object;
use crate::mcp::{Feature, Method, ProtocolVersion, Tool};
use crate::rpc::{
    self, ErrorCode, ErrorObject, Message, Notification, Reason, Rejection, Request, RequestId, classify,
    classify_with, response_id,
};

/// Fills an id with random bytes from a secure source.
type Random = fn(&mut [u8; 16]);

/// An MCP endpoint: a [`Server`] whose clients come over HTTP, and their legacy sessions.
///
/// Each HTTP exchange has a [`Channel`] of its own. The number is free again when the response is complete, or after
/// [`closed`](Endpoint::closed). Each output must have at least [`MIN_OUTPUT`](crate::engine::MIN_OUTPUT) bytes, and be empty.
///
/// Requests without a session are served. Sessions exist where there are entries for them and a [random source](Endpoint::with_random);
/// the storage of the server needs a place for each entry, and always one.
#[derive(Debug)]
pub struct Endpoint<S = Fixed, T = [SessionEntry; 0]> {
    server: Server<S>,
    sessions: T,
    random: Option<Random>,
    requires_sessions: bool,
    /// An exchange may have ended without a line.
    has_ended: bool,
    /// The monotonic time, in milliseconds.
    now: u64,
    /// Time in milliseconds after which an idle session ends.
    idle_timeout: Option<u64>,
    /// A lower bound of the time at which a session ends.
    next_end: Option<u64>,
}

impl<S> Endpoint<S, [SessionEntry; 0]> {
    /// An endpoint without sessions.
    pub const fn new(server: Server<S>) -> Self {
        Self::with_sessions(server, [])
    }
}

impl<S, T> Endpoint<S, T> {
    /// An endpoint with memory for sessions: an array or a vector of entries.
    pub const fn with_sessions(server: Server<S>, sessions: T) -> Self {
        Self {
            server,
            sessions,
            random: None,
            requires_sessions: false,
            has_ended: false,
            now: 0,
            idle_timeout: None,
            next_end: None,
        }
    }

    /// Sets the source of session ids. A client that guesses an id can use its session, so the bytes must come from a secure source.
    #[must_use]
    pub const fn with_random(mut self, random: fn(&mut [u8; 16])) -> Self {
        self.random = Some(random);
        self
    }

    /// Sets the time after which an idle session ends: one without requests in progress and without a standing stream. By default a
    /// session ends only when another one needs its place. It is measured with the time given to [`set_time`](Endpoint::set_time).
    #[must_use]
    pub const fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = Some(milliseconds(timeout));
        self
    }

    /// Sets whether a legacy request other than `initialize` needs a session. Many clients lose the id of their session, so by default a
    /// request without one is served.
    #[must_use]
    pub const fn with_required_sessions(mut self, required: bool) -> Self {
        self.requires_sessions = required;
        self
    }

    /// The server: for changes, and for lines that the application sends, which [`route`](Endpoint::route) addresses.
    pub const fn server(&mut self) -> &mut Server<S> {
        &mut self.server
    }
}

impl<S: Storage, T: AsMut<[SessionEntry]>> Endpoint<S, T> {
    /// Whether there are sessions, and so the methods GET and DELETE: for [`admit`](super::admit).
    pub fn offers_sessions(&mut self) -> bool {
        S::Parts::LEGACY && self.random.is_some() && !self.sessions.as_mut().is_empty()
    }

    /// Sets the time, as [`Server::set_time`] does, and ends sessions that have been idle for too long.
    pub fn set_time<H: Handler + ?Sized>(&mut self, now: Duration, time_of_day: Duration, app: &mut H) {
        self.server.set_time(now, time_of_day);
        self.now = self.now.max(milliseconds(now));
        if self.next_end.is_some_and(|end| end <= self.now) {
            self.end_idle(app);
        }
    }

    /// Time at which [`set_time`](Endpoint::set_time) and then [`poll`](Endpoint::poll) are to be called.
    pub fn next_deadline(&self) -> Option<Duration> {
        let end = self.next_end.map(Duration::from_millis);
        match self.server.next_deadline() {
            Some(deadline) => Some(end.map_or(deadline, |end| end.min(deadline))),
            None => end,
        }
    }

    /// Serves the body of a POST. All lines in the output are for this exchange, unless the reply [names another](HttpReply::line).
    pub fn receive<H: Handler + ?Sized>(
        &mut self,
        channel: Channel,
        head: &impl Head,
        admitted: &Admitted,
        body: &[u8],
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        match &classify_with(body, &self.server.rules()) {
            Ok(message) if ladder::is_modern::<S::Parts>(admitted.version, message) => {
                self.receive_modern(channel, head, admitted, message, app, out)
            }
            Ok(message) => self.receive_legacy(channel, admitted, message, app, out),
            Err(rejection) => self.receive_rejected(channel, admitted, rejection, body, app, out),
        }
    }

    /// Answers a body that is longer than its buffer. If a [`Skipper`](crate::rpc::Skipper) has read it, `found` is its rejection and its
    /// [`response_id`](crate::rpc::Skipper::response_id).
    pub fn receive_oversized<H: Handler + ?Sized>(
        &mut self,
        admitted: &Admitted,
        found: Option<(&Rejection<'_>, Option<RequestId<'_>>)>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        let (rejection, response) = found.unwrap_or((&const { Rejection::too_long() }, None));
        // A response is looked for in a session alone.
        let place = self.find_session(admitted).ok().flatten();
        let origin = Origin::exchange(Channel::CLOSED);
        let origin = place.map_or(origin, |place| Origin::exchange_in(Channel::CLOSED, place));
        let sent = self.server.receive_rejected(origin, rejection, response, app, out);
        if let Some(line) = self.route(sent, out) {
            return HttpReply::new(Status::CONTENT_TOO_LARGE, ReplyBody::Empty).with_line(Some(line));
        }
        let id = match rejection.reply() {
            rpc::Reply::To(id) => ErrorId::Of(id),
            rpc::Reply::Null | rpc::Reply::Nobody => ErrorId::unreadable(self.version_of(admitted)),
        };
        let (code, message) = (rejection.code(), rejection.reason().message());
        refuse(out, id, Fault { status: Status::CONTENT_TOO_LARGE, code, message })
    }

    /// Opens the standing stream of a session: the answer to a GET. The stream is open until [`is_open`](Endpoint::is_open) is false for
    /// it. It replaces an earlier stream of the session, which [has ended](Endpoint::has_ended).
    pub fn open_stream(&mut self, channel: Channel, admitted: &Admitted) -> HttpReply {
        let place = match self.find_session(admitted) {
            Ok(Some(place)) => place,
            Ok(None) => {
                return HttpReply::new(Status::METHOD_NOT_ALLOWED, ReplyBody::Empty).with_allow("POST");
            }
            Err(fault) => return HttpReply::new(fault.status, ReplyBody::Empty),
        };
        if matches!(admitted.version, VersionHeader::Unknown | VersionHeader::Repeated) {
            return HttpReply::new(Status::BAD_REQUEST, ReplyBody::Empty);
        }
        let replaced = self.sessions().open_stream(place, channel);
        self.has_ended |= replaced.is_some();
        HttpReply::STREAM
    }

    /// Ends a session: the answer to a DELETE. Its streams [have ended](Endpoint::has_ended), and its requests are cancelled.
    pub fn end_session<H: Handler + ?Sized>(&mut self, admitted: &Admitted, app: &mut H) -> HttpReply {
        let status = match self.find_session(admitted) {
            Ok(Some(_)) if matches!(admitted.version, VersionHeader::Unknown | VersionHeader::Repeated) => {
                Status::BAD_REQUEST
            }
            Ok(Some(place)) => {
                self.forget_session(place, app);
                Status::OK
            }
            Ok(None) => Status::BAD_REQUEST,
            Err(fault) => fault.status,
        };
        HttpReply::new(status, ReplyBody::Empty)
    }

    /// Writes lines that are due to the empty output, for one exchange that is writable. `None` if there are none.
    ///
    /// Changes for a session without a standing stream stay due until it opens one; other lines for it are dropped.
    pub fn poll<H: Handler + ?Sized>(
        &mut self,
        mut writable: impl FnMut(Channel) -> bool,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Option<Line> {
        loop {
            let sessions = Sessions(self.sessions.as_mut());
            let is_writable = |address, is_change: bool| match address {
                Address::Request(channel) | Address::Stream(channel) => writable(channel),
                Address::Session(place) => match sessions.stream_of(place) {
                    Some(channel) => writable(channel),
                    None => !is_change,
                },
            };
            let sent = self.server.poll_with(is_writable, app, out);
            let Sent::To(_) = sent else {
                return None;
            };
            if let Some(line) = self.route(sent, out) {
                return Some(line);
            }
        }
    }

    /// Finds the exchange for the lines that a call of the [server](Endpoint::server) has written to the empty output, such as
    /// [`Server::complete_tool`] or [`Server::progress`]. `None` if there are no lines, or if no exchange takes them; the output is then
    /// empty.
    pub fn route(&mut self, sent: Sent, out: &mut Sink<'_>) -> Option<Line> {
        let line = match sent {
            Sent::To(Address::Request(channel) | Address::Stream(channel)) => {
                let ends = !self.server.is_open(channel);
                let text = out.finish().unwrap_or_default();
                let response = match ends && is_one_line(text) {
                    true => status_of(text),
                    false => None,
                };
                Some(Line { channel, ends, response })
            }
            Sent::To(Address::Session(place)) => {
                drop_response(out);
                let channel = self.sessions().stream_of(place);
                channel.map(|channel| Line { channel, ends: false, response: None })
            }
            Sent::Nothing | Sent::NoRoom => None,
        };
        let line = line.filter(|_| !out.is_empty());
        if line.is_none() {
            out.truncate(0);
        }
        line
    }

    /// Takes note that the client of an exchange is gone before its response was complete. A modern request, or one without a session, is
    /// cancelled. A legacy request of a session continues, and its response is dropped.
    pub fn closed<H: Handler + ?Sized>(&mut self, channel: Channel, app: &mut H) {
        let now = self.now;
        self.sessions().close_stream(channel, now);
        self.server.closed(channel, app);
    }

    /// Whether an exchange waits for more lines: its request is not answered yet, or it is an open stream.
    pub fn is_open(&mut self, channel: Channel) -> bool {
        self.server.is_open(channel) || self.sessions().has_stream(channel)
    }

    /// Whether exchanges may have ended without a line since the last call, because the client has cancelled a request, ended its
    /// session, or opened another standing stream. If so, look at each exchange that waits for lines, and end it unless it
    /// [is open](Endpoint::is_open): a stream just ends, and one without a response so far gets an empty [`HttpReply::STREAM`].
    #[must_use]
    pub const fn has_ended(&mut self) -> bool {
        core::mem::replace(&mut self.has_ended, false)
    }

    fn sessions(&mut self) -> Sessions<'_> {
        Sessions(self.sessions.as_mut())
    }

    /// Place of the session that a request names, if it names one.
    fn find_session(&mut self, admitted: &Admitted) -> Result<Option<u16>, Fault> {
        let id = match admitted.session {
            SessionHeader::Absent => return Ok(None),
            SessionHeader::Foreign => return Err(Fault::NO_SUCH_SESSION),
            SessionHeader::Id(id) => id,
        };
        let now = self.now;
        let mut sessions = self.sessions();
        let place = sessions.find(&id, admitted.principal).ok_or(Fault::NO_SUCH_SESSION)?;
        sessions.touch(place, now);
        Ok(Some(place))
    }

    /// Revision of an exchange, as far as its head shows it.
    fn version_of(&mut self, admitted: &Admitted) -> Option<ProtocolVersion> {
        if ladder::names_no_legacy(admitted.version) {
            return Some(ProtocolVersion::LATEST_MODERN);
        }
        let place = self.find_session(admitted).ok().flatten();
        match (place.and_then(|place| self.server.session(place)), admitted.version) {
            (None, VersionHeader::Known(version)) => Some(version),
            (version, _) => version,
        }
    }

    /// Forgets a session, with everything that belongs to it.
    fn forget_session<H: Handler + ?Sized>(&mut self, place: u16, app: &mut H) {
        self.server.end_session(place, app);
        self.sessions().forget(place);
        self.has_ended = true;
    }

    /// Ends the sessions that have been idle for too long.
    fn end_idle<H: Handler + ?Sized>(&mut self, app: &mut H) {
        self.next_end = None;
        let Some(timeout) = self.idle_timeout else {
            return;
        };
        let now = self.now;
        let mut sessions = Sessions(self.sessions.as_mut());
        sessions.touch_each(now, |place| self.server.is_session_busy(place));
        while let Some((place, used)) = self.sessions().longest_idle(|_| false) {
            let end = used.saturating_add(timeout);
            if end > now {
                break;
            }
            self.forget_session(place, app);
        }
        self.next_end = self.sessions().least_used().map(|used| used.saturating_add(timeout));
    }

    /// A place for a session: a free one, or that of the session that is idle for the longest time.
    fn make_place<H: Handler + ?Sized>(&mut self, app: &mut H) -> Option<u16> {
        let free = self.sessions().free_place();
        if free.is_some() {
            return free;
        }
        let sessions = Sessions(self.sessions.as_mut());
        let (place, _) = sessions.longest_idle(|place| self.server.is_session_busy(place))?;
        self.forget_session(place, app);
        Some(place)
    }

    /// A new id. `None` if the random source has given the id of another session.
    fn make_id(&mut self) -> Option<SessionId> {
        let mut id = [0; 16];
        self.random?(&mut id);
        (!self.sessions().has(&id)).then_some(id)
    }

    fn receive_modern<H: Handler + ?Sized>(
        &mut self,
        channel: Channel,
        head: &impl Head,
        admitted: &Admitted,
        message: &Message<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        let origin = Origin::exchange(channel).of(admitted.principal);
        match message {
            Message::Request(request) => {
                // A server of the modern era alone answers a handshake with its revisions.
                let needs_stream = request.method() == *Method::SubscriptionsListen.name();
                let judged = match ladder::is_handshake(message) && !S::Parts::LEGACY {
                    true => Ok(()),
                    false => ladder::check_request(head, admitted.version, request),
                };
                let judged = match judged {
                    Ok(()) if needs_stream && !admitted.accepts.sse => Err(Fault::STREAM_NOT_ACCEPTED),
                    judged => judged,
                };
                if let Err(fault) = judged {
                    return refuse(out, ErrorId::Of(request.id()), fault);
                }
                let way = Way { origin, version: ProtocolVersion::LATEST_LEGACY, answer: allowed(admitted) };
                let agrees =
                    |tool: &Tool<'_>, arguments: Object<'_>| check_parameters(tool, arguments, head).is_ok();
                let served = self.server.receive_checked(way, request, agrees, app, out);
                let reply = self.answer(channel, admitted, served, true, out);
                match needs_stream && reply.body() == ReplyBody::Json && is_busy(out) {
                    true => HttpReply::new(Status::SERVICE_UNAVAILABLE, ReplyBody::Json),
                    false => reply,
                }
            }
            Message::Notification(notification) => {
                if let Err(fault) = ladder::check_notification(head, notification) {
                    return refuse(out, ErrorId::Absent, fault);
                }
                // A request is cancelled by its exchange alone: nothing is found in a new one.
                self.server.receive_notification(origin, notification, app);
                HttpReply::new(Status::ACCEPTED, ReplyBody::Empty)
            }
            Message::Response(_) => refuse(out, ErrorId::Absent, Fault::UNEXPECTED_RESPONSE),
        }
    }

    fn receive_legacy<H: Handler + ?Sized>(
        &mut self,
        channel: Channel,
        admitted: &Admitted,
        message: &Message<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        if let Message::Request(request) = message
            && ladder::is_handshake(message)
        {
            return self.initialize(channel, admitted, request, app, out);
        }
        let way = match self.legacy_way(channel, admitted) {
            Ok(way) => way,
            Err(fault) => {
                let id = match message {
                    Message::Request(request) => ErrorId::Of(request.id()),
                    _ => ErrorId::unreadable(self.version_of(admitted)),
                };
                return refuse(out, id, fault);
            }
        };
        match message {
            Message::Request(request) => {
                let served = self.server.receive_request(way, request, app, out);
                self.answer(channel, admitted, served, false, out)
            }
            Message::Notification(notification) => {
                self.notify(way.origin, notification, app);
                HttpReply::new(Status::ACCEPTED, ReplyBody::Empty)
            }
            Message::Response(response) => {
                let sent = self.server.receive_response(way.origin, response, app, out);
                HttpReply::new(Status::ACCEPTED, ReplyBody::Empty).with_line(self.route(sent, out))
            }
        }
    }

    fn notify<H: Handler + ?Sized>(&mut self, origin: Origin, notification: &Notification<'_>, app: &mut H) {
        // A request that is cancelled ends its exchange without a line.
        self.has_ended |= origin.session().is_some() && notification.method() == *Method::Cancelled.name();
        self.server.receive_notification(origin, notification, app);
    }

    /// Way of a legacy message that is not a handshake.
    fn legacy_way(&mut self, channel: Channel, admitted: &Admitted) -> Result<Way, Fault> {
        let place = self.find_session(admitted)?;
        if place.is_none() && self.requires_sessions {
            return Err(Fault::SESSION_REQUIRED);
        }
        let version = match admitted.version {
            _ if ladder::names_no_legacy(admitted.version) => return Err(Fault::UNKNOWN_VERSION),
            VersionHeader::Known(version) => version,
            // Clients of that revision send no header.
            _ => ProtocolVersion::V2025_03_26,
        };
        let origin = place.map_or(Origin::exchange(channel), |place| Origin::exchange_in(channel, place));
        let origin = origin.of(admitted.principal);
        Ok(Way { origin, version, answer: allowed(admitted) })
    }

    /// Opens a session, if there are any.
    fn initialize<H: Handler + ?Sized>(
        &mut self,
        channel: Channel,
        admitted: &Admitted,
        request: &Request<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        let id = ErrorId::Of(request.id());
        match self.find_session(admitted) {
            Ok(None) => {}
            Ok(Some(_)) => return refuse(out, id, Fault::ALREADY_INITIALIZED),
            Err(fault) => return refuse(out, id, fault),
        }
        let has_sessions = self.offers_sessions();
        let (place, session) = match has_sessions {
            true => (self.make_place(app), self.make_id()),
            // The first place, until the handshake is answered.
            false => (Some(0), Some(SessionId::default())),
        };
        let (Some(place), Some(session)) = (place, session) else {
            return refuse(out, id, Fault::BUSY);
        };
        let way = Way {
            origin: Origin::exchange_in(channel, place).of(admitted.principal),
            version: ProtocolVersion::LATEST_LEGACY,
            answer: allowed(admitted),
        };
        let served = self.server.receive_request(way, request, app, out);
        let reply = self.answer(channel, admitted, served, false, out);
        if !has_sessions {
            self.server.end_session(place, app);
            return reply;
        }
        if self.server.session(place).is_none() {
            // The storage of the server has fewer places than there are entries.
            return match is_busy(out) {
                true => HttpReply::new(Status::SERVICE_UNAVAILABLE, ReplyBody::Json),
                false => reply,
            };
        }
        let now = self.now;
        self.sessions().open(place, session, admitted.principal, now);
        if let Some(timeout) = self.idle_timeout {
            let end = now.saturating_add(timeout);
            self.next_end = Some(self.next_end.map_or(end, |next| next.min(end)));
        }
        reply.with_session(session)
    }

    /// Answers a body that is not a message, or a batch.
    fn receive_rejected<H: Handler + ?Sized>(
        &mut self,
        channel: Channel,
        admitted: &Admitted,
        rejection: &Rejection<'_>,
        body: &[u8],
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        let is_modern = S::Parts::MODERN && (!S::Parts::LEGACY || ladder::names_no_legacy(admitted.version));
        let version = match is_modern {
            true => Some(ProtocolVersion::LATEST_MODERN),
            false => self.version_of(admitted),
        };
        let mut way = Err(Fault::UNEXPECTED_RESPONSE);
        if !is_modern {
            way = self.legacy_way(channel, admitted);
            if let Err(fault) = way {
                return refuse(out, ErrorId::unreadable(version), fault);
            }
        }
        if let Ok(way) = way
            && rejection.reason() == Reason::Batch
            && version.unwrap_or(way.version).has(Feature::Batches)
        {
            let start = rejection.offset().unwrap_or_default().saturating_add(1);
            let batch = batch::serve(&mut self.server, way, body, start, app, out);
            // An element may have cancelled a request.
            self.has_ended = true;
            return match batch {
                Batch::Malformed => {
                    self.reject(Origin::exchange(channel), rejection, version, body, app, out)
                }
                Batch::Taken => HttpReply::new(Status::ACCEPTED, ReplyBody::Empty),
                Batch::Continued(sent) => {
                    HttpReply::new(Status::ACCEPTED, ReplyBody::Empty).with_line(self.route(sent, out))
                }
                Batch::Answered => HttpReply::new(Status::OK, ReplyBody::Json),
                Batch::NoRoom => refuse(out, ErrorId::Null, Fault::TOO_LARGE),
            };
        }
        let origin = way.map_or(Origin::exchange(channel), |way| way.origin);
        self.reject(origin, rejection, version, body, app, out)
    }

    /// Reports a rejection, and answers it.
    fn reject<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        rejection: &Rejection<'_>,
        version: Option<ProtocolVersion>,
        body: &[u8],
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> HttpReply {
        let sent = self.server.receive_rejected(origin, rejection, response_id(body), app, out);
        let id = match rejection.reply() {
            rpc::Reply::Nobody => {
                return HttpReply::new(Status::BAD_REQUEST, ReplyBody::Empty)
                    .with_line(self.route(sent, out));
            }
            rpc::Reply::Null => ErrorId::unreadable(version),
            rpc::Reply::To(id) => ErrorId::Of(id),
        };
        let (code, message) = (rejection.code(), rejection.reason().message());
        refuse(out, id, Fault { status: Status::BAD_REQUEST, code, message })
    }

    /// The reply to a request that was served.
    fn answer(
        &mut self,
        channel: Channel,
        admitted: &Admitted,
        served: Served,
        is_modern: bool,
        out: &Sink<'_>,
    ) -> HttpReply {
        let is_open = self.server.is_open(channel);
        let text = out.finish().unwrap_or_default();
        match served.sent {
            Sent::Nothing if is_open => HttpReply::later(admitted.accepts.sse),
            Sent::To(_) if is_open => HttpReply::STREAM,
            Sent::To(_) if !is_one_line(text) => HttpReply::new(Status::OK, ReplyBody::Stream),
            Sent::To(_) => HttpReply::new(
                match served.refused {
                    Some(code) => status_of_refusal(code, is_modern),
                    None if is_modern => status_of(text).unwrap_or(Status::OK),
                    None => Status::OK,
                },
                ReplyBody::Json,
            ),
            // Not even an error fits the output.
            Sent::Nothing | Sent::NoRoom => HttpReply::new(Status::SERVICE_UNAVAILABLE, ReplyBody::Empty),
        }
    }
}

/// Writes an error.
fn refuse(out: &mut Sink<'_>, id: ErrorId<'_>, fault: Fault) -> HttpReply {
    let body = match write_error(out, id, fault.code, fault.message) {
        true => ReplyBody::Json,
        false => ReplyBody::Empty,
    };
    HttpReply::new(fault.status, body)
}

/// The lines that may answer a request.
const fn allowed(admitted: &Admitted) -> Allowed {
    match admitted.accepts.sse {
        true => Allowed::Any,
        false => Allowed::Response,
    }
}

/// Status of a request that was refused before its method was served.
const fn status_of_refusal(code: ErrorCode, is_modern: bool) -> Status {
    match code {
        ErrorCode::INVALID_REQUEST => Status::BAD_REQUEST,
        ErrorCode::INTERNAL_ERROR => Status::OK,
        ErrorCode::METHOD_NOT_FOUND if is_modern => Status::NOT_FOUND,
        _ if is_modern => Status::BAD_REQUEST,
        _ => Status::OK,
    }
}

/// Status of the response to a request that was served; `None` if the line is not a response.
fn status_of(line: &[u8]) -> Option<Status> {
    let Ok(Message::Response(response)) = classify(line) else {
        return None;
    };
    let is_missing = |error: ErrorObject<'_>| error.code() == ErrorCode::MISSING_CLIENT_CAPABILITY;
    Some(match response.outcome().is_err_and(is_missing) {
        true => Status::BAD_REQUEST,
        false => Status::OK,
    })
}

/// Whether the output is the error of a full table.
fn is_busy(out: &Sink<'_>) -> bool {
    match classify(out.finish().unwrap_or_default()) {
        Ok(Message::Response(response)) => {
            response.outcome().is_err_and(|error| error.message() == *Fault::BUSY.message)
        }
        _ => false,
    }
}

/// Takes back the response at the end of the output: a standing stream carries none.
fn drop_response(out: &mut Sink<'_>) {
    let text = out.finish().unwrap_or_default();
    let last = last_line(text);
    if status_of(last).is_some() {
        out.truncate(text.len().saturating_sub(last.len()));
    }
}

/// The last of these lines.
fn last_line(text: &[u8]) -> &[u8] {
    let (_, before) = text.split_last().unwrap_or((&0, &[]));
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
    text.get(start..).unwrap_or_default()
}

fn is_one_line(text: &[u8]) -> bool {
    last_line(text).len() == text.len()
}
