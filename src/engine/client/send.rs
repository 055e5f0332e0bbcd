//! The way of a request out.

use core::time::Duration;

use super::ask::{Ask, Timeout};
use super::parts::{is_modern, of_parts, sends};
use super::pending::{Entry, Ticket, Time};
use super::respond::{end_line, write_input};
use super::{Client, ClientHandler, ClientParts, IdSource, RequestError};
use crate::bytes::{BufferFull, Mark, Sink};
use crate::json::Writer;
use crate::mcp::{Chapter, ClientCapabilities, Feature, LoggingLevel, Method, ProtocolVersion, Sender, keys};
use crate::rpc::{RequestId, begin};

impl<H: ClientHandler + ?Sized, C, const CALLS: usize, I: IdSource, P: ClientParts>
    Client<H, C, CALLS, I, P>
{
    /// Sends a request of MCP; `params` writes the members of its params, but for `_meta`, `task` and those of a retry.
    pub(super) fn send(
        &mut self,
        ask: Ask<'_, C>,
        method: Method,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        if !sends::<P>(method) {
            return Err(RequestError::NotInRevision);
        }
        self.send_named(ask, Some(method), method.name(), out, params)
    }

    /// Sends any request; see [`request`](Client::request).
    pub(super) fn send_named(
        &mut self,
        ask: Ask<'_, C>,
        method: Option<Method>,
        name: &str,
        out: &mut Sink<'_>,
        params: impl FnOnce(&mut Writer<'_, '_>),
    ) -> Result<Ticket, RequestError> {
        // As little as can be stands here: there is a copy of it for each kind of params.
        let (version, id) = self.admit(&ask, method)?;
        let mut line = Line::request::<I>(out, &id, name);
        params(&mut line.json);
        self.conclude(ask, method, version, id, line)
    }

    /// Ends the line and keeps the request.
    fn conclude(
        &mut self,
        ask: Ask<'_, C>,
        method: Option<Method>,
        version: ProtocolVersion,
        id: I::Id,
        mut line: Line<'_, '_>,
    ) -> Result<Ticket, RequestError> {
        match self.write_rest(&ask, version, &id, &mut line.json) {
            Ok(()) => line.finish()?,
            Err(error) => {
                line.take_back();
                return Err(error);
            }
        }
        Ok(self.keep(ask, method, version, id))
    }

    /// Whether the request may be sent: in which revision, and under which id.
    fn admit(
        &mut self,
        ask: &Ask<'_, C>,
        method: Option<Method>,
    ) -> Result<(ProtocolVersion, I::Id), RequestError> {
        let version = self.version().ok_or(RequestError::NotConnected)?;
        if let Some(method) = method {
            if !method.is_in(version) || method.sender() == Sender::Server || method.is_notification() {
                return Err(RequestError::NotInRevision);
            }
            // Only the handshake itself sends these.
            if matches!(method, Method::Initialize | Method::ServerDiscover) {
                return Err(RequestError::AlreadyConnected);
            }
            if !ask.is_forced && !self.is_offered(method, version) {
                return Err(RequestError::NotOffered);
            }
        }
        if ask.task.is_some() {
            if !P::TASKS || method != Some(Method::ToolsCall) || !version.has(Feature::Tasks) {
                return Err(RequestError::NotInRevision);
            }
            if !ask.is_forced && !self.offered.has_task_calls(version) {
                return Err(RequestError::NotOffered);
            }
        }
        if ask.input.is_some() && !(P::ASKING && is_modern::<P>(version)) {
            return Err(RequestError::NotInRevision);
        }
        if self.pending.is_full() {
            return Err(RequestError::TableFull);
        }
        let id = self.fresh_id(ask.now).ok_or(RequestError::NoId)?;
        Ok((version, id))
    }

    fn is_offered(&self, method: Method, version: ProtocolVersion) -> bool {
        match method.chapter() {
            Chapter::Tasks if !P::TASKS => false,
            Chapter::Tasks if is_modern::<P>(version) => {
                self.offered.offers(method, version)
                    && self
                        .handler
                        .capabilities()
                        .has(ClientCapabilities::TASKS_EXTENSION)
            }
            // The oldest revision has no capability for it.
            Chapter::Completion if !version.has(Feature::CompletionsCapability) => true,
            _ => self.offered.offers(method, version),
        }
    }

    /// What stands behind the method's own params.
    fn write_rest(
        &mut self,
        ask: &Ask<'_, C>,
        version: ProtocolVersion,
        id: &I::Id,
        json: &mut Writer<'_, '_>,
    ) -> Result<(), RequestError> {
        if let Some(task) = ask.task.filter(|_| P::TASKS) {
            json.name("task").begin_object();
            if let Some(ttl) = task.ttl {
                json.name("ttl").unsigned(ttl);
            }
            json.end_object();
        }
        if P::ASKING
            && let Some(input) = &ask.input
        {
            write_input(&mut self.handler, version, input, json).map_err(RequestError::Refused)?;
        }
        let token = (P::PROGRESS && ask.wants_progress).then_some(id);
        self.write_meta::<I>(json, version, ask.log_level, token);
        Ok(())
    }

    /// The member `_meta`, where there is anything to say.
    pub(super) fn write_meta<S: IdSource>(
        &self,
        json: &mut Writer<'_, '_>,
        version: ProtocolVersion,
        log_level: Option<LoggingLevel>,
        progress_token: Option<&S::Id>,
    ) {
        let is_modern = is_modern::<P>(version);
        if !is_modern && progress_token.is_none() {
            return;
        }
        json.name("_meta").begin_object();
        if is_modern {
            json.name(keys::PROTOCOL_VERSION).string(version.as_str());
            let names = [keys::CLIENT_CAPABILITIES, keys::CLIENT_INFO];
            self.write_client(json, names, version);
            if let Some(level) = log_level.filter(|_| P::LOGGING) {
                json.name(keys::LOG_LEVEL).string(level.as_str());
            }
        }
        if let Some(token) = progress_token {
            json.name(keys::PROGRESS_TOKEN);
            S::with_id(token, |id| id.write(json));
        }
        json.end_object();
    }

    /// What the client can do, and who it is, as members of these names. Behind one call, so that the compiler sees what an
    /// application never says.
    #[inline(never)]
    pub(super) fn write_client(
        &self,
        json: &mut Writer<'_, '_>,
        [capabilities, info]: [&str; 2],
        version: ProtocolVersion,
    ) {
        let offered = of_parts::<P>(self.handler.capabilities());
        offered.write(json.name(capabilities), version);
        self.handler.info().write(json.name(info), version);
    }

    /// An id that is not in flight. A source that gives one more often than there are ids in flight gives no other.
    pub(super) fn fresh_id(&mut self, now: Duration) -> Option<I::Id> {
        for _ in 0..CALLS.saturating_add(1) {
            let id = self.ids.next_id(now);
            // The handshake, which has ids too, is done when requests are sent.
            let is_in_flight = I::with_id(&id, |id| self.pending.find(id).is_some());
            if !is_in_flight {
                return Some(id);
            }
        }
        None
    }

    fn keep(
        &mut self,
        ask: Ask<'_, C>,
        method: Option<Method>,
        version: ProtocolVersion,
        id: I::Id,
    ) -> Ticket {
        let ticket = self.pending.next_ticket();
        let may_be_task = P::TASKS
            && method == Some(Method::ToolsCall)
            && match is_modern::<P>(version) {
                true => self
                    .handler
                    .capabilities()
                    .has(ClientCapabilities::TASKS_EXTENSION),
                false => ask.task.is_some(),
            };
        let timeout = match ask.timeout {
            Timeout::Default => Some(self.options.timeout()),
            Timeout::Never => None,
            Timeout::After(timeout) => Some(timeout),
        };
        let most = ask.most.filter(|_| P::PROGRESS);
        let extension = timeout.zip(most);
        self.pending.insert(Entry {
            ticket,
            id,
            context: ask.context,
            method,
            wants_progress: P::PROGRESS && ask.wants_progress,
            may_be_task,
            time: Time {
                deadline: timeout.map(|timeout| {
                    let at_most = most.map_or(timeout, |most| timeout.min(most));
                    ask.now.saturating_add(at_most)
                }),
                extension: extension.map(|(timeout, most)| (timeout, ask.now.saturating_add(most))),
            },
        });
        ticket
    }

    /// Gives up a request: tells the server, and returns the context. A response that comes all the same is one that
    /// nobody waits for.
    ///
    /// (A task goes on: it has [`cancel_task`](Client::cancel_task).)
    ///
    /// # Errors
    /// [`RequestError::NotInFlight`]; [`RequestError::NoRoom`], and then the request goes on.
    pub fn cancel(
        &mut self,
        ticket: Ticket,
        reason: Option<&str>,
        out: &mut Sink<'_>,
    ) -> Result<C, RequestError> {
        let entry = self.pending.get(ticket).ok_or(RequestError::NotInFlight)?;
        I::with_id(&entry.id, |id| write_cancelled(out, id, reason))?;
        match self.pending.take(ticket) {
            Some(entry) => Ok(entry.context),
            None => Err(RequestError::NotInFlight),
        }
    }
}

/// Tells the server that nobody waits for the request any more.
pub(super) fn write_cancelled(
    out: &mut Sink<'_>,
    id: RequestId<'_>,
    reason: Option<&str>,
) -> Result<(), BufferFull> {
    let mut line = Line::notification(out, Method::Cancelled.name());
    line.json.name("requestId");
    id.write(&mut line.json);
    if let Some(reason) = reason {
        line.json.name("reason").string(reason);
    }
    line.finish()
}

/// A request or a notification that is being written, inside its params.
pub(super) struct Line<'s, 'm> {
    pub(super) json: Writer<'s, 'm>,
    start: Mark,
    before_params: (Mark, bool),
    inside_params: (Mark, bool),
}

impl<'s, 'm> Line<'s, 'm> {
    pub(super) fn request<I: IdSource>(out: &'s mut Sink<'m>, id: &I::Id, method: &str) -> Self {
        let start = out.mark();
        let mut json = Writer::new(out);
        begin(&mut json);
        json.name("id");
        I::with_id(id, |id| id.write(&mut json));
        Self::open(json, start, method)
    }

    pub(super) fn notification(out: &'s mut Sink<'m>, method: &str) -> Self {
        let start = out.mark();
        let mut json = Writer::new(out);
        begin(&mut json);
        Self::open(json, start, method)
    }

    fn open(mut json: Writer<'s, 'm>, start: Mark, method: &str) -> Self {
        json.name("method").string(method);
        let before_params = json.mark();
        json.name("params").begin_object();
        let inside_params = json.mark();
        Self {
            json,
            start,
            before_params,
            inside_params,
        }
    }

    pub(super) fn take_back(mut self) {
        self.json.sink().rollback(self.start);
    }

    /// The end of the line; params without a member are left out.
    pub(super) fn finish(mut self) -> Result<(), BufferFull> {
        if self.json.mark() == self.inside_params {
            self.json.rollback(self.before_params);
        } else {
            self.json.end_object();
        }
        end_line(&mut self.json);
        let out = self.json.sink();
        if out.is_full() {
            let needed = out.len();
            out.rollback(self.start);
            return Err(BufferFull { needed });
        }
        Ok(())
    }
}
