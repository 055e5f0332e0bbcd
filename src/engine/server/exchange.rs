//! Messages that a transport has classified already, and that it must judge: over HTTP a response has a status, too.

use super::answer;
use super::channel::Scope;
use super::methods::params::name_and_arguments;
use super::storage::Storage;
use super::{Address, Context, Event, Handler, NotKept, Origin, Parts, Sent, Server};
use crate::bytes::Sink;
use crate::engine::server::engine::Engine;
use crate::json::Object;
use crate::mcp::{Method, ProtocolVersion, Tool};
use crate::rpc::{ErrorCode, Notification, Rejection, Request, RequestId, Response, Rules};

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) struct Served {
    /// As [`Server::receive`] returns it.
    pub(crate) sent: Sent,
    /// Code of the error, if the request was refused before its method was served.
    pub(crate) refused: Option<ErrorCode>,
}

/// Way of a request to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) origin: Origin,
    /// Revision of a legacy request without a session.
    pub(crate) version: ProtocolVersion,
    pub(crate) answer: Allowed,
}

/// The lines that may answer a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Any lines.
    Any,
    /// Only the response: no progress, no log messages, no questions.
    Response,
    /// Only the response, and at once: a request that would be deferred gets the error `Server busy`.
    ResponseNow,
}

impl<H: Handler + ?Sized, P: Parts> Engine<'_, H, P> {
    /// Serves a request. The code of its error, if it was refused before its method was served.
    fn judge_request(
        &mut self,
        way: Way,
        request: &Request<'_>,
        check: impl FnOnce(&Tool<'_>, Object<'_>) -> bool,
        out: &mut Sink<'_>,
    ) -> Option<ErrorCode> {
        self.to = Some(Address::Request(way.origin.channel()));
        self.app.take_failure();
        let mark = out.mark();
        let mut context = Context::new(way.origin, request.id(), Method::Ping, way.version);
        let (written, refused) = match self.understand(request, &mut context) {
            Ok(()) if !self.agrees(&context, check) => {
                let (code, text) = (ErrorCode::HEADER_MISMATCH, "Mcp-Param header does not match the body");
                (answer::error(out, &context.id, code, text), Some(code))
            }
            Ok(()) => {
                if way.answer != Allowed::Any {
                    context.answer_by_one_line();
                }
                if way.answer == Allowed::ResponseNow {
                    context.deferral = Err(NotKept::Busy);
                }
                (self.serve(&mut context, out), None)
            }
            Err(refusal) => {
                let code = refusal.code();
                (refusal.write(&context.id, out), Some(code))
            }
        };
        let written = self.app.unless_failed(written, mark, &request.id(), out);
        self.check_room(written);
        refused
    }

    /// Whether the arguments of a call of a known tool pass a check.
    fn agrees(&self, context: &Context<'_>, check: impl FnOnce(&Tool<'_>, Object<'_>) -> bool) -> bool {
        let call = match context.method {
            Method::ToolsCall => name_and_arguments(context.params),
            _ => None,
        };
        let called = call.and_then(|(name, arguments)| {
            let tool = self.app.tools().iter().find(|tool| name == tool.name())?;
            Some((tool, arguments))
        });
        called.is_none_or(|(tool, arguments)| check(tool, arguments))
    }
}

impl<S: Storage> Server<S> {
    /// Leniencies of the classifier.
    pub(crate) const fn rules(&self) -> Rules {
        self.options().rules()
    }

    /// [`receive`](Server::receive) for a request.
    pub(crate) fn receive_request<H: Handler + ?Sized>(
        &mut self,
        way: Way,
        request: &Request<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Served {
        self.receive_checked(way, request, |_, _| true, app, out)
    }

    /// [`receive_request`](Server::receive_request), with a check of the arguments of a call: just before its method is served. If it
    /// fails, the headers differ from the arguments.
    pub(crate) fn receive_checked<H: Handler + ?Sized>(
        &mut self,
        way: Way,
        request: &Request<'_>,
        check: impl FnOnce(&Tool<'_>, Object<'_>) -> bool,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Served {
        let mark = out.mark();
        self.reserve(request.frame().len());
        let mut engine = self.engine(app);
        let refused = engine.judge_request(way, request, check, out);
        Served { sent: engine.sent(mark, out), refused }
    }

    /// [`receive`](Server::receive) for a notification.
    pub(crate) fn receive_notification<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        notification: &Notification<'_>,
        app: &mut H,
    ) {
        self.engine(app).notification(origin, notification);
    }

    /// [`receive`](Server::receive) for a response.
    pub(crate) fn receive_response<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        response: &Response<'_>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        let mark = out.mark();
        self.reserve(response.frame().len());
        let mut engine = self.engine(app);
        let is_awaited = S::Parts::ASKING
            && S::Parts::LEGACY
            && engine.response(origin, response.id(), Some(response), out);
        if !is_awaited {
            engine.app.event(Event::Response(*response));
        }
        engine.sent(mark, out)
    }

    /// Reports a message that the transport has refused. If it is an unreadable response with this id, the call that waits for it continues.
    pub(crate) fn receive_rejected<H: Handler + ?Sized>(
        &mut self,
        origin: Origin,
        rejection: &Rejection<'_>,
        response: Option<RequestId<'_>>,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        let mark = out.mark();
        self.reserve(0);
        let mut engine = self.engine(app);
        engine.app.event(Event::Rejected(*rejection));
        if S::Parts::ASKING && rejection.reply() == crate::rpc::Reply::Nobody {
            engine.response(origin, response, None, out);
        }
        engine.sent(mark, out)
    }

    /// [`poll`](Server::poll), whose `writable` is also asked whether a line is a mark of a change. Such a line may stay due for any time.
    pub(crate) fn poll_with<H: Handler + ?Sized>(
        &mut self,
        mut writable: impl FnMut(Address, bool) -> bool,
        app: &mut H,
        out: &mut Sink<'_>,
    ) -> Sent {
        if !self.is_due() {
            return Sent::Nothing;
        }
        self.reserve(0);
        self.engine(app).poll(&mut writable, out)
    }

    /// Whether a session has a request that is not answered yet, be it of the client or of the server.
    pub(crate) fn is_session_busy(&mut self, place: u16) -> bool {
        let state = self.state();
        state.calls().iter().any(|call| call.scope == Scope::Session(place))
    }
}
